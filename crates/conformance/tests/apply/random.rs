//! Random configurations as JSON, as a person would write them.
use serde_json::{Map, Value, json};

/// Fills an object with fields, each with a probability of one half.
struct Fields<'r>(Map<String, Value>, &'r mut fastrand::Rng);

impl Fields<'_> {
    fn maybe(&mut self, name: &str, value: impl FnOnce(&mut fastrand::Rng) -> Value) {
        if self.1.bool() {
            let value = value(self.1);
            self.0.insert(name.to_owned(), value);
        }
    }
}

fn object(rng: &mut fastrand::Rng, fill: impl FnOnce(&mut Fields<'_>)) -> Value {
    let mut fields = Fields(Map::new(), rng);
    fill(&mut fields);
    fields.0.into()
}

fn one(rng: &mut fastrand::Rng, values: &[&str]) -> Value {
    values[rng.usize(..values.len())].into()
}

/// Returns some of the values, in random order.
fn some(rng: &mut fastrand::Rng, values: &[&str]) -> Vec<Value> {
    let mut values: Vec<Value> = values.iter().map(|value| Value::from(*value)).collect();
    rng.shuffle(&mut values);
    values.truncate(rng.usize(1..=values.len()));
    values
}

fn texts(rng: &mut fastrand::Rng) -> Value {
    let keys = some(rng, &["a", "b", "c"]);
    let entries = keys.iter().filter_map(Value::as_str);
    let entries = entries.map(|key| (key.to_owned(), one(rng, &["1", "2", ""])));
    Value::Object(entries.collect())
}

fn metadata(rng: &mut fastrand::Rng) -> Value {
    object(rng, |fields| {
        fields.maybe("labels", texts);
        fields.maybe("annotations", texts);
        fields.maybe("finalizers", |rng| {
            some(rng, &["example.com/a", "example.com/b"]).into()
        });
    })
}

pub(crate) fn widget(rng: &mut fastrand::Rng) -> Value {
    let items = |rng: &mut fastrand::Rng| -> Value {
        let names = some(rng, &["x", "y", "z"]);
        let items = names.into_iter().map(|name| {
            let mut item = object(rng, |fields| {
                fields.maybe("value", |rng| one(rng, &["1", "2", ""]));
                fields.maybe("tags", |rng| some(rng, &["r", "s", "t"]).into());
            });
            item["name"] = name;
            item
        });
        items.collect()
    };
    let ports = |rng: &mut fastrand::Rng| -> Value {
        let numbers = some(rng, &["80", "81"]);
        let ports = numbers.iter().map(|number| {
            let mut port = object(rng, |fields| {
                fields.maybe("protocol", |rng| one(rng, &["TCP", "UDP"]));
                fields.maybe("name", |rng| one(rng, &["http", "dns"]));
            });
            port["port"] = number
                .as_str()
                .and_then(|text| text.parse::<i64>().ok())
                .into();
            port
        });
        ports.collect()
    };
    let rules = |rng: &mut fastrand::Rng| -> Value {
        let rule = |rng: &mut fastrand::Rng| {
            object(rng, |fields| {
                fields.maybe("path", |rng| one(rng, &["/", "/a"]));
                fields.maybe("weight", |rng| rng.i64(0..3).into());
            })
        };
        (0..rng.usize(0..3)).map(|_| rule(rng)).collect()
    };
    let mut spec = object(rng, |fields| {
        fields.maybe("replicas", |rng| rng.i32(0..4).into());
        fields.maybe("enabled", |rng| rng.bool().into());
        fields.maybe("note", |rng| {
            if rng.bool() {
                Value::Null
            } else {
                one(rng, &["n", ""])
            }
        });
        fields.maybe("nested", |rng| {
            let mut nested = texts(rng);
            nested.as_object_mut().map(|fields| fields.remove("c"));
            if nested == json!({}) {
                json!({"a": "1"})
            } else {
                nested
            }
        });
        fields.maybe("labels", texts);
        fields.maybe(
            "limits",
            |rng| json!({"x": {"cpu": one(rng, &["1", "1000m"])}, "y": {}}),
        );
        fields.maybe("config", |rng| json!({"x": one(rng, &["1", "2"])}));
        fields.maybe("args", |rng| some(rng, &["a", "b"]).into());
        fields.maybe("tags", |rng| some(rng, &["a", "b", "c"]).into());
        fields.maybe(
            "opaque",
            |rng| json!({"deep": {"list": [{"n": rng.u8(..3)}], "map": texts(rng)}}),
        );
        fields.maybe("items", items);
        fields.maybe("ports", ports);
        fields.maybe("rules", rules);
    });
    spec["mode"] = one(rng, &["Auto", "Manual"]);
    json!({"apiVersion": "conformance.example.com/v1", "kind": "Widget", "metadata": metadata(rng), "spec": spec})
}

pub(crate) fn deployment(rng: &mut fastrand::Rng) -> Value {
    let container = |name: Value, rng: &mut fastrand::Rng| {
        let mut container = object(rng, |fields| {
            fields.maybe("args", |rng| some(rng, &["a", "b"]).into());
            fields.maybe("imagePullPolicy", |rng| one(rng, &["Always", "Never"]));
            fields.maybe("env", |rng| {
                let names = some(rng, &["A", "B", "C"]);
                let vars = names.into_iter().map(|name| match rng.u8(..3) {
                    0 => json!({"name": name}),
                    1 => json!({"name": name, "value": one(rng, &["1", "1000m", ""])}),
                    _ => json!({"name": name, "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}),
                });
                vars.collect()
            });
            fields.maybe("ports", |rng| json!([{"containerPort": rng.u8(80..83), "name": one(rng, &["http", "web"])}]));
            fields.maybe("resources", |rng| {
                json!({"limits": {"cpu": one(rng, &["1", "1000m", "1500m", "0.1"]), "memory": one(rng, &["1Gi", "1024Mi"])}})
            });
            fields.maybe("tty", |rng| rng.bool().into());
            fields.maybe(
                "volumeMounts",
                |_| json!([{"mountPath": "/tmp", "name": "tmp"}]),
            );
        });
        container["name"] = name;
        container["image"] = one(rng, &["a:1", "b:2"]);
        container
    };
    let mut pod = object(rng, |fields| {
        fields.maybe("hostNetwork", |_| false.into());
        fields.maybe("nodeSelector", texts);
        fields.maybe(
            "tolerations",
            |rng| json!([{"key": one(rng, &["k", "l"]), "operator": "Exists"}]),
        );
        fields.maybe("terminationGracePeriodSeconds", |rng| rng.u8(..2).into());
        fields.maybe("securityContext", |rng| json!({"runAsUser": rng.u8(..2)}));
    });
    pod["volumes"] = json!([{"name": "tmp", "emptyDir": {}}]);
    let names = some(rng, &["x", "y"]);
    pod["containers"] = names.into_iter().map(|name| container(name, rng)).collect();
    let mut spec = object(rng, |fields| {
        fields.maybe("replicas", |rng| rng.u8(..3).into());
        fields.maybe("paused", |rng| rng.bool().into());
        fields.maybe("minReadySeconds", |rng| rng.u8(..2).into());
    });
    spec["selector"] = json!({"matchLabels": {"app": "a"}});
    spec["template"] = json!({"metadata": {"labels": {"app": "a"}}, "spec": pod});
    json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata(rng), "spec": spec})
}
