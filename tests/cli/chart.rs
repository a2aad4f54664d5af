//! `kube-codegen deploy chart`, rendered by Helm: with its default values, the chart has the objects of the manifests.
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

use serde::Deserialize;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{catalogues, deploy::scaffold, files, run, stderr, succeed};
use crate::common::corpus;

/// The program; `None` without Go.
pub(super) fn helm() -> Option<&'static Path> {
    static HELM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let helm = HELM.get_or_init(|| catalogues::build("helm", "helm.sh/helm/v3/cmd/helm"));
    helm.as_deref()
}

/// Returns the objects of YAML texts by kind and name, without empty maps and lists, which mean the same as none.
pub(super) fn objects<'a>(texts: impl Iterator<Item = &'a str>) -> BTreeMap<String, Value> {
    let mut objects = BTreeMap::new();
    for mut object in texts.flat_map(documents) {
        prune(&mut object);
        let name = format!("{} {}", object["kind"], object["metadata"]["name"]);
        assert!(objects.insert(name, object).is_none());
    }
    objects
}

fn documents(text: &str) -> Vec<Value> {
    let all = serde_yaml::Deserializer::from_str(text);
    let all = all.map(|document| Value::deserialize(document).unwrap());
    all.filter(|it| !it.is_null()).collect()
}

fn prune(value: &mut Value) {
    let is_empty = |value: &Value| *value == json!({}) || *value == json!([]);
    match value {
        Value::Object(fields) => {
            fields.values_mut().for_each(prune);
            fields.retain(|_, value| !is_empty(value));
        }
        Value::Array(items) => items.iter_mut().for_each(prune),
        _ => {}
    }
}

/// Renders the chart of a package into a namespace.
fn text(helm: &Path, package: &Path, namespace: &str, values: &Value) -> String {
    fs::write(package.join("values.json"), values.to_string()).unwrap();
    let mut command = Command::new(helm);
    command.args(["template", "test", "dist/chart", "--namespace", namespace]);
    command.args(["--values", "values.json"]);
    let output = command.current_dir(package).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    super::stdout(&output)
}

fn rendered(
    helm: &Path,
    package: &Path,
    namespace: &str,
    values: &Value,
) -> BTreeMap<String, Value> {
    succeed(package, &["deploy", "chart", "-q"]);
    objects([text(helm, package, namespace, values).as_str()].into_iter())
}

/// Everything is installed, and nothing is kept.
fn everything(package: &Path) -> Value {
    succeed(package, &["deploy", "chart", "-q"]);
    let values = fs::read_to_string(package.join("dist/chart/values.yaml")).unwrap();
    let mut values: Value = serde_yaml::from_str(&values).unwrap();
    for (_, installed) in values["install"].as_object_mut().unwrap() {
        *installed = json!(true);
    }
    json!({"install": values["install"], "namespace": {"create": true}, "crds": {"keep": false}})
}

/// The objects of a directory of manifests.
fn manifests(package: &Path) -> BTreeMap<String, Value> {
    let files = files(&package.join("deploy"));
    let is_part =
        |path: &str| !["kustomization.yaml", "sample.yaml", "dashboard.json"].contains(&path);
    let parts = files.iter().filter(|(path, _)| is_part(path));
    objects(parts.map(|(_, text)| text.as_str()))
}

#[test]
fn the_chart_and_the_manifests_have_the_same_objects() {
    let Some(helm) = helm() else { return };
    for args in [&[][..], &["--scope=namespace"]] {
        let (_directory, package) = scaffold(args);
        // Braces are text, not a template.
        let crd = package.join("deploy/crd.yaml");
        let text = fs::read_to_string(&crd).unwrap();
        let text = text.replacen("description: ", "description: \"{{ .Values.x }} {{{\" #", 1);
        fs::write(&crd, text).unwrap();
        // These names mean something else to Helm, or are no names of values.
        let more =
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: more, namespace: test-operator}\n";
        for name in ["_more", "1", "a-b", "a_b", "extra-objects"] {
            let text = more.replace("more", &format!("more{}", name.len()));
            let text = text.replacen("kind", &format!("data: {{k: \"{name}\"}}\nkind"), 1);
            let text = if name == "a_b" {
                text.replace("more3", "more4")
            } else {
                text
            };
            fs::write(package.join(format!("deploy/{name}.yaml")), text).unwrap();
        }
        let manifests = manifests(&package);
        assert!(manifests.len() > 20, "{manifests:?}");
        let all = everything(&package);
        assert_eq!(rendered(helm, &package, "test-operator", &all), manifests);

        // By default, those that the kustomization lists.
        let files = files(&package.join("deploy"));
        let listed: Value = serde_yaml::from_str(&files["kustomization.yaml"]).unwrap();
        let listed = listed["resources"].as_array().unwrap();
        let listed = listed
            .iter()
            .map(|file| files[file.as_str().unwrap()].as_str());
        let mut listed = objects(listed);
        listed.retain(|_, object| object["kind"] != "Namespace");
        let mut default = rendered(helm, &package, "test-operator", &json!({}));
        for object in default.values_mut() {
            if object["kind"] == "CustomResourceDefinition" {
                let annotations = object["metadata"]
                    .as_object_mut()
                    .unwrap()
                    .remove("annotations");
                assert_eq!(annotations.unwrap()["helm.sh/resource-policy"], "keep");
            }
        }
        assert_eq!(default, listed);
    }
}

/// A Deployment whose first container is a sidecar. `<ns>` is the namespace, `<name>` what the names start with that follow an override,
/// and `<app>` the label of the Pods; each of them is `web`, and other words `web` are none of them.
const DEPLOYMENT: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: <name>, namespace: <ns>}
spec:
  replicas: 3
  selector: {matchLabels: {app: <app>}}
  template:
    metadata:
      labels: {app: <app>, tier: back}
      annotations: {own: \"{{ x }}\"}
    spec:
      serviceAccountName: <name>
      containers:
      - name: proxy
        image: proxy:v1
        args: [--ns=<ns>, --name=web, --upstream=<name>-metrics.<ns>]
        env: [{name: A, value: \"{{ b }}\"}]
      - name: main
        image: registry:5000/web:v1
        args: [\"--watch-namespaces=a,<ns>\", --host=<name>-metrics.<ns>.svc, --namespace, <ns>, --name=web, \"{{ c }}\"]
        env:
        - {name: URL, value: 'https://web-webhook.<ns>.svc.cluster.local:443/x'}
        - {name: POD_NAMESPACE, value: <ns>}
        - {name: SITE, value: web.web.example.com}
        volumeMounts: [{name: own, mountPath: /own}]
      volumes: [{name: own, emptyDir: {}}]
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: <name>, namespace: <ns>}
";

/// Replaces the words of a text.
fn with(text: &str, namespace: &str, name: &str, app: &str) -> String {
    let text = text.replace("<ns>", namespace).replace("<name>", name);
    text.replace("<app>", app)
}

fn deployment() -> String {
    with(DEPLOYMENT, "web", "web", "web")
}

/// Creates a package with these manifests.
fn package(files: &[(&str, &str)]) -> TempDir {
    let directory = TempDir::new().unwrap();
    fs::create_dir(directory.path().join("deploy")).unwrap();
    for (name, text) in files {
        fs::write(directory.path().join("deploy").join(name), text).unwrap();
    }
    directory
}

fn crd(metadata: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: {metadata}\nspec:\n  group: example.com\n  \
         scope: Namespaced\n  names: {{kind: A, plural: as}}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      \
         openAPIV3Schema: {{type: object, description: \"namespace=web and {{{{ x }}}}\"}}\n"
    )
}

/// Renders a chart with CRDs, and returns the objects of each template.
fn crds(helm: &Path, package: &Path, values: &Value) -> BTreeMap<String, Vec<Value>> {
    let text = text(helm, package, "web", values);
    let mut all: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for part in text.split("---\n# Source: ").skip(1) {
        let (path, document) = part.split_once('\n').unwrap();
        let name = path.rsplit_once('/').unwrap().1.to_owned();
        all.entry(name).or_default().extend(documents(document));
    }
    all
}

#[test]
fn a_crd_has_one_map_of_annotations_whatever_it_had() {
    let Some(helm) = helm() else { return };
    let policy = "helm.sh/resource-policy";
    let inputs = [
        ("absent", "as.example.com"),
        ("empty", "as.example.com\n  annotations: {}"),
        ("null", "as.example.com\n  annotations: null"),
        ("nothing", "as.example.com\n  annotations:"),
        (
            "some",
            "as.example.com\n  annotations: {a: \"{{ b }}\", \"{{ c }}\": d}",
        ),
        (
            "policy",
            "as.example.com\n  annotations: {helm.sh/resource-policy: other, a: b}",
        ),
        ("labels", "as.example.com\n  labels: {annotations: x}"),
    ];
    let texts = inputs.map(|(name, metadata)| (format!("{name}.yaml"), crd(metadata)));
    let deployment = deployment();
    let mut all = vec![("deployment.yaml", deployment.as_str())];
    all.extend(
        texts
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str())),
    );
    let directory = package(&all);
    succeed(directory.path(), &["deploy", "chart", "-q"]);
    let off = crds(helm, directory.path(), &json!({"crds": {"keep": false}}));
    let on = crds(helm, directory.path(), &json!({}));
    let more = json!({"crds": {"annotations": {"a": "mine", "new": "1", policy: "no"}}});
    let more = crds(helm, directory.path(), &more);
    for (name, text) in &texts {
        let input: Value = serde_yaml::from_str(text).unwrap();
        assert_eq!(off[name], std::slice::from_ref(&input), "{name}");
        let mut kept = input.clone();
        kept["metadata"]["annotations"][policy] = "keep".into();
        assert_eq!(on[name], [kept.clone()], "{name}");
        let own = &input["metadata"]["annotations"]["a"];
        kept["metadata"]["annotations"]["a"] = if own.is_null() {
            "mine".into()
        } else {
            own.clone()
        };
        kept["metadata"]["annotations"]["new"] = "1".into();
        assert_eq!(more[name], [kept], "{name}");
    }
    for wrong in ["x", "[a]", "1"] {
        let text = crd(&format!("as.example.com\n  annotations: {wrong}"));
        let directory = package(&[("deployment.yaml", &deployment), ("crd.yaml", &text)]);
        let output = run(directory.path(), &["deploy", "chart"]);
        assert_eq!(output.status.code(), Some(2));
        let message =
            "`metadata.annotations` of the CustomResourceDefinition `as.example.com` is not a map";
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
        assert!(!directory.path().join("dist").exists());
    }
}

#[test]
fn helm_renders_every_crd_of_the_corpus_as_it_was() {
    let (Some(helm), Some(corpus)) = (helm(), corpus("crds")) else {
        return;
    };
    let directory = package(&[("deployment.yaml", &deployment())]);
    let mut inputs = BTreeMap::new();
    for path in super::paths(&corpus) {
        let text = fs::read_to_string(&path).unwrap();
        // The few CRDs that only kube-codegen's reader accepts cannot be compared.
        let all: Result<Vec<Value>, _> = serde_yaml::Deserializer::from_str(&text)
            .map(Value::deserialize)
            .collect();
        let Ok(mut all) = all else { continue };
        all.retain(|it| it["kind"] == "CustomResourceDefinition");
        if all.is_empty() {
            continue;
        }
        let name = format!("{}.yaml", inputs.len());
        fs::write(directory.path().join("deploy").join(&name), text).unwrap();
        inputs.insert(name, all);
    }
    let number: usize = inputs.values().map(Vec::len).sum();
    assert!(number > 400, "{number}");
    succeed(directory.path(), &["deploy", "chart", "-q"]);
    for keep in [true, false] {
        let mut outputs = crds(helm, directory.path(), &json!({"crds": {"keep": keep}}));
        for (name, inputs) in &inputs {
            let mut output = outputs
                .remove(&format!("x{name}"))
                .or_else(|| outputs.remove(name))
                .unwrap_or_default();
            output.retain(|it| it["kind"] == "CustomResourceDefinition");
            let mut inputs = inputs.clone();
            for input in inputs.iter_mut().filter(|_| keep) {
                input["metadata"]["annotations"]["helm.sh/resource-policy"] = "keep".into();
            }
            let by_name = |it: &Value| it["metadata"]["name"].as_str().map(str::to_owned);
            inputs.sort_by_key(by_name);
            output.sort_by_key(by_name);
            assert!(
                output == inputs,
                "{name}: {:?}",
                inputs.iter().map(by_name).collect::<Vec<_>>()
            );
        }
    }
}

/// Pods without another account run under this one.
#[test]
fn the_default_account_may_have_annotations() {
    const ACCOUNT: &str = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: default, namespace: web, annotations: {cloud: role}}\n";
    for (name, is_used) in [("", true), ("serviceAccountName: web", false)] {
        let deployment = deployment().replacen("      serviceAccountName: web\n", "", 1);
        let pod = format!("    spec:\n      {name}\n");
        let deployment = deployment.replacen("    spec:\n", &pod, 1);
        let directory = package(&[("account.yaml", ACCOUNT), ("deployment.yaml", &deployment)]);
        succeed(directory.path(), &["deploy", "chart", "-q"]);
        let values = &files(&directory.path().join("dist/chart"))["values.yaml"];
        assert_eq!(values.contains("cloud: role"), is_used, "{deployment}");
    }
}

#[test]
fn values_reach_the_container_and_the_pods_of_the_operator() {
    let Some(helm) = helm() else { return };
    let directory = package(&[("deployment.yaml", &deployment())]);
    let default = rendered(helm, directory.path(), "web", &json!({}));
    assert_eq!(default, objects([deployment().as_str()].into_iter()));
    let volume = json!({"name": "more", "emptyDir": {"medium": "Memory"}});
    let variable = json!({"name": "N", "value": "{{ .Release.Namespace }}"});
    let values = json!({
        "image": "registry/x:v2",
        "replicas": 1,
        "nodeSelector": {"disk": "ssd"},
        "podAnnotations": {"a": "1"},
        "podLabels": {"b": "2", "app": "ignored"},
        "serviceAccount": {"annotations": {"role": "{{ .Release.Namespace }}"}},
        "extraEnv": [variable],
        "extraVolumes": [volume],
        "extraVolumeMounts": [{"name": "more", "mountPath": "/more"}],
        "extraObjects": [
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "namespace": "{{ .Release.Namespace }}"}},
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: y}\n",
        ],
    });
    let objects = rendered(helm, directory.path(), "on", &values);
    assert_eq!(objects.len(), 4);
    let deployment = &objects["\"Deployment\" \"web\""];
    assert_eq!(deployment["metadata"]["namespace"], "on");
    assert_eq!(deployment["spec"]["replicas"], 1);
    let metadata = &deployment["spec"]["template"]["metadata"];
    assert_eq!(
        metadata["labels"],
        json!({"app": "web", "tier": "back", "b": "2"})
    );
    assert_eq!(metadata["annotations"], json!({"own": "{{ x }}", "a": "1"}));
    let pod = &deployment["spec"]["template"]["spec"];
    assert_eq!(pod["nodeSelector"], json!({"disk": "ssd"}));
    assert_eq!(pod["volumes"][0]["name"], "own");
    assert_eq!(pod["volumes"][1], volume);
    let [proxy, main] = [&pod["containers"][0], &pod["containers"][1]];
    assert_eq!(
        (&proxy["image"], &main["image"]),
        (&json!("proxy:v1"), &json!("registry/x:v2"))
    );
    assert_eq!(main["volumeMounts"][1]["mountPath"], "/more");
    assert_eq!(main["env"][3], json!({"name": "N", "value": "on"}));
    let account = &objects["\"ServiceAccount\" \"web\""]["metadata"];
    assert_eq!(account["annotations"], json!({"role": "on"}));
    assert_eq!(
        objects["\"ConfigMap\" \"x\""]["metadata"]["namespace"],
        "on"
    );
}

/// Every kind of place.
const PLACES: &str = "
apiVersion: v1
kind: Namespace
metadata: {name: <ns>, labels: {kubernetes.io/metadata.name: <ns>, team: web}}
---
apiVersion: v1
kind: Service
metadata: {name: <name>-metrics, namespace: <ns>, labels: {app: <app>}}
spec: {selector: {app: <app>}, ports: [{port: 1}]}
---
apiVersion: v1
kind: Service
metadata: {name: web-webhook, namespace: <ns>}
spec: {selector: {app: <app>}, ports: [{port: 443}]}
---
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {name: serving, namespace: <ns>}
spec:
  commonName: web-webhook.<ns>.svc
  dnsNames:
  - web-webhook.<ns>.svc
  - web-webhook.<ns>.svc.cluster.local
  - web-webhook.<ns>
  - web-webhook
  - web-webhook.web.example.com
  - web-webhook.web.svcs
  - <name>-metrics.<ns>.svc
  - <name>-metrics
  uris: [\"spiffe://cluster.local/ns/<ns>/sa/<name>\"]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: web-validating, annotations: {cert-manager.io/inject-ca-from: <ns>/serving}}
webhooks:
- name: a.web.example.com
  clientConfig: {service: {name: web-webhook, namespace: <ns>, path: /web}}
  namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [<ns>, kube-system]}]}
  matchConditions: [{name: a, expression: \"request.userInfo.username != 'system:serviceaccount:<ns>:<name>'\"}]
- name: b.web.example.com
  clientConfig: {url: \"https://web-webhook.<ns>.svc:443/web\"}
  objectSelector: {matchExpressions: [{key: other, operator: NotIn, values: [web]}, {key: app, operator: NotIn, values: [<app>]}]}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: <name>, namespace: <ns>}
spec:
  podSelector: {matchLabels: {app: <app>}}
  ingress: [{from: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: <ns>}}}]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: <name>}
rules:
- {apiGroups: [\"\"], resources: [namespaces], resourceNames: [<ns>], verbs: [get]}
- {apiGroups: [coordination.k8s.io], resources: [leases], resourceNames: [web], verbs: [get]}
- {apiGroups: [policy], resources: [poddisruptionbudgets], resourceNames: [web-known], verbs: [get]}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web-known, namespace: <ns>}
spec: {maxUnavailable: 1, selector: {matchLabels: {app: <app>}}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: web-reader, namespace: kube-system}
roleRef: {kind: Role, name: extension-apiserver-authentication-reader}
subjects:
- {kind: ServiceAccount, name: <name>, namespace: <ns>}
- {kind: User, name: \"system:serviceaccount:<ns>:<name>\"}
- {kind: Group, name: \"system:serviceaccounts:<ns>\"}
- {kind: ServiceAccount, name: web, namespace: other}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: <name>}
roleRef: {kind: ClusterRole, name: <name>}
subjects: [{kind: ServiceAccount, name: <name>, namespace: <ns>}]
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: <name>, namespace: <ns>}
spec:
  namespaceSelector: {matchNames: [<ns>, other]}
  selector: {matchLabels: {app: <app>}}
  endpoints: [{tlsConfig: {serverName: <name>-metrics.<ns>.svc}}]
---
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {name: <name>, namespace: <ns>}
spec: {groups: [{name: web, rules: [{expr: 'up{namespace=\"<ns>\",job=\"web\"} == 0'}]}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: web, namespace: <ns>}
data:
  ns: <ns>
  name: web
  text: web and web/web
  image: web/web
  url: https://<name>-metrics.<ns>.svc/api/v1/namespaces/<ns>/pods
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: as.example.com, annotations: {cert-manager.io/inject-ca-from: <ns>/serving}}
spec:
  group: example.com
  conversion: {strategy: Webhook, webhook: {clientConfig: {service: {name: web-webhook, namespace: <ns>}}}}
  versions: [{name: v1, schema: {openAPIV3Schema: {properties: {namespace: {default: web, enum: [web], description: x.web.svc}}}}}]
";

#[test]
fn every_place_of_the_namespace_and_of_names_follows_the_release() {
    let Some(helm) = helm() else { return };
    let all = [DEPLOYMENT, "---\n", PLACES].concat();
    let directory = package(&[("all.yaml", &with(&all, "web", "web", "web"))]);
    let render = |namespace: &str, names: &Value| {
        let mut values = json!({"namespace": {"create": true}, "crds": {"keep": false}});
        let names = names.as_object().unwrap().clone();
        values.as_object_mut().unwrap().extend(names);
        rendered(helm, directory.path(), namespace, &values)
    };
    let expected = |namespace: &str, name: &str, app: &str| {
        objects([with(&all, namespace, name, app).as_str()].into_iter())
    };
    let names = json!({"fullnameOverride": "full", "nameOverride": "label"});
    for (found, expected) in [
        (render("web", &json!({})), expected("web", "web", "web")),
        (
            render("elsewhere", &json!({})),
            expected("elsewhere", "web", "web"),
        ),
        (
            render("elsewhere", &names),
            expected("elsewhere", "full", "label"),
        ),
    ] {
        assert_eq!(
            found.keys().collect::<Vec<_>>(),
            expected.keys().collect::<Vec<_>>()
        );
        for (name, object) in found {
            assert_eq!(object, expected[&name], "{name}");
        }
    }
}

#[test]
fn a_namespace_may_be_a_word_that_yaml_takes_for_another_value() {
    let Some(helm) = helm() else { return };
    let directory = package(&[("deployment.yaml", &deployment())]);
    for namespace in ["on", "123", "null"] {
        let all = rendered(helm, directory.path(), namespace, &json!({}));
        let deployment = &all["\"Deployment\" \"web\""];
        assert_eq!(deployment["metadata"]["namespace"], namespace);
        let containers = &deployment["spec"]["template"]["spec"]["containers"];
        assert_eq!(containers[1]["env"][1]["value"], namespace);
        assert_eq!(containers[1]["args"][3], namespace);
    }
}

#[test]
fn scaffolded_manifests_fit_together_under_other_names() {
    let Some(helm) = helm() else { return };
    for args in [
        &["--webhooks=defaulting,validating"][..],
        &["--scope=namespace"],
    ] {
        let (_directory, package) = scaffold(args);
        let mut values = everything(&package);
        values["fullnameOverride"] = "other".into();
        values["nameOverride"] = "label".into();
        let all = text(helm, &package, "elsewhere", &values);
        let rendered = package.join("rendered");
        fs::create_dir(&rendered).unwrap();
        fs::write(rendered.join("all.yaml"), &all).unwrap();
        succeed(&package, &["deploy", "check", "rendered"]);
        let namespaces: Vec<_> = documents(&all)
            .iter()
            .filter_map(|it| it["metadata"]["namespace"].as_str().map(str::to_owned))
            .collect();
        assert!(
            namespaces.len() > 5 && namespaces.iter().all(|it| it == "elsewhere"),
            "{namespaces:?}"
        );
    }
}

/// What `kubectl get -o yaml` writes.
#[test]
fn the_items_of_lists_are_objects_of_the_chart() {
    let Some(helm) = helm() else { return };
    let [operator, account]: [Value; 2] = documents(&deployment()).try_into().unwrap();
    let list = json!({"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "v1", "kind": "List", "items": [serde_yaml::from_str::<Value>(&crd("as.example.com")).unwrap()]},
        operator, account,
        {"apiVersion": "v1", "kind": "ConfigMapList", "items": [{"metadata": {"name": "a", "namespace": "web"}}]},
    ]});
    let directory = package(&[("all.yaml", &list.to_string())]);
    let all = rendered(helm, directory.path(), "other", &json!({}));
    assert_eq!(
        all.keys().collect::<Vec<_>>(),
        [
            "\"ConfigMap\" \"a\"",
            "\"CustomResourceDefinition\" \"as.example.com\"",
            "\"Deployment\" \"web\"",
            "\"ServiceAccount\" \"web\"",
        ]
    );
    let crd = &all["\"CustomResourceDefinition\" \"as.example.com\""];
    assert_eq!(
        crd["metadata"]["annotations"]["helm.sh/resource-policy"],
        "keep"
    );
    assert_eq!(all["\"ConfigMap\" \"a\""]["metadata"]["namespace"], "other");
}

/// Helm removes a value that is null, and gives null to maps that have no default.
#[test]
fn every_value_may_be_null() {
    let Some(helm) = helm() else { return };
    let namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: web}\n";
    let deployment = deployment();
    let directory = package(&[
        ("deployment.yaml", &deployment),
        ("namespace.yaml", namespace),
        ("crd.yaml", &crd("as.example.com")),
    ]);
    succeed(directory.path(), &["deploy", "chart", "-q"]);
    let values = fs::read_to_string(directory.path().join("dist/chart/values.yaml")).unwrap();
    let values: Value = serde_yaml::from_str(&values).unwrap();
    let mut paths: Vec<String> = Vec::new();
    for (key, value) in values.as_object().unwrap() {
        paths.push(key.clone());
        let fields = value.as_object().into_iter().flatten();
        paths.extend(fields.map(|(field, _)| format!("{key}.{field}")));
    }
    for path in paths {
        let mut command = Command::new(helm);
        command.args(["template", "test", "dist/chart", "--set"]);
        command.arg(format!("{path}=null"));
        let output = command.current_dir(directory.path()).output().unwrap();
        assert!(output.status.success(), "{path}: {}", stderr(&output));
        for object in documents(&super::stdout(&output)) {
            assert!(object["metadata"]["name"].is_string(), "{path}: {object}");
            // The selector still selects the Pods.
            if object["kind"] == "Deployment" {
                let labels = &object["spec"]["template"]["metadata"]["labels"];
                assert_eq!(labels["app"], "web", "{path}");
            }
        }
    }
}

#[test]
fn keys_that_yaml_1_1_reads_otherwise_are_shown() {
    let config =
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  y: \"1\"\n  n: \"2\"\n";
    let directory = package(&[("deployment.yaml", &deployment()), ("map.yaml", config)]);
    for command in ["check", "chart"] {
        let message = stderr(&run(directory.path(), &["deploy", command]));
        for expected in [
            "warning[KC0109]: plain `y` is read as the boolean true",
            "map.yaml:5:3",
            "warning[KC0109]: plain `n` is read as the boolean false",
        ] {
            assert!(message.contains(expected), "{command}: {message}");
        }
    }
}
