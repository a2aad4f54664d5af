//! A small project of kubebuilder.
use std::{collections::BTreeMap, fs};

use tempfile::TempDir;

pub(super) const PROJECT: &str = r"domain: example.com
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

pub(super) const CONTROLLER: &str = r#"package controller

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

pub(super) const MAIN: &str = r#"package main

const leaseName = "5c3a.example.com"

func main() {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{LeaderElection: true, LeaderElectionID: leaseName})
	if cfg.UserAgent == "" {
		cfg.UserAgent = "shop/v1"
	}
	prometheus.NewCounter(prometheus.CounterOpts{Namespace: "shop", Name: "sales_total", Help: "Sales."})
}
"#;

pub(super) const WEBHOOKS: &str = "
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
rules: [{apiGroups: [''], resources: [nodes], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: metrics-reader}
rules: [{nonResourceURLs: [/metrics], verbs: [get]}]
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: worker, namespace: system}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: worker-rolebinding, namespace: system}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: worker-role}
subjects: [{kind: ServiceAccount, name: worker, namespace: system}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: worker-role, namespace: system}
rules: [{apiGroups: [''], resources: [pods], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: own-metrics-rolebinding}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: metrics-reader}
subjects: [{kind: ServiceAccount, name: controller-manager, namespace: system}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: other-rolebinding}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: other-role}
subjects: [{kind: ServiceAccount, name: controller-manager, namespace: other}]
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

const SERVICES: &str = "
apiVersion: v1
kind: Service
metadata: {name: metrics-service, namespace: system}
spec: {selector: {control-plane: controller-manager}, ports: [{port: 8443}]}
---
apiVersion: v1
kind: Service
metadata: {name: api, namespace: system}
spec: {selector: {app: api}, ports: [{port: 80}]}
";

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
pub(super) fn project() -> BTreeMap<&'static str, String> {
    let kustomization = "namespace: shop-system\nnamePrefix: shop-\nresources: [../crd]\n";
    let manager = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: controller-manager}\nspec:\n  template:\n    metadata: {labels: {app.kubernetes.io/name: shop, control-plane: controller-manager}}\n    \
                   spec:\n      serviceAccountName: controller-manager\n      containers:\n      - name: proxy\n        env: [{name: NOT_OURS, value: x}]\n      - name: manager\n        env:\n        \
                   - {name: SHOP_IMAGE, value: 'shop:1.2'}\n        - {name: REPLICAS, value: \"2\"}\n        \
                   - {name: ADDRESS, value: 'http://$(SHOP_IMAGE)'}\n        - {name: SECRET, value: '$(TOKEN)'}\n        \
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
        ("config/default/services.yaml", SERVICES),
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
pub(super) fn write(project: &BTreeMap<&'static str, String>) -> TempDir {
    let directory = TempDir::new().unwrap();
    for (path, text) in project {
        let path = directory.path().join("go").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    directory
}
