//! In: the environment. Out: the programs a control plane is made of, or the reason why there is none. Never a download but Go modules.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

use crate::{component::Program, error::Error, go};

/// The programs; upstream's own flags are understood by `etcd`, `api_server` and `kubectl`.
pub(crate) struct Programs {
    pub(crate) etcd: Program,
    pub(crate) api_server: Program,
    pub(crate) controllers: Option<Program>,
    pub(crate) kubectl: Program,
}

/// What `KUBE_CODEGEN_E2E` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Unset or empty: tests run where a control plane can be had, and are skipped elsewhere.
    IfPossible,
    /// `required`: a test that cannot run fails. For CI.
    Required,
    /// `off`: tests are skipped.
    No,
}

impl Wanted {
    pub(crate) fn from_env() -> Result<Self, Error> {
        Self::parse(&env::var("KUBE_CODEGEN_E2E").unwrap_or_default())
    }

    fn parse(value: &str) -> Result<Self, Error> {
        match value {
            "" => Ok(Self::IfPossible),
            "required" => Ok(Self::Required),
            "off" => Ok(Self::No),
            other => Err(Error::Unavailable(format!(
                "KUBE_CODEGEN_E2E is `required`, `off` or unset, not `{other}`"
            ))),
        }
    }
}

/// The cluster to use in place of an own control plane, if the environment names one.
pub(crate) fn external() -> Option<PathBuf> {
    env::var_os("KUBE_CODEGEN_E2E_KUBECONFIG")
        .filter(|path| !path.is_empty())
        .map(PathBuf::from)
}

impl Programs {
    /// Finds the programs; builds what is missing. May take minutes, so not for an async thread.
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

/// A `kubectl` without building one: envtest's, the one built before, or the user's.
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

/// A variable that leads nowhere is a mistake to report, no reason to take something else in silence.
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
    fn a_misspelt_wish_is_an_error() {
        assert_eq!(Wanted::parse("required").unwrap(), Wanted::Required);
        assert_eq!(Wanted::parse("off").unwrap(), Wanted::No);
        assert_eq!(Wanted::parse("").unwrap(), Wanted::IfPossible);
        assert!(Wanted::parse("require").is_err());
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
