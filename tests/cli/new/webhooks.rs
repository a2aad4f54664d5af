//! `kube-codegen new --webhooks` and `add --webhooks`: handlers, and all that registers them.
use std::{collections::BTreeMap, fs, path::Path};

use super::{CRDKIND, NAME, TWO_KINDS, create, directory, formatted, new};
use crate::cli::{ROOT, files, run, stderr, succeed};

const ALL: &str = "--webhooks=defaulting,validating,conversion";

/// Returns the CRD of an example with two versions.
fn machines() -> String {
    let path = "generated-examples/virtualmachine-operator/deploy/crd.yaml";
    fs::read_to_string(Path::new(ROOT).join(path)).unwrap()
}

fn contains(files: &BTreeMap<String, String>, path: &str, parts: &[&str]) {
    let text = files.get(path).unwrap_or_else(|| panic!("no file {path}"));
    for part in parts {
        assert!(text.contains(part), "{path} lacks {part}: {text}");
    }
}

#[test]
fn handlers_are_registered_reachable_and_allowed() {
    let (directory, package) = directory(&machines());
    create(directory.path(), &[ALL]);
    succeed(&package, &["add", "network-policy"]);
    let files = files(&package);
    let handlers = [
        "webhooks.defaulting(set_defaults)",
        "validating::<VirtualMachine>(Rules)",
        "converting::<VirtualMachine, _>(convert)",
        "impl conversion::ConvertVirtualMachineV2 for Conversion {\n    /// `spec.memory`",
        "fn spec_memory(&self) -> IfAbsent<String> {",
    ];
    contains(&files, "src/webhooks.rs", &handlers);
    contains(&files, "src/lib.rs", &["manager.webhooks(webhooks());"]);
    contains(&files, "deploy/crd.yaml", &["name: test-operator-webhook"]);
    contains(
        &files,
        "deploy/deployment.yaml",
        &["--webhook-port=9443", "containerPort: 9443"],
    );
    // Only the API server may connect: no rule for this port is without peers.
    contains(
        &files,
        "deploy/network-policy.yaml",
        &[
            "port: 9443",
            "except: [\"10.244.0.0/16\", \"10.42.0.0/16\"]",
        ],
    );
    let policy = fs::read_to_string(package.join("deploy/network-policy.yaml")).unwrap();
    let policy: serde_json::Value = serde_yaml::from_str(&policy).unwrap();
    for rule in policy["spec"]["ingress"].as_array().unwrap() {
        assert!(rule["from"].is_array(), "{rule}");
    }
    contains(&files, "deploy/kustomization.yaml", &["- webhooks.yaml"]);
    let rights = [
        "resourceNames: [\"test-operator-webhook-cert\"]",
        "resourceNames: [\"test-operator-mutating\"]",
        "resourceNames: [\"test-operator-validating\"]",
        "resourceNames: [virtualmachines.infra.example.com]",
    ];
    contains(&files, "deploy/rbac.yaml", &rights);
    let dependencies = [r#"features = ["cli", "webhook"]"#, "kube-codegen-schema = "];
    contains(&files, "Cargo.toml", &dependencies);
    let tests = [
        "let crd = generated::infra_example_com::v1::VirtualMachine::crd();",
        "assert_round_trips(&converter, random_objects(&crd)?);",
    ];
    contains(&files, "tests/webhooks.rs", &tests);
    for (path, text) in &files {
        if Path::new(path).extension().is_some_and(|end| end == "rs") && !path.contains("generated")
        {
            assert_eq!(formatted(text), *text, "{path}");
        }
    }
    succeed(&package, &["deploy", "check"]);
    succeed(&package, &["generate", "--check"]);
    succeed(&package, &["update", "--check"]);
}

#[test]
fn each_kind_has_the_webhooks_that_it_can_have() {
    let (directory, package) = directory(TWO_KINDS);
    create(directory.path(), &[ALL]);
    let files = files(&package);
    let one = &files["src/nodes_webhooks.rs"];
    assert!(!one.contains("converting"), "{one}");
    contains(
        &files,
        "src/very_long_kind_of_networks_webhooks.rs",
        &["converting::<"],
    );
    succeed(&package, &["generate", "--check"]);

    let (directory, package) = super::directory(CRDKIND);
    let output = new(directory.path(), &["--webhooks=conversion"]);
    assert_eq!(output.status.code(), Some(2));
    let message = stderr(&output);
    assert!(
        message.contains("needs a CRD that serves several versions"),
        "{message}"
    );
    assert!(!package.exists());
}

#[test]
fn webhooks_are_added_to_an_operator() {
    let (directory, package) = directory(&machines());
    let text = fs::read_to_string(directory.path().join("crd.yaml")).unwrap();
    // Without a conversion, and with a comment that stays.
    let (before, after) = text.split_once("  conversion:\n").unwrap();
    let rest = after.find("\n  group:").map(|at| &after[at + 1..]).unwrap();
    fs::write(directory.path().join("crd.yaml"), format!("{before}{rest}")).unwrap();
    create(directory.path(), &[]);
    let crd = package.join("deploy/crd.yaml");
    let text = fs::read_to_string(&crd).unwrap();
    fs::write(&crd, format!("# Ours.\n{text}")).unwrap();
    let controller = package.join("src/controller.rs");
    let ours = fs::read_to_string(&controller).unwrap() + "// Ours.\n";
    fs::write(&controller, &ours).unwrap();

    succeed(&package, &["add", ALL]);
    let files = files(&package);
    contains(
        &files,
        "deploy/crd.yaml",
        &["# Ours.\n", "name: test-operator-webhook"],
    );
    contains(
        &files,
        "src/webhooks.rs",
        &["converting::<VirtualMachine, _>(convert)"],
    );
    assert_eq!(files["src/controller.rs"], ours);
    // It is what `new` writes.
    let target = directory.path().join("new");
    let target = target.to_str().unwrap();
    succeed(
        directory.path(),
        &["new", NAME, "-qf", "crd.yaml", "-o", target, ALL],
    );
    let expected = super::files(Path::new(target));
    for (path, text) in expected {
        if !["deploy/crd.yaml", "src/controller.rs"].contains(&path.as_str()) {
            assert_eq!(files.get(&path), Some(&text), "{path}");
        }
    }
    succeed(&package, &["update", "--check"]);

    let output = run(&package, &["add"]);
    assert!(stderr(&output).contains("nothing to add"));
}

#[test]
fn a_conversion_is_added_to_crds_of_any_layout() {
    let (directory, package) = directory(&machines());
    let text = fs::read_to_string(directory.path().join("crd.yaml")).unwrap();
    let mut value: serde_json::Value = serde_yaml::from_str(&text).unwrap();
    value["spec"].as_object_mut().unwrap().remove("conversion");
    let json = serde_json::to_string_pretty(&value).unwrap();
    fs::write(directory.path().join("crd.yaml"), &json).unwrap();
    create(directory.path(), &[]);
    let path = package.join("deploy/crd.yaml");
    let config = package.join("kube-codegen.toml");
    let inputs = fs::read_to_string(&config).unwrap();
    let conversion = "src/generated/infra_example_com/v1/conversion.rs";
    for (text, input) in [
        (json.clone(), "deploy/crd.yaml"),
        (json, "deploy/crd*.yaml"),
        (
            text.replace("  conversion:", "  conversion: {strategy: None}\n  x:"),
            "deploy",
        ),
    ] {
        let text = match text.split_once("  x:\n") {
            Some((before, after)) => {
                let rest = after.find("\n  group:").map(|at| &after[at + 1..]).unwrap();
                format!("{before}{rest}")
            }
            None => text,
        };
        fs::write(&path, text).unwrap();
        fs::write(&config, inputs.replace("deploy/crd.yaml", input)).unwrap();
        succeed(&package, &["generate", "-q"]);
        succeed(&package, &["add", "-q", ALL]);
        assert!(package.join(conversion).exists());
        let text = fs::read_to_string(&path).unwrap();
        let found: serde_json::Value = serde_yaml::from_str(&text).unwrap();
        let service = &found["spec"]["conversion"]["webhook"]["clientConfig"]["service"];
        assert_eq!(service["name"], "test-operator-webhook", "{text}");
        assert_eq!(found["spec"]["versions"], value["spec"]["versions"]);
        succeed(&package, &["generate", "--check"]);
    }
}

#[test]
fn a_conversion_needs_valid_inputs_and_the_file_of_the_crds() {
    let (directory, package) = directory(&machines());
    create(directory.path(), &[]);
    let config = package.join("kube-codegen.toml");
    let inputs = fs::read_to_string(&config).unwrap();
    let before = |package: &Path| {
        let mut files = super::files(package);
        files.retain(|path, _| path.starts_with("src/"));
        files
    };
    let modules = before(&package);
    fs::write(package.join("broken.yaml"), "kind: [\n").unwrap();
    let all = inputs.replace(
        "\"deploy/crd.yaml\"",
        "\"deploy/crd.yaml\", \"broken.yaml\"",
    );
    fs::write(&config, format!("keep-going = true\n{all}")).unwrap();
    let output = run(&package, &["add", ALL]);
    let message = stderr(&output);
    assert!(message.contains("needs inputs without errors"), "{message}");
    assert_eq!(before(&package), modules);

    fs::rename(package.join("deploy/crd.yaml"), package.join("crds.yaml")).unwrap();
    fs::write(package.join("deploy/crd.yaml"), "kind: ConfigMap\n").unwrap();
    fs::write(&config, inputs.replace("deploy/crd.yaml", "crds.yaml")).unwrap();
    let output = run(&package, &["add", ALL]);
    let message = stderr(&output);
    let expected = "does not contain `virtualmachines.infra.example.com`";
    assert!(message.contains(expected), "{message}");
    assert_eq!(before(&package), modules);
}

#[test]
fn a_value_that_became_a_list_is_converted_from_the_start() {
    let version = |name: &str, storage: bool, host: &str, size: &str| {
        format!(
            "  - name: {name}\n    served: true\n    storage: {storage}\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n          \
             spec: {{type: object, properties: {{host: {host}, size: {size}}}}}\n"
        )
    };
    let (text, list) = ("{type: string}", "{type: array, items: {type: string}}");
    let number = "{type: integer, format: int64}";
    let crd = format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: sites.example.com}}\nspec:\n  group: example.com\n  \
         scope: Namespaced\n  names: {{kind: Site, plural: sites}}\n  versions:\n"
    );
    for (old, new, expected) in [
        (
            text,
            list,
            "Mapping::new(\n            |value| vec![value],",
        ),
        (
            list,
            text,
            "|values: Vec<String>| values.into_iter().next().unwrap_or_default(),",
        ),
    ] {
        let versions = version("v1beta1", false, old, text) + &version("v1", true, new, number);
        let (directory, package) = directory(&(crd.clone() + &versions));
        create(directory.path(), &["--webhooks=conversion"]);
        let files = files(&package);
        let webhooks = &files["src/webhooks.rs"];
        assert!(webhooks.contains(expected), "{webhooks}");
        // What a number is in text is for the user to say.
        let (_, size) = webhooks.split_once("fn spec_size").unwrap();
        assert!(size.contains("Mapping::copy()"), "{webhooks}");
        let decisions = &files["src/generated/example_com/v1/conversion.rs"];
        let hint = "`Mapping::copy` would write a value of the wrong type";
        assert!(decisions.contains(hint), "{decisions}");
        assert_eq!(formatted(webhooks), *webhooks);
    }
}
