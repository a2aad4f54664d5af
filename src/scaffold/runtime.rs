//! Where a scaffolded crate finds the runtime crates: in the checkout this tool was built from, or in the registry.
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Source of the runtime crates in the scaffolded `Cargo.toml`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Runtime {
    /// The registry, in the version of this tool.
    Registry,
    /// The directory that holds them (`record`, `runtime`, `testing`), absolute or relative to the scaffolded crate.
    Path(PathBuf),
}

impl Runtime {
    /// The runtime crates for a crate at `target`: at `wanted`, else in the checkout this tool was built from if it still
    /// exists, else by version.
    ///
    /// # Errors
    /// If `wanted` does not hold the runtime crates.
    pub fn find(target: &Path, wanted: Option<&Path>) -> Result<Self, String> {
        let built_from = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates");
        match wanted {
            Some(path) if is_runtime(path) => Self::at(target, path),
            Some(path) => Err(format!(
                "`{}` does not hold the crate kube-codegen-runtime in `runtime/`",
                path.display()
            )),
            None if is_runtime(&built_from) => Self::at(target, &built_from),
            None => Ok(Self::Registry),
        }
    }

    /// Its directory with `/`, as Cargo.toml has it; empty where there is none.
    pub(super) fn path(&self) -> Result<String, &'static str> {
        match self {
            Self::Registry => Ok(String::new()),
            Self::Path(path) => Ok(path
                .to_str()
                .ok_or("the path of the runtime is not UTF-8")?
                .replace('\\', "/")),
        }
    }

    /// Relative if both lie in one tree, so that the tree can be moved.
    fn at(target: &Path, runtime: &Path) -> Result<Self, String> {
        let error = |error: std::io::Error| format!("cannot find the way to the runtime: {error}");
        let runtime = fs::canonicalize(runtime).map_err(error)?;
        let target = resolve(target).map_err(error)?;
        let tree = runtime.parent().unwrap_or(&runtime);
        let Ok(below) = target.strip_prefix(tree) else {
            return Ok(Self::Path(runtime));
        };
        let up: PathBuf = below.components().map(|_| Component::ParentDir).collect();
        Ok(Self::Path(up.join(runtime.file_name().unwrap_or_default())))
    }
}

/// The absolute path of what need not exist yet, with links resolved as far as it does.
pub(super) fn resolve(path: &Path) -> std::io::Result<PathBuf> {
    let path = std::path::absolute(path)?;
    for ancestor in path.ancestors() {
        if let Ok(real) = fs::canonicalize(ancestor) {
            return Ok(real.join(path.strip_prefix(ancestor).unwrap_or(Path::new(""))));
        }
    }
    Ok(path)
}

fn is_runtime(path: &Path) -> bool {
    fs::read_to_string(path.join("runtime/Cargo.toml"))
        .ok()
        .and_then(|text| text.parse::<toml::Table>().ok())
        .and_then(|table| {
            table
                .get("package")?
                .get("name")?
                .as_str()
                .map(str::to_owned)
        })
        .is_some_and(|name| name == "kube-codegen-runtime")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    #[test]
    fn is_relative_in_one_tree_and_absolute_out_of_it() {
        let tree = TempDir::new().unwrap();
        let crates = tree.path().join("crates");
        fs::create_dir_all(crates.join("runtime")).unwrap();
        let find = |target: &Path| Runtime::find(target, Some(&crates));
        assert!(
            find(tree.path())
                .unwrap_err()
                .contains("does not hold the crate kube-codegen-runtime")
        );
        fs::write(
            crates.join("runtime/Cargo.toml"),
            "[package]\nname = 'kube-codegen-runtime'\n",
        )
        .unwrap();
        assert_eq!(
            find(&tree.path().join("examples/new")).unwrap(),
            Runtime::Path("../../crates".into())
        );
        let elsewhere = TempDir::new().unwrap();
        assert_eq!(
            find(elsewhere.path()).unwrap(),
            Runtime::Path(fs::canonicalize(&crates).unwrap())
        );
    }
}
