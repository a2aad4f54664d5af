//! `decode` reports where a value differs from its JSON.
use std::collections::BTreeMap;

use k8s_openapi::{
    api::{apps::v1::Deployment, core::v1::PodTemplateSpec},
    apimachinery::pkg::apis::meta::v1::ObjectMeta,
};
use kube_codegen_record::{Nullable, decode};
use serde_json::{Value, json};

#[derive(Debug, PartialEq)]
struct Widget {
    metadata: ObjectMeta,
    spec: WidgetSpec,
}

#[derive(Debug, PartialEq)]
struct WidgetSpec {
    size: i64,
    parts: Vec<Part>,
    template: Option<PodTemplateSpec>,
    rest: BTreeMap<String, Value>,
}

#[derive(Debug, PartialEq)]
struct Part {
    name: String,
    color: Option<Nullable<String>>,
    tags: BTreeMap<String, Part>,
}

kube_codegen_record::records! {
    Widget { "apiVersion": "example.com/v1", "kind": "Widget", metadata, spec }
    WidgetSpec { parts, size, template, .. rest }
    Part { color, name, tags }
}

fn differences<T: serde::de::DeserializeOwned + serde::Serialize>(
    json: &Value,
) -> [Vec<String>; 2] {
    let (_, report) = decode::<T>(json).unwrap();
    assert_eq!(
        report.is_exact(),
        report.missing.is_empty() && report.unknown.is_empty()
    );
    [report.missing, report.unknown]
}

#[test]
fn missing_required_fields_are_reported_with_their_paths() {
    let none: [Vec<String>; 2] = Default::default();
    let part = json!({"name": "a", "color": null, "tags": {}});
    let whole = json!({"metadata": {}, "spec": {"size": 0, "parts": [part], "any": {"x": [1]}}});
    assert_eq!(differences::<Widget>(&whole), none);

    assert_eq!(
        differences::<Widget>(&json!({"kind": "Widget"}))[0],
        ["metadata", "spec"]
    );
    let tags = json!({"a.b": {"name": "b", "tags": null}});
    let parts = json!([part, {"tags": tags}]);
    let partial = json!({"metadata": {"name": "a"}, "spec": {"size": null, "parts": parts}});
    assert_eq!(
        differences::<Widget>(&partial)[0],
        [
            "spec.parts[1].name",
            "spec.parts[1].tags[\"a.b\"].tags",
            "spec.size"
        ]
    );
}

#[test]
fn unknown_fields_are_reported_unless_they_are_kept() {
    let part = json!({"name": "a", "tags": {}, "later": 0, "none": null});
    let spec = json!({"size": 1, "parts": [part], "kept": {"a": 1}});
    let newer = json!({"metadata": {"name": "a"}, "spec": spec, "status": {}});
    assert_eq!(
        differences::<Widget>(&newer),
        [
            vec![],
            vec!["spec.parts[0].later".to_owned(), "status".into()]
        ]
    );
}

#[test]
fn types_of_other_libraries_are_compared_too() {
    let pod = json!({"containers": [{"image": "a", "resizing": 1}]});
    let template = json!({"spec": pod});
    let widget = json!({"metadata": {}, "spec": {"size": 1, "parts": [], "template": template}});
    let [missing, unknown] = differences::<Widget>(&widget);
    assert_eq!(missing, ["spec.template.spec.containers[0].name"]);
    assert_eq!(unknown, ["spec.template.spec.containers[0].resizing"]);
    let deployment = json!({"metadata": {}, "spec": {"template": {}, "later": true}});
    let [missing, unknown] = differences::<Deployment>(&deployment);
    assert_eq!(
        (missing, unknown),
        (
            vec!["spec.selector".to_owned()],
            vec!["spec.later".to_owned()]
        )
    );
}
