//! Finds or builds the programs of a control plane, and reads the environment variables that choose them.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{error::Error, go};

/// A program and the arguments that select a tool in it.
#[derive(Clone, Debug)]
pub(crate) struct Program(pub(crate) Vec<OsString>);

impl Program {
    pub(crate) fn path(&self) -> PathBuf {
        self.0.first().map(PathBuf::from).unwrap_or_default()
    }

    pub(crate) fn command(&self) -> Command {
        let mut words = self.0.iter();
        let mut command = Command::new(words.next().cloned().unwrap_or_default());
        command.args(words);
        command
    }
}

/// The programs of a control plane. `etcd`, `api_server` and `kubectl` accept upstream's flags.
pub(crate) struct Programs {
    pub(crate) etcd: Program,
    pub(crate) api_server: Program,
    pub(crate) controllers: Option<Program>,
    pub(crate) kubectl: Program,
}

/// The value of `KUBE_CODEGEN_E2E`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Unset or empty: tests run if a control plane is available, and are skipped otherwise.
    IfPossible,
    /// `required`: a test that cannot run fails.
    Required,
    /// `off`: tests are skipped.
    Off,
}

impl Mode {
    pub(crate) fn from_env() -> Result<Self, Error> {
        Self::parse(&env::var("KUBE_CODEGEN_E2E").unwrap_or_default())
    }

    fn parse(value: &str) -> Result<Self, Error> {
        match value {
            "" => Ok(Self::IfPossible),
            "required" => Ok(Self::Required),
            "off" => Ok(Self::Off),
            other => Err(Error::Unavailable(format!(
                "KUBE_CODEGEN_E2E must be `required`, `off` or unset, not `{other}`"
            ))),
        }
    }
}

/// Returns the kubeconfig of the cluster to use instead of a new control plane, if the environment sets one.
pub(crate) fn external() -> Option<PathBuf> {
    env::var_os("KUBE_CODEGEN_E2E_KUBECONFIG")
        .filter(|path| !path.is_empty())
        .map(PathBuf::from)
}

impl Programs {
    /// Finds the programs and builds missing ones. This can take minutes, so do not call it on an async thread.
    pub(crate) fn find() -> Result<Self, Error> {
        let Some(assets) = assets() else {
            let binary = go::binary()?;
            let tool = |name: &str| Program(vec![binary.clone().into(), name.into()]);
            return Ok(Self {
                etcd: tool("etcd"),
                api_server: tool("kube-apiserver"),
                controllers: Some(tool("controllers")),
                kubectl: tool("kubectl"),
            });
        };
        let controllers = match go::binary() {
            Ok(binary) => Some(Program(vec![binary.into(), "controllers".into()])),
            Err(Error::Unavailable(_)) => None,
            Err(error) => return Err(error),
        };
        Ok(Self {
            etcd: asset(&assets, "etcd")?,
            api_server: asset(&assets, "kube-apiserver")?,
            controllers,
            kubectl: kubectl(),
        })
    }
}

/// Returns a `kubectl` without a build: envtest's, the one built earlier, or the user's.
pub(crate) fn kubectl() -> Program {
    if let Some(Ok(program)) = assets().map(|assets| asset(&assets, "kubectl")) {
        return program;
    }
    match go::built() {
        Some(binary) => Program(vec![binary.into(), "kubectl".into()]),
        None => Program(vec![OsString::from("kubectl")]),
    }
}

fn assets() -> Option<PathBuf> {
    env::var_os("KUBEBUILDER_ASSETS")
        .filter(|path| !path.is_empty())
        .map(PathBuf::from)
}

/// Returns a program of the assets folder. A missing file is an error, not a reason to use another program.
fn asset(folder: &Path, name: &str) -> Result<Program, Error> {
    let path = folder.join(name);
    path.metadata()
        .map_err(Error::io(format!("KUBEBUILDER_ASSETS: {}", path.display())))?;
    Ok(Program(vec![path.into()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_mode_is_an_error() {
        assert_eq!(Mode::parse("required").unwrap(), Mode::Required);
        assert_eq!(Mode::parse("off").unwrap(), Mode::Off);
        assert_eq!(Mode::parse("").unwrap(), Mode::IfPossible);
        assert!(Mode::parse("require").is_err());
    }

    #[test]
    fn missing_assets_are_an_error() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(
            asset(folder.path(), "etcd"),
            Err(Error::Io { .. })
        ));
    }
}
