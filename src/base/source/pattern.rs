//! Lists the files that a pattern matches, sorted, and those below directories that it matches.
use super::{Listing, Problem, directory};
use std::path::{Path, PathBuf};

pub(super) fn list(pattern: &str, problems: &mut Vec<Problem>) -> Listing {
    let mut listing = Listing::default();
    let paths = match glob::glob(pattern) {
        Ok(paths) => paths,
        Err(error) => {
            problems.push(Problem::Pattern {
                pattern: pattern.to_owned(),
                reason: error.to_string(),
            });
            return listing;
        }
    };
    let before = problems.len();
    for path in paths {
        match path {
            Ok(path) if path.is_dir() => {
                let below = directory::list(&path, problems);
                listing.files.extend(below.files);
                listing.folders.extend(below.folders);
            }
            Ok(path) => listing.files.push(path),
            Err(error) => problems.push(Problem::Io {
                path: error.path().to_path_buf(),
                source: error.into(),
            }),
        }
    }
    if listing.files.is_empty() && problems.len() == before {
        problems.push(Problem::NoFile {
            input: pattern.to_owned(),
        });
    }
    listing.folders.push(fixed_part(pattern));
    listing
}

/// Returns the directory above the first part of the pattern with a wildcard.
pub(super) fn fixed_part(pattern: &str) -> PathBuf {
    let fixed: PathBuf = Path::new(pattern)
        .components()
        .take_while(|part| !part.as_os_str().to_string_lossy().contains(['*', '?', '[']))
        .collect();
    if fixed.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        fixed
    }
}
