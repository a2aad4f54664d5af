//! The names of a kind, as constants of its struct.
use super::{doc, layout};
use crate::ir::{Kind, SelectableField};
use proc_macro2::Literal;
use std::collections::BTreeSet;

/// Writes the constants, in the order a reader looks for them, each with an empty line behind it.
pub(crate) fn write(out: &mut String, kind: &Kind) {
    let texts = [
        ("GROUP", "The API group.", kind.group.clone()),
        ("VERSION", "The version in the group.", kind.version.clone()),
        (
            "API_VERSION",
            "Group and version, as objects have them in `apiVersion`.",
            format!("{}/{}", kind.group, kind.version),
        ),
        ("KIND", "The kind.", kind.kind.clone()),
        (
            "PLURAL",
            "The plural: the path segment of requests.",
            kind.plural.clone(),
        ),
        (
            "SINGULAR",
            "The singular, as kubectl takes it.",
            kind.singular.clone(),
        ),
    ];
    for (name, about, text) in texts {
        constant(
            out,
            about,
            &format!("{name}: &'static str"),
            &literal(&text),
        );
    }
    let lists = [
        (
            "SHORT_NAMES",
            "Short names, as kubectl takes them.",
            &kind.short_names,
        ),
        (
            "CATEGORIES",
            "Categories, which kubectl lists together.",
            &kind.categories,
        ),
    ];
    for (name, about, texts) in lists {
        let texts: Vec<String> = texts.iter().map(|text| literal(text)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        doc::write(out, layout::MARGIN, &[about]);
        let head = format!("pub const {name}: &'static [&'static str] =");
        layout::texts(out, layout::MARGIN, &head, &texts);
        out.push('\n');
    }
    let mut taken = BTreeSet::new();
    for field in &kind.selectable_fields {
        selectable(out, field, &mut taken);
    }
}

/// `SPEC_CHOICE_FIELD` for `.spec.choice`; the same path again says nothing new.
fn selectable(out: &mut String, field: &SelectableField, taken: &mut BTreeSet<String>) {
    let path = field.json_path.trim_start_matches('.');
    let mut name = String::new();
    let mut before = '.';
    for c in path.chars() {
        if c.is_ascii_uppercase() && before.is_ascii_lowercase() {
            name.push('_');
        }
        name.push(if c.is_ascii_alphanumeric() {
            c.to_ascii_uppercase()
        } else {
            '_'
        });
        before = c;
    }
    let name = format!("{name}_FIELD");
    if name.starts_with(|c: char| c.is_ascii_digit()) || !taken.insert(name.clone()) {
        return;
    }
    let about = format!("`{path}`, for field selectors.");
    let value = format!("SelectableField::new({})", literal(path));
    constant(
        out,
        &about,
        &format!("{name}: SelectableField<Self>"),
        &value,
    );
}

/// A constant of a name and a type, and an empty line.
fn constant(out: &mut String, about: &str, name: &str, value: &str) {
    doc::write(out, layout::MARGIN, &[about]);
    layout::assigned(
        out,
        layout::MARGIN,
        &format!("pub const {name} ="),
        value,
        ";",
    );
    out.push('\n');
}

fn literal(text: &str) -> String {
    Literal::string(text).to_string()
}
