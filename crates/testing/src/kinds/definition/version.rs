//! Validates what a version declares beside its schema: selectable fields, subresources and columns.

use serde_json::Value;

use super::Report;
use crate::values::object::{at, list, text};

/// A selectable field must be in the schema.
pub(super) fn selectable(version: &Value, path: &str, report: &mut Report) {
    for (index, field) in list(version, "/selectableFields").iter().enumerate() {
        let path = format!("{path}.selectableFields[{index}].jsonPath");
        let found = text(field, "/jsonPath");
        let mut names = found.split('.').skip(1);
        let schema = at(version, "/schema/openAPIV3Schema");
        let declared = names.try_fold(schema, |schema, name| schema.get("properties")?.get(name));
        if declared.is_none() {
            let why = "is an invalid path: does not refer to a valid field";
            report.invalid(&path, &found.into(), why);
        }
    }
}

pub(super) fn subresources(version: &Value, path: &str, report: &mut Report) {
    let scale = at(version, "/subresources/scale");
    if !scale.is_object() {
        return;
    }
    for (field, part, required) in [
        ("specReplicasPath", ".spec.", true),
        ("statusReplicasPath", ".status.", true),
        ("labelSelectorPath", ".spec.", false),
    ] {
        let path = format!("{path}.subresources.scale.{field}");
        let found = text(scale, &format!("/{field}"));
        if found.is_empty() {
            if required {
                report.required(&path, "");
            }
        } else if required && !found.starts_with(part) {
            let why = format!("should be a json path under {}", part.trim_end_matches('.'));
            report.invalid(&path, &found.into(), &why);
        } else if !required && !found.starts_with(".spec.") && !found.starts_with(".status.") {
            report.invalid(
                &path,
                &found.into(),
                "should be a json path under either .spec or .status",
            );
        }
    }
}

pub(super) fn columns(version: &Value, path: &str, report: &mut Report) {
    const TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
    for (index, column) in list(version, "/additionalPrinterColumns")
        .iter()
        .enumerate()
    {
        let path = format!("{path}.additionalPrinterColumns[{index}]");
        if text(column, "/name").is_empty() {
            report.required(&format!("{path}.name"), "");
        }
        match text(column, "/type") {
            "" => report.required(
                &format!("{path}.type"),
                "must be one of boolean,date,integer,number,string",
            ),
            known if TYPES.contains(&known) => {}
            _ => report.invalid(
                &format!("{path}.type"),
                at(column, "/type"),
                "must be one of boolean,date,integer,number,string",
            ),
        }
        match text(column, "/jsonPath") {
            "" => report.required(&format!("{path}.JSONPath"), ""),
            found if !found.starts_with('.') => {
                report.invalid(
                    &format!("{path}.JSONPath"),
                    &found.into(),
                    "must be a simple json path starting with .",
                );
            }
            _ => {}
        }
    }
}
