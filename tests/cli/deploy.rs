//! The manifests of an operator match its flags.
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::{CRDKIND, ROOT, directory, files, succeed};

/// Returns the value of a flag in the arguments of the container.
fn flag<'a>(container: &'a Value, name: &str) -> Option<&'a str> {
    let args = container["args"].as_array()?;
    let mut args = args.iter().filter_map(Value::as_str);
    args.find_map(|arg| arg.strip_prefix(name)?.strip_prefix('='))
}

#[test]
fn probes_ports_and_services_match_the_flags() {
    let scaffold = {
        let directory = directory(CRDKIND);
        succeed(
            directory.path(),
            &["new", "test-operator", "-f", "crd.yaml"],
        );
        files(&directory.path().join("test-operator"))
    };
    let examples = [
        "crdkind-operator",
        "foo-controller",
        "network-controller",
        "pod-watcher",
        "secret-copier",
        "virtualmachine-operator",
    ];
    let examples =
        examples.map(|name| files(&Path::new(ROOT).join("generated-examples").join(name)));
    for files in [scaffold].into_iter().chain(examples) {
        let documents = |path: &str| -> Vec<Value> {
            serde_yaml::Deserializer::from_str(&files[path])
                .map(|it| Value::deserialize(it).unwrap())
                .collect()
        };
        let pod = &documents("deploy/deployment.yaml")[0]["spec"]["template"];
        let container = &pod["spec"]["containers"][0];
        let port = |name: &str| {
            let ports = container["ports"].as_array().unwrap();
            let port = ports.iter().find(|port| port["name"] == name).unwrap();
            format!(":{}", port["containerPort"])
        };
        for (name, address) in [
            ("health", "--health-probe-bind-address"),
            ("metrics", "--metrics-bind-address"),
        ] {
            assert_eq!(flag(container, address), Some(&*port(name)));
        }
        for (probe, path) in [("livenessProbe", "/healthz"), ("readinessProbe", "/readyz")] {
            let get = &container[probe]["httpGet"];
            assert_eq!(get, &serde_json::json!({"path": path, "port": "health"}));
        }
        let metrics = documents("deploy/metrics.yaml");
        let find = |kind: &str| metrics.iter().find(|it| it["kind"] == kind).unwrap();
        let service = &find("Service")["spec"];
        assert_eq!(service["ports"][0]["targetPort"], "metrics");
        assert_eq!(service["selector"], pod["metadata"]["labels"]);
        let paths = &find("ClusterRole")["rules"][0]["nonResourceURLs"];
        assert_eq!(paths, &serde_json::json!(["/metrics", "/debug/*"]));
        // What the secure server asks the API server.
        let roles = documents("deploy/rbac.yaml");
        let role = roles.iter().find(|it| it["kind"] == "ClusterRole").unwrap();
        for resource in ["tokenreviews", "subjectaccessreviews"] {
            let all = role["rules"].as_array().unwrap();
            let found = all.iter().find(|rule| rule["resources"][0] == resource);
            assert_eq!(found.unwrap()["verbs"], serde_json::json!(["create"]));
        }
        let main = &files["src/main.rs"];
        assert!(main.lines().count() <= 23, "{main}");
    }
}
