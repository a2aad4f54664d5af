//! Bundles and charts satisfy the programs that catalogues use: operator-framework's validators, and Helm. Go builds them, once.
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};

use super::{
    ROOT,
    chart::{helm, objects},
    deploy::scaffold,
    files, run, stderr, succeed,
};

/// Builds a package of a module beside this file; `None` without Go, which the gate has.
pub(super) fn build(module: &str, package: &str) -> Option<PathBuf> {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(module);
    let has_go = Command::new("go").arg("version").output();
    if !has_go.is_ok_and(|it| it.status.success()) {
        let is_required = env::var_os("KUBE_CODEGEN_E2E").is_some_and(|it| it == "required");
        assert!(!is_required, "this test needs Go (https://go.dev/dl)");
        eprintln!("skipped: {module} needs Go (https://go.dev/dl)");
        return None;
    }
    let status = Command::new("go")
        .args([
            "build",
            "-trimpath",
            "-gcflags=all=-dwarf=false -l",
            "-ldflags=-s -w",
        ])
        .arg("-o")
        .arg(&program)
        .arg(package)
        .current_dir(Path::new(ROOT).join("tests/cli/catalogues").join(module))
        .envs([
            ("CGO_ENABLED", "0"),
            ("GOWORK", "off"),
            ("GOFLAGS", ""),
            ("GOGC", "200"),
        ])
        .status();
    assert!(status.unwrap().success());
    Some(program)
}

/// Runs a program and returns its output.
fn output(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    text
}

const SCAFFOLDS: [&[&str]; 4] = [
    &[],
    &["--scope=namespace"],
    &["--owns=apps/v1/Deployment"],
    &["--webhooks=defaulting,validating"],
];

#[test]
fn bundles_pass_the_validators_of_operator_framework() {
    let Some(validator) = build("bundle", ".") else {
        return;
    };
    for args in SCAFFOLDS {
        let (_directory, package) = scaffold(args);
        fs::write(
            package.join("icon.svg"),
            "<svg xmlns=\"http://www.w3.org/2000/svg\"/>",
        )
        .unwrap();
        let options = [
            "--icon=icon.svg",
            "--provider=Example",
            "--replaces=test-operator.v0.0.9",
        ];
        succeed(&package, &[&["deploy", "bundle"], &options[..]].concat());
        let bundle = package.join("dist/bundle");
        let found = output(Command::new(&validator).arg(&bundle));
        // The validators take Events of the group `events.k8s.io` for those of a version that is gone.
        let is_known = |line: &&str| line.contains("for events: ([") || line.is_empty();
        let found: Vec<_> = found.lines().filter(|line| !is_known(line)).collect();
        assert!(found.is_empty(), "{args:?}: {found:#?}");
    }
    // They find something in a bundle that is wrong.
    let (_directory, package) = scaffold(&[]);
    succeed(&package, &["deploy", "bundle"]);
    let bundle = package.join("dist/bundle");
    fs::remove_file(bundle.join("manifests/crdplural.iksoon.test.com.yaml")).unwrap();
    let found = output(Command::new(&validator).arg(&bundle));
    assert!(
        found.contains("owned CRD \"iksoon.test.com/v1, Kind=CrdKind\" not found"),
        "{found}"
    );
}

#[test]
fn helm_renders_the_objects_of_the_manifests() {
    let Some(helm) = helm() else { return };
    for args in SCAFFOLDS {
        let (_directory, package) = scaffold(args);
        succeed(&package, &["deploy", "chart", "-q"]);
        let lint = output(
            Command::new(helm)
                .args(["lint", "--strict", "dist/chart"])
                .current_dir(&package),
        );
        assert!(lint.contains("0 chart(s) failed"), "{lint}");
        let mut template = Command::new(helm);
        template.args([
            "template",
            "test",
            "dist/chart",
            "--namespace=test-operator",
        ]);
        template.args(["--set=namespace.create=true", "--set=crds.keep=false"]);
        let rendered = output(template.current_dir(&package));
        // Kustomize makes the objects of the files that the kustomization lists, and changes nothing.
        let files = files(&package.join("deploy"));
        let listed: Value = serde_yaml::from_str(&files["kustomization.yaml"]).unwrap();
        let listed = listed["resources"].as_array().unwrap().iter();
        let listed = objects(listed.map(|file| files[file.as_str().unwrap()].as_str()));
        assert!(listed.len() > 10);
        assert_eq!(objects([rendered.as_str()].into_iter()), listed, "{args:?}");
    }
}

#[test]
fn a_bundle_describes_the_operator() {
    let (_directory, package) = scaffold(&["--webhooks=defaulting,validating"]);
    let options = [
        "--image=registry/x:v2",
        "--channels=fast,stable",
        "--skip-range=>=0.0.1 <0.1.0",
    ];
    succeed(&package, &[&["deploy", "bundle"], &options[..]].concat());
    let files = files(&package.join("dist/bundle"));
    let version: Value =
        serde_yaml::from_str(&files["manifests/test-operator.clusterserviceversion.yaml"]).unwrap();
    let annotations = &version["metadata"]["annotations"];
    assert_eq!(annotations["containerImage"], "registry/x:v2");
    assert_eq!(annotations["olm.skipRange"], ">=0.0.1 <0.1.0");
    let examples: Value =
        serde_json::from_str(annotations["alm-examples"].as_str().unwrap()).unwrap();
    assert_eq!(examples[0]["kind"], "CrdKind");
    let spec = &version["spec"];
    let webhooks = spec["webhookdefinitions"].as_array().unwrap();
    assert_eq!(webhooks.len(), 2);
    assert_eq!(webhooks[0]["targetPort"], "webhook-server");
    let pod = &spec["install"]["spec"]["deployments"][0]["spec"]["template"]["spec"];
    let args = pod["containers"][0]["args"].as_array().unwrap();
    assert!(
        args.iter()
            .any(|it| it == "--webhook-cert-path=/tmp/k8s-webhook-server/serving-certs"),
        "{args:?}"
    );
    // OLM makes these itself.
    assert!(
        !files.keys().any(|it| it.contains("webhook-service")),
        "{:?}",
        files.keys()
    );
    let rules = &spec["install"]["spec"]["clusterPermissions"][0]["rules"];
    assert_eq!(rules[0]["resources"][0], "crdplural");
    let fields = &spec["customresourcedefinitions"]["owned"][0]["specDescriptors"];
    assert_eq!(fields[1]["path"], "replicas");
    let labels = &files["bundle.Dockerfile"];
    assert!(
        labels
            .contains("LABEL operators.operatorframework.io.bundle.channels.v1=\"fast,stable\"\n"),
        "{labels}"
    );

    // A second run writes nothing.
    let again = [&["deploy", "bundle", "--check"], &options[..]].concat();
    succeed(&package, &again);
}

#[test]
fn a_bundle_finds_the_operator_beside_a_sidecar() {
    let (_directory, package) = scaffold(&["--webhooks=defaulting", "--scope=namespace"]);
    let path = package.join("deploy/deployment.yaml");
    let text = fs::read_to_string(&path).unwrap();
    let sidecar = "containers:\n      - name: proxy\n        image: proxy:v1\n";
    fs::write(&path, text.replacen("containers:\n", sidecar, 1)).unwrap();
    succeed(&package, &["deploy", "bundle", "--image=registry/x:v2"]);
    let files = files(&package.join("dist/bundle"));
    let version: Value =
        serde_yaml::from_str(&files["manifests/test-operator.clusterserviceversion.yaml"]).unwrap();
    assert_eq!(
        version["metadata"]["annotations"]["containerImage"],
        "registry/x:v2"
    );
    let spec = &version["spec"];
    assert_eq!(
        spec["installModes"][0],
        json!({"type": "OwnNamespace", "supported": true})
    );
    let pod = &spec["install"]["spec"]["deployments"][0]["spec"]["template"]["spec"];
    let [proxy, operator] = [&pod["containers"][0], &pod["containers"][1]];
    assert_eq!(*proxy, json!({"name": "proxy", "image": "proxy:v1"}));
    assert_eq!(operator["image"], "registry/x:v2");
    let args = operator["args"].as_array().unwrap();
    assert!(
        args.iter()
            .any(|it| it == "--webhook-cert-path=/tmp/k8s-webhook-server/serving-certs")
    );
}

#[test]
fn a_bundle_has_all_deployments_with_their_permissions() {
    const CACHE: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: cache, namespace: test-operator}
spec:
  selector: {matchLabels: {app: cache}}
  template:
    metadata: {labels: {app: cache}}
    spec:
      serviceAccountName: cache
      containers: [{name: cache, image: 'cache:v1'}]
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: cache, namespace: test-operator}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: other, namespace: test-operator}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: 'cache:reader', namespace: test-operator}
rules: [{apiGroups: [''], resources: [configmaps], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: 'cache:reader', namespace: elsewhere}
rules: [{apiGroups: [''], resources: [secrets], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: 'cache:reader', namespace: test-operator}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: 'cache:reader'}
subjects: [{kind: ServiceAccount, name: cache, namespace: test-operator}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: 'cache:users'}
rules: [{apiGroups: [''], resources: [pods], verbs: [list]}]
";
    let (_directory, package) = scaffold(&[]);
    fs::write(package.join("deploy/cache.yaml"), CACHE).unwrap();
    let list = package.join("deploy/kustomization.yaml");
    let text = fs::read_to_string(&list).unwrap();
    // A file that is not listed is not installed.
    succeed(&package, &["deploy", "bundle"]);
    let name = "manifests/test-operator.clusterserviceversion.yaml";
    let spec = |files: &std::collections::BTreeMap<String, String>| {
        let version: Value = serde_yaml::from_str(&files[name]).unwrap();
        version["spec"]["install"]["spec"].clone()
    };
    let before = spec(&files(&package.join("dist/bundle")));
    assert_eq!(before["deployments"].as_array().unwrap().len(), 1);
    let text = text.replace("resources:\n", "resources:\n- cache.yaml\n");
    fs::write(&list, &text).unwrap();
    succeed(&package, &["deploy", "bundle"]);
    let files = files(&package.join("dist/bundle"));
    let install = spec(&files);
    assert_eq!(install["deployments"][0], before["deployments"][0]);
    let cache = &install["deployments"][1];
    assert_eq!(cache["name"], "cache");
    assert_eq!(
        cache["spec"]["template"]["spec"]["containers"][0]["image"],
        "cache:v1"
    );
    let permissions = install["permissions"].as_array().unwrap();
    assert!(permissions.contains(&json!({
        "serviceAccountName": "cache",
        "rules": [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}],
    })));
    assert_eq!(install["clusterPermissions"], before["clusterPermissions"]);
    let has = |name: &str| files.contains_key(&format!("manifests/{name}.yaml"));
    assert!(has("cache-users-clusterrole") && has("other-serviceaccount"));
    // The account and the binding are those that OLM makes of the permissions.
    assert!(!has("cache-serviceaccount") && !has("cache-reader-rolebinding"));
    assert!(files["manifests/cache-reader-role.yaml"].contains("secrets"));

    fs::write(
        package.join("deploy/cache.yaml"),
        CACHE.replace("kind: Deployment", "kind: StatefulSet"),
    )
    .unwrap();
    let output = run(&package, &["deploy", "bundle"]);
    let message = stderr(&output);
    let expected = "OLM installs Deployments only, not the StatefulSet `cache`";
    assert!(message.contains(expected), "{message}");
}

#[test]
fn objects_that_olm_does_not_install_are_named() {
    const OTHERS: &str = "
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: {name: web}
---
apiVersion: serving.knative.dev/v1
kind: Service
metadata: {name: function}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
";
    let (_directory, package) = scaffold(&["--webhooks=defaulting,validating"]);
    let output = run(&package, &["deploy", "bundle"]);
    assert!(output.status.success());
    assert!(!stderr(&output).contains("does not contain"));

    fs::write(package.join("deploy/others.yaml"), OTHERS).unwrap();
    let list = package.join("deploy/kustomization.yaml");
    let text = fs::read_to_string(&list).unwrap();
    let text = text.replace("# - network-policy.yaml", "- network-policy.yaml");
    let output = run(&package, &["deploy", "bundle"]);
    // Nobody expects what is not listed.
    assert!(!stderr(&output).contains("does not contain"));
    fs::write(&list, format!("{text}- others.yaml\n")).unwrap();
    let output = run(&package, &["deploy", "bundle"]);
    assert!(output.status.success());
    let message = stderr(&output);
    for object in [
        "NetworkPolicy `test-operator`",
        "PodMonitor `web`",
        "Service `function`",
    ] {
        let expected =
            format!("the bundle does not contain the {object}: OLM does not install this kind");
        assert_eq!(message.matches(&expected).count(), 1, "{message}");
    }
    assert_eq!(message.matches("does not contain").count(), 3, "{message}");
    let files = files(&package.join("dist/bundle"));
    assert!(files.contains_key("manifests/settings-configmap.yaml"));
    assert!(!files.contains_key("manifests/function-service.yaml"));
}

#[test]
fn a_sample_that_the_crd_rejects_stops_the_bundle() {
    let (_directory, package) = scaffold(&[]);
    let sample = package.join("deploy/sample.yaml");
    let text = fs::read_to_string(&sample).unwrap();
    fs::write(&sample, text.replace("replicas: 1", "replicas: 11")).unwrap();
    let output = run(&package, &["deploy", "bundle"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("should be less than or equal to 10"),
        "{}",
        stderr(&output)
    );
    assert!(!package.join("dist/bundle").exists());
}

#[test]
fn a_chart_says_for_artifact_hub_what_the_package_says() {
    let (_directory, package) = scaffold(&[]);
    let manifest = package.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    let about = "[package]\nauthors = [\"Jane Doe <jane@example.com>\"]\nlicense = \"MIT\"\ndescription = \"Does: things\"\n";
    fs::write(&manifest, text.replacen("[package]\n", about, 1)).unwrap();
    succeed(&package, &["deploy", "chart", "-q"]);
    let files = files(&package.join("dist/chart"));
    let chart: Value = serde_yaml::from_str(&files["Chart.yaml"]).unwrap();
    assert_eq!(chart["description"], "Does: things");
    assert_eq!(chart["annotations"]["artifacthub.io/license"], "MIT");
    let crds = chart["annotations"]["artifacthub.io/crds"]
        .as_str()
        .unwrap();
    let crds: Value = serde_yaml::from_str(crds).unwrap();
    assert_eq!(crds[0]["name"], "crdplural.iksoon.test.com");
    let owners: Value = serde_yaml::from_str(&files["artifacthub-repo.yml"]).unwrap();
    assert_eq!(owners["owners"][0]["email"], "jane@example.com");
}
