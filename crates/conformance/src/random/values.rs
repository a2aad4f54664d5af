//! Makes the fields of the kinds of `definitions/`.

use serde_json::{Map, Value, json};

use super::{Generator, WORDS};

impl Generator {
    pub(super) fn status(&mut self) -> Value {
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

    pub(super) fn spec(&mut self, plural: &str) -> Value {
        let mut spec = Map::new();
        let fields: &[&str] = if plural == "widgets" {
            &[
                "replicas", "name", "enabled", "ratio", "step", "size", "note", "nested", "labels",
                "limits", "config", "items", "ports", "tags", "args", "rules", "opaque", "partly",
                "one", "none", "both", "any",
            ]
        } else if plural == "plains" {
            &["text", "count", "list", "map", "whole"]
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
            "step" => {
                (*self.pick(&[json!(0.5), json!(1.0), json!(1), json!(1.5), json!(0.3)])).clone()
            }
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
            "whole" => self.whole(),
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

    /// Returns a resource inside an object.
    fn whole(&mut self) -> Value {
        let mut metadata = Map::new();
        metadata.insert("name".into(), self.word().into());
        if self.chance(2) {
            metadata.insert("labels".into(), self.labels());
        }
        if self.chance(3) {
            let time = *self.pick(&["2026-01-01T02:00:00+02:00", "2026-01-01T00:00:00Z"]);
            metadata.insert("creationTimestamp".into(), time.into());
        }
        if self.wild && self.chance(4) {
            let (name, value) = self.malformed();
            metadata.insert(name.into(), value);
        }
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": self.labels()})
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

    pub(super) fn labels(&mut self) -> Value {
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
}
