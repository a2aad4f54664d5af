//! A group and version: the unit of modules and of clients.
use crate::options::Kubernetes;

/// One API group in one version, with the Rust names that the naming pass gives it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Module {
    /// API group, as `iksoon.test.com`.
    pub group: String,
    /// Version, as `v1`.
    pub version: String,
    /// The oldest Kubernetes for which the reused types of k8s-openapi hold all that the schemas say.
    pub kubernetes: Kubernetes,
    /// Module of the group, as `iksoon_test_com`.
    pub group_ident: String,
    /// Module of the version below it, as `v1`.
    pub version_ident: String,
    /// Method of the clientset and of the informer factory, as `iksoon_test_com_v1`.
    pub method: String,
    /// Struct of the client, as `IksoonTestComV1`.
    pub client: String,
    /// Struct of the informers, as `IksoonTestComV1Informers`.
    pub informers: String,
}

impl Module {
    /// Folder of the module below the output directory, as `iksoon_test_com/v1`.
    pub fn path(&self) -> String {
        format!("{}/{}", self.group_folder(), file(&self.version_ident))
    }

    /// Folder of the group below the output directory, as `iksoon_test_com`.
    pub fn group_folder(&self) -> &str {
        file(&self.group_ident)
    }

    /// Name of the cargo feature that switches it on, as `iksoon-test-com-v1`: unique, since the method is.
    pub fn feature(&self) -> String {
        file(&self.method).replace('_', "-")
    }

    /// `group/version`, as objects have it in `apiVersion`.
    pub fn api_version(&self) -> String {
        format!("{}/{}", self.group, self.version)
    }
}

/// The file of a module.
fn file(ident: &str) -> &str {
    ident.trim_start_matches("r#")
}
