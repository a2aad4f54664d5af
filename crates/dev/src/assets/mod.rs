//! `kube-codegen-dev assets`: programs with the names of those that envtest starts, which serve the Kubernetes API from memory.
//!
//! They are this program under other names.

mod api_server;
mod etcd;
mod flags;

use std::{
    env,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use clap::Parser;

use flags::Flags;

const API_SERVER: &str = "kube-apiserver";
const ETCD: &str = "etcd";
const KUBECTL: &str = "kubectl";

/// Write kube-apiserver, etcd and kubectl for envtest into a directory: they serve the Kubernetes API from memory
///
/// `KUBEBUILDER_ASSETS=DIR go test ./...` then runs the tests of a Go operator without etcd. As with the programs that setup-envtest
/// downloads, no controllers and no garbage collector run. `kubectl` runs the kubectl that is installed.
#[derive(Debug, Parser)]
#[command(
    name = "kube-codegen-dev assets",
    version,
    after_help = "\
Example:
  kube-codegen-dev assets target/envtest
  KUBEBUILDER_ASSETS=$PWD/target/envtest go test ./..."
)]
struct Args {
    /// The directory; it is created
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

/// Writes the programs.
pub(super) fn write(args: impl Iterator<Item = OsString>) -> Result<(), String> {
    let directory = Args::parse_from(args).directory;
    let shown = directory.display();
    let failed = |error: io::Error| format!("cannot write the programs into {shown}: {error}");
    let this = env::current_exe().map_err(failed)?;
    if cfg!(debug_assertions) {
        eprintln!(
            "warning: this is a debug build of kube-codegen-dev: your tests will take several times as long. Use a release build:\n  cargo run --release -p kube-codegen-dev -- assets {shown}"
        );
    }
    fs::create_dir_all(&directory).map_err(failed)?;
    for name in [API_SERVER, ETCD, KUBECTL] {
        let path = directory
            .join(name)
            .with_extension(env::consts::EXE_EXTENSION);
        if path.symlink_metadata().is_ok() {
            fs::remove_file(&path).map_err(failed)?;
        }
        link(&this, &path).map_err(failed)?;
    }
    let absolute = fs::canonicalize(&directory).map_err(failed)?;
    println!("KUBEBUILDER_ASSETS={}", absolute.display());
    Ok(())
}

#[cfg(unix)]
fn link(this: &Path, path: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(this, path)
}

#[cfg(not(unix))]
fn link(this: &Path, path: &Path) -> io::Result<()> {
    fs::copy(this, path).map(drop)
}

/// Runs the program whose name this one has; `None` if it has its own.
pub(super) fn run() -> Option<Result<(), String>> {
    let called = env::args_os().next()?;
    let name = Path::new(&called).file_stem()?.to_str()?;
    let flags = || Flags::parse(env::args().skip(1));
    Some(match name {
        API_SERVER => flags().and_then(|flags| api_server::run(&flags)),
        ETCD => flags().and_then(|flags| etcd::run(&flags)),
        KUBECTL => kubectl(Path::new(&called)),
        _ => return None,
    })
}

/// Names the directories whose `kubectl` is this program and has already looked for another one, as PATH does.
const LOOKED: &str = "KUBE_CODEGEN_KUBECTL_OF";

/// Runs the kubectl that is installed. Several directories of PATH may have programs of `assets`: each hands over to the next one, and
/// none to one that has handed over to it.
fn kubectl(own: &Path) -> Result<(), String> {
    let own = own.parent().and_then(|it| fs::canonicalize(it).ok());
    let path = env::var_os("PATH").unwrap_or_default();
    let looked = env::var_os(LOOKED).unwrap_or_default();
    // An empty list has one empty path.
    let looked = env::split_paths(&looked).filter(|it| !it.as_os_str().is_empty());
    let looked: Vec<PathBuf> = looked.chain(own).collect();
    let others = env::split_paths(&path)
        .filter(|it| fs::canonicalize(it).is_ok_and(|it| !looked.contains(&it)));
    let programs = others.map(|it| it.join(KUBECTL).with_extension(env::consts::EXE_EXTENSION));
    let Some(program) = programs.into_iter().find(|it| it.is_file()) else {
        let own: Vec<_> = looked.iter().map(|it| it.display().to_string()).collect();
        return Err(format!(
            "kubectl is not installed, only the programs of `kube-codegen-dev assets` in {}: install it, or put it into a directory of PATH (https://kubernetes.io/docs/tasks/tools)",
            own.join(" and ")
        ));
    };
    let mut command = Command::new(&program);
    command.args(env::args_os().skip(1));
    // A directory whose name cannot be in such a list is not in PATH either.
    if let Ok(looked) = env::join_paths(&looked) {
        command.env(LOOKED, looked);
    }
    let status = command.status();
    let status = status.map_err(|error| format!("cannot run {}: {error}", program.display()))?;
    std::process::exit(status.code().unwrap_or(1));
}

/// Ends this process when the one that has started it ends, however that happens: no test leaves a server.
fn end_with_parent() {
    #[cfg(unix)]
    std::thread::spawn(|| {
        use std::{os::unix::process::parent_id, process::exit, thread::sleep, time::Duration};
        let parent = parent_id();
        while parent_id() == parent {
            sleep(Duration::from_secs(1));
        }
        exit(0);
    });
}
