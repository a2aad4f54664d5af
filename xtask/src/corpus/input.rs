//! A folder comes in, the definitions in it go out as texts, by repository; nothing is parsed here.
use super::Result;
use kube_codegen::source::{self, Input, Source};
use std::path::Path;

/// A file of definitions.
pub(crate) struct Manifest {
    /// The folder it lies in: one per repository.
    pub(crate) repository: String,
    /// Its text.
    pub(crate) source: Source,
}

/// All files, sorted by repository and name.
pub(crate) fn find(folder: &Path, only: &[String]) -> Result<Vec<Manifest>> {
    let mut roots: Vec<_> = ["crds", "adversarial"]
        .iter()
        .map(|name| folder.join(name))
        .filter(|path| path.is_dir())
        .collect();
    if roots.is_empty() {
        roots.push(folder.to_owned());
    }
    let inputs: Vec<Input> = roots.into_iter().map(Input::Directory).collect();
    let mut manifests: Vec<Manifest> = source::load(&inputs)?
        .into_iter()
        .map(|source| Manifest {
            repository: repository(&source),
            source,
        })
        .filter(|manifest| {
            only.is_empty() || only.iter().any(|part| manifest.repository.contains(part))
        })
        .collect();
    manifests.sort_by(|a, b| (&a.repository, &a.source.name).cmp(&(&b.repository, &b.source.name)));
    Ok(manifests)
}

/// Name of the folder a file lies in.
fn repository(source: &Source) -> String {
    let path = source.path.as_deref().unwrap_or(Path::new(&source.name));
    let folder = path.parent().and_then(Path::file_name);
    folder.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}
