//! Reads the printer columns and selectable fields of a version.
use super::reader::{At, Reader, entry};
use super::subresources::is_simple;
use super::{Additional, Schema, SchemaType};
use crate::diag::{Code, Severity};
use crate::ir::{Column, SelectableField};
use serde_json::{Map, Value};

/// The fields of a column.
const COLUMN: &[&str] = &[
    "description",
    "format",
    "jsonPath",
    "name",
    "priority",
    "type",
];

/// The formats that a column may have.
const FORMATS: &[&str] = &[
    "byte",
    "date",
    "date-time",
    "double",
    "float",
    "int32",
    "int64",
    "password",
];

/// The most fields that a version may select by.
const MAX_SELECTABLE: usize = 8;

/// The types that a column may have.
const TYPES: &[&str] = &["boolean", "date", "integer", "number", "string"];

pub(super) fn read(
    reader: &mut Reader<'_>,
    version: &Map<String, Value>,
    at: &At<'_>,
) -> Vec<Column> {
    let at = at.key("additionalPrinterColumns");
    let Some(list) = entry(version, "additionalPrinterColumns") else {
        return Vec::new();
    };
    let list = reader.list(list, &at);
    list.iter()
        .enumerate()
        .filter_map(|(index, item)| column(reader, item, &at.index(index)))
        .collect()
}

fn column(reader: &mut Reader<'_>, value: &Value, at: &At<'_>) -> Option<Column> {
    let map = reader.object(value, at)?;
    reader.unknown_fields(map, COLUMN, at);
    let name = required(reader, map, "name", at);
    let type_ = required(reader, map, "type", at);
    let json_path = required(reader, map, "jsonPath", at);
    if let Some(type_) = type_.as_deref().filter(|type_| !TYPES.contains(type_)) {
        reader
            .report(
                Code::InvalidColumn,
                &at.key("type"),
                format!("a printer column cannot have type {type_:?}"),
            )
            .hint(format!("use one of {}", TYPES.join(", ")));
    }
    if let Some(path) = json_path.as_deref().filter(|path| !path.starts_with('.')) {
        reader
            .report(
                Code::InvalidPath,
                &at.key("jsonPath"),
                format!("the JSON path {path:?} does not start with a dot"),
            )
            .hint("write it like .spec.replicas, without braces");
    } else if json_path.as_deref().is_some_and(|path| !is_closed(path)) {
        reader
            .report(
                Code::InvalidPath,
                &at.key("jsonPath"),
                "the JSON path has an open bracket or quote",
            )
            .hint("kubectl shows none of the columns of a version with such a path; close it")
            .severity = Severity::Warning;
    }
    let mut text = |key: &str| {
        let value = entry(map, key)?;
        reader.text(value, &at.key(key)).map(str::to_owned)
    };
    let (format, description) = (text("format"), text("description"));
    if let Some(format) = format
        .as_deref()
        .filter(|format| !FORMATS.contains(format) && !format.is_empty())
    {
        reader
            .report(
                Code::InvalidColumn,
                &at.key("format"),
                format!("a printer column cannot have format {format:?}"),
            )
            .hint(format!("use one of {}", FORMATS.join(", ")))
            .severity = Severity::Warning;
    }
    let priority = entry(map, "priority")
        .and_then(|value| reader.integer(value, &at.key("priority")))
        .unwrap_or_default();
    Some(Column {
        name: name?,
        type_: type_?,
        format,
        description,
        priority: i32::try_from(priority).unwrap_or(i32::MAX),
        json_path: json_path?,
    })
}

/// Whether every bracket and quote of a JSON path is closed.
fn is_closed(path: &str) -> bool {
    let (mut open, mut quote, mut is_escaped) = (Vec::new(), None, false);
    for c in path.chars() {
        match (quote, c) {
            _ if std::mem::take(&mut is_escaped) => {}
            (Some(_), '\\') => is_escaped = true,
            (Some(mark), _) if c == mark => quote = None,
            (None, '\'' | '"') if !open.is_empty() => quote = Some(c),
            (None, '[') => open.push(']'),
            (None, '(') => open.push(')'),
            (None, ']' | ')') if open.pop() != Some(c) => return false,
            _ => {}
        }
    }
    open.is_empty() && quote.is_none()
}

fn required(
    reader: &mut Reader<'_>,
    map: &Map<String, Value>,
    key: &str,
    at: &At<'_>,
) -> Option<String> {
    match entry(map, key) {
        Some(value) if value != "" => reader.text(value, &at.key(key)).map(str::to_owned),
        _ => {
            reader.missing(&at.key(key), &format!("the column's `{key}`"));
            None
        }
    }
}

/// Reads `selectableFields`; each must exist in the schema.
pub(super) fn selectable(
    reader: &mut Reader<'_>,
    version: &Map<String, Value>,
    schema: Option<&Schema>,
    at: &At<'_>,
) -> Vec<SelectableField> {
    let at = at.key("selectableFields");
    let Some(list) = entry(version, "selectableFields") else {
        return Vec::new();
    };
    let mut fields = Vec::new();
    for (index, item) in reader.list(list, &at).iter().enumerate() {
        let at = at.index(index);
        let Some(map) = reader.object(item, &at) else {
            continue;
        };
        reader.unknown_fields(map, &["jsonPath"], &at);
        let Some(json_path) = required(reader, map, "jsonPath", &at) else {
            continue;
        };
        let at = at.key("jsonPath");
        let field = SelectableField { json_path };
        let path = &field.json_path;
        let problem = if !is_simple(path) {
            Some(format!(
                "{path:?} is not a path of field names such as .spec.color"
            ))
        } else if schema.is_some_and(|schema| !selects(schema, path)) {
            Some(format!(
                "{path:?} does not resolve to a string, integer or boolean"
            ))
        } else if fields.contains(&field) {
            Some(format!("{path:?} is listed twice"))
        } else {
            None
        };
        match problem {
            Some(message) => {
                reader
                    .report(Code::SelectableField, &at, message)
                    .hint("name a scalar that the schema declares, inside objects only");
            }
            None => fields.push(field),
        }
    }
    if fields.len() > MAX_SELECTABLE {
        let message = format!(
            "{} selectable fields; at most {MAX_SELECTABLE} are allowed",
            fields.len()
        );
        reader
            .report(Code::SelectableField, &at, message)
            .hint("remove those that no client selects by");
    }
    fields
}

/// Whether the path resolves to a scalar.
fn selects(schema: &Schema, path: &str) -> bool {
    let mut node = schema;
    for name in path.split('.').skip(1) {
        let declared = node.properties.as_ref().and_then(|all| all.get(name));
        node = match (declared, &node.additional) {
            (Some(next), _) | (None, Some(Additional::Schema(next))) => next,
            _ => return false,
        };
    }
    matches!(
        node.type_,
        Some(SchemaType::String | SchemaType::Integer | SchemaType::Boolean)
    )
}
