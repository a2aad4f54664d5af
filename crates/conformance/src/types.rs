//! Records the types of the built-in kinds of a real API server, for the API server in memory.
//!
//! OpenAPI describes names, forms, and how lists and maps merge. Go's types add what errors and normal forms need: the Go type
//! of each field, and whether its zero value is written.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    process::Command,
};

use serde_json::{Map, Value, json};
use testresult::TestResult;

use crate::Session;

/// The recorded versions. The first of several of a kind is the one that is stored.
const VERSIONS: &[&str] = &[
    "api/v1",
    "apis/admissionregistration.k8s.io/v1",
    "apis/apiextensions.k8s.io/v1",
    "apis/apiregistration.k8s.io/v1",
    "apis/apps/v1",
    "apis/autoscaling/v2",
    "apis/autoscaling/v1",
    "apis/batch/v1",
    "apis/certificates.k8s.io/v1",
    "apis/coordination.k8s.io/v1",
    "apis/discovery.k8s.io/v1",
    "apis/events.k8s.io/v1",
    "apis/flowcontrol.apiserver.k8s.io/v1",
    "apis/networking.k8s.io/v1",
    "apis/node.k8s.io/v1",
    "apis/policy/v1",
    "apis/rbac.authorization.k8s.io/v1",
    "apis/resource.k8s.io/v1",
    "apis/scheduling.k8s.io/v1",
    "apis/storage.k8s.io/v1",
    "apis/storagemigration.k8s.io/v1",
];

/// A type of requests alone.
const SCALE: &str = "io.k8s.api.autoscaling.v1.Scale";

/// JSON name, Go type, when the zero value is written (`pointer`, `omit` or `write`), and the field numbers in protobuf.
type Field = (String, String, String, String);
/// The fields of Go's types by name in OpenAPI.
type GoTypes = BTreeMap<String, Vec<Field>>;

/// Returns the resources of a server, their types, and the descriptions of the types.
pub async fn read(session: &Session) -> TestResult<Value> {
    let go = go_types()?;
    let mut schemas = Map::new();
    let mut resources = Vec::new();
    for path in VERSIONS {
        let mut openapi = session.get(&format!("/openapi/v3/{path}")).await?;
        let Value::Object(found) = openapi["components"]["schemas"].take() else {
            return Err(format!("no schemas in {path}").into());
        };
        let discovered = session.get(&format!("/{path}")).await?;
        resources.extend(kinds(path, &discovered, &found));
        schemas.extend(found);
    }
    let mut types = BTreeMap::new();
    let mut left: Vec<String> = resources.iter().map(|it| text(&it["type"])).collect();
    left.push(SCALE.to_owned());
    while let Some(name) = left.pop() {
        if types.contains_key(&name) {
            continue;
        }
        let schema = schema(&name, &schemas[&name], &go);
        references(&schema, &mut left);
        types.insert(name, schema);
    }
    let descriptions = types
        .keys()
        .map(|name| (name.clone(), described(&schemas[name])));
    let descriptions: Map<String, Value> = descriptions.collect();
    Ok(json!({"resources": resources, "types": types, "descriptions": descriptions}))
}

/// Returns the descriptions of a type and of its fields; that of the type has no name.
fn described(schema: &Value) -> Value {
    let fields = schema["properties"].as_object().into_iter().flatten();
    let fields = fields.map(|(name, field)| (name.clone(), field["description"].clone()));
    let all = fields.chain([(String::new(), schema["description"].clone())]);
    Value::Object(all.filter(|(_, text)| text.is_string()).collect())
}

fn go_types() -> TestResult<GoTypes> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golang");
    let output = Command::new("go")
        .args(["run", "."])
        .current_dir(folder)
        .output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "go run: {errors}");
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Returns the kinds of a version that the server stores.
fn kinds(path: &str, discovered: &Value, schemas: &Map<String, Value>) -> Vec<Value> {
    let parts: Vec<&str> = path.split('/').collect();
    let (group, version) = match parts.as_slice() {
        [_, group, version] => (*group, *version),
        [.., version] => ("", *version),
        [] => ("", ""),
    };
    let all = discovered["resources"].as_array();
    let all: Vec<&Value> = all.into_iter().flatten().collect();
    let is_stored = |it: &&&Value| {
        let verbs = it["verbs"].as_array().into_iter().flatten();
        let verbs: BTreeSet<&str> = verbs.filter_map(Value::as_str).collect();
        ["create", "list", "watch"]
            .iter()
            .all(|verb| verbs.contains(verb))
    };
    all.iter()
        .filter(is_stored)
        .map(|resource| {
            let id = json!([{"group": group, "version": version, "kind": resource["kind"]}]);
            let mut named = schemas.iter();
            let named = named.find(|(_, it)| it["x-kubernetes-group-version-kind"] == id);
            let plural = text(&resource["name"]);
            let subresources = all.iter().filter_map(|it| {
                let name = it["name"].as_str()?;
                name.strip_prefix(&format!("{plural}/"))
            });
            let subresources: Vec<&str> = subresources.collect();
            json!({
                "group": group,
                "version": version,
                "kind": resource["kind"],
                "plural": plural,
                "singular": resource["singularName"],
                "namespaced": resource["namespaced"],
                "shortNames": resource.get("shortNames").cloned().unwrap_or_else(|| json!([])),
                "categories": resource.get("categories").cloned().unwrap_or_else(|| json!([])),
                "subresources": subresources,
                "type": named.map(|(name, _)| name),
            })
        })
        .collect()
}

/// Returns the schema of a type without descriptions and with the facts of Go's type.
fn schema(name: &str, schema: &Value, go: &GoTypes) -> Value {
    // It is recursive, and the server in memory reads schemas with other code.
    if name.ends_with(".v1.JSONSchemaProps") {
        return json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    }
    let mut schema = strip(schema);
    let short = name.rsplit('.').take(2).collect::<Vec<_>>();
    schema["x-go"] = short.into_iter().rev().collect::<Vec<_>>().join(".").into();
    for (field, go_type, zero, number) in go.get(name).into_iter().flatten() {
        let property = &mut schema["properties"][field.as_str()];
        if property.is_object() {
            property["x-go"] = go_type.as_str().into();
            if !number.is_empty() {
                property["x-proto"] = number.as_str().into();
            }
            if zero != "pointer" {
                property["x-zero"] = zero.as_str().into();
            }
        }
    }
    schema
}

fn strip(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            if let Some([one]) = fields
                .get("allOf")
                .and_then(Value::as_array)
                .map(Vec::as_slice)
            {
                let mut inner = strip(one);
                if let Value::Object(inner) = &mut inner {
                    let own = fields
                        .iter()
                        .filter(|(name, _)| !matches!(name.as_str(), "allOf" | "description"));
                    inner.extend(own.map(|(name, value)| (name.clone(), value.clone())));
                }
                return inner;
            }
            let mut kept = Map::new();
            for (name, value) in fields {
                match name.as_str() {
                    "description" if value.is_string() => {}
                    "x-kubernetes-unions" => {}
                    "$ref" => {
                        let name = text(value);
                        let name = name.rsplit('/').next().unwrap_or_default();
                        kept.insert("$ref".to_owned(), name.into());
                    }
                    _ => drop(kept.insert(name.clone(), strip(value))),
                }
            }
            kept.into()
        }
        Value::Array(items) => items.iter().map(strip).collect(),
        _ => value.clone(),
    }
}

fn references(schema: &Value, found: &mut Vec<String>) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::String(name)) = fields.get("$ref") {
                found.push(name.clone());
            }
            fields.values().for_each(|it| references(it, found));
        }
        Value::Array(items) => items.iter().for_each(|it| references(it, found)),
        _ => {}
    }
}
