//! Makes requests from a seed.

mod builtin;

pub use self::builtin::samples;

use fastrand::Rng;
use serde_json::{Map, Value, json};

use crate::Step;

/// Makes requests to the kinds of `definitions/`.
#[derive(Debug)]
pub struct Generator {
    rng: Rng,
    /// Whether values may be of wrong types, unknown or null.
    wild: bool,
    /// Objects of one built-in kind, if the requests are for it.
    samples: Vec<Value>,
}

const MANAGERS: &[&str] = &["one", "two", "three"];
const NAMES: &[&str] = &["a", "b"];
const WORDS: &[&str] = &["red", "green", "blue"];

impl Generator {
    /// Creates a generator. A `wild` one makes faulty requests too.
    pub fn new(seed: u64, wild: bool) -> Self {
        Self {
            rng: Rng::with_seed(seed),
            wild,
            samples: Vec::new(),
        }
    }

    /// Returns the next request.
    pub fn step(&mut self) -> Step {
        if !self.samples.is_empty() {
            return self.builtin_step();
        }
        let plural = *self.pick(&["widgets", "widgets", "widgets", "plains"]);
        let collection = format!("/apis/conformance.example.com/v1/namespaces/NS/{plural}");
        let name = *self.pick(NAMES);
        let object = format!("{collection}/{name}");
        let manager = *self.pick(MANAGERS);
        let mut query = vec![format!("fieldManager={manager}")];
        if self.chance(8) {
            query.push("dryRun=All".into());
        }
        if self.chance(4) {
            let how = *self.pick(&["Strict", "Warn", "Ignore"]);
            query.push(format!("fieldValidation={how}"));
        }
        let status = plural == "widgets" && self.chance(5);
        let subresource = if status { "/status" } else { "" };
        match self.rng.u8(0..100) {
            0..8 => self.request("POST", &collection, &query, None, |it| {
                it.object(plural, Some(name), false)
            }),
            8..50 => {
                if self.chance(3) {
                    query.push("force=true".into());
                }
                let path = format!("{object}{subresource}");
                self.request("PATCH", &path, &query, Some("apply"), |it| {
                    let name = (!it.chance(20)).then_some(name);
                    it.object(plural, name, status)
                })
            }
            50..62 => {
                let path = format!("{object}{subresource}");
                self.request("PUT", &path, &query, None, |it| {
                    let mut object = it.object(plural, Some(name), status);
                    if !it.chance(10) {
                        object["metadata"]["resourceVersion"] = "$rv".into();
                    }
                    object
                })
            }
            62..76 => {
                let path = format!("{object}{subresource}");
                self.request("PATCH", &path, &query, Some("merge"), |it| {
                    it.merge(plural, status)
                })
            }
            76..82 => {
                let path = format!("{object}{subresource}");
                self.request("PATCH", &path, &query, Some("json"), Self::json_patch)
            }
            82..86 if plural == "widgets" => self.scale(&object, &query),
            86..93 => Step {
                request: format!("GET {object}{subresource}"),
                ..Step::default()
            },
            93..95 => Step {
                request: format!("GET {collection}"),
                ..Step::default()
            },
            _ => Step {
                request: format!("DELETE {object}"),
                ..Step::default()
            },
        }
    }

    fn request(
        &mut self,
        method: &str,
        path: &str,
        query: &[String],
        content: Option<&str>,
        body: impl FnOnce(&mut Self) -> Value,
    ) -> Step {
        Step {
            request: format!("{method} {path}?{}", query.join("&")),
            patch: content.map(str::to_owned),
            body: body(self),
            text: None,
        }
    }

    fn scale(&mut self, object: &str, query: &[String]) -> Step {
        let path = format!("{object}/scale");
        let replicas = self.rng.i64(0..12);
        match self.rng.u8(0..4) {
            0 => Step {
                request: format!("GET {path}"),
                ..Step::default()
            },
            1 => self.request("PUT", &path, query, None, |_| {
                json!({"apiVersion": "autoscaling/v1", "kind": "Scale",
                    "metadata": {"name": object.rsplit('/').next(), "namespace": "$NS"}, "spec": {"replicas": replicas}})
            }),
            _ => self.request("PATCH", &path, query, Some("merge"), |_| {
                json!({"spec": {"replicas": replicas}})
            }),
        }
    }

    fn json_patch(&mut self) -> Value {
        let mut operations = Vec::new();
        for _ in 0..self.rng.usize(1..3) {
            let path = *self.pick(&[
                "/spec/mode",
                "/spec/name",
                "/spec/nested/a",
                "/spec/tags/0",
                "/spec/tags/-",
                "/spec/labels/x",
                "/spec/text",
                "/metadata/labels",
                "/status/phase",
            ]);
            let operation = *self.pick(&["add", "replace", "remove", "test"]);
            let value = self.word();
            operations.push(match operation {
                "remove" => json!({"op": operation, "path": path}),
                _ if path == "/metadata/labels" => {
                    json!({"op": operation, "path": path, "value": {"app": value}})
                }
                _ => json!({"op": operation, "path": path, "value": value}),
            });
        }
        operations.into()
    }

    /// Returns an object or an apply configuration.
    fn object(&mut self, plural: &str, name: Option<&str>, status: bool) -> Value {
        let kind = if plural == "widgets" {
            "Widget"
        } else {
            "Plain"
        };
        let mut metadata = Map::new();
        if let Some(name) = name {
            metadata.insert("name".into(), name.into());
        }
        // The real server stores an applied blank map, and drops it at the next write.
        for (name, chance) in [("labels", 3), ("annotations", 6)] {
            let labels = self.labels();
            if self.chance(chance) && labels != json!({}) {
                metadata.insert(name.into(), labels);
            }
        }
        if self.chance(8) {
            metadata.insert(
                "finalizers".into(),
                json!([format!("example.com/{}", self.word())]),
            );
        }
        let mut object =
            json!({"apiVersion": "conformance.example.com/v1", "kind": kind, "metadata": metadata});
        if !status || self.chance(4) {
            object["spec"] = self.spec(plural);
            if self.wild && self.chance(10) {
                object["extra"] = self.word().into();
            }
        }
        if plural != "widgets" && self.chance(8) {
            object["status"] = json!({"phase": self.word()});
        } else if status || self.chance(8) {
            object["status"] = if plural == "widgets" {
                self.status()
            } else {
                json!({"unknown": 1})
            };
        }
        object
    }

    fn merge(&mut self, plural: &str, status: bool) -> Value {
        if status {
            return json!({"status": self.status()});
        }
        let mut spec = self.spec(plural);
        if let Value::Object(fields) = &mut spec {
            for (name, value) in fields.iter_mut() {
                if name != "mode" && self.chance(4) {
                    *value = Value::Null;
                }
            }
        }
        let mut patch = json!({"spec": spec});
        if self.chance(5) {
            patch["metadata"] = json!({"labels": self.labels()});
        }
        patch
    }

    fn status(&mut self) -> Value {
        let mut status = Map::new();
        if self.chance(2) {
            status.insert("phase".into(), self.word().into());
        }
        if self.chance(3) {
            status.insert("replicas".into(), self.rng.i64(0..5).into());
        }
        if self.chance(2) {
            let types: Vec<&str> = self.some(&["Ready", "Healthy", "Done"]);
            let conditions = types.into_iter().map(|name| {
                let status = *self.pick(&["True", "False", "Unknown"]);
                json!({"type": name, "status": status, "reason": self.word()})
            });
            let conditions: Vec<_> = conditions.collect();
            status.insert("conditions".into(), conditions.into());
        }
        status.into()
    }

    fn spec(&mut self, plural: &str) -> Value {
        let mut spec = Map::new();
        let fields: &[&str] = if plural == "widgets" {
            &[
                "replicas", "name", "enabled", "ratio", "size", "note", "nested", "labels",
                "limits", "config", "items", "ports", "tags", "args", "rules", "opaque", "partly",
                "one", "none", "both", "any",
            ]
        } else {
            &["text", "count", "list", "map"]
        };
        if plural == "widgets" && !self.chance(20) {
            spec.insert("mode".into(), (*self.pick(&["Auto", "Manual"])).into());
        }
        for _ in 0..self.rng.usize(0..6) {
            let name = *self.pick(fields);
            let value = self.field(name);
            spec.insert(name.into(), value);
        }
        if self.wild && self.chance(8) {
            spec.insert("unknown".into(), self.word().into());
        }
        spec.into()
    }

    fn field(&mut self, name: &str) -> Value {
        if self.wild && self.chance(25) {
            return (*self.pick(&[
                json!(null),
                json!("text"),
                json!(1),
                json!(1.5),
                json!([]),
                json!({}),
                json!(true),
                json!([1, "a"]),
            ]))
            .clone();
        }
        match name {
            "replicas" => self.rng.i64(0..12).into(),
            "count" | "both" => self.rng.i64(0..5).into(),
            "enabled" => self.rng.bool().into(),
            "ratio" => (*self.pick(&[0.5, 1.0, 2.25])).into(),
            "size" => {
                if self.rng.bool() {
                    self.rng.i64(0..3).into()
                } else {
                    self.word().into()
                }
            }
            "note" if self.chance(4) => Value::Null,
            "nested" => self.map(&["a", "b", "deeper"], |it, name| {
                if name == "deeper" {
                    it.map(&["c", "d"], |it, name| {
                        if name == "c" {
                            it.rng.i64(0..3).into()
                        } else {
                            it.word().into()
                        }
                    })
                } else {
                    it.word().into()
                }
            }),
            "labels" => self.labels(),
            "one" | "any" => self.map(&["a", "b"], |it, _| it.word().into()),
            "map" => self.map(&["x", "y"], |it, _| it.rng.i64(0..3).into()),
            "limits" => self.map(&["small", "large"], |it, _| {
                it.map(&["cpu", "memory"], |it, _| it.word().into())
            }),
            "config" => self.map(&["x", "y"], |it, _| it.word().into()),
            "items" => self.items(),
            "ports" => {
                let ports: Vec<i64> = self.some(&[80, 81, 443]);
                let ports = ports.into_iter().map(|port| {
                    let mut item = json!({"port": port});
                    if self.chance(3) {
                        item["protocol"] = (*self.pick(&["TCP", "UDP"])).into();
                    }
                    if self.chance(2) {
                        item["name"] = self.word().into();
                    }
                    item
                });
                ports.collect()
            }
            "tags" | "args" | "list" => self.words(),
            "rules" => (0..self.rng.usize(0..5))
                .map(|_| {
                    self.map(&["path", "weight"], |it, name| {
                        if name == "weight" {
                            it.rng.i64(0..3).into()
                        } else {
                            it.word().into()
                        }
                    })
                })
                .collect(),
            "opaque" | "partly" => {
                self.map(&["known", "list", "other", "more"], |it, name| match name {
                    "list" => it.words(),
                    "more" => json!([{"a": it.word()}, {"b": [it.word()]}]),
                    "other" => json!({"deep": {"x": it.word()}}),
                    _ => it.word().into(),
                })
            }
            _ => self.word().into(),
        }
    }

    fn items(&mut self) -> Value {
        let names: Vec<&str> = self.some(&["x", "y", "z"]);
        let mut items: Vec<Value> = Vec::new();
        for name in names {
            let mut item = json!({"name": name});
            if self.chance(2) {
                item["value"] = self.word().into();
            }
            if self.chance(3) {
                item["tags"] = self.words();
            }
            items.push(item);
        }
        if self.wild && self.chance(15) {
            items.push(json!({"name": "x", "value": "again"}));
        }
        if self.wild && self.chance(20) {
            items.push(json!({"value": "nameless"}));
        }
        items.into()
    }

    fn labels(&mut self) -> Value {
        self.map(&["x", "y", "z"], |it, _| it.word().into())
    }

    fn map(&mut self, names: &[&str], value: impl Fn(&mut Self, &str) -> Value) -> Value {
        let names = self.some(names);
        let fields = names
            .into_iter()
            .map(|name| (name.to_owned(), value(self, name)));
        Value::Object(fields.collect())
    }

    fn words(&mut self) -> Value {
        let mut words = self.some(WORDS);
        if self.wild && self.chance(15) {
            words.push(WORDS[0]);
        }
        words.into()
    }

    fn word(&mut self) -> &'static str {
        self.pick::<&'static str>(WORDS)
    }

    /// Returns some of the values, in any order.
    fn some<T: Copy>(&mut self, values: &[T]) -> Vec<T> {
        let mut values = values.to_vec();
        self.rng.shuffle(&mut values);
        let count = self.rng.usize(0..=values.len());
        values.truncate(count);
        values
    }

    fn pick<'a, T>(&mut self, values: &'a [T]) -> &'a T {
        &values[self.rng.usize(0..values.len())]
    }

    /// Returns true once in `n` times.
    fn chance(&mut self, n: u32) -> bool {
        self.rng.u32(0..n) == 0
    }
}
