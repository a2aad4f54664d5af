//! Applies the value of a mutation's expression to an object: a configuration, which merges as in server-side apply, or a JSON patch.

use kube::core::response::Status;
use kube_codegen_cel::Value as CelValue;
use serde_json::{Value, json};

use crate::{
    fields::{Shape, typed},
    kinds::target::Target,
    policies::Purpose,
    values::{
        object::{at, map, text},
        patch,
    },
};

/// Why a mutation does not apply.
pub(super) enum Problem {
    /// The failure policy decides.
    Failed(String),
    /// The request fails.
    Broken(Box<Status>),
}

/// Returns an object with the value of a mutation's expression.
pub(super) fn apply(
    target: &Target,
    version: &str,
    purpose: Purpose,
    value: &CelValue,
    object: &Value,
) -> Result<Value, Problem> {
    if purpose == Purpose::JsonPatch {
        return patched(value, object);
    }
    let (_, misnamed) = value.literal().unwrap_or_default();
    named(&misnamed)?;
    let mut config = value.to_json().map_err(Problem::Failed)?;
    for field in ["apiVersion", "kind"] {
        map(&mut config).insert(field.to_owned(), at(object, &format!("/{field}")).clone());
    }
    let other = target.in_version(version);
    let version = other.version().map_err(Problem::Broken)?;
    let shape = Shape::root(version);
    let failed = |why: String| Problem::Failed(format!("error applying patch: {why}"));
    let errors = typed::errors(&shape, &config);
    if !errors.is_empty() {
        let shown = match &*errors {
            [one] => one.clone(),
            all => format!("errors:\n  {}", all.join("\n  ")),
        };
        return Err(failed(format!(
            "failed to convert patch object to typed object: {shown}"
        )));
    }
    let atomics = typed::atomics(&shape, &config);
    if !atomics.is_empty() {
        return Err(failed(format!(
            "invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: {}",
            atomics.join(", ")
        )));
    }
    Ok(typed::merge(&shape, Some(object), Some(&config)).unwrap_or_default())
}

fn named(problems: &[String]) -> Result<(), Problem> {
    if problems.is_empty() {
        return Ok(());
    }
    let why = format!("type mismatch: {}", problems.join("\n"));
    Err(Problem::Failed(why))
}

/// Returns an object with the operations of a list of `JSONPatch{…}`. A test that fails leaves it as it is.
fn patched(value: &CelValue, object: &Value) -> Result<Value, Problem> {
    let mut patched = object.clone();
    for item in value.items().unwrap_or_default() {
        let mut operation = item.to_json().map_err(Problem::Failed)?;
        if let Some(value) = item.field("value") {
            let (_, misnamed) = value.literal().unwrap_or_default();
            named(&misnamed)?;
        }
        if text(&operation, "/from").is_empty() {
            map(&mut operation).remove("from");
        }
        let op = text(&operation, "/op");
        if patch::json(&mut patched, &json!([operation])).is_ok() {
            continue;
        }
        if op == "test" {
            return Ok(object.clone());
        }
        return Err(Problem::Failed(format!(
            "JSON Patch: {}",
            missing(&patched, op, text(&operation, "/path"))
        )));
    }
    Ok(patched)
}

/// Returns why an operation does not apply, in the words of the server's library.
fn missing(object: &Value, op: &str, path: &str) -> String {
    let (parent, key) = path.rsplit_once('/').unwrap_or(("", path));
    match op {
        _ if object.pointer(parent).is_none() => {
            format!("{op} operation does not apply: doc is missing path: {path:?}: missing value")
        }
        "remove" => format!(
            "error in remove for path: '{path}': Unable to remove nonexistent key: {key}: missing value"
        ),
        "replace" => {
            format!("replace operation does not apply: doc is missing key: {path}: missing value")
        }
        "add" | "copy" | "move" => format!("error in {op} for path: '{path}'"),
        _ => format!("Unexpected kind: {op}"),
    }
}
