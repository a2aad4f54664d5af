//! A group and version: the unit of generated modules and clients.
use super::{Ident, given};
use crate::base::options::Kubernetes;

/// One API group in one version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Module {
    /// API group, as `iksoon.test.com`.
    pub group: String,
    /// Version, as `v1`.
    pub version: String,
    /// The oldest Kubernetes whose k8s-openapi types have every field that the schemas of this module use.
    pub kubernetes: Kubernetes,
    /// Its Rust names, given by the naming pass.
    pub names: Option<ModuleNames>,
}

/// The Rust names of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleNames {
    /// Module of the group, as `iksoon_test_com`.
    pub group: Ident,
    /// Module of the version below it, as `v1`.
    pub version: Ident,
    /// Method of the clientset and of the informer factory, as `iksoon_test_com_v1`.
    pub method: Ident,
    /// Struct of the client, as `IksoonTestComV1Client`.
    pub client: Ident,
    /// Struct of the informers, as `IksoonTestComV1Informers`.
    pub informers: Ident,
}

impl Module {
    /// Returns the Rust names.
    ///
    /// # Panics
    /// Before the naming pass.
    pub fn names(&self) -> &ModuleNames {
        given(self.names.as_ref())
    }

    /// Returns the folder of the module below the output directory, as `iksoon_test_com/v1`.
    pub fn path(&self) -> String {
        format!("{}/{}", self.group_folder(), self.names().version.plain())
    }

    /// Returns the folder of the group below the output directory, as `iksoon_test_com`.
    pub fn group_folder(&self) -> &str {
        self.names().group.plain()
    }

    /// Returns the name of the cargo feature that enables the module, as `iksoon-test-com-v1`: unique, as the method is.
    pub fn feature(&self) -> String {
        self.names().method.plain().replace('_', "-")
    }

    /// Returns `group/version`, as objects have it in `apiVersion`.
    pub fn api_version(&self) -> String {
        format!("{}/{}", self.group, self.version)
    }
}
