//! What `kubectl get` shows, and which fields subresources and selectors use: paths that lead to fields of the page.
use std::collections::HashSet;

use serde::Serialize;

use super::{fields::Link, places};
use crate::model::ir::Kind;

/// A printer column.
#[derive(Debug, Serialize)]
pub(super) struct Column {
    name: String,
    #[serde(rename = "type")]
    type_: String,
    path: Path,
    description: String,
    /// Whether only `-o wide` shows it.
    wide: bool,
}

/// A JSON path, and the field that it leads to.
#[derive(Debug, Serialize)]
pub(super) struct Path {
    text: String,
    href: Option<String>,
}

/// A use of fields by the API server.
#[derive(Debug, Serialize)]
pub(super) struct Use {
    name: &'static str,
    path: Path,
}

/// The anchors of a page.
pub(super) type Present = HashSet<String>;

pub(super) fn columns(kind: &Kind, present: &Present) -> Vec<Column> {
    let column = |column: &crate::model::ir::Column| Column {
        name: column.name.clone(),
        type_: match &column.format {
            Some(format) if !format.is_empty() => format!("{} ({format})", column.type_),
            _ => column.type_.clone(),
        },
        path: Path::of(&column.json_path, present),
        description: column.description.clone().unwrap_or_default(),
        wide: column.priority > 0,
    };
    kind.columns.iter().map(column).collect()
}

/// Returns the fields that the subresource `scale` uses.
pub(super) fn scale(kind: &Kind, present: &Present) -> Vec<Use> {
    let scale = kind.scale.iter();
    let uses = scale.flat_map(|scale| {
        let selector = scale.label_selector_path.as_deref();
        [
            ("Replicas wanted", Some(&*scale.spec_replicas_path)),
            ("Replicas there", Some(&*scale.status_replicas_path)),
            ("Label selector", selector),
        ]
    });
    let uses = uses.filter_map(|(name, path)| {
        Some(Use {
            name,
            path: Path::of(path?, present),
        })
    });
    uses.collect()
}

/// Returns the fields by which objects can be selected.
pub(super) fn selectable(kind: &Kind, present: &Present) -> Vec<Path> {
    let fields = kind.selectable_fields.iter();
    fields
        .map(|field| Path::of(&field.json_path, present))
        .collect()
}

impl Path {
    fn of(json_path: &str, present: &Present) -> Self {
        let names = names(json_path);
        Self {
            text: json_path.to_owned(),
            href: nearest(&names, present).map(|anchor| format!("#{anchor}")),
        }
    }
}

/// Returns a link to a field of another page or of the same, or to what is around it if its type has a section.
pub(super) fn link(text: String, names: &[String], page: &str, present: &Present) -> Link {
    let anchor = nearest(names, present).map_or_else(String::new, |anchor| format!("#{anchor}"));
    let href = if page.is_empty() && anchor.is_empty() {
        "#".to_owned()
    } else {
        format!("{page}{anchor}")
    };
    Link { text, href }
}

fn nearest(names: &[String], present: &Present) -> Option<String> {
    let prefixes = (1..=names.len())
        .rev()
        .map(|length| places::anchor(&names[..length]));
    let mut prefixes = prefixes.filter(|anchor| present.contains(anchor));
    prefixes.next()
}

/// Returns the names of fields in a JSON path, without the filters and indexes of lists.
fn names(path: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    let (mut brackets, mut quote) = (0, None);
    for c in path.chars() {
        match (quote, c) {
            (Some(mark), _) if c == mark => quote = None,
            (None, '"' | '\'') if brackets > 0 => quote = Some(c),
            (None, '[') => brackets += 1,
            (None, ']') => brackets -= 1,
            (None, '.') if brackets == 0 => names.push(String::new()),
            (None, c) if brackets == 0 && c != '\\' => {
                if let Some(name) = names.last_mut() {
                    name.push(c);
                }
            }
            (Some(_) | None, _) => {}
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn filters_are_no_names() {
        assert_eq!(
            names(".status.conditions[?(@.type==\"Re].dy\")].status"),
            ["status", "conditions", "status"]
        );
        assert_eq!(names(".spec.items[0].name"), ["spec", "items", "name"]);
    }
}
