//! Writes the schemas of CRDs as JSON Schema 2020-12, for editors and validators that know no CRDs.
mod convert;
mod meta;

use serde_json::{Map, Value, json};

use crate::{
    input::crd::{Crd, Version},
    output::render::File,
};
use convert::Convert;

/// The dialect.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The file that has the schemas of all kinds.
pub(crate) const INDEX: &str = "index.json";

/// The schema of a version of a kind.
pub(crate) struct Exported {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
    /// Its file, below the output directory: `example.com/widget_v1.json`.
    pub(crate) path: String,
    pub(crate) schema: Value,
}

/// Returns the schemas of the served versions of a CRD. With `strict`, no field is accepted that the schema does not declare.
pub(crate) fn export(crd: &Crd, strict: bool) -> Vec<Exported> {
    let (group, kind) = (&crd.group, &crd.names.kind);
    let convert = Convert {
        strict,
        preserves: crd.preserves,
    };
    let served = crd.versions.iter().filter(|version| version.served);
    let exported = served.map(|version| Exported {
        group: group.clone(),
        version: version.name.clone(),
        kind: kind.clone(),
        path: path(group, kind, &version.name),
        schema: root(&convert, crd, version),
    });
    exported.collect()
}

/// Returns the path of a schema: that of kubeconform's `{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json`.
fn path(group: &str, kind: &str, version: &str) -> String {
    let safe = |text: &str| {
        let is_safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
        let text: String = text.chars().filter(|c| is_safe(*c)).collect();
        text.trim_matches('.').to_ascii_lowercase()
    };
    format!("{}/{}_{}.json", safe(group), safe(kind), safe(version))
}

fn root(convert: &Convert, crd: &Crd, version: &Version) -> Value {
    let mut object = convert.root(version.schema.as_deref());
    let (api_version, kind) = (format!("{}/{}", crd.group, version.name), &crd.names.kind);
    let properties = object.entry("properties").or_insert_with(|| json!({}));
    properties["apiVersion"] =
        json!({"const": api_version, "description": "The group and version of the API."});
    properties["kind"] = json!({"const": kind, "description": "The kind of the object."});
    properties["metadata"] = meta::object_meta();
    let required = object.entry("required").or_insert_with(|| json!([]));
    if let Some(required) = required.as_array_mut() {
        required.retain(|it| !matches!(it.as_str(), Some("apiVersion" | "kind" | "metadata")));
        required.splice(0..0, ["apiVersion", "kind", "metadata"].map(Value::from));
    }
    let mut all = Map::new();
    all.insert("$schema".into(), DIALECT.into());
    all.insert("title".into(), format!("{kind} of {api_version}").into());
    all.extend(object);
    all.into()
}

/// Returns the files of schemas and of their index.
pub(crate) fn files(exported: &[Exported]) -> Vec<File> {
    let file = |path: &str, schema: &Value| File {
        path: path.to_owned(),
        text: format!("{schema:#}\n").into(),
    };
    let mut files: Vec<File> = exported
        .iter()
        .map(|it| file(&it.path, &it.schema))
        .collect();
    files.push(file(INDEX, &index(exported)));
    files
}

/// Returns a schema that applies to each object the schema of its kind. Objects of other kinds are accepted.
fn index(exported: &[Exported]) -> Value {
    let branches: Vec<Value> = exported
        .iter()
        .map(|it| {
            let api_version = format!("{}/{}", it.group, it.version);
            json!({
                "if": {
                    "properties": {"apiVersion": {"const": api_version}, "kind": {"const": it.kind}},
                    "required": ["apiVersion", "kind"],
                },
                "then": {"$ref": it.path},
            })
        })
        .collect();
    json!({
        "$schema": DIALECT,
        "title": "Objects of all kinds",
        "type": "object",
        "allOf": branches,
    })
}

#[cfg(test)]
mod tests;
