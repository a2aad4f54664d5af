//! Finds the CRD files in a directory, by repository.
use super::Result;
use kube_codegen::source::{self, Input, Source};
use std::path::Path;

/// A file of CRDs.
pub(crate) struct Manifest {
    /// The directory of the file: one per repository.
    pub(crate) repository: String,
    /// Its path, relative to the directory of the corpus.
    pub(crate) input: String,
    /// Its text.
    pub(crate) source: Source,
}

/// Returns all files, sorted by repository and name.
pub(crate) fn find(directory: &Path, only: &[String]) -> Result<Vec<Manifest>> {
    let mut roots: Vec<_> = ["crds", "adversarial"]
        .iter()
        .map(|name| directory.join(name))
        .filter(|path| path.is_dir())
        .collect();
    if roots.is_empty() {
        roots.push(directory.to_owned());
    }
    let inputs: Vec<Input> = roots.into_iter().map(Input::Directory).collect();
    let mut manifests: Vec<Manifest> = source::load(&inputs)?
        .into_iter()
        .map(|source| Manifest {
            repository: repository(&source),
            input: relative(&source.name, directory),
            source,
        })
        .filter(|manifest| {
            only.is_empty() || only.iter().any(|part| manifest.repository.contains(part))
        })
        .collect();
    manifests.sort_by(|a, b| (&a.repository, &a.source.name).cmp(&(&b.repository, &b.source.name)));
    Ok(manifests)
}

fn relative(path: &str, directory: &Path) -> String {
    let below = Path::new(path).strip_prefix(directory);
    below.map_or_else(
        |_| path.to_owned(),
        |below| below.to_string_lossy().into_owned(),
    )
}

/// Returns the name of the directory of a file.
fn repository(source: &Source) -> String {
    let path = source.path.as_deref().unwrap_or(Path::new(&source.name));
    let directory = path.parent().and_then(Path::file_name);
    directory.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}
