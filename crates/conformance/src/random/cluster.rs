//! Makes requests that need more of a server than one object: a round has one [`Theme`], with users, deletions that take time, and
//! resources without a namespace.

use serde_json::{Map, Value, json};

use super::{Generator, MANAGERS, NAMES};
use crate::Step;

/// What the requests of a round are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Theme {
    /// Namespaces in the bodies of objects, most of which have none.
    Bodies,
    /// Pods with scheduling gates: their changes, bindings and deletions.
    Gates,
    /// Roles and bindings that a user writes who may not do everything.
    Roles,
    /// A definition that is deleted while it has instances.
    Definitions,
    /// Changes that a watch over WebSocket shows.
    Watches,
}

/// How long a real server needs to notice a role or a definition, in milliseconds; what takes it longer is asked again.
const NOTICED: u64 = 1500;

/// Resources without a namespace: version, kind, plural and fields.
const CLUSTER: &[(&str, &str, &str, &str)] = &[
    (
        "rbac.authorization.k8s.io/v1",
        "ClusterRole",
        "clusterroles",
        r#"{"rules": []}"#,
    ),
    (
        "scheduling.k8s.io/v1",
        "PriorityClass",
        "priorityclasses",
        r#"{"value": 5}"#,
    ),
    (
        "networking.k8s.io/v1",
        "IngressClass",
        "ingressclasses",
        r#"{"spec": {"controller": "example.com/a"}}"#,
    ),
    (
        "node.k8s.io/v1",
        "RuntimeClass",
        "runtimeclasses",
        r#"{"handler": "a"}"#,
    ),
    (
        "storage.k8s.io/v1",
        "StorageClass",
        "storageclasses",
        r#"{"provisioner": "example.com/a"}"#,
    ),
];

impl Theme {
    pub(super) const ALL: &[Self] = &[
        Self::Bodies,
        Self::Gates,
        Self::Roles,
        Self::Definitions,
        Self::Watches,
    ];

    /// The requests with which a round begins.
    fn prelude(self) -> Vec<Step> {
        match self {
            Self::Roles => roles_of_bob(),
            Self::Definitions => vec![create_definition(), read_things()],
            Self::Bodies | Self::Gates | Self::Watches => Vec::new(),
        }
    }
}

impl Generator {
    /// Creates a generator of requests about a theme.
    pub(super) fn about(seed: u64, theme: Theme) -> Self {
        let mut generator = Self::new(seed, false);
        generator.theme = Some(theme);
        generator.prelude = theme.prelude().into();
        generator
    }

    pub(super) fn themed_step(&mut self, theme: Theme) -> Step {
        if let Some(step) = self.prelude.pop_front() {
            return step;
        }
        match theme {
            Theme::Bodies => self.body_step(),
            Theme::Gates => self.pod_step(),
            Theme::Roles => self.role_step(),
            Theme::Definitions => self.definition_step(),
            Theme::Watches => self.map_step(),
        }
    }

    fn body_step(&mut self) -> Step {
        let name = *self.pick(NAMES);
        let (collection, mut object) = if self.chance(4) {
            let object =
                json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}});
            ("/api/v1/namespaces/NS/configmaps".to_owned(), object)
        } else {
            let (version, kind, plural, fields) = *self.pick(CLUSTER);
            let mut object: Value = serde_json::from_str(fields).unwrap_or_default();
            object["apiVersion"] = version.into();
            object["kind"] = kind.into();
            object["metadata"] = json!({"name": format!("$NS-{name}")});
            (format!("/apis/{version}/{plural}"), object)
        };
        let namespace = *self.pick(&[None, Some("$NS"), Some("other"), Some(""), Some("a b")]);
        if let Some(namespace) = namespace {
            object["metadata"]["namespace"] = namespace.into();
        }
        if self.chance(3) {
            object["metadata"]["labels"] = json!({"x": self.word()});
        }
        let path = format!(
            "{collection}/{}",
            object["metadata"]["name"].as_str().unwrap_or_default()
        );
        self.write(&collection, &path, object)
    }

    /// Returns one of the verbs for an object.
    fn write(&mut self, collection: &str, path: &str, object: Value) -> Step {
        let query = vec![format!("fieldManager={}", self.pick(MANAGERS))];
        match self.rng.u8(0..12) {
            0..4 => self.request("POST", collection, &query, None, |_| object),
            4..6 => self.request("PUT", path, &query, None, |_| object),
            6..8 => self.request("PATCH", path, &query, Some("apply"), |_| object),
            8..10 => self.request("PATCH", path, &query, Some("merge"), |it| {
                json!({"metadata": {"namespace": object["metadata"]["namespace"], "labels": {"x": it.word()}}})
            }),
            10 => read(path),
            _ => self.delete(path),
        }
    }

    fn pod_step(&mut self) -> Step {
        let collection = "/api/v1/namespaces/NS/pods";
        let name = *self.pick(NAMES);
        let path = format!("{collection}/{name}");
        let query = vec![format!("fieldManager={}", self.pick(MANAGERS))];
        let spec = self.scheduling();
        let pod = |mut spec: Map<String, Value>| {
            let container = json!([{"name": "c", "image": "x"}]);
            spec.insert("containers".into(), container);
            spec.insert("automountServiceAccountToken".into(), false.into());
            json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec})
        };
        match self.rng.u8(0..24) {
            0..6 => self.request("POST", collection, &query, None, |_| pod(spec)),
            6..12 => self.request("PATCH", &path, &query, Some("merge"), |_| {
                json!({"spec": spec})
            }),
            12..14 => self.request("PATCH", &path, &query, Some("apply"), |_| pod(spec)),
            14 => self.request("PATCH", &path, &query, Some("json"), |_| {
                json!([{"op": "remove", "path": "/spec/schedulingGates/0"}])
            }),
            15 => self.request("PATCH", &path, &query, Some("strategic"), |_| {
                json!({"spec": {"schedulingGates": [{"name": "example.com/a", "$patch": "delete"}]}})
            }),
            16..18 => {
                let binding = json!({"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name}, "target": {"kind": "Node", "name": "node"}});
                self.request("POST", &format!("{path}/binding"), &query, None, |_| binding)
            }
            18..20 => read(&path),
            20 => read(collection),
            _ => {
                let grace = self.pick(&[Value::Null, json!(0), json!(5)]).clone();
                let body = if grace.is_null() {
                    Value::Null
                } else {
                    json!({"gracePeriodSeconds": grace})
                };
                Step {
                    request: format!("DELETE {path}"),
                    body,
                    ..Step::default()
                }
            }
        }
    }

    /// Returns the fields of a Pod that decide where it runs.
    fn scheduling(&mut self) -> Map<String, Value> {
        let mut spec = Map::new();
        if !self.chance(3) {
            let gates = self.some(&["example.com/a", "example.com/b"]);
            let gates: Vec<_> = gates.iter().map(|name| json!({"name": name})).collect();
            spec.insert("schedulingGates".into(), gates.into());
        }
        if self.chance(3) {
            spec.insert("nodeSelector".into(), self.labels());
        }
        if self.chance(4) {
            let term = json!({"matchExpressions": [{"key": "x", "operator": "In", "values": [self.word()]}]});
            let affinity = json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}});
            spec.insert("affinity".into(), affinity);
        }
        if self.chance(5) {
            let toleration = json!([{"key": self.word(), "operator": "Exists"}]);
            spec.insert("tolerations".into(), toleration);
        }
        spec
    }

    fn role_step(&mut self) -> Step {
        let name = *self.pick(NAMES);
        let group = "/apis/rbac.authorization.k8s.io/v1/namespaces/NS";
        let mut step = match self.rng.u8(0..12) {
            0..5 => {
                let rules: Vec<Value> = (0..self.rng.usize(1..3)).map(|_| self.rule()).collect();
                let role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": name}, "rules": rules});
                self.write_role(&format!("{group}/roles"), name, role)
            }
            5..8 => {
                let role = *self.pick(&["a", "b", "open", "closed", "missing"]);
                let role =
                    json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": role});
                let user = *self.pick(&["ann", "joe"]);
                let subject =
                    json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user});
                let binding = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": name}, "roleRef": role, "subjects": [subject]});
                self.write_role(&format!("{group}/rolebindings"), name, binding)
            }
            8 => {
                let path = *self.pick(&[
                    "/api/v1/namespaces/NS/secrets?fieldSelector=metadata.name%3Ds1",
                    "/api/v1/namespaces/NS/secrets?fieldSelector=metadata.name%3Ds2",
                    "/api/v1/namespaces/NS/secrets",
                    "/api/v1/namespaces/NS/pods",
                    "/api/v1/namespaces/NS/pods/a",
                    "/api/v1/namespaces/default/pods",
                    "/apis/rbac.authorization.k8s.io/v1/namespaces/NS/roles",
                ]);
                read(path)
            }
            9 => self.map_step(),
            _ => {
                let lease = json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": name}, "spec": {}});
                let leases = "/apis/coordination.k8s.io/v1/namespaces/NS/leases";
                self.write_role(leases, name, lease)
            }
        };
        if !self.chance(6) {
            step.user = Some("bob".into());
        }
        step
    }

    fn write_role(&mut self, collection: &str, name: &str, object: Value) -> Step {
        let query = vec![format!("fieldManager={}", self.pick(MANAGERS))];
        let path = format!("{collection}/{name}");
        match self.rng.u8(0..10) {
            0..4 => self.request("POST", collection, &query, None, |_| object),
            4..6 => self.request("PUT", &path, &query, None, |_| object),
            6..9 => self.request("PATCH", &path, &query, Some("apply"), |_| object),
            _ => self.delete(&path),
        }
    }

    fn rule(&mut self) -> Value {
        let verbs = *self.pick(&["get", "list", "create", "*", "update"]);
        let mut rule = match self.rng.u8(0..5) {
            0 => json!({"apiGroups": [""], "resources": ["pods"], "verbs": ["get", verbs]}),
            1 => json!({"apiGroups": [""], "resources": ["configmaps"], "verbs": [verbs]}),
            2 => json!({"apiGroups": ["apps"], "resources": ["deployments"], "verbs": [verbs]}),
            3 => json!({"apiGroups": ["*"], "resources": ["*"], "verbs": [verbs]}),
            _ => json!({"apiGroups": [""], "resources": ["secrets"], "verbs": [verbs]}),
        };
        if self.chance(3) {
            rule["resourceNames"] = json!([*self.pick(&["s1", "s2"])]);
        }
        rule
    }

    fn definition_step(&mut self) -> Step {
        let name = *self.pick(NAMES);
        let things = "/apis/$NS.example.com/v1/namespaces/NS/things";
        let thing = format!("{things}/{name}");
        let is_final = self.chance(3);
        let mut step = match self.rng.u8(0..16) {
            0..6 => {
                let mut metadata = json!({"name": name});
                if is_final {
                    metadata["finalizers"] = json!(["example.com/keep"]);
                }
                let object = json!({"apiVersion": "$NS.example.com/v1", "kind": "Thing", "metadata": metadata});
                self.request("POST", things, &[], None, |_| object)
            }
            6..8 => self.request(
                "PATCH",
                &thing,
                &[],
                Some("merge"),
                |_| json!({"metadata": {"finalizers": null}}),
            ),
            8 => read(&thing),
            9 => read(things),
            10..12 => self.delete(&thing),
            12 => read_definition("GET"),
            13 => create_definition(),
            _ => read_definition("DELETE"),
        };
        // What follows a deletion takes a while.
        step.after = Some(if self.is_changing { NOTICED } else { 0 });
        self.is_changing = ["DELETE", "PATCH"]
            .iter()
            .any(|method| step.request.starts_with(method))
            || step.request.contains("customresourcedefinitions");
        step
    }

    fn map_step(&mut self) -> Step {
        let name = *self.pick(NAMES);
        let collection = "/api/v1/namespaces/NS/configmaps";
        let path = format!("{collection}/{name}");
        let labels = json!({"x": self.word()});
        let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": labels}, "data": {"a": self.word()}});
        if self.theme == Some(Theme::Watches) && self.chance(12) {
            let selector = *self.pick(&["", "&labelSelector=x%3Dred"]);
            return Step {
                request: format!(
                    "GET {collection}?watch=true&resourceVersion=$start&timeoutSeconds=1{selector}"
                ),
                websocket: true,
                ..Step::default()
            };
        }
        self.write(collection, &path, object)
    }
}

const DEFINITION: &str =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.$NS.example.com";

fn create_definition() -> Step {
    let names =
        json!({"kind": "Thing", "listKind": "ThingList", "plural": "things", "singular": "thing"});
    let schema = json!({"openAPIV3Schema": {"type": "object"}});
    let version = json!({"name": "v1", "served": true, "storage": true, "schema": schema});
    Step {
        request: "POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions".into(),
        body: json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "things.$NS.example.com"}, "spec": {
            "group": "$NS.example.com", "scope": "Namespaced", "names": names, "versions": [version],
        }}),
        // The server in memory has no empty status in the answer.
        brief: true,
        ..Step::default()
    }
}

/// Reads or deletes the definition. The owners of its fields differ, and its status is compared by a script.
fn read_definition(method: &str) -> Step {
    Step {
        request: format!("{method} {DEFINITION}"),
        brief: true,
        ..Step::default()
    }
}

fn read_things() -> Step {
    Step {
        after: Some(NOTICED),
        ..read("/apis/$NS.example.com/v1/namespaces/NS/things")
    }
}

/// Gives a user some permissions, and roles with more than that.
fn roles_of_bob() -> Vec<Step> {
    let group = "/apis/rbac.authorization.k8s.io/v1/namespaces/NS";
    let create = |plural: &str, body: Value| Step {
        request: format!("POST {group}/{plural}"),
        body,
        ..Step::default()
    };
    let role = |name: &str, rules: Value| {
        create("roles", json!({"metadata": {"name": name}, "rules": rules}))
    };
    let everything = json!([{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]);
    let rbac = "rbac.authorization.k8s.io";
    let base = json!([
        {"apiGroups": [rbac], "resources": ["roles", "rolebindings"], "verbs": ["get", "create", "update", "patch", "delete"]},
        {"apiGroups": [rbac], "resources": ["roles"], "verbs": ["bind"], "resourceNames": ["open"]},
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]},
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "update", "patch"]},
        {"apiGroups": [""], "resources": ["secrets"], "verbs": ["list"], "resourceNames": ["s1"]},
        {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["update", "patch"]},
    ]);
    let bound = json!({
        "metadata": {"name": "base"},
        "roleRef": {"apiGroup": rbac, "kind": "Role", "name": "base"},
        "subjects": [{"apiGroup": rbac, "kind": "User", "name": "bob"}],
    });
    let wait = Step {
        after: Some(NOTICED),
        user: Some("bob".into()),
        ..read("/api/v1/namespaces/NS/pods")
    };
    vec![
        role("open", everything.clone()),
        role("closed", everything),
        role("base", base),
        create("rolebindings", bound),
        wait,
    ]
}

fn read(path: &str) -> Step {
    Step {
        request: format!("GET {path}"),
        ..Step::default()
    }
}
