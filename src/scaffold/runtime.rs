//! Where the crate finds `kube-codegen-runtime`: beside this tool if it runs out of a checkout, else in the registry.
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Source of the runtime library in the crate's `Cargo.toml`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Runtime {
    /// The registry, in the version of this tool.
    Registry,
    /// A directory, absolute or relative to the crate's.
    Path(PathBuf),
}

impl Runtime {
    /// The runtime for a crate that is to lie at `target`: at `wanted`, else in the checkout this tool was built from while it
    /// is there, else by version.
    ///
    /// # Errors
    /// Where `wanted` holds no runtime.
    pub fn find(target: &Path, wanted: Option<&Path>) -> Result<Self, String> {
        let built_from = Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime");
        match wanted {
            Some(path) if is_runtime(path) => Self::at(target, path),
            Some(path) => Err(format!(
                "`{}` holds no kube-codegen-runtime",
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
    fs::read_to_string(path.join("Cargo.toml"))
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
        let runtime = tree.path().join("runtime");
        fs::create_dir(&runtime).unwrap();
        let find = |target: &Path| Runtime::find(target, Some(&runtime));
        assert!(
            find(tree.path())
                .unwrap_err()
                .contains("holds no kube-codegen-runtime")
        );
        fs::write(
            runtime.join("Cargo.toml"),
            "[package]\nname = 'kube-codegen-runtime'\n",
        )
        .unwrap();
        assert_eq!(
            find(&tree.path().join("examples/new")).unwrap(),
            Runtime::Path("../../runtime".into())
        );
        let elsewhere = TempDir::new().unwrap();
        assert_eq!(
            find(elsewhere.path()).unwrap(),
            Runtime::Path(fs::canonicalize(&runtime).unwrap())
        );
    }
}
