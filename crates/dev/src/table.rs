//! Reads and formats the tables (`meta.k8s.io/v1`) in which the API server shows objects to `kubectl get`.

use kube_codegen::private::printable;
use serde_json::Value;

/// Returns the indexes of the columns that `kubectl get` shows.
pub(super) fn visible(table: &Value) -> Vec<usize> {
    let columns = table["columnDefinitions"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let shown = columns
        .iter()
        .enumerate()
        .filter(|(_, column)| column["priority"].as_i64().unwrap_or_default() == 0);
    shown.map(|(index, _)| index).collect()
}

pub(super) fn cell(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "<none>".to_owned(),
        other => other.to_string(),
    }
}

/// Returns a cell on one line, as wide as it will be.
pub(super) fn shown(value: &Value) -> String {
    printable::line(&cell(value)).into_owned()
}

/// Formats a table; names have the kind before them. If objects are in other namespaces than `default`, the first column has them.
pub(super) fn aligned(table: &Value, rows: &[&Value], kind: &str) -> String {
    let columns = visible(table);
    let namespace = |row: &Value| row["object"]["metadata"]["namespace"].clone();
    let is_elsewhere = |row: &&Value| !namespace(row).is_null() && namespace(row) != "default";
    let has_namespaces = rows.iter().any(is_elsewhere);
    let mut lines = vec![
        columns
            .iter()
            .map(|index| shown(&table["columnDefinitions"][index]["name"]).to_uppercase())
            .collect::<Vec<_>>(),
    ];
    lines.extend(rows.iter().map(|row| {
        let mut cells: Vec<String> = columns
            .iter()
            .map(|index| shown(&row["cells"][index]))
            .collect();
        if let Some(name) = cells.first_mut() {
            *name = format!("{kind}/{name}");
        }
        cells
    }));
    if has_namespaces {
        let texts = rows.iter().map(|row| shown(&namespace(row)));
        let texts = ["NAMESPACE".to_owned()].into_iter().chain(texts);
        for (line, text) in lines.iter_mut().zip(texts) {
            line.insert(0, text);
        }
    }
    let widths: Vec<usize> = (0..lines[0].len())
        .map(|column| {
            lines
                .iter()
                .map(|line| line[column].chars().count())
                .max()
                .unwrap_or_default()
        })
        .collect();
    let format = |line: &Vec<String>| {
        let cells = line
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("   ").trim_end().to_owned()
    };
    lines.iter().map(format).collect::<Vec<_>>().join("\n")
}
