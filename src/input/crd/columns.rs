//! Reads the printer columns and selectable fields of a version.
use super::reader::{At, CrdReader, entry, text_of};
use crate::base::diag::{Code, Severity};
use serde_json::{Map, Value};

/// One of `additionalPrinterColumns`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Heading.
    pub name: String,
    /// OpenAPI type of the cell.
    pub type_: String,
    /// OpenAPI format of the cell.
    pub format: Option<String>,
    /// Description of the column.
    pub description: Option<String>,
    /// 0 is always shown, a greater number only with `-o wide`.
    pub priority: i32,
    /// JSON path of the value in the object.
    pub json_path: String,
}

/// One of `selectableFields`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectableField {
    /// JSON path of the field, with its leading dot.
    pub json_path: String,
}

pub(super) fn read(
    reader: &mut CrdReader<'_>,
    version: &Map<String, Value>,
    at: &At<'_>,
) -> Vec<Column> {
    let at = at.key("additionalPrinterColumns");
    let Some(list) = entry(version, "additionalPrinterColumns") else {
        return Vec::new();
    };
    let list = list.as_array().into_iter().flatten();
    list.enumerate()
        .filter_map(|(index, item)| column(reader, item, &at.index(index)))
        .collect()
}

fn column(reader: &mut CrdReader<'_>, value: &Value, at: &At<'_>) -> Option<Column> {
    let map = value.as_object()?;
    let text = |key: &str| text_of(map, key);
    let (name, type_, json_path) = (text("name"), text("type"), text("jsonPath"));
    let (format, description) = (text("format"), text("description"));
    let is_open = |path: &str| path.starts_with('.') && !is_closed(path);
    if json_path.as_deref().is_some_and(is_open) {
        reader
            .report(
                Code::InvalidPath,
                &at.key("jsonPath"),
                "the JSON path has an open bracket or quote",
            )
            .hint("kubectl shows none of the columns of a version with such a path; close it")
            .severity = Severity::Warning;
    }
    let priority = map.get("priority").and_then(Value::as_i64);
    Some(Column {
        name: name?,
        type_: type_?,
        format,
        description,
        priority: i32::try_from(priority.unwrap_or_default()).unwrap_or(i32::MAX),
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

/// Reads `selectableFields`.
pub(super) fn selectable(version: &Map<String, Value>) -> Vec<SelectableField> {
    let list = entry(version, "selectableFields").and_then(Value::as_array);
    let path = |item: &Value| text_of(item.as_object()?, "jsonPath");
    let paths = list.into_iter().flatten().filter_map(path);
    paths
        .map(|json_path| SelectableField { json_path })
        .collect()
}
