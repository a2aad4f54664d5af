//! Builds the Go module of this crate, once per version, into the user's cache folder.

use std::{
    env,
    fs::{self, File},
    io::{self, ErrorKind, Write as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, SystemTime},
};

use ring::digest::{Context, SHA256};

use crate::{error::Error, identity::hex};

macro_rules! module {
    ($($name:literal),* $(,)?) => { [$(($name, include_str!(concat!("../control-plane/", $name)))),*] };
}

const MODULE: [(&str, &str); 6] = module![
    "controllers.go",
    "go.mod",
    "go.sum",
    "kubelet.go",
    "main.go",
    "upstream.go"
];

/// Without inlining and debug data the build takes a third less time. Inlining in the standard library alone takes 2 % of that again, and saves a fifth
/// of the servers' work.
const FLAGS: [&str; 3] = [
    "-trimpath",
    "-gcflags=all=-dwarf=false -l",
    "-gcflags=std=-dwarf=false",
];

const BINARY: &str = "control-plane";

/// A build removes binaries of other versions that have not been used for this long.
const UNUSED: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Returns the binary if it has been built.
pub(crate) fn built() -> Option<PathBuf> {
    let binary = cache().ok()?.join(version()).join(BINARY);
    let file = File::open(&binary).ok()?;
    // Records the last use. This fails in a read-only cache, which is fine.
    let _ = file.set_modified(SystemTime::now());
    Some(binary)
}

/// Returns the binary and builds it if missing. A lock makes concurrent callers wait for one build.
pub(crate) fn binary() -> Result<PathBuf, Error> {
    if let Some(binary) = built() {
        return Ok(binary);
    }
    let go = Command::new("go")
        .arg("version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !go.is_ok_and(|status| status.success()) {
        let text = "install Go (https://go.dev/dl) to have one built, or set KUBEBUILDER_ASSETS to envtest's folder, or KUBE_CODEGEN_E2E_KUBECONFIG to a cluster's kubeconfig";
        return Err(Error::Unavailable(text.to_owned()));
    }
    let cache = cache()?;
    fs::create_dir_all(&cache).map_err(Error::io(cache.display().to_string()))?;
    let lock = File::create(cache.join("lock")).map_err(Error::io("lock of the cache"))?;
    lock.lock().map_err(Error::io("lock of the cache"))?;
    if let Some(binary) = built() {
        return Ok(binary);
    }
    build(&cache.join(version()))?;
    remove_unused(&cache);
    built().ok_or_else(|| Error::Build("the binary was removed during the build".to_owned()))
}

fn build(folder: &Path) -> Result<(), Error> {
    // `eprintln!` is captured by the test harness.
    let _ = writeln!(
        io::stderr(),
        "kube-codegen-testenv: building a control plane in {} (once, takes minutes)",
        folder.display()
    );
    let source = folder.join("src");
    fs::create_dir_all(&source).map_err(Error::io(source.display().to_string()))?;
    for (name, text) in MODULE {
        fs::write(source.join(name), text).map_err(Error::io(name))?;
    }
    let (major, minor, version) = kubernetes();
    let set = "-X k8s.io/component-base/version.git";
    let output = Command::new("go")
        .arg("build")
        .args(FLAGS)
        .arg(format!(
            "-ldflags=-s -w {set}Version={version} {set}Major={major} {set}Minor={minor}"
        ))
        .args(["-o", "../unfinished", "."])
        .current_dir(&source)
        .envs([("CGO_ENABLED", "0"), ("GOWORK", "off"), ("GOGC", "200")])
        .output()
        .map_err(Error::io("go build"))?;
    if !output.status.success() {
        return Err(Error::Build(
            String::from_utf8_lossy(&output.stderr).into_owned(),
        ));
    }
    fs::rename(folder.join("unfinished"), folder.join(BINARY)).map_err(Error::io("binary"))
}

/// Returns major, minor and full version of Kubernetes in `go.mod`.
fn kubernetes() -> (&'static str, &'static str, &'static str) {
    let module = MODULE
        .iter()
        .find(|(name, _)| *name == "go.mod")
        .map_or("", |(_, text)| text);
    let version = module
        .lines()
        .find_map(|line| line.trim().strip_prefix("k8s.io/kubernetes "))
        .unwrap_or("v0.0.0");
    let mut parts = version.trim_start_matches('v').split('.');
    (
        parts.next().unwrap_or("0"),
        parts.next().unwrap_or("0"),
        version,
    )
}

/// Returns a hash of the files and flags that determine the binary.
fn version() -> String {
    let mut digest = Context::new(&SHA256);
    for part in MODULE
        .iter()
        .flat_map(|(name, text)| [name, text])
        .chain(&FLAGS)
    {
        digest.update(&part.len().to_le_bytes());
        digest.update(part.as_bytes());
    }
    hex(&digest.finish().as_ref()[..8])
}

fn cache() -> Result<PathBuf, Error> {
    let from = |variable| {
        env::var_os(variable)
            .filter(|path| !path.is_empty())
            .map(PathBuf::from)
    };
    from("XDG_CACHE_HOME")
        .or_else(|| from("HOME").map(|home| home.join(".cache")))
        .map(|cache| cache.join("kube-codegen").join("control-plane"))
        .ok_or_else(|| {
            Error::io("cache folder: neither XDG_CACHE_HOME nor HOME is set")(
                ErrorKind::NotFound.into(),
            )
        })
}

/// Removes binaries that have not been used recently; errors are ignored.
fn remove_unused(cache: &Path) {
    for entry in fs::read_dir(cache).into_iter().flatten().flatten() {
        let used = entry
            .path()
            .join(BINARY)
            .metadata()
            .and_then(|file| file.modified());
        if used.is_ok_and(|used| used.elapsed().is_ok_and(|age| age > UNUSED)) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn all_files_of_the_module_are_embedded() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("control-plane");
        let files: BTreeSet<_> = fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        let embedded = MODULE.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(files, embedded);
    }

    #[test]
    fn the_version_is_read_from_go_mod() {
        let (major, minor, version) = kubernetes();
        assert!(
            version.starts_with(&format!("v{major}.{minor}.")),
            "{version}"
        );
        assert_ne!(minor, "0");
    }

    #[test]
    fn only_unused_binaries_are_removed() {
        let cache = tempfile::tempdir().unwrap();
        for name in ["old", "new", "unfinished"] {
            fs::create_dir(cache.path().join(name)).unwrap();
        }
        let old = File::create(cache.path().join("old").join(BINARY)).unwrap();
        old.set_modified(SystemTime::now() - UNUSED - Duration::from_secs(60))
            .unwrap();
        File::create(cache.path().join("new").join(BINARY)).unwrap();
        remove_unused(cache.path());
        let left: BTreeSet<_> = fs::read_dir(cache.path())
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        assert_eq!(left, ["new", "unfinished"].map(str::to_owned).into());
    }
}
