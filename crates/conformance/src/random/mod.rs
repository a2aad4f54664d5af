//! Makes requests from a seed, and compares the answers of both servers.

mod builtin;
mod cluster;
mod compare;
mod run;
mod values;

pub use self::builtin::samples;
pub use self::run::{Options, run};

use std::collections::VecDeque;

use fastrand::Rng;
use serde_json::{Map, Value, json};

use self::cluster::Theme;
use crate::Step;

/// Makes requests to the kinds of `definitions/`.
#[derive(Debug)]
pub struct Generator {
    rng: Rng,
    /// Whether values may be of wrong types, unknown or null.
    wild: bool,
    /// Objects of one built-in kind, if the requests are for it.
    samples: Vec<Value>,
    /// The version of the request.
    version: &'static str,
    /// Whether the next request is the first.
    is_first: bool,
    /// What the requests are about, if it is not the fields of objects.
    theme: Option<Theme>,
    /// The next requests.
    prelude: VecDeque<Step>,
    /// Whether the last request has changed what a real server notices late.
    is_changing: bool,
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
            version: "v1",
            is_first: true,
            theme: None,
            prelude: VecDeque::new(),
            is_changing: false,
        }
    }

    /// Returns the next request.
    pub fn step(&mut self) -> Step {
        if let Some(theme) = self.theme {
            return self.themed_step(theme);
        }
        if !self.samples.is_empty() {
            return self.builtin_step();
        }
        let plural = *self.pick(&["widgets", "widgets", "widgets", "plains", "gadgets"]);
        let versions: &[&str] = if plural == "gadgets" {
            &["v1", "v1beta1"]
        } else {
            &["v1"]
        };
        self.version = self.pick::<&'static str>(versions);
        let version = self.version;
        let collection = format!("/apis/conformance.example.com/{version}/namespaces/NS/{plural}");
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
        let status = plural != "plains" && self.chance(5);
        let subresource = if status { "/status" } else { "" };
        match self.rng.u8(0..100) {
            0..8 => self.request("POST", &collection, &query, None, |it| {
                let mut object = it.object(plural, Some(name), false);
                if it.chance(12) {
                    object["metadata"]["resourceVersion"] = it.demanded();
                }
                object
            }),
            8..50 => {
                if self.chance(3) {
                    query.push("force=true".into());
                }
                let path = format!("{object}{subresource}");
                self.request("PATCH", &path, &query, Some("apply"), |it| {
                    let name = (!it.chance(20)).then_some(name);
                    let mut object = it.object(plural, name, status);
                    if it.chance(25) {
                        object["metadata"]["resourceVersion"] = it.demanded();
                    }
                    object
                })
            }
            50..62 => {
                let path = format!("{object}{subresource}");
                self.request("PUT", &path, &query, None, |it| {
                    let mut object = it.object(plural, Some(name), status);
                    if !it.chance(10) {
                        object["metadata"]["resourceVersion"] = it.demanded();
                    }
                    object
                })
            }
            62..76 => {
                if self.chance(30) {
                    query.push("force=true".into());
                }
                let content = if self.chance(25) {
                    "strategic"
                } else {
                    "merge"
                };
                let path = format!("{object}{subresource}");
                self.request("PATCH", &path, &query, Some(content), |it| {
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
                request: format!("GET {collection}{}", self.selector()),
                ..Step::default()
            },
            95..96 => Step {
                request: format!("DELETE {collection}?fieldSelector=metadata.name%3D{name}"),
                ..Step::default()
            },
            _ => self.delete(&object),
        }
    }

    /// Returns a resource version to demand: mostly the current one.
    fn demanded(&mut self) -> Value {
        if self.chance(8) {
            (*self.pick(&[
                json!("0"),
                json!(""),
                json!("1"),
                json!("null"),
                json!(null),
            ]))
            .clone()
        } else {
            "$rv".into()
        }
    }

    /// Returns a query that selects by fields, some of which are not known.
    fn selector(&mut self) -> &'static str {
        self.pick::<&'static str>(&[
            "",
            "",
            "?fieldSelector=metadata.name%3Da",
            "?fieldSelector=metadata.name%21%3Da",
            "?fieldSelector=spec.mode%3DAuto",
            "?fieldSelector=metadata.name%3Da%3Db",
            "?labelSelector=x%3Dred",
        ])
    }

    /// Deletes an object, some times for the show or under a condition.
    fn delete(&mut self, object: &str) -> Step {
        let query = if self.chance(4) { "?dryRun=All" } else { "" };
        let body = match self.rng.u8(0..12) {
            0 => json!({"dryRun": ["All"]}),
            1 => json!({"preconditions": {"resourceVersion": self.demanded()}}),
            2 => json!({"preconditions": {"uid": "$uid"}}),
            _ => Value::Null,
        };
        Step {
            request: format!("DELETE {object}{query}"),
            body,
            ..Step::default()
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
            ..Step::default()
        }
    }

    fn scale(&mut self, object: &str, query: &[String]) -> Step {
        let path = format!("{object}/scale");
        let mut spec = json!({"replicas": self.rng.i64(0..12)});
        if self.wild && self.chance(4) {
            spec = (*self.pick(&[
                json!({"replicas": "x"}),
                json!({"replicas": 1, "unknown": 1}),
                json!("x"),
            ]))
            .clone();
        }
        match self.rng.u8(0..4) {
            0 => Step {
                request: format!("GET {path}"),
                ..Step::default()
            },
            1 => self.request("PUT", &path, query, None, |_| {
                json!({"apiVersion": "autoscaling/v1", "kind": "Scale",
                    "metadata": {"name": object.rsplit('/').next(), "namespace": "$NS"}, "spec": spec})
            }),
            _ => self.request("PATCH", &path, query, Some("merge"), |_| {
                json!({"spec": spec})
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
        let kind = match plural {
            "widgets" => "Widget",
            "gadgets" => "Gadget",
            _ => "Plain",
        };
        let mut metadata = Map::new();
        if let Some(name) = name {
            metadata.insert("name".into(), name.into());
        }
        for (name, chance) in [("labels", 3), ("annotations", 6)] {
            let labels = self.labels();
            if self.chance(chance) {
                metadata.insert(name.into(), labels);
            }
        }
        if self.wild && self.chance(12) {
            let (name, value) = self.malformed();
            metadata.insert(name.into(), value);
        }
        if self.chance(8) {
            metadata.insert(
                "finalizers".into(),
                json!([format!("example.com/{}", self.word())]),
            );
        }
        let api_version = format!("conformance.example.com/{}", self.version);
        let mut object = json!({"apiVersion": api_version, "kind": kind, "metadata": metadata});
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

    /// Returns metadata that does not decode, or that the server owns.
    fn malformed(&mut self) -> (&'static str, Value) {
        (*self.pick(&[
            ("labels", json!({"x": ["red"]})),
            ("labels", json!("red")),
            ("labels", json!({"x": null})),
            ("annotations", json!({"x": 5})),
            ("finalizers", json!([5])),
            ("finalizers", json!([])),
            ("ownerReferences", json!([])),
            ("generation", json!("x")),
            ("generation", json!(7)),
            ("creationTimestamp", json!("x")),
            ("uid", json!(5)),
        ]))
        .clone()
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
