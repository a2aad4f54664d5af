//! The kinds of Kubernetes itself, whose types are those of k8s-openapi.
// The test of the groups compares them.
#[cfg(test)]
#[path = "../../../../crates/record/src/built_in.rs"]
mod built_in;
#[rustfmt::skip]
mod table;

use crate::base::{diag::nearest, options::Kubernetes};

/// A kind of Kubernetes itself.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CoreKind {
    /// The module of its type in k8s-openapi, such as `api::core::v1`.
    module: &'static str,
    /// The API group, empty for that of Pods.
    pub(crate) group: &'static str,
    /// The kind, which is also the name of the type.
    pub(crate) kind: &'static str,
    /// The plural.
    pub(crate) plural: &'static str,
    /// Whether its objects are in namespaces.
    pub(crate) namespaced: bool,
    /// The first Kubernetes version that has it.
    since: Kubernetes,
}

const fn namespaced(
    module: &'static str,
    group: &'static str,
    kind: &'static str,
    plural: &'static str,
) -> CoreKind {
    CoreKind {
        module,
        group,
        kind,
        plural,
        namespaced: true,
        since: Kubernetes::V1_33,
    }
}

const fn cluster(
    module: &'static str,
    group: &'static str,
    kind: &'static str,
    plural: &'static str,
) -> CoreKind {
    CoreKind {
        namespaced: false,
        ..namespaced(module, group, kind, plural)
    }
}

impl CoreKind {
    const fn since(self, since: Kubernetes) -> Self {
        Self { since, ..self }
    }

    /// Returns the API version and the kind, as on the command line: `apps/v1/Deployment`.
    pub(crate) fn name(&self) -> String {
        let separator = if self.group.is_empty() { "" } else { "/" };
        let (group, version, kind) = (self.group, self.version(), self.kind);
        format!("{group}{separator}{version}/{kind}")
    }

    /// Returns the version in the group.
    pub(super) fn version(&self) -> &'static str {
        self.module.rsplit("::").next().unwrap_or_default()
    }

    /// Returns the path of its type.
    pub(super) fn rust_path(&self) -> String {
        format!("k8s_openapi::{}::{}", self.module, self.kind)
    }

    /// Returns the group and version in an identifier, such as `apps_v1`.
    pub(super) fn group_ident(&self) -> String {
        let group = match self.group {
            "" => "core",
            group => group,
        };
        format!("{}_{}", group.replace(['.', '-'], "_"), self.version())
    }

    /// Fails if the oldest Kubernetes version to support does not have the kind.
    pub(crate) fn check(&self, kubernetes: Kubernetes) -> Result<(), String> {
        if self.since <= kubernetes {
            return Ok(());
        }
        let (name, since) = (self.name(), self.since);
        Err(format!(
            "Kubernetes {kubernetes} has no `{name}`; use `--kubernetes {since}`"
        ))
    }
}

/// Looks a kind up by its API version and kind, such as `v1/Pod`.
///
/// # Errors
/// A message with similar kinds, or else with all.
pub(crate) fn core_kind(name: &str) -> Result<&'static CoreKind, String> {
    let name = name.trim();
    let found = table::ALL.iter().find(|kind| kind.name() == name);
    found.ok_or_else(|| {
        let quoted = name.escape_debug();
        let similar = similar(name);
        if similar.is_empty() {
            let all: Vec<String> = table::ALL.iter().map(CoreKind::name).collect();
            let all = all.join(", ");
            format!(
                "Kubernetes has no kind `{quoted}` (for a kind of a CRD, use --file); the kinds are {all}"
            )
        } else {
            let similar = similar.join("` or `");
            format!("Kubernetes has no kind `{quoted}`; did you mean `{similar}`?")
        }
    })
}

/// All kinds.
pub(crate) const fn all_kinds() -> &'static [CoreKind] {
    table::ALL
}

/// Looks a kind up by its group and kind, in any of its versions.
pub(crate) fn kind_in_group(group: &str, kind: &str) -> Option<&'static CoreKind> {
    let is_it = |it: &&CoreKind| (it.group, it.kind) == (group, kind);
    table::ALL.iter().find(is_it)
}

/// Whether a group is one of Kubernetes itself. Its name does not tell: `gateway.networking.k8s.io` is one of CRDs.
pub(crate) fn is_core_group(group: &str) -> bool {
    table::ALL.iter().any(|it| it.group == group)
}

/// Whether a kind is one of Kubernetes itself whose objects are in no namespace.
pub fn is_cluster_scoped(group: &str, kind: &str) -> bool {
    kind_in_group(group, kind).is_some_and(|it| !it.namespaced)
}

/// Looks a kind up by the import path and the name of its type in Go, such as `k8s.io/api/apps/v1` and `Deployment`.
pub(crate) fn core_kind_of_go(path: &str, name: &str) -> Option<&'static CoreKind> {
    let module = path.strip_prefix("k8s.io/")?;
    let module = module.replace('-', "_").replace('/', "::");
    table::ALL
        .iter()
        .find(|kind| kind.module == module && kind.kind == name)
}

/// Returns the kinds with the same name in another API version or form, such as `pods` and `deployments.apps`, or else with
/// similar names.
fn similar(name: &str) -> Vec<String> {
    let word = name.rsplit('/').next().unwrap_or_default();
    let word = word.split('.').next().unwrap_or_default();
    let named = |matches: &dyn Fn(&CoreKind) -> bool| -> Vec<String> {
        let kinds = table::ALL.iter().filter(|kind| matches(kind));
        kinds.map(CoreKind::name).collect()
    };
    let same = named(&|kind| {
        kind.kind.eq_ignore_ascii_case(word) || kind.plural.eq_ignore_ascii_case(word)
    });
    if !same.is_empty() {
        return same;
    }
    let near = nearest(word, table::ALL.iter().map(|kind| kind.kind));
    near.iter()
        .flat_map(|name| named(&|kind| kind.kind == *name))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_the_names_of_the_api() {
        let pod = core_kind("v1/Pod").unwrap();
        assert_eq!(pod.rust_path(), "k8s_openapi::api::core::v1::Pod");
        assert_eq!((pod.group, pod.version(), pod.plural), ("", "v1", "pods"));
        assert!(pod.namespaced && pod.check(Kubernetes::V1_33).is_ok());
        let deployment = core_kind_of_go("k8s.io/api/apps/v1", "Deployment").unwrap();
        assert_eq!(deployment.name(), "apps/v1/Deployment");
        assert!(core_kind_of_go("example.com/api/apps/v1", "Deployment").is_none());
        let crd = core_kind("apiextensions.k8s.io/v1/CustomResourceDefinition").unwrap();
        assert_eq!(crd.group_ident(), "apiextensions_k8s_io_v1");
        assert!(!crd.namespaced);
        // A newer kind names the version that it needs.
        let newer = table::ALL
            .iter()
            .find(|kind| kind.since > Kubernetes::V1_33);
        let message = newer.unwrap().check(Kubernetes::V1_33).unwrap_err();
        assert!(message.contains("use `--kubernetes 1.3"), "{message}");
        // The API server lists these, but does not watch them; and those it does not store at all.
        for name in [
            "v1/ComponentStatus",
            "v1/Binding",
            "authentication.k8s.io/v1/TokenReview",
        ] {
            assert!(core_kind(name).is_err(), "{name}");
        }
    }

    /// `apply` knows the same groups, in a crate that does not use this one.
    #[test]
    fn groups_of_kubernetes_are_those_that_apply_knows() {
        let mut groups: Vec<&str> = table::ALL.iter().map(|it| it.group).collect();
        // Its only kind has no stable version.
        groups.push("internal.apiserver.k8s.io");
        groups.sort_unstable();
        groups.dedup();
        assert_eq!(built_in::GROUPS, groups);
        for group in [
            "e.com",
            "gateway.networking.k8s.io",
            "snapshot.storage.k8s.io",
        ] {
            assert!(!is_core_group(group), "{group}");
        }
        assert!(is_core_group("") && is_core_group("networking.k8s.io"));
    }

    #[test]
    fn a_kind_is_in_namespaces_or_in_none_in_all_its_versions() {
        assert!(is_cluster_scoped("", "Node"));
        assert!(is_cluster_scoped(
            "flowcontrol.apiserver.k8s.io",
            "FlowSchema"
        ));
        for (group, kind) in [("", "Pod"), ("e.com", "Node"), ("apps", "Node")] {
            assert!(!is_cluster_scoped(group, kind), "{group} {kind}");
        }
    }

    #[test]
    fn unknown_kinds_name_similar_ones_or_all() {
        for (name, expected) in [
            ("pod", "did you mean `v1/Pod`?"),
            ("Pods", "did you mean `v1/Pod`?"),
            ("deployments.apps", "did you mean `apps/v1/Deployment`?"),
            ("v1/Deployment", "did you mean `apps/v1/Deployment`?"),
            ("apps/v1/Deploymnet", "did you mean `apps/v1/Deployment` or"),
            (
                "v1beta1/Event",
                "did you mean `events.k8s.io/v1/Event` or `v1/Event`?",
            ),
            (
                "example.com/v1/Foo",
                "use --file); the kinds are admissionregistration.k8s.io/v1/",
            ),
            ("", "the kinds are"),
        ] {
            let message = core_kind(name).unwrap_err();
            assert!(message.contains(expected), "{message}");
        }
    }
}
