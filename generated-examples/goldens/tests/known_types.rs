//! Whatever a schema lets pass survives in the types of k8s-openapi that stand for parts of it.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests fail by panicking"
)]

use k8s_openapi::api::core::v1::{PodTemplateSpec, Probe, SecretKeySelector};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube_codegen_goldens::known_types::example_com::v1::{
    Workload, WorkloadSpec, WorkloadSpecCaSecret,
};
use kube_codegen_goldens::near_misses::example_com::v1::Miss;
use kube_codegen_record::walk::Columns;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// A value that a schema lets pass, as the API server gives it: absent fields with a default are filled in.
fn value(schema: &Value, random: &mut fastrand::Rng) -> Value {
    let texts = [
        "", "0", "00", "01", "-1", "-007m", "0.5", "1Gi", "http", "true", "ü",
    ];
    if let Some(values) = schema["enum"].as_array() {
        return values[random.usize(..values.len())].clone();
    }
    let is_either = schema["x-kubernetes-int-or-string"] == true;
    match schema["type"].as_str() {
        // Beyond 32 bits it is written as text: see docs/known-types.md.
        _ if is_either && random.bool() => integer(i32::MIN.into(), i32::MAX.into(), random),
        _ if is_either => texts[random.usize(..texts.len())].into(),
        Some("string") if schema["format"] == "date-time" => {
            let times = [
                "2024-02-29T23:59:59Z",
                "2024-01-01T00:00:00.5Z",
                "1969-12-31T23:59:59.123456789Z",
            ];
            times[random.usize(..times.len())].into()
        }
        Some("string") => texts[random.usize(..texts.len())].into(),
        Some("boolean") => random.bool().into(),
        Some("integer") => {
            let (low, high) = match schema["format"].as_str() {
                Some("int32") => (i32::MIN.into(), i32::MAX.into()),
                _ => (i64::MIN, i64::MAX),
            };
            let bound = |keyword: &str, otherwise| schema[keyword].as_i64().unwrap_or(otherwise);
            integer(bound("minimum", low), bound("maximum", high), random)
        }
        Some("array") => (0..random.usize(..3))
            .map(|_| value(&schema["items"], random))
            .collect(),
        Some("object") => object(schema, random).into(),
        other => panic!("no values of {other:?}"),
    }
}

/// Often one of those around which things go wrong.
fn integer(low: i64, high: i64, random: &mut fastrand::Rng) -> Value {
    let edges = [low, high, 0, 1, -1, i64::from(i32::MAX) + 1];
    let edge = edges[random.usize(..edges.len())];
    if (low..=high).contains(&edge) {
        edge
    } else {
        random.i64(low..=high)
    }
    .into()
}

fn object(schema: &Value, random: &mut fastrand::Rng) -> Map<String, Value> {
    let mut object = Map::new();
    if let Some(values) = schema.get("additionalProperties") {
        for key in 0..random.usize(..3) {
            object.insert(format!("example.com/{key}"), value(values, random));
        }
    }
    let required = schema["required"].as_array();
    let properties = schema["properties"].as_object();
    for (name, property) in properties.into_iter().flatten() {
        let is_required = required.is_some_and(|all| all.iter().any(|it| it == name));
        if property["nullable"] == true && random.bool() {
            object.insert(name.clone(), Value::Null);
        } else if is_required || random.bool() {
            object.insert(name.clone(), value(property, random));
        } else if let Some(default) = property.get("default") {
            object.insert(name.clone(), default.clone());
        }
    }
    object
}

/// The object as it is written: the numbers of quantities become text (docs/known-types.md).
fn written(value: &Value) -> Value {
    let text = |value: &Value| match value {
        Value::Number(number) => Value::from(number.to_string()),
        other => other.clone(),
    };
    match value {
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| match (name.as_str(), value) {
                ("requests" | "limits", Value::Object(quantities)) => {
                    let quantities = quantities.iter().map(|(name, it)| (name.clone(), text(it)));
                    (name.clone(), Value::Object(quantities.collect()))
                }
                ("sizeLimit", quantity) => (name.clone(), text(quantity)),
                _ => (name.clone(), written(value)),
            };
            Value::Object(fields.iter().map(field).collect())
        }
        Value::Array(items) => items.iter().map(written).collect(),
        other => other.clone(),
    }
}

#[track_caller]
fn all_values_survive<K: DeserializeOwned + Serialize>(manifest: &str) {
    let crd: Value = serde_json::from_str(manifest).unwrap();
    let schema = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    for seed in 0..500 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut object = object(schema, &mut random);
        object.insert("apiVersion".into(), "example.com/v1".into());
        object.insert("kind".into(), crd["spec"]["names"]["kind"].clone());
        object.insert("metadata".into(), json!({"name": "a"}));
        let object = Value::Object(object);
        let typed: K = serde_json::from_value(object.clone())
            .unwrap_or_else(|error| panic!("seed {seed}: {error}: {object}"));
        let expected = written(&object);
        assert_eq!(
            serde_json::to_value(&typed).unwrap(),
            expected,
            "seed {seed}"
        );
        let text = serde_json::to_string(&object).unwrap();
        let typed: K = serde_json::from_str(&text).unwrap();
        let again: Value = serde_json::from_str(&serde_json::to_string(&typed).unwrap()).unwrap();
        assert_eq!(again, expected, "seed {seed}");
    }
}

#[test]
fn reused_types_hold_whatever_is_valid() {
    all_values_survive::<Workload>(include_str!(concat!(
        env!("OUT_DIR"),
        "/known_types/example_com/workloads.json"
    )));
}

#[test]
fn types_that_were_not_reused_hold_it_too() {
    all_values_survive::<Miss>(include_str!(concat!(
        env!("OUT_DIR"),
        "/near_misses/example_com/misses.json"
    )));
}

#[test]
fn fields_have_the_types_of_k8s_openapi_and_places_their_names() {
    let selector: WorkloadSpecCaSecret = SecretKeySelector::default();
    let spec = WorkloadSpec {
        ca_secret: Some(selector),
        probe: Some(Probe::default()),
        selector: Some(LabelSelector::default()),
        template: PodTemplateSpec::default(),
        ..WorkloadSpec::default()
    };
    let written = serde_json::to_value(&spec).unwrap();
    assert_eq!(
        written,
        json!({"caSecret": {"key": "", "name": ""}, "probe": {}, "selector": {}, "template": {}})
    );
}

#[test]
fn columns_look_into_reused_types() {
    let workload: Workload = serde_json::from_value(json!({
        "apiVersion": "example.com/v1", "kind": "Workload", "metadata": {"name": "a"},
        "spec": {"probe": {"httpGet": {"port": 3_000_000_000_i64}}, "template": {"spec": {"containers": [{"image": "nginx", "name": "a"}]}}}
    }))
    .unwrap();
    assert_eq!(workload.row(false), ["a", "nginx", "3000000000"]);
}
