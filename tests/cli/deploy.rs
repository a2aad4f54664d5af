//! `kube-codegen deploy check`: the manifests of operators fit together, and a change of one of them is found.
use std::{fs, path::Path};

use tempfile::TempDir;

use super::{CRDKIND, ROOT, directory, files, run, stderr, succeed};

/// What an operator can have besides.
pub(super) const FEATURES: [&str; 13] = [
    "ci",
    "dependabot",
    "release",
    "docs",
    "api-changes",
    "upgrade",
    "roles",
    "availability",
    "metrics",
    "dashboard",
    "network-policy",
    "chart",
    "bundle",
];

/// Creates an operator and returns it with its directory.
pub(super) fn minimal(args: &[&str]) -> (TempDir, std::path::PathBuf) {
    let directory = directory(CRDKIND);
    let command = ["new", "test-operator", "-qf", "crd.yaml"];
    succeed(directory.path(), &[&command, args].concat());
    let package = directory.path().join("test-operator");
    (directory, package)
}

/// Creates an operator with all features and returns it with its directory.
pub(super) fn scaffold(args: &[&str]) -> (TempDir, std::path::PathBuf) {
    let (directory, package) = minimal(args);
    add_all(&package);
    (directory, package)
}

/// Adds all features to an operator with a CRD.
pub(super) fn add_all(package: &Path) {
    succeed(package, &[&["add", "-q"], &FEATURES[..]].concat());
}

#[test]
fn manifests_fit_together() {
    for args in [&[][..], &["--scope=namespace"], &["--owns=v1/Service"]] {
        let (_directory, package) = scaffold(args);
        let output = succeed(&package, &["deploy", "check"]);
        assert!(output.contains("no problems"), "{output}");
    }
    for example in [
        "crdkind-operator",
        "foo-controller",
        "network-controller",
        "pod-watcher",
        "secret-copier",
        "virtualmachine-operator",
    ] {
        let package = Path::new(ROOT).join("generated-examples").join(example);
        succeed(&package, &["deploy", "check"]);
        let main = fs::read_to_string(package.join("src/main.rs")).unwrap();
        assert!(main.lines().count() <= 23, "{main}");
    }
}

/// Replaces a text in a manifest, and returns what the check says.
fn after(file: &str, old: &str, new: &str) -> String {
    let (_directory, package) = scaffold(&[]);
    let path = package.join("deploy").join(file);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(old), "{file}: {text}");
    fs::write(&path, text.replacen(old, new, 1)).unwrap();
    let output = run(&package, &["deploy", "check"]);
    assert_eq!(output.status.code(), Some(1), "{file}: {old} as {new}");
    stderr(&output)
}

/// A file, what is replaced in it by what, and what the check says.
const CONTRADICTIONS: &[(&str, &str, &str, &str)] = &[
    (
        "deployment.yaml",
        "containerPort: 8081",
        "containerPort: 8082",
        "asks port \"health\", but the flag",
    ),
    (
        "deployment.yaml",
        "port: health",
        "port: 8080",
        "has no port 8080 for its livenessProbe",
    ),
    (
        "deployment.yaml",
        "probe-bind-address=:8081",
        "probe-bind-address=:9",
        "--health-probe-bind-address is `:9`",
    ),
    (
        "deployment.yaml",
        "metrics-bind-address=:8443",
        "metrics-bind-address=:8444",
        "is not a port of the container",
    ),
    (
        "deployment.yaml",
        "serviceAccountName: test",
        "serviceAccountName: other",
        "no manifest has the ServiceAccount",
    ),
    (
        "deployment.yaml",
        "priorityClassName: test",
        "priorityClassName: other",
        "no manifest has the PriorityClass",
    ),
    (
        "network-policy.yaml",
        "port: 8443",
        "port: 443",
        "has the port 443",
    ),
    (
        "network-policy.yaml",
        "      app.kubernetes.io/name: test",
        "      app: test",
        "NetworkPolicy selects no Pod",
    ),
    (
        "metrics.yaml",
        "targetPort: metrics",
        "targetPort: web",
        "has the port \"web\"",
    ),
    (
        "prometheus.yaml",
        "port: metrics",
        "port: web",
        "no port of the name \"web\"",
    ),
    (
        "availability.yaml",
        "      app.kubernetes.io/name: test",
        "      app: test",
        "PodDisruptionBudget selects no Pod",
    ),
    (
        "rbac.yaml",
        "  kind: ClusterRole\n  name: test-operator",
        "  kind: ClusterRole\n  name: other",
        "no manifest has the ClusterRole `other`",
    ),
    (
        "rbac.yaml",
        "kind: Role\nmetadata:\n  name: test-operator\n  namespace: test-operator",
        "kind: Role\nmetadata:\n  name: test-operator\n  namespace: kube-system",
        "the Role `test-operator` in the namespace of its binding",
    ),
    (
        "rbac.yaml",
        "  name: test-operator\n  namespace: test-operator\n---\n# The Lease",
        "  name: test-operator\n---\n# The Lease",
        "needs its namespace",
    ),
    (
        "rbac.yaml",
        "  name: test-operator\n  namespace: test-operator\n---\n# The Lease",
        "  name: test-operator\n  namespace: test\n---\n# The Lease",
        "no manifest has this ServiceAccount",
    ),
    (
        "deployment.yaml",
        "serviceAccountName: test-operator",
        "serviceAccountName: system-cluster-critical",
        "no manifest has the ServiceAccount",
    ),
    (
        "rbac.yaml",
        "subjects:\n- kind: ServiceAccount\n  name: test",
        "subjects:\n- kind: ServiceAccount\n  name: other",
        "no manifest has this ServiceAccount",
    ),
    (
        "metrics.yaml",
        "namespace: test-operator",
        "namespace: default",
        "no manifest has the Namespace `default`",
    ),
    (
        "kustomization.yaml",
        "- roles.yaml",
        "- rolls.yaml",
        "there is no file `rolls.yaml`",
    ),
];

#[test]
fn every_contradiction_is_found() {
    for (file, old, new, expected) in CONTRADICTIONS {
        let message = after(file, old, new);
        assert!(message.contains(expected), "{file}: {message}");
        assert!(message.contains(&format!("deploy/{file}:")), "{message}");
    }
}

/// The flags of a sidecar are its own.
#[test]
fn a_sidecar_has_no_default_port_of_the_operator() {
    let sidecar = "containers:
      - name: proxy
        image: proxy:v1
        ports: [{containerPort: 9000}]
        readinessProbe: {httpGet: {path: /, port: 9000}}
";
    let (_directory, package) = scaffold(&[]);
    let path = package.join("deploy/deployment.yaml");
    let text = fs::read_to_string(&path).unwrap();
    let text = text.replacen("containers:\n", sidecar, 1);
    fs::write(&path, &text).unwrap();
    succeed(&package, &["deploy", "check"]);
    let flag = "        args: [--health-probe-bind-address=:9001]\n        ports: [{";
    let flagged = text.replacen("        ports: [{", flag, 1);
    fs::write(&path, flagged).unwrap();
    let message = stderr(&run(&package, &["deploy", "check"]));
    assert!(message.contains("is `:9001`"), "{message}");
    // The operator's own probe still has to ask the default port.
    let operator = text.replacen("- --health-probe-bind-address=:8081\n", "", 1);
    let operator = operator.replacen("containerPort: 8081", "containerPort: 8082", 1);
    assert_ne!(operator, text);
    fs::write(&path, operator).unwrap();
    let message = stderr(&run(&package, &["deploy", "check"]));
    assert!(message.contains("is `:8081`"), "{message}");
}

/// kustomize sets the namespace of all objects and of the references to them.
#[test]
fn the_namespace_may_be_that_of_the_kustomization() {
    let (_directory, package) = scaffold(&[]);
    let directory = package.join("deploy");
    for (path, text) in files(&directory) {
        if path == "kustomization.yaml" {
            let text = format!("namespace: test-operator\n{text}");
            fs::write(directory.join(path), text).unwrap();
        } else if path == "rbac.yaml" {
            // Subjects keep theirs, and one of the Roles too.
            let text = text.replacen("  namespace: test-operator\n", "", 2);
            fs::write(directory.join(path), text).unwrap();
        }
    }
    succeed(&package, &["deploy", "check"]);
    succeed(&package, &["deploy", "bundle"]);
}

#[test]
fn the_package_is_above_the_directory_wherever_it_is() {
    let (_directory, package) = scaffold(&[]);
    let manifest = package.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    let version = text.lines().find(|it| it.starts_with("version")).unwrap();
    fs::write(&manifest, text.replace(version, "version = \"7.8.9\"")).unwrap();
    for directory in ["deploy", "deploy/.", "deploy/../deploy"] {
        succeed(&package, &["deploy", "chart", "--force", directory]);
        let chart = &files(&package.join("dist/chart"))["Chart.yaml"];
        assert!(chart.contains("version: \"7.8.9\"\n"), "{chart}");
    }
    let deploy = package.join("deploy");
    succeed(&deploy, &["deploy", "chart", ".", "-o", "../dist/other"]);
    let chart = &files(&package.join("dist/other"))["Chart.yaml"];
    assert!(chart.contains("version: \"7.8.9\"\n"), "{chart}");

    fs::write(&manifest, text.replace(version, "version.workspace = true")).unwrap();
    let output = run(&package, &["deploy", "chart"]);
    let message = stderr(&output);
    assert!(message.contains("inherits `version`"), "{message}");
    fs::remove_file(&manifest).unwrap();
    let output = run(&package, &["deploy", "chart"]);
    let message = stderr(&output);
    assert!(
        message.contains("there is no Cargo.toml above"),
        "{message}"
    );
}

/// What each cluster has, and what belongs to other programs.
#[test]
fn bindings_may_be_to_roles_and_accounts_of_the_cluster() {
    const BINDINGS: &str = "
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: delegator}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: \"system:auth-delegator\"}
subjects:
- {kind: ServiceAccount, name: test-operator, namespace: test-operator}
- {kind: ServiceAccount, name: default, namespace: test-operator}
- {kind: ServiceAccount, name: prometheus-k8s, namespace: monitoring}
- {kind: ServiceAccount, name: kube-state-metrics, namespace: kube-system}
- {kind: Group, name: \"system:authenticated\"}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: auth-reader, namespace: NAMESPACE}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: extension-apiserver-authentication-reader}
subjects:
- {kind: ServiceAccount, name: test-operator, namespace: test-operator}
";
    let (_directory, package) = scaffold(&[]);
    let path = package.join("deploy/bindings.yaml");
    fs::write(&path, BINDINGS.replace("NAMESPACE", "kube-system")).unwrap();
    succeed(&package, &["deploy", "check"]);
    fs::write(&path, BINDINGS.replace("NAMESPACE", "test-operator")).unwrap();
    let output = run(&package, &["deploy", "check"]);
    let message = stderr(&output);
    assert!(
        message.contains("the Role is in `kube-system`, and so has to be its binding"),
        "{message}"
    );
}

#[test]
fn the_image_is_built_from_what_the_build_context_has() {
    let (_directory, package) = minimal(&[]);
    let files = files(&package);
    let docker = &files["Dockerfile"];
    // Nothing else of the directory: `target` alone has gigabytes.
    let copies = docker.lines().filter(|line| line.starts_with("COPY "));
    let copies: Vec<&str> = copies.filter(|line| !line.contains("--from")).collect();
    let needed = ["COPY Cargo.toml Cargo.lock ./", "COPY src src"];
    assert_eq!(copies, [needed, needed].concat());
    assert!(docker.contains("USER 65532:65532") && docker.contains("--bin test-operator"));
    assert!(files["deploy/deployment.yaml"].contains("runAsUser: 65532"));
}

/// The expressions of the dashboard use metrics that docs/metrics.md lists.
#[test]
fn the_dashboard_shows_metrics_that_exist() {
    let (_directory, package) = scaffold(&[]);
    let dashboard: serde_json::Value =
        serde_json::from_str(&files(&package)["deploy/dashboard.json"]).unwrap();
    let docs = fs::read_to_string(Path::new(ROOT).join("docs/metrics.md")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    assert!(panels.len() >= 8);
    for panel in panels {
        for target in panel["targets"].as_array().unwrap() {
            let expression = target["expr"].as_str().unwrap();
            let (before, _) = expression.split_once('{').unwrap();
            let metric = before.rsplit(['(', ' ']).next().unwrap();
            let metric = metric.trim_end_matches("_bucket");
            assert!(docs.contains(&format!("| `{metric}` |")), "{metric}");
        }
    }
}

#[test]
fn every_target_of_the_makefile_is_described() {
    let (_directory, package) = scaffold(&[]);
    let output = std::process::Command::new("make")
        .current_dir(&package)
        .output();
    let Ok(output) = output else { return };
    let text = super::stdout(&output);
    for target in [
        "generate",
        "check",
        "test",
        "rbac",
        "run",
        "install",
        "uninstall",
        "deploy",
        "undeploy",
        "docker-build",
        "docker-push",
        "docker-buildx",
        "build-installer",
        "chart",
        "bundle",
        "upgrade",
        "docs",
    ] {
        let line = format!("{target} ");
        assert!(
            text.lines().any(|it| it.starts_with(&line)),
            "{target}: {text}"
        );
    }
}

/// Replaces a file of a scaffold by a list of its objects.
fn listed(package: &Path, file: &str) {
    let path = package.join("deploy").join(file);
    let text = fs::read_to_string(&path).unwrap();
    let items: String = text
        .split("---\n")
        .filter(|it| !it.trim().is_empty())
        .map(|document| {
            let lines = document.lines().map(|line| format!("  {line}\n"));
            let document: String = lines.collect();
            document.replacen("  apiVersion", "- apiVersion", 1)
        })
        .collect();
    fs::write(
        &path,
        format!("apiVersion: v1\nkind: List\nitems:\n{items}"),
    )
    .unwrap();
}

#[test]
fn the_items_of_lists_are_manifests() {
    let (_directory, package) = scaffold(&[]);
    let before = succeed(&package, &["deploy", "check"]);
    for file in ["rbac.yaml", "deployment.yaml", "crd.yaml"] {
        listed(&package, file);
    }
    assert_eq!(succeed(&package, &["deploy", "check"]), before);
    succeed(&package, &["deploy", "bundle", "-q"]);
    let bundle = files(&package.join("dist/bundle/manifests"));
    assert!(
        bundle.values().all(|it| !it.contains("kind: List")),
        "{bundle:?}"
    );
    // Problems have the place of the item.
    let path = package.join("deploy/rbac.yaml");
    let text = fs::read_to_string(&path).unwrap();
    let name =
        "roleRef:\n    apiGroup: rbac.authorization.k8s.io\n    kind: ClusterRole\n    name: ";
    assert!(text.contains(name), "{text}");
    fs::write(&path, text.replacen(name, &format!("{name}x"), 1)).unwrap();
    let message = stderr(&run(&package, &["deploy", "check"]));
    assert!(
        message.contains("no manifest has the ClusterRole `x"),
        "{message}"
    );
    let line = text[..text.find(name).unwrap()].lines().count() + 3;
    assert!(
        message.contains(&format!("rbac.yaml:{line}:11")),
        "{message}"
    );
    let wrong = "apiVersion: v1\nkind: List\nitems: {}\n";
    fs::write(package.join("deploy/wrong.yaml"), wrong).unwrap();
    let message = stderr(&run(&package, &["deploy", "check"]));
    assert!(message.contains("`items` must be a list"), "{message}");
    assert!(message.contains("wrong.yaml:3:"), "{message}");
}

#[test]
fn a_kustomization_is_known_by_its_name() {
    let (_directory, package) = scaffold(&[]);
    let deploy = package.join("deploy");
    let text = fs::read_to_string(deploy.join("kustomization.yaml")).unwrap();
    fs::remove_file(deploy.join("kustomization.yaml")).unwrap();
    let (_, bare) = text.split_once("resources:").unwrap();
    let bare = format!("resources:{bare}").replacen("- crd.yaml", "- ./crd.yaml", 1);
    assert!(bare.contains("./crd"), "{bare}");
    let chart = |name: &str| {
        fs::write(deploy.join(name), &bare).unwrap();
        succeed(&package, &["deploy", "check"]);
        succeed(&package, &["deploy", "chart", "-q"]);
        fs::remove_file(deploy.join(name)).unwrap();
        files(&package.join("dist/chart"))
    };
    let expected = chart("kustomization.yaml");
    assert!(!expected.contains_key("templates/kustomization.yaml"));
    assert!(expected["values.yaml"].contains("crd: true"));
    assert!(expected["values.yaml"].contains(": false"));
    for name in ["kustomization.yml", "Kustomization"] {
        assert_eq!(chart(name), expected, "{name}");
    }
    for name in ["kustomization.yml", "Kustomization"] {
        fs::write(deploy.join(name), &bare).unwrap();
    }
    let message = stderr(&run(&package, &["deploy", "check"]));
    assert!(message.contains("several kustomizations"), "{message}");
}

#[test]
fn what_a_kustomization_would_change_is_named() {
    const NOT_READ: &str =
        " is not a YAML file next to the kustomization, so its objects are not read";
    let (_directory, package) = scaffold(&[]);
    fs::write(package.join("deploy/dash.json"), "{}").unwrap();
    let path = package.join("deploy/kustomization.yaml");
    let text = fs::read_to_string(&path).unwrap();
    let more =
        "namePrefix: a-\nimages: [{name: a, newTag: b}]\nreplicas: []\npatches: [{path: p.yaml}]\n";
    fs::write(
        &path,
        text.replacen(
            "resources:\n",
            &format!("{more}resources:\n- ../other\n- dash.json\n"),
            1,
        ),
    )
    .unwrap();
    for command in ["check", "chart", "bundle"] {
        let output = run(&package, &["deploy", command]);
        let message = stderr(&output);
        assert!(output.status.success(), "{message}");
        for field in ["images", "namePrefix", "patches"] {
            let expected = format!(
                "warning[KC0705]: `kube-codegen` does not apply `{field}`: the objects stay as they are in their files"
            );
            assert!(message.contains(&expected), "{command}: {message}");
        }
        assert!(!message.contains("`replicas`"), "{message}");
        assert!(
            message.contains(&format!("`../other`{NOT_READ}"))
                && message.contains(&format!("`dash.json`{NOT_READ}")),
            "{message}"
        );
        assert!(
            message.contains("pass a directory with the output of `kubectl kustomize "),
            "{message}"
        );
    }
}

/// A word of the rules, what replaces it, what the check says, and its hint.
const RULES: [(&str, &str, &str, &str); 22] = [
    (
        "deployments",
        "deployment",
        "`deployment` is not a resource",
        "did you mean `deployments`?",
    ),
    (
        "deployments",
        "Deployment",
        "`Deployment` is not a resource",
        "did you mean `deployments`?",
    ),
    (
        "deployments",
        "Deployments",
        "`Deployments` is not a resource",
        "did you mean `deployments`?",
    ),
    (
        "deployments",
        "deploy",
        "`deploy` is not a resource",
        "did you mean `deployments`?",
    ),
    (
        "deployments",
        "deplyoments",
        "`deplyoments` is not a resource",
        "did you mean `deployments`?",
    ),
    (
        "deployments",
        "deployment/status",
        "`deployment/status` is not",
        "did you mean `deployments/status`?",
    ),
    (
        "deployments",
        "deployments/Status",
        "subresources have none",
        "did you mean `deployments/status`?",
    ),
    (
        "deployments",
        "deployments.apps",
        "`deployments.apps` has a group",
        "name `deployments` in `resources`, and `apps` in `apiGroups`",
    ),
    (
        "deployments",
        "/status",
        "`/status` is a subresource without its resource",
        "use `statefulsets/status`",
    ),
    (
        "deployments",
        "status",
        "`status` is a subresource without its resource",
        "use `statefulsets/status`",
    ),
    (
        "deployments",
        "pods",
        "`pods` is not a resource of the rule's API groups",
        "use `pods` of the group `\"\"`",
    ),
    (
        "crdplural",
        "crdkind",
        "`crdkind` is not a resource",
        "did you mean `crdplural`?",
    ),
    (
        "crdplural",
        "CrdPlural/status",
        "`CrdPlural/status` is not a resource",
        "did you mean `crdplural/status`?",
    ),
    (
        "apps",
        "apps/v1",
        "`apps/v1` is not an API group",
        "did you mean `apps`?",
    ),
    (
        "apps",
        "Apps",
        "`Apps` has uppercase letters",
        "did you mean `apps`?",
    ),
    (
        "apps",
        "app",
        "`app` is not an API group",
        "did you mean `apps`?",
    ),
    (
        "\"\"",
        "v1",
        "`v1` is a version, not an API group",
        "is `\"\"`",
    ),
    ("\"\"", "core", "`core` is not an API group", "is `\"\"`"),
    (
        "\"\"",
        "core/v1",
        "`core/v1` is not an API group",
        "is `\"\"`",
    ),
    (
        "coordination.k8s.io",
        "coordination",
        "`coordination` is not an API group",
        "did you mean `coordination.k8s.io`?",
    ),
    (
        "coordination.k8s.io",
        "cordination.k8s.io",
        "`cordination.k8s.io` is not an API group",
        "did you mean `coordination.k8s.io`?",
    ),
    (
        "create",
        "Create",
        "`Create` has uppercase letters, and verbs have none",
        "did you mean `create`?",
    ),
];

const ROLE: &str = "
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: more
rules:
- apiGroups: [apps]
  resources: [deployments, statefulsets]
  verbs: [get]
- apiGroups: [\"\"]
  resources: [services]
  verbs: [create]
- apiGroups: [iksoon.test.com]
  resources: [crdplural]
  verbs: [get]
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [get]
";

#[test]
fn words_of_rules_that_name_nothing_are_found() {
    let (_directory, package) = minimal(&[]);
    let path = package.join("deploy/rbac.yaml");
    let text = fs::read_to_string(&path).unwrap();
    for (old, new, expected, hint) in RULES {
        fs::write(&path, format!("{text}{}", ROLE.replacen(old, new, 1))).unwrap();
        let output = run(&package, &["deploy", "check"]);
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{old} as {new}: {message}");
        assert!(
            message.contains(expected) && message.contains(hint),
            "{new}: {message}"
        );
        assert!(
            message.contains("error[KC0702]") && message.contains("--> deploy/rbac.yaml:"),
            "{message}"
        );
        assert!(
            message.ends_with("error: 1 problem in 11 objects\n"),
            "{new}: {message}"
        );
    }
    // What a rule may name: groups of others, whatever a newer Kubernetes has, all, and several groups at once.
    for (groups, resources, verbs) in [
        ("apps", "deployments, statefulsets/scale", "get"),
        ("cert-manager.io", "certificate, certificates", "get"),
        ("metrics.k8s.io", "pods, nodes", "list"),
        ("extensions", "ingresses", "get"),
        ("apps", "novelties", "get"),
        ("\"*\"", "\"*\"", "\"*\""),
        ("\"*\"", "pods, things, podz", "get"),
        ("nfd.k8s.io", "things", "get"),
        ("iksoon.test.com", "crdplurals", "get"),
        ("\"\", apps", "pods, deployments, \"*/scale\"", "get"),
        (
            "\"\"",
            "users, groups, serviceaccounts, pods/log, bindings, componentstatuses",
            "impersonate",
        ),
        (
            "authentication.k8s.io",
            "userextras/scopes, uids, tokenreviews",
            "create",
        ),
        ("certificates.k8s.io", "signers", "approve"),
        ("iksoon.test.com", "crdplural/finalizers, others", "update"),
    ] {
        let rule =
            format!("- apiGroups: [{groups}]\n  resources: [{resources}]\n  verbs: [{verbs}]\n");
        fs::write(&path, format!("{text}{ROLE}{rule}")).unwrap();
        succeed(&package, &["deploy", "check"]);
    }
}
