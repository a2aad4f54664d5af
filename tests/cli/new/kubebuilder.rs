//! `kube-codegen new --from-kubebuilder`: what is taken over, and what is reported.
use std::{collections::BTreeMap, fs, path::Path};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::is_up_to_date;
use crate::cli::{files, run, stderr, stdout, succeed};

const PROJECT: &str = r"domain: example.com
layout: [go.kubebuilder.io/v4]
multigroup: true
projectName: shop
repo: example.com/shop
resources:
- api: {crdVersion: v1, namespaced: true}
  controller: true
  group: web
  kind: Store
  path: example.com/shop/api/web/v1
  version: v1
  webhooks: {conversion: true, defaulting: true, spoke: [v2], webhookVersion: v1}
- api: {crdVersion: v1}
  controller: true
  group: web
  kind: Region
  version: v1
  webhooks: {validation: true}
- controller: true
  core: true
  group: core
  kind: Secret
  version: v1
version: '3'
";

const CONTROLLER: &str = r#"package controller

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	webv1 "example.com/shop/api/web/v1"
)

const finalizer = "web.example.com/stock"

// +kubebuilder:rbac:groups=web.example.com,resources=stores,verbs=get;list;watch;update;patch
// +kubebuilder:rbac:groups="",resources=nodes,verbs=get;list

func (r *StoreReconciler) Reconcile() {
	// For(&corev1.Node{}) in a comment is none.
	controllerutil.AddFinalizer(store, finalizer)
	patch(client.Apply, client.ForceOwnership, client.FieldOwner("shop-apply"))
}

func (r *StoreReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&webv1.Store{}, builder.WithPredicates(pred(&corev1.Pod{}))).
		WithEventFilter(predicate.GenerationChangedPredicate{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: 2}).
		Named("web-store").
		Owns(&appsv1.Deployment{}).
		Owns(&webv1.Region{}).
		Watches(&corev1.ConfigMap{}, handler.EnqueueRequestsFromMapFunc(r.find)).
		Complete(r)
}
"#;

const OTHERS: &str = r"package controller

import corev1 `k8s.io/api/core/v1`

func setup(mgr ctrl.Manager) {
	_ = ctrl.NewControllerManagedBy(mgr).For(&corev1.Secret{}).Complete(r)
	_ = ctrl.NewWebhookManagedBy(mgr).For(&corev1.Pod{}).WithDefaulter(d).Complete()
}
";

const MAIN: &str = r#"package main

const leaseName = "5c3a.example.com"

func main() {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{LeaderElection: true, LeaderElectionID: leaseName})
	if cfg.UserAgent == "" {
		cfg.UserAgent = "shop/v1"
	}
	prometheus.NewCounter(prometheus.CounterOpts{Namespace: "shop", Name: "sales_total", Help: "Sales."})
}
"#;

const WEBHOOKS: &str = "
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: mutating-webhook-configuration}
webhooks:
- name: mstore.kb.io
  failurePolicy: Ignore
  rules: [{apiGroups: [web.example.com], apiVersions: [v1], operations: [CREATE], resources: [stores]}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: validating-webhook-configuration}
webhooks:
- name: vregion.kb.io
  rules: [{apiGroups: [web.example.com], apiVersions: [v1], operations: [CREATE], resources: [regions]}]
";

const RBAC: &str = "
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: manager-role}
rules: []
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: metrics-reader}
rules: []
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: controller-manager, namespace: system}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: manager-rolebinding}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: manager-role}
subjects: [{kind: ServiceAccount, name: controller-manager, namespace: system}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: metrics-rolebinding}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: metrics-reader}
subjects: [{kind: ServiceAccount, name: prometheus, namespace: monitoring}]
";

const METRICS: &str =
    "apiVersion: v1\nkind: Service\nmetadata: {name: metrics-service, namespace: system}\n";

const CERTIFICATE: &str = "
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {name: serving-cert, namespace: system}
";

fn crd(kind: &str, plural: &str, scope: &str, versions: &[&str]) -> String {
    let lower = kind.to_lowercase();
    let versions = versions.iter().map(|name| {
        let storage = *name == "v1";
        format!(
            "  - name: {name}\n    served: true\n    storage: {storage}\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n          \
             spec: {{type: object, properties: {{size: {{type: integer}}}}}}\n"
        )
    });
    let versions: String = versions.collect();
    format!(
        "---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  annotations: # ours\n    a:   b\n  name: {plural}.web.example.com\n\
         spec:\n  group: web.example.com\n  scope: {scope}\n  names: {{kind: {kind}, listKind: {kind}List, plural: {plural}, singular: {lower}}}\n  versions:\n{versions}"
    )
}

/// A small project of kubebuilder, by path.
fn project() -> BTreeMap<&'static str, String> {
    let kustomization = "namespace: shop-system\nnamePrefix: shop-\nresources: [../crd]\n";
    let manager = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: controller-manager}\nspec:\n  template:\n    metadata: {labels: {app.kubernetes.io/name: shop}}\n    \
                   spec:\n      containers:\n      - name: proxy\n        env: [{name: NOT_OURS, value: x}]\n      - name: manager\n        env:\n        \
                   - {name: SHOP_IMAGE, value: 'shop:1.2'}\n        - {name: REPLICAS, value: \"2\"}\n        \
                   - {name: TOKEN, valueFrom: {secretKeyRef: {name: shop, key: token}}}\n        - {name: WATCH_NAMESPACE, value: \"\"}\n        \
                   volumeMounts: [{name: stock, mountPath: /stock}]\n";
    let sample =
        "apiVersion: web.example.com/v1\nkind: Store\nmetadata: {name: sample}\nspec: {size: 1}\n";
    let all = [
        ("PROJECT", PROJECT),
        (
            "go.mod",
            "module shop\n\nrequire (\n\tk8s.io/api v0.36.0\n)\n",
        ),
        (
            "api/web/v1/groupversion_info.go",
            "// +groupName=web.example.com\npackage v1\n",
        ),
        ("cmd/main.go", MAIN),
        ("internal/controller/others.go", OTHERS),
        ("internal/controller/store_controller.go", CONTROLLER),
        (
            "internal/controller/store_controller_test.go",
            "package controller\n// +kubebuilder:rbac:bad\n",
        ),
        ("config/default/kustomization.yaml", kustomization),
        ("config/manager/manager.yaml", manager),
        ("config/rbac/rbac.yaml", RBAC),
        ("config/default/metrics_service.yaml", METRICS),
        ("config/certmanager/certificate.yaml", CERTIFICATE),
        ("internal/stock/stock.go", "package stock\n"),
        ("internal/web/stock/stock.go", "package stock\n"),
        ("config/samples/web_v1_store.yaml", sample),
        (
            "config/samples/kustomization.yaml",
            "resources: [web_v1_store.yaml]\n",
        ),
        ("config/webhook/manifests.yaml", WEBHOOKS),
    ];
    let mut all: BTreeMap<_, _> = all.map(|(path, text)| (path, text.to_owned())).into();
    let stores = crd("Store", "stores", "Namespaced", &["v1", "v2"]);
    let regions = crd("Region", "regions", "Namespaced", &["v1"]);
    all.insert("config/crd/bases/web.example.com_stores.yaml", stores);
    all.insert("config/crd/bases/web.example.com_regions.yaml", regions);
    all
}

/// Writes a project to the directory `go`.
fn write(project: &BTreeMap<&'static str, String>) -> TempDir {
    let directory = TempDir::new().unwrap();
    for (path, text) in project {
        let path = directory.path().join("go").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    directory
}

fn parameters(package: &Path) -> Value {
    let text = fs::read_to_string(package.join(".kube-codegen/scaffold.json")).unwrap();
    serde_json::from_str::<Value>(&text).unwrap()["parameters"].clone()
}

#[test]
fn the_crate_has_the_names_of_the_installation() {
    let project = project();
    let directory = write(&project);
    let output = succeed(directory.path(), &["new", "--from-kubebuilder", "go"]);
    // The program would work on the objects of the running operator.
    assert!(output.ends_with("; next: read shop-rs/TAKEOVER.md\n"));
    let package = directory.path().join("shop-rs");
    let parameters = parameters(&package);
    assert_eq!(parameters["kubernetes"], "1.36");
    assert_eq!(parameters["watch"], json!(["v1/Secret"]));
    let owned =
        json!({"stores.web.example.com": ["apps/v1/Deployment", "regions.web.example.com"]});
    assert_eq!(parameters["owns"], owned);
    let controller = fs::read_to_string(package.join("src/stores_controller.rs")).unwrap();
    assert!(controller.contains(".take_over_from([\"manager\", \"shop-apply\"])"));
    assert_eq!(
        parameters["takeover"],
        json!({
            "namespace": "shop-system",
            "lease": "5c3a.example.com",
            "fieldManager": "shop-apply",
            "formerManagers": ["manager", "shop-apply"],
            "environment": {"REPLICAS": "2", "SHOP_IMAGE": "shop:1.2"},
            "metricsNames": {"stores.web.example.com": "web-store"},
            "finalizers": {"stores.web.example.com": "web.example.com/stock"},
            "webhooks": {
                "regions.web.example.com": ["validating"],
                "stores.web.example.com": ["defaulting", "conversion"],
            },
        })
    );
    let files = files(&package);
    // The CRD that is converted names the webhook; the other one is as it was.
    let crds = &files["deploy/crd.yaml"];
    let stores = &project["config/crd/bases/web.example.com_stores.yaml"];
    let regions = &project["config/crd/bases/web.example.com_regions.yaml"];
    assert!(crds.starts_with(regions.as_str()), "{crds}");
    let conversion = crds.split_once("  conversion:\n").unwrap().1;
    assert!(conversion.contains("namespace: shop-system"), "{crds}");
    for line in stores.lines() {
        assert!(crds.contains(&format!("{line}\n")), "{line}");
    }
    assert_eq!(
        files["deploy/samples/web_v1_store.yaml"],
        project["config/samples/web_v1_store.yaml"]
    );
    for (file, expected) in [
        (
            "deploy/deployment.yaml",
            "--leader-elect-resource-name=5c3a.example.com",
        ),
        ("deploy/deployment.yaml", "namespace: shop-system"),
        ("src/lib.rs", "FIELD_MANAGER: &str = \"shop-apply\""),
        ("src/stores_controller.rs", ".named(\"web-store\")"),
        (
            "src/stores_controller.rs",
            "FINALIZER: &str = \"web.example.com/stock\"",
        ),
        ("src/stores_controller.rs", "controller.owns(&regions)"),
        (
            "TAKEOVER.md",
            "| internal/controller/store_controller.go | `reconcile` in `src/stores_controller.rs` |",
        ),
        (
            "TAKEOVER.md",
            "| internal/controller/store_controller.go:28 | `Watches` of `v1/ConfigMap`",
        ),
        (
            "TAKEOVER.md",
            "| internal/controller/store_controller.go:22 | `WithPredicates`: add `.filter(",
        ),
        (
            "TAKEOVER.md",
            "| internal/controller/store_controller.go:23 | `WithEventFilter`: add `.filter(",
        ),
        (
            "TAKEOVER.md",
            "| internal/controller/store_controller.go:24 | `WithOptions`: its settings",
        ),
        (
            "TAKEOVER.md",
            "| Kubernetes of the types | `k8s.io/api v0.36.0` | go.mod |",
        ),
        (
            "TAKEOVER.md",
            "webhook `mstore.kb.io` has `failurePolicy: Ignore`",
        ),
        ("TAKEOVER.md", "| `nodes` | get, list |"),
        ("TAKEOVER.md", "metric `shop_sales_total`"),
        (
            "TAKEOVER.md",
            "-n shop-system delete deployment shop-controller-manager",
        ),
    ] {
        assert!(files[file].contains(expected), "{file}: {}", files[file]);
    }
    for file in project
        .keys()
        .filter(|path| path.contains(".go") && !path.contains("_test.go"))
    {
        let page = &files["TAKEOVER.md"];
        let is_there = [format!("| {file} |"), format!("`{file}`")];
        assert!(is_there.iter().any(|it| page.contains(it)), "{file}");
    }
    is_up_to_date(&package);
    succeed(
        &package,
        &["check", "deploy/samples", "-f", "deploy/crd.yaml"],
    );
    // A second run keeps everything, and so does one by the name of the running Pods.
    succeed(directory.path(), &["new", "--from-kubebuilder", "go"]);
    assert_eq!(super::super::files(&package), files);
    let output = run(
        directory.path(),
        &["new", "shop", "--from-kubebuilder", "go"],
    );
    assert!(stderr(&output).contains("use another name, such as `shop-rs`"));
}

#[test]
fn the_page_says_how_the_old_operator_goes() {
    let directory = write(&project());
    succeed(directory.path(), &["new", "--from-kubebuilder", "go"]);
    let files = files(&directory.path().join("shop-rs"));
    let page = &files["TAKEOVER.md"];
    for expected in [
        "| variable, in deploy/deployment.yaml, too | `SHOP_IMAGE=shop:1.2` | config/manager |",
        "| config/manager | the variable `TOKEN` has no value of its own",
        "| config/manager | the variable `WATCH_NAMESPACE`: the flag `--namespace`",
        "| config/manager | volumes: add them",
        "| cmd/main.go:8 | the user agent is set: what its clients write",
        "`take_over_from([\"manager\", \"shop-apply\"])`",
        "| internal/stock/stock.go | `src/internal_stock.rs`,",
        "| internal/web/stock/stock.go | `src/web_stock.rs`,",
        // Only what is bound to the account of the old operator alone.
        "validating-webhook-configuration service/shop-metrics-service\n",
        "delete --ignore-not-found clusterrolebinding/shop-manager-rolebinding clusterrole/shop-manager-role serviceaccount/shop-controller-manager ",
        "kubectl label namespace shop-system pod-security.kubernetes.io/enforce=restricted",
    ] {
        assert!(page.contains(expected), "{expected}: {page}");
    }
    let variables = "        env:\n        - name: REPLICAS\n          value: \"2\"\n        - name: SHOP_IMAGE\n          value: \"shop:1.2\"\n        ports:";
    assert!(files["deploy/deployment.yaml"].contains(variables));
    // No kind of cert-manager, unless the project installs its objects.
    assert!(!page.contains("certificate.cert-manager.io"), "{page}");
    let mut project = project();
    let default = project
        .get_mut("config/default/kustomization.yaml")
        .unwrap();
    *default = default.replace("[../crd]", "[../crd, ../certmanager]");
    let directory = write(&project);
    succeed(directory.path(), &["new", "--from-kubebuilder", "go"]);
    let page = fs::read_to_string(directory.path().join("shop-rs/TAKEOVER.md")).unwrap();
    assert!(
        page.contains(" certificate.cert-manager.io/shop-serving-cert "),
        "{page}"
    );
    // Pods of the old operator, which may not meet the level, are created until it is gone.
    assert!(!files["deploy/rbac.yaml"].contains("pod-security.kubernetes.io/enforce"));
}

#[test]
fn all_problems_are_reported_at_once_and_nothing_is_written() {
    let mut project = project();
    let broken = PROJECT
        .replace("version: '3'", "version: '4'")
        .replace("  kind: Region\n", "")
        .replace("projectName: shop", "projectName: [shop]");
    project.insert("PROJECT", broken);
    let controller = CONTROLLER.replace("resources=nodes,verbs=get;list", "resources=nodes");
    project.insert("internal/controller/store_controller.go", controller);
    let regions = "config/crd/bases/web.example.com_regions.yaml";
    let text = project[regions].replace("scope: Namespaced", "scope: Nowhere");
    project.insert(regions, text);
    project.insert(
        "config/default/kustomization.yaml",
        "namespace: [\n".to_owned(),
    );
    let directory = write(&project);
    let output = run(
        directory.path(),
        &["new", "shop-rs", "--from-kubebuilder", "go"],
    );
    assert_eq!(output.status.code(), Some(1));
    let message = stderr(&output);
    for expected in [
        "error[KC0901]: version `4` of the file is unknown\n  --> go/PROJECT:24:10",
        "error[KC0901]: `projectName` is not a string\n --> go/PROJECT:4:14",
        "error[KC0901]: the resource has no `kind`\n  --> go/PROJECT:14:3",
        "error[KC0902]: the `rbac` marker lacks verbs\n  --> go/internal/controller/store_controller.go:12:4",
        "go/config/default/kustomization.yaml:1:13",
        "error[KC0207]",
    ] {
        assert!(message.contains(expected), "{expected}\n{message}");
    }
    assert!(!directory.path().join("shop-rs").exists());
}

#[test]
fn what_is_not_found_is_given_by_flags() {
    let mut project = project();
    project.insert("PROJECT", PROJECT.replace("version: '3'", "version: \"2\""));
    project.insert("cmd/main.go", MAIN.replace("= \"5c3a", "+= \"5c3a"));
    project.remove("config/default/kustomization.yaml");
    let directory = write(&project);
    let new = ["new", "--from-kubebuilder", "go", "--dry-run"];
    let message = stderr(&run(directory.path(), &new));
    assert!(message.contains("`--lease NAME` sets it"), "{message}");
    assert!(
        message.contains("`--deploy-namespace NAME` sets it"),
        "{message}"
    );
    let given = [
        "--lease=a.b",
        "--deploy-namespace=web",
        "--field-manager=me",
        "--quiet",
    ];
    let output = run(directory.path(), &[&new[..3], &given].concat());
    assert_eq!(
        (stdout(&output), stderr(&output)),
        (String::new(), String::new())
    );
    let takeover = &parameters(&directory.path().join("shop-rs"))["takeover"];
    assert_eq!(takeover["lease"], "a.b");
    assert_eq!(takeover["namespace"], "web");
    assert_eq!(takeover["fieldManager"], "me");
    let output = run(directory.path(), &["new", "--from-kubebuilder", "."]);
    assert!(stderr(&output).contains("has no project of kubebuilder: the file PROJECT is missing"));
}
