//! Nothing comes in, the versions that fit together go out: each crate that is made depends on these.
use crate::options::Kubernetes;
use minijinja::Value;
use std::collections::BTreeMap;

/// The edition of Rust that is generated.
const EDITION: &str = "2024";
/// The oldest compiler that takes it.
const RUST: &str = env!("CARGO_PKG_RUST_VERSION");
/// `k8s-openapi`, as Cargo.toml asks for it.
pub(super) const K8S_OPENAPI: &str = "0.29";
/// `kube`, which has `k8s-openapi` in its own interface.
pub(super) const KUBE: &str = "5";
/// The runtime, which is released with this tool.
pub(super) const RUNTIME: &str = env!("CARGO_PKG_VERSION");
/// `serde_json`.
const SERDE_JSON: &str = "1";

/// All of them, for templates; with the version of Kubernetes that was chosen, for crates that have to choose one.
pub(super) fn values(kubernetes: Kubernetes) -> Value {
    Value::from(BTreeMap::from([
        ("edition", EDITION.to_owned()),
        ("rust", RUST.to_owned()),
        ("k8s_openapi", K8S_OPENAPI.to_owned()),
        ("kube", KUBE.to_owned()),
        ("runtime", RUNTIME.to_owned()),
        ("serde_json", SERDE_JSON.to_owned()),
        ("kubernetes", kubernetes.to_string()),
        ("kubernetes_feature", kubernetes.feature()),
    ]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(path: &str) -> toml::Table {
        let path = format!("{}/{path}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).unwrap().parse().unwrap()
    }

    #[test]
    fn are_those_that_this_workspace_is_tested_with() {
        let workspace = table("Cargo.toml")["workspace"].clone();
        let asked = |name: &str| {
            let entry = &workspace["dependencies"][name];
            let version = entry.get("version").unwrap_or(entry);
            version.as_str().map(str::to_owned)
        };
        for (name, version) in [
            ("k8s-openapi", K8S_OPENAPI),
            ("kube", KUBE),
            ("serde_json", SERDE_JSON),
        ] {
            assert_eq!(asked(name).as_deref(), Some(version), "{name}");
        }
        assert_eq!(workspace["package"]["version"].as_str(), Some(RUNTIME));
        assert_eq!(workspace["package"]["edition"].as_str(), Some(EDITION));
        let environment = &table(".cargo/config.toml")["env"];
        assert_eq!(
            environment["K8S_OPENAPI_ENABLED_VERSION"].as_str(),
            Some(Kubernetes::default().as_str())
        );
    }
}
