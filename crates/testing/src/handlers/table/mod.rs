//! Answers lists, objects and watch events as a `Table`, with the columns that `kubectl get` shows.

mod cells;

use serde_json::{Value, json};

use self::cells::{age, computed};
use crate::{
    kinds::{builtin, target::Target},
    request::Query,
    values::{
        object::{at, list, put, text},
        status::{Answer, bad_request},
    },
};

/// A column: its name, and what computes the cell.
struct Column {
    name: String,
    kind: String,
    priority: i64,
    path: String,
}

/// What the rows of a table have besides their cells: the metadata of the object, nothing, or all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Include {
    Metadata,
    None,
    Object,
}

impl Include {
    /// Reads the parameter `includeObject`.
    pub(crate) fn read(query: &Query) -> Answer<Self> {
        match query.get("includeObject") {
            None | Some("" | "Metadata") => Ok(Self::Metadata),
            Some("None") => Ok(Self::None),
            Some("Object") => Ok(Self::Object),
            Some(other) => Err(bad_request(&format!(
                "unrecognized includeObject value: {other:?}"
            ))),
        }
    }
}

/// Returns the objects as a table.
pub(crate) fn table(
    target: &Target,
    objects: &[Value],
    metadata: &Value,
    include: Include,
) -> Value {
    let columns = columns(target);
    let definitions: Vec<Value> = columns
        .iter()
        .map(|it| {
            let format = if it.name == "Name" { "name" } else { "" };
            let kind = if it.kind == "date" { "string" } else { &it.kind };
            json!({"name": it.name, "type": kind, "format": format, "description": "", "priority": it.priority})
        })
        .collect();
    let rows: Vec<Value> = objects
        .iter()
        .map(|object| {
            let cells: Vec<Value> = columns.iter().map(|it| cell(it, object)).collect();
            let included = match include {
                Include::Metadata => json!({
                    "apiVersion": "meta.k8s.io/v1",
                    "kind": "PartialObjectMetadata",
                    "metadata": at(object, "/metadata"),
                }),
                Include::None => Value::Null,
                Include::Object => {
                    let mut object = object.clone();
                    // The items of a list have none.
                    put(&mut object, "/apiVersion", target.api_version().into());
                    put(&mut object, "/kind", target.kind.kind.clone().into());
                    object
                }
            };
            json!({"cells": cells, "object": included})
        })
        .collect();
    json!({
        "apiVersion": "meta.k8s.io/v1",
        "kind": "Table",
        "metadata": metadata,
        "columnDefinitions": definitions,
        "rows": rows,
    })
}

fn columns(target: &Target) -> Vec<Column> {
    let column = |name: &str, kind: &str, path: &str| Column {
        name: name.to_owned(),
        kind: kind.to_owned(),
        priority: 0,
        path: path.to_owned(),
    };
    let mut columns = vec![column("Name", "string", "/metadata/name")];
    let age = || column("Age", "date", "/metadata/creationTimestamp");
    let own = target.version().map(|it| it.columns.as_slice());
    let own = own.unwrap_or_default();
    if target.kind.custom && !own.is_empty() {
        columns.extend(own.iter().map(|it| Column {
            priority: at(it, "/priority").as_i64().unwrap_or_default(),
            ..column(text(it, "/name"), text(it, "/type"), text(it, "/jsonPath"))
        }));
        return columns;
    }
    let strategy = builtin::strategy(&target.kind);
    let known = strategy.columns.iter();
    columns.extend(known.map(|(name, path)| column(name, "string", path)));
    let has_own_times = columns
        .iter()
        .any(|it| matches!(it.name.as_str(), "Age" | "Created At" | "Last Seen"));
    if !strategy.shows_name {
        columns.remove(0);
    }
    if !has_own_times {
        columns.push(age());
    }
    columns
}

fn cell(column: &Column, object: &Value) -> Value {
    let value = match column.path.strip_prefix('=') {
        Some(name) => return computed(name, object).into(),
        None if column.path.starts_with('/') => at(object, &column.path).clone(),
        None => json_path(object, &column.path),
    };
    match (column.kind.as_str(), value) {
        ("date", Value::String(time)) => age(&time).into(),
        ("date", _) => "<unknown>".into(),
        ("string", value @ (Value::Number(_) | Value::Bool(_))) => value.to_string().into(),
        ("string", Value::Null)
            if column.path.ends_with("Replicas") || column.path.contains("/number") =>
        {
            "0".into()
        }
        ("string", Value::Null) if column.path == "/spec/clusterIP" => "<none>".into(),
        (_, value) => value,
    }
}

/// Evaluates the simple paths that columns of CRDs have: fields, indexes, and a filter by the value of a field.
fn json_path(object: &Value, path: &str) -> Value {
    let mut found = object;
    let mut rest = path.trim_start_matches('$');
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[') {
            let Some((step, after)) = inner.split_once(']') else {
                return Value::Null;
            };
            rest = after;
            let quoted = step.trim_matches(['\'', '"']);
            found = if let Some(filter) = step.strip_prefix("?(@.") {
                let (field, value) = filter
                    .trim_end_matches(')')
                    .split_once("==")
                    .unwrap_or_default();
                let value = value.trim().trim_matches(['\'', '"']);
                let mut items = list(found, "").iter();
                items
                    .find(|it| at(it, &format!("/{}", field.trim())) == value)
                    .unwrap_or(&Value::Null)
            } else if let Ok(index) = step.parse::<usize>() {
                found.get(index).unwrap_or(&Value::Null)
            } else {
                found.get(quoted).unwrap_or(&Value::Null)
            };
            continue;
        }
        rest = rest.trim_start_matches('.');
        let mut end = rest.len();
        let mut escaped = false;
        for (index, letter) in rest.char_indices() {
            if !escaped && matches!(letter, '.' | '[') {
                end = index;
                break;
            }
            escaped = letter == '\\';
        }
        let name = rest[..end].replace('\\', "");
        rest = &rest[end..];
        found = found.get(&name).unwrap_or(&Value::Null);
    }
    found.clone()
}
