//! Determines what a `Cargo.toml` must contain because of the directory it is in.
use std::{
    fs, io,
    path::{Component, Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::operator::cargo;

/// The checkout that this program was built from. A release has none: its packages depend on published versions, and its bytes do not
/// depend on the directory of the build.
const CHECKOUT: Option<&str> = match option_env!("KUBE_CODEGEN_RELEASE") {
    None => Some(env!("CARGO_MANIFEST_DIR")),
    Some(_) => None,
};

/// The version of the runtime crates, which are released together with this tool.
pub(super) const RUNTIME: &str = env!("CARGO_PKG_VERSION");

/// Where the crates `kube-codegen-record`, `-runtime`, `-schema`, `-simulation` and `-testing` are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum RuntimeCrates {
    /// In the registry, in the version of this tool.
    Registry,
    /// In a directory, absolute or relative to the package, with `/` as separator.
    Path(String),
    /// At a revision of a git repository.
    Git {
        /// Its URL.
        url: String,
        /// A commit or tag.
        rev: String,
    },
}

impl RuntimeCrates {
    /// Returns what a package in a directory of this one depends on.
    pub(super) fn below(&self) -> Self {
        match self {
            Self::Path(path) if Path::new(path).is_relative() => Self::Path(format!("../{path}")),
            other => other.clone(),
        }
    }

    /// Formats the value of a dependency in TOML.
    pub(super) fn dependency(&self, name: &str) -> String {
        match self {
            Self::Registry => format!("\"{RUNTIME}\""),
            other => format!("{{ {} }}", other.keys(name)),
        }
    }

    /// Returns the dependency on the crate `name` with some of its features.
    pub(super) fn with_features(&self, name: &str, features: &[&str]) -> String {
        let features: Vec<String> = features.iter().map(|it| format!("\"{it}\"")).collect();
        let features = features.join(", ");
        format!("{{ {}, features = [{features}] }}", self.keys(name))
    }

    /// Returns what names the crate `name`, as keys of an inline table.
    fn keys(&self, name: &str) -> String {
        let version = format!("version = \"{RUNTIME}\"");
        match self {
            Self::Registry => version,
            Self::Path(path) => {
                let path = toml::Value::from(format!("{path}/{name}"));
                format!("{version}, path = {path}")
            }
            Self::Git { url, rev } => {
                let (url, rev) = (
                    toml::Value::from(url.as_str()),
                    toml::Value::from(rev.as_str()),
                );
                format!("{version}, git = {url}, rev = {rev}")
            }
        }
    }

    /// Returns the arguments of `cargo install` for the command in the version of these crates. They are words without special characters.
    pub(super) fn install(&self) -> String {
        match self {
            Self::Registry | Self::Path(_) => format!("kube-codegen --locked --version {RUNTIME}"),
            Self::Git { url, rev } => format!("kube-codegen --locked --git {url} --rev {rev}"),
        }
    }
}

/// Where a package gets the runtime crates from.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct RuntimeArgs {
    /// Directory of the kube-codegen runtime crates
    /// [default: those of the checkout this tool was built from, or the published ones]
    #[arg(
        id = "runtime_path",
        long = "runtime-path",
        value_name = "DIR",
        conflicts_with = "runtime_git"
    )]
    path: Option<PathBuf>,

    /// Git repository of the kube-codegen runtime crates, which an image or a CI runner can fetch
    #[arg(id = "runtime_git", long = "runtime-git", value_name = "URL", requires = "runtime_rev", value_parser = git_url)]
    git: Option<String>,

    /// The commit or tag of --runtime-git
    #[arg(id = "runtime_rev", long = "runtime-rev", value_name = "REV", requires = "runtime_git", value_parser = git_rev)]
    rev: Option<String>,
}

impl RuntimeArgs {
    /// Whether an argument says where the crates are.
    pub(crate) fn is_given(&self) -> bool {
        self.path.is_some() || self.git.is_some()
    }
}

/// Parses the URL of a repository. It becomes a word of a shell command in the workflows, so it has no special characters.
fn git_url(text: &str) -> Result<String, String> {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || "/:.-_~@+".contains(letter);
    let Some((scheme, rest)) = text.split_once("://") else {
        return Err("cargo takes a URL, such as https://HOST/OWNER/REPOSITORY or ssh://git@HOST/OWNER/REPOSITORY".to_owned());
    };
    let is_scheme = matches!(scheme, "file" | "git" | "http" | "https" | "ssh");
    if is_scheme && !rest.is_empty() && rest.chars().all(is_word) {
        return Ok(text.to_owned());
    }
    Err(
        "must be a URL of https, ssh, http, git or file with letters, digits and `/:.-_~@+` alone"
            .to_owned(),
    )
}

/// Parses a commit or tag.
fn git_rev(text: &str) -> Result<String, String> {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || "/.-_+".contains(letter);
    if text.starts_with(|it: char| it.is_ascii_alphanumeric()) && text.chars().all(is_word) {
        return Ok(text.to_owned());
    }
    Err("must be a commit or a tag: letters, digits and `/.-_+`".to_owned())
}

/// What depends on the directory of a package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Location {
    /// Where the runtime crates are.
    pub(super) crates: RuntimeCrates,
    /// Whether a directory above contains a workspace that neither lists nor excludes the package. Cargo requires such a
    /// package to be a workspace of its own.
    pub(super) needs_workspace: bool,
}

impl Location {
    /// Examines the directory of a package, which need not exist yet.
    ///
    /// The runtime crates are by default those of the checkout that this program was built from. If there is none, as for an installed
    /// release, the package depends on published versions.
    ///
    /// # Errors
    /// If the given path does not contain the runtime crates, or a path cannot be resolved.
    pub(crate) fn of(package: &Path, runtime: &RuntimeArgs) -> Result<Self, String> {
        Self::from_checkout(package, runtime, CHECKOUT)
    }

    fn from_checkout(
        package: &Path,
        runtime: &RuntimeArgs,
        checkout: Option<&str>,
    ) -> Result<Self, String> {
        let error = |error| format!("cannot resolve `{}`: {error}", package.display());
        let package = resolve(package).map_err(error)?;
        if let (Some(url), Some(rev)) = (&runtime.git, &runtime.rev) {
            return Ok(Self {
                crates: RuntimeCrates::Git {
                    url: url.clone(),
                    rev: rev.clone(),
                },
                needs_workspace: needs_workspace(&package),
            });
        }
        let crates = match runtime.path.as_deref() {
            Some(path) if contains_runtime(path) => Some(path.to_owned()),
            Some(path) => {
                let path = path.display();
                return Err(format!(
                    "`{path}` does not contain the crate kube-codegen-runtime in `runtime/`"
                ));
            }
            None => checkout
                .map(|root| Path::new(root).join("crates"))
                .filter(|path| contains_runtime(path)),
        };
        let crates = match crates {
            None => RuntimeCrates::Registry,
            Some(path) => {
                let path = fs::canonicalize(path).map_err(error)?;
                let path = relative(&path, &package);
                let path = path
                    .to_str()
                    .ok_or("the path of the runtime crates is not UTF-8")?;
                RuntimeCrates::Path(path.replace('\\', "/"))
            }
        };
        Ok(Self {
            crates,
            needs_workspace: needs_workspace(&package),
        })
    }
}

/// Returns the absolute path of a file that need not exist, with symbolic links resolved.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    let path = std::path::absolute(path)?;
    for ancestor in path.ancestors() {
        if let (Ok(real), Ok(below)) = (fs::canonicalize(ancestor), path.strip_prefix(ancestor)) {
            return Ok(real.join(below));
        }
    }
    Ok(path)
}

/// Returns the path of the runtime crates from a package in the same checkout, or the absolute path.
fn relative(crates: &Path, package: &Path) -> PathBuf {
    let checkout = crates.parent().unwrap_or(crates);
    match package.strip_prefix(checkout) {
        Ok(below) => {
            let up: PathBuf = below.components().map(|_| Component::ParentDir).collect();
            up.join(crates.file_name().unwrap_or_default())
        }
        Err(_) => crates.to_owned(),
    }
}

fn contains_runtime(crates: &Path) -> bool {
    cargo::package_name(&crates.join("runtime")) == "kube-codegen-runtime"
}

fn needs_workspace(package: &Path) -> bool {
    // With a manifest that cannot be read, cargo fails in any case.
    let above = cargo::workspace(package.ancestors().skip(1)).ok().flatten();
    let Some((root, workspace)) = above else {
        return false;
    };
    let below = package.strip_prefix(root).unwrap_or(package);
    let lists = |key: &str, matches: &dyn Fn(&str) -> bool| {
        let entries = workspace.get(key).and_then(toml::Value::as_array);
        let mut entries = entries
            .into_iter()
            .flatten()
            .filter_map(toml::Value::as_str);
        entries.any(matches)
    };
    let is_excluded = lists("exclude", &|entry| below.starts_with(entry));
    let is_member = lists("members", &|entry| {
        glob::Pattern::new(entry.trim_end_matches('/'))
            .is_ok_and(|pattern| pattern.matches_path(below))
    });
    !is_excluded && !is_member
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    #[test]
    fn the_runtime_crates_are_relative_within_a_checkout() {
        let checkout = TempDir::new().unwrap();
        let crates = checkout.path().join("crates");
        fs::create_dir_all(crates.join("runtime")).unwrap();
        let runtime = RuntimeArgs {
            path: Some(crates.clone()),
            ..RuntimeArgs::default()
        };
        let of = |package: &Path| Location::of(package, &runtime).map(|it| it.crates);
        let error = of(checkout.path()).unwrap_err();
        assert!(error.contains("does not contain the crate kube-codegen-runtime"));
        let text = "[package]\nname = 'kube-codegen-runtime'\n";
        fs::write(crates.join("runtime/Cargo.toml"), text).unwrap();
        assert_eq!(
            of(&checkout.path().join("examples/new")).unwrap(),
            RuntimeCrates::Path("../../crates".to_owned())
        );
        let elsewhere = TempDir::new().unwrap();
        let absolute = fs::canonicalize(&crates).unwrap();
        assert_eq!(
            of(elsewhere.path()).unwrap(),
            RuntimeCrates::Path(absolute.to_str().unwrap().to_owned())
        );
    }

    #[test]
    fn without_a_checkout_the_crates_are_those_of_the_registry() {
        let package = TempDir::new().unwrap();
        let runtime = RuntimeArgs::default();
        let of = |checkout| Location::from_checkout(package.path(), &runtime, checkout);
        assert_eq!(of(None).unwrap().crates, RuntimeCrates::Registry);
        let removed = package.path().join("removed");
        let removed = of(removed.to_str()).unwrap().crates;
        assert_eq!(removed, RuntimeCrates::Registry);
        let root = env!("CARGO_MANIFEST_DIR");
        let expected = format!("{}/crates", fs::canonicalize(root).unwrap().display());
        let present = of(Some(root)).unwrap().crates;
        assert_eq!(present, RuntimeCrates::Path(expected));
    }

    #[test]
    fn a_revision_is_one_word_of_a_shell() {
        for url in [
            "https://example.com/a/b.git",
            "ssh://git@example.com:22/a/b",
            "file:///srv/a",
        ] {
            assert_eq!(git_url(url).as_deref(), Ok(url));
        }
        for url in [
            "",
            "git@example.com:a/b",
            "example.com/a",
            "https://",
            "https://a/$(id)",
            "https://a b",
            "https://a/\n- run: b",
            "ext::sh -c id",
            "ext://a",
        ] {
            assert!(git_url(url).is_err(), "{url:?}");
        }
        for rev in ["v1.2.3", "0123abc", "release/1.0"] {
            assert_eq!(git_rev(rev).as_deref(), Ok(rev));
        }
        for rev in ["", "-v", "a b", "a;b", "a\"", "#a"] {
            assert!(git_rev(rev).is_err(), "{rev:?}");
        }
    }

    #[test]
    fn members_and_excluded_packages_need_no_workspace_of_their_own() {
        let root = TempDir::new().unwrap();
        let needs = |path: &str| needs_workspace(&root.path().join(path));
        assert!(!needs("a"));
        let text = "[workspace]\nmembers = ['runtime', 'examples/*']\nexclude = ['target']\n";
        fs::write(root.path().join("Cargo.toml"), text).unwrap();
        assert!(!needs("examples/a"));
        assert!(!needs("target/tmp/a"));
        assert!(needs("a"));
        assert!(needs("other/deep/a"));
    }
}
