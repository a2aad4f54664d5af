//! The rules for what a version declares beside its schema: subresources, columns and selectable fields.

use std::collections::HashSet;

use serde_json::Value;

use super::{Node, Path, Rule, Violations, child, list, text};
use crate::cause::Reason;

/// Checks a part of a version at a place.
type Check = fn(&Node, &Path<'_>, &mut Violations);

/// The keywords of a version, with their rules; the place is that of the version.
pub(super) const PARTS: [(&str, Check); 3] = [
    ("subresources", subresources),
    ("additionalPrinterColumns", columns),
    ("selectableFields", selectable),
];

/// The formats that a column may have.
pub const COLUMN_FORMATS: &[&str] = &[
    "byte",
    "date",
    "date-time",
    "double",
    "float",
    "int32",
    "int64",
    "password",
];

/// The types that a column may have.
pub const COLUMN_TYPES: &[&str] = &["boolean", "date", "integer", "number", "string"];

/// The most fields that a version may select by.
const MOST_SELECTABLE: usize = 8;

fn items<'n>(node: &'n Node, keyword: &str) -> impl Iterator<Item = (usize, &'n Node)> {
    let items = list(node, keyword).iter().enumerate();
    items.filter_map(|(index, item)| Some((index, item.as_object()?)))
}

fn subresources(version: &Node, at: &Path<'_>, found: &mut Violations) {
    let Some(scale) = child(version, "subresources").and_then(|it| child(it, "scale")) else {
        return;
    };
    let subresources_at = at.child("subresources");
    let at = subresources_at.child("scale");
    for (field, roots, why) in [
        (
            "specReplicasPath",
            &[".spec."][..],
            "should be a json path under .spec",
        ),
        (
            "statusReplicasPath",
            &[".status."],
            "should be a json path under .status",
        ),
        (
            "labelSelectorPath",
            &[".spec.", ".status."],
            "should be a json path under either .spec or .status",
        ),
    ] {
        let (at, path) = (at.child(field), text(scale, field).unwrap_or_default());
        if path.is_empty() {
            if field != "labelSelectorPath" {
                found.missing(&at, "");
            }
        } else if !path.starts_with('.') {
            found.reject(Rule::ScalePath, &at, path, NO_DOT);
        } else if !roots.iter().any(|root| path.starts_with(root)) {
            found.reject(Rule::ScalePath, &at, path, why);
        }
    }
}

const NO_DOT: &str = "must be a simple json path starting with .";

fn columns(version: &Node, at: &Path<'_>, found: &mut Violations) {
    let at = at.child("additionalPrinterColumns");
    for (index, column) in items(version, "additionalPrinterColumns") {
        let at = at.index(index);
        let text = |name: &str| text(column, name).unwrap_or_default();
        if text("name").is_empty() {
            found.missing(&at.child("name"), "");
        }
        let (type_at, type_) = (at.child("type"), text("type"));
        let one_of = format!("must be one of {}", COLUMN_TYPES.join(","));
        if type_.is_empty() {
            found.missing(&type_at, &one_of);
        } else if !COLUMN_TYPES.contains(&type_) {
            found.reject(Rule::ColumnType, &type_at, type_, &one_of);
        }
        let format = text("format");
        if !format.is_empty() && !COLUMN_FORMATS.contains(&format) {
            let why = format!("must be one of {}", COLUMN_FORMATS.join(","));
            found.reject(Rule::ColumnFormat, &at.child("format"), format, &why);
        }
        let (path_at, path) = (at.child_as("jsonPath", "JSONPath"), text("jsonPath"));
        if path.is_empty() {
            found.missing(&path_at, "");
        } else if !path.starts_with('.') {
            found.reject(Rule::ColumnPath, &path_at, path, NO_DOT);
        }
    }
}

/// A selectable field is a scalar of the schema.
fn selectable(version: &Node, at: &Path<'_>, found: &mut Violations) {
    let at = at.child("selectableFields");
    let schema = child(version, "schema").and_then(|it| child(it, "openAPIV3Schema"));
    let mut seen = HashSet::new();
    for (index, field) in items(version, "selectableFields") {
        let at = at.index(index);
        let path_at = at.child("jsonPath");
        let path = text(field, "jsonPath").unwrap_or_default();
        if path.is_empty() {
            found.missing(&path_at, "");
            continue;
        }
        let Some(schema) = schema else {
            continue;
        };
        let selected = match resolve(schema, path) {
            Ok(selected) => selected,
            Err(why) => {
                let why = format!("is an invalid path: {why}");
                found.reject(Rule::SelectablePath, &path_at, path, &why);
                continue;
            }
        };
        if path == ".metadata" || path.starts_with(".metadata.") {
            let why = "must not point to fields in metadata";
            found.reject(Rule::SelectableMetadata, &path_at, path, why);
        }
        if !matches!(super::kind(selected), "string" | "integer" | "boolean") {
            let why = "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
            found.reject(Rule::SelectableType, &path_at, path, why);
        }
        if !seen.insert(path) {
            let shown = Value::from(path).to_string();
            let violation = found.whole(Rule::SelectableTwice, &path_at);
            violation.say(&path_at, Reason::Duplicate, &shown, "");
        }
    }
    if seen.len() > MOST_SELECTABLE {
        let why = format!("{}: must have at most {MOST_SELECTABLE} items", seen.len());
        let violation = found.whole(Rule::TooManySelectable, &at);
        violation.say(&at, Reason::TooMany, "", &why);
        violation.why = format!(
            "{} selectable fields; at most {MOST_SELECTABLE}",
            seen.len()
        );
    }
}

/// Returns the schema that a path of field names leads to.
fn resolve<'s>(schema: &'s Node, path: &str) -> Result<&'s Node, String> {
    let (mut node, mut rest) = (schema, path);
    while !rest.is_empty() {
        let Some(tail) = rest.strip_prefix('.') else {
            let end = rest.find(['.', '[', ']']).unwrap_or(rest.len());
            return Err(match rest.strip_prefix('[') {
                Some(_) => "array notation is not allowed".to_owned(),
                None => format!("expected [ or . but got: {}", &rest[..end.max(1)]),
            });
        };
        let name = &tail[..tail.find(['.', '[', ']']).unwrap_or(tail.len())];
        rest = &tail[name.len()..];
        if name.is_empty() && rest.is_empty() {
            return Err("unexpected end of JSON path".to_owned());
        }
        let inner = match child(node, "properties") {
            Some(properties) => child(properties, name),
            None => child(node, "additionalProperties"),
        };
        node = inner.ok_or("does not refer to a valid field")?;
    }
    Ok(node)
}
