//! Makes requests to built-in kinds: from samples, parts of which are left out, mixed or made wrong.

use std::{fs, path::Path};

use serde::Deserialize as _;
use serde_json::{Map, Value, json};
use testresult::TestResult;

use super::{Generator, MANAGERS};
use crate::Step;

/// Kind, plural, and whether it has a status and a scale.
const KINDS: &[(&str, &str, bool, bool)] = &[
    ("ConfigMap", "configmaps", false, false),
    ("Secret", "secrets", false, false),
    ("ServiceAccount", "serviceaccounts", false, false),
    ("Service", "services", true, false),
    (
        "PersistentVolumeClaim",
        "persistentvolumeclaims",
        true,
        false,
    ),
    ("Pod", "pods", true, false),
    ("Event", "events", false, false),
    ("Node", "nodes", true, false),
    ("Deployment", "deployments", true, true),
    ("ReplicaSet", "replicasets", true, true),
    ("StatefulSet", "statefulsets", true, true),
    ("DaemonSet", "daemonsets", true, false),
    ("Job", "jobs", false, false),
    ("CronJob", "cronjobs", true, false),
    ("Ingress", "ingresses", true, false),
    ("NetworkPolicy", "networkpolicies", false, false),
    ("PodDisruptionBudget", "poddisruptionbudgets", true, false),
    (
        "HorizontalPodAutoscaler",
        "horizontalpodautoscalers",
        true,
        false,
    ),
    ("Lease", "leases", false, false),
    ("Role", "roles", false, false),
    ("RoleBinding", "rolebindings", false, false),
    ("ClusterRole", "clusterroles", false, false),
    ("ClusterRoleBinding", "clusterrolebindings", false, false),
    (
        "ValidatingWebhookConfiguration",
        "validatingwebhookconfigurations",
        false,
        false,
    ),
    (
        "MutatingWebhookConfiguration",
        "mutatingwebhookconfigurations",
        false,
        false,
    ),
];

/// Reads the samples of built-in kinds, by kind.
pub fn samples() -> TestResult<Vec<Vec<Value>>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let mut all: Vec<Value> = Vec::new();
    let mut files: Vec<_> = fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    files.sort_by_key(fs::DirEntry::path);
    for file in files {
        let text = fs::read_to_string(file.path())?;
        for document in serde_yaml::Deserializer::from_str(&text) {
            all.push(Value::deserialize(document)?);
        }
    }
    let of_kind = |kind: &str| {
        all.iter()
            .filter(|it| it["kind"] == kind)
            .cloned()
            .collect()
    };
    Ok(KINDS.iter().map(|(kind, ..)| of_kind(kind)).collect())
}

impl Generator {
    /// Creates a generator of requests for the kind of the samples.
    pub fn builtin(seed: u64, wild: bool, samples: &[Value]) -> Self {
        let mut generator = Self::new(seed, wild);
        generator.samples = samples.to_vec();
        generator
    }

    pub(super) fn builtin_step(&mut self) -> Step {
        let sample = self.samples[0].clone();
        let text = |pointer: &str| {
            sample
                .pointer(pointer)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        let (version, kind) = (text("/apiVersion"), text("/kind"));
        let name = text("/metadata/name");
        let of_kind = KINDS.iter().find(|it| it.0 == kind);
        let Some((_, plural, has_status, has_scale)) = of_kind else {
            return Step::default();
        };
        let root = if version.contains('/') { "apis" } else { "api" };
        let namespace = if name.starts_with("$NS") {
            ""
        } else {
            "namespaces/NS/"
        };
        let collection = format!("/{root}/{version}/{namespace}{plural}");
        let is_first = std::mem::take(&mut self.is_first);
        if is_first && matches!(kind, "Pod" | "PersistentVolumeClaim") && !self.chance(3) {
            return self.limit_range(kind);
        }
        let object = format!("{collection}/{name}");
        let mut query = vec![format!("fieldManager={}", self.pick(MANAGERS))];
        if self.chance(10) {
            query.push("dryRun=All".into());
        }
        if self.chance(6) {
            query.push(format!(
                "fieldValidation={}",
                self.pick(&["Strict", "Warn", "Ignore"])
            ));
        }
        let status = if *has_status && self.chance(8) {
            "/status"
        } else {
            ""
        };
        let path = format!("{object}{status}");
        // What is spoiled is seldom a message.
        let packing = (!self.wild && self.chance(3)).then_some("protobuf");
        match self.rng.u8(0..100) {
            0..14 => self.request("POST", &collection, &query, packing, |it| {
                let mut object = it.sample();
                if it.chance(15) {
                    object["metadata"]["resourceVersion"] = it.demanded();
                }
                object
            }),
            14..36 => {
                if self.chance(2) {
                    query.push("force=true".into());
                }
                self.request("PATCH", &path, &query, Some("apply"), Self::sample)
            }
            36..52 => self.request("PUT", &path, &query, packing, |it| {
                let mut object = it.sample();
                if it.chance(2) {
                    object["metadata"]["resourceVersion"] = it.demanded();
                }
                object
            }),
            52..66 => self.request("PATCH", &path, &query, Some("merge"), Self::part),
            66..82 => self.request("PATCH", &path, &query, Some("strategic"), Self::part),
            82..86 if *has_scale => self.scale(&object, &query),
            82..92 => Step {
                request: format!("GET {path}"),
                ..Step::default()
            },
            92..94 if !namespace.is_empty() => Step {
                request: format!("GET {collection}?labelSelector=app%3Dweb&limit=2"),
                ..Step::default()
            },
            // Objects of other rounds have other names.
            92..95 => Step {
                request: format!("GET {collection}?fieldSelector=metadata.name%3D{name}"),
                ..Step::default()
            },
            _ => {
                let dry = if self.chance(4) { "&dryRun=All" } else { "" };
                Step {
                    request: format!("DELETE {object}?propagationPolicy=Background{dry}"),
                    ..Step::default()
                }
            }
        }
    }

    /// Bounds the objects of the round.
    fn limit_range(&mut self, kind: &str) -> Step {
        let limits = if kind == "Pod" {
            vec![
                json!({"type": "Container", "max": {"cpu": "2", "memory": "1Gi"}, "defaultRequest": {"cpu": "100m"}}),
                json!({"type": "Container", "default": {"cpu": "500m"}, "min": {"cpu": "50m"}}),
                json!({"type": "Container", "maxLimitRequestRatio": {"cpu": "4"}}),
                json!({"type": "Pod", "max": {"cpu": "1", "memory": "300Mi"}}),
                json!({"type": "Pod", "min": {"cpu": "200m"}}),
            ]
        } else {
            vec![
                json!({"type": "PersistentVolumeClaim", "max": {"storage": "1Gi"}}),
                json!({"type": "PersistentVolumeClaim", "min": {"storage": "1200Mi"}}),
            ]
        };
        let limits = self.pick(&limits).clone();
        let collection = "/api/v1/namespaces/NS/limitranges";
        self.request("POST", collection, &[], None, |_| {
            json!({"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "bounds"}, "spec": {"limits": [limits]}})
        })
    }

    /// Returns a whole object: a sample, or one with parts left out or mixed.
    fn sample(&mut self) -> Value {
        let samples = self.samples.clone();
        let mut object = self.pick(&samples).clone();
        if self.chance(3) {
            return object;
        }
        if self.chance(3) {
            let other = self.pick(&samples).clone();
            self.mix(&mut object, &other);
        }
        if self.chance(2) {
            self.thin(&mut object, true);
        }
        if self.chance(4) {
            self.blank(&mut object);
        }
        if self.wild && self.chance(2) {
            self.spoil(&mut object, true);
        }
        object
    }

    /// Returns a patch: a few fields of a sample.
    fn part(&mut self) -> Value {
        let mut object = self.sample();
        for _ in 0..3 {
            self.thin(&mut object, true);
        }
        if let Value::Object(fields) = &mut object {
            fields.remove("apiVersion");
            fields.remove("kind");
            if let Some(Value::Object(metadata)) = fields.get_mut("metadata") {
                metadata.remove("name");
            }
        }
        if self.chance(4) {
            self.nullify(&mut object);
        }
        object
    }

    /// Takes fields from another object.
    fn mix(&mut self, object: &mut Value, other: &Value) {
        let (Value::Object(object), Value::Object(other)) = (object, other) else {
            return;
        };
        for (name, value) in other {
            match object.get_mut(name) {
                Some(own) if own.is_object() && value.is_object() => self.mix(own, value),
                _ if self.chance(3) => drop(object.insert(name.clone(), value.clone())),
                _ => {}
            }
        }
    }

    /// Leaves out some fields.
    fn thin(&mut self, object: &mut Value, root: bool) {
        match object {
            Value::Object(fields) => {
                let names: Vec<String> = fields.keys().cloned().collect();
                for name in names {
                    let is_kept = matches!(name.as_str(), "apiVersion" | "kind" | "name")
                        || root && name == "metadata";
                    if !is_kept && self.chance(12) {
                        fields.remove(&name);
                    } else if let Some(value) = fields.get_mut(&name) {
                        self.thin(value, false);
                    }
                }
            }
            Value::Array(items) => {
                if items.len() > 1 && self.chance(6) {
                    items.pop();
                } else if items.len() > 1 && self.chance(8) {
                    items.reverse();
                }
                for item in items {
                    self.thin(item, false);
                }
            }
            _ => {}
        }
    }

    /// Adds empty maps and lists to the metadata, and empties some elsewhere.
    fn blank(&mut self, object: &mut Value) {
        for (name, value) in [
            ("labels", json!({})),
            ("annotations", json!({})),
            ("finalizers", json!([])),
            ("ownerReferences", json!([])),
        ] {
            if self.chance(3)
                && let Value::Object(metadata) = &mut object["metadata"]
            {
                metadata.entry(name).or_insert(value);
            }
        }
        self.clear(&mut object["spec"]);
    }

    fn clear(&mut self, value: &mut Value) {
        match value {
            Value::Object(fields) => {
                for field in fields.values_mut() {
                    match field {
                        Value::Object(inner) if self.chance(12) => inner.clear(),
                        Value::Array(items) if self.chance(12) => items.clear(),
                        field => self.clear(field),
                    }
                }
            }
            Value::Array(items) => {
                for item in items {
                    self.clear(item);
                }
            }
            _ => {}
        }
    }

    fn nullify(&mut self, object: &mut Value) {
        if let Value::Object(fields) = object {
            for value in fields.values_mut() {
                if self.chance(5) {
                    *value = Value::Null;
                } else {
                    self.nullify(value);
                }
            }
        }
    }

    /// Makes one value wrong.
    fn spoil(&mut self, object: &mut Value, root: bool) {
        match object {
            Value::Object(fields) => self.spoil_field(fields, root),
            Value::Array(items) if !items.is_empty() => {
                let index = self.rng.usize(0..items.len());
                self.spoil(&mut items[index], false);
            }
            value => {
                *value = (*self.pick(&[
                    json!(null),
                    json!("Bad Value!"),
                    json!("2026-01-01T00:00:00Z"),
                    json!(""),
                    json!(-1),
                    json!(0),
                    json!(70000),
                    json!(1.5),
                    json!([]),
                    json!({}),
                    json!(true),
                    json!(["a"]),
                ]))
                .clone();
            }
        }
    }

    fn spoil_field(&mut self, fields: &mut Map<String, Value>, root: bool) {
        if self.chance(8) {
            fields.insert("unknown".into(), "x".into());
            return;
        }
        let names = fields
            .keys()
            .filter(|it| !(root && matches!(it.as_str(), "apiVersion" | "kind")));
        let names: Vec<String> = names.cloned().collect();
        if names.is_empty() {
            return;
        }
        let name = self.pick(&names).clone();
        if self.chance(10) {
            fields.remove(&name);
        } else if let Some(value) = fields.get_mut(&name)
            && (name != "name" || !root)
        {
            self.spoil(value, false);
        }
    }
}
