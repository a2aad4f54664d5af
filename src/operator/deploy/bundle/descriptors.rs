//! Describes the kinds of an operator and their fields for the forms of OLM's console.
use heck::ToTitleCase as _;
use serde_json::{Value, json};

use crate::operator::deploy::Manifest;

const WIDGET: &str = "urn:alm:descriptor:com.tectonic.ui:";
const CONDITIONS: &str = "urn:alm:descriptor:io.kubernetes.conditions";

/// Returns the descriptions of the served versions of a CRD.
pub(super) fn descriptions(crd: &Manifest) -> Vec<Value> {
    let kind = crd.text("/spec/names/kind");
    let versions = crd.list("/spec/versions").iter();
    let served = versions.filter(|it| it["served"] == true);
    let describe = |version: &Value| {
        let schema = &version["schema"]["openAPIV3Schema"];
        let description = match schema["description"].as_str() {
            Some(text) if !text.trim().is_empty() => text.to_owned(),
            _ => format!("An object of the kind {kind}"),
        };
        let replicas = version.pointer("/subresources/scale/specReplicasPath");
        let replicas = replicas.and_then(Value::as_str).unwrap_or_default();
        let mut description = json!({
            "name": crd.name(),
            "version": version["name"],
            "kind": kind,
            "displayName": kind.to_title_case(),
            "description": description,
        });
        for part in ["spec", "status"] {
            let fields = fields(&schema["properties"][part], replicas, part);
            if !fields.is_empty() {
                description[format!("{part}Descriptors")] = fields.into();
            }
        }
        description
    };
    served.map(describe).collect()
}

/// Returns the descriptors of the fields of `spec` or `status`, and of the objects in them.
fn fields(schema: &Value, replicas: &str, part: &str) -> Vec<Value> {
    let mut all = Vec::new();
    let properties = schema["properties"].as_object();
    for (name, schema) in properties.into_iter().flatten() {
        push(&mut all, name, schema, replicas, part);
        let inner = schema["properties"].as_object();
        for (field, schema) in inner.into_iter().flatten() {
            push(&mut all, &format!("{name}.{field}"), schema, replicas, part);
        }
    }
    all
}

fn push(all: &mut Vec<Value>, path: &str, schema: &Value, replicas: &str, part: &str) {
    let name = path.rsplit('.').next().unwrap_or(path);
    let title = schema["title"].as_str();
    let mut field = json!({
        "path": path,
        "displayName": title.map_or_else(|| name.to_title_case(), str::to_owned),
    });
    if let Some(text) = schema["description"].as_str() {
        field["description"] = text.into();
    }
    let widgets = if format!(".{part}.{path}") == replicas {
        vec![format!("{WIDGET}podCount")]
    } else if part == "status" && path == "conditions" {
        vec![CONDITIONS.to_owned()]
    } else {
        widgets(schema)
    };
    if !widgets.is_empty() {
        field["x-descriptors"] = widgets.into();
    }
    all.push(field);
}

/// Returns how a value is shown and entered.
fn widgets(schema: &Value) -> Vec<String> {
    let values = schema["enum"].as_array().into_iter().flatten();
    let choices: Vec<_> = values
        .filter_map(Value::as_str)
        .map(|it| format!("{WIDGET}select:{it}"))
        .collect();
    match schema["type"].as_str() {
        Some("string") if !choices.is_empty() => choices,
        Some("string") => vec![format!("{WIDGET}text")],
        Some("integer" | "number") => vec![format!("{WIDGET}number")],
        Some("boolean") => vec![format!("{WIDGET}booleanSwitch")],
        _ => Vec::new(),
    }
}
