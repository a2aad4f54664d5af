//! Lists the manifests below a directory, sorted, without hidden entries.
use super::{Listing, Problem};
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

pub(super) fn list(root: &Path, problems: &mut Vec<Problem>) -> Listing {
    let mut listing = Listing::default();
    let before = problems.len();
    walk(root, &mut HashSet::new(), &mut listing, problems);
    if listing.files.is_empty() && problems.len() == before {
        problems.push(Problem::NoFile {
            input: root.display().to_string(),
        });
    }
    listing
}

/// `seen` holds the real paths of the directories visited, so that cycles of symbolic links end.
fn walk(
    folder: &Path,
    seen: &mut HashSet<PathBuf>,
    listing: &mut Listing,
    problems: &mut Vec<Problem>,
) {
    let mut failed = |source| {
        problems.push(Problem::Io {
            path: folder.to_path_buf(),
            source,
        });
    };
    let entries = match fs::canonicalize(folder) {
        Ok(real) if !seen.insert(real.clone()) => return,
        Ok(_) => fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>),
        Err(error) => return failed(error),
    };
    let mut paths: Vec<PathBuf> = match entries {
        Ok(entries) => entries.into_iter().map(|entry| entry.path()).collect(),
        Err(error) => return failed(error),
    };
    paths.sort_unstable();
    listing.folders.push(folder.to_path_buf());
    for path in paths {
        if is_hidden(&path) {
            continue;
        }
        if path.is_dir() {
            walk(&path, seen, listing, problems);
        } else if is_manifest(&path) {
            listing.files.push(path);
        }
    }
}

fn is_hidden(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

/// Whether the file name ends as that of a manifest.
pub(super) fn is_manifest(path: &Path) -> bool {
    path.extension().is_some_and(|extension| {
        ["yaml", "yml", "json"]
            .iter()
            .any(|known| extension.eq_ignore_ascii_case(known))
    })
}
