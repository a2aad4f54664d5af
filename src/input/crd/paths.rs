//! Compares the paths of a version with its schema: those of printer columns, of the scale and of selectable fields.
//!
//! The API server accepts a path to a field that the schema does not declare, and prunes the field: the column is empty for ever, and the
//! scale fails. A path is followed as far as the schema says what is there. It says nothing about what is below the fields of `metadata`, also
//! in embedded resources, and what is kept without being declared; such a path may be right.
use std::ops::Range;

use serde_json::{Map, Value};

use super::reader::{At, CrdReader, closest, entry};
use super::{Additional, Items, Schema, SchemaType, decode};
use crate::base::diag::{Code, Severity};

/// A step of a JSON path.
#[derive(Debug, PartialEq)]
enum Step {
    Field(String),
    /// Some items of a list.
    Items,
    /// Any step that may lead to several places.
    Any,
}

/// Where a path leads to.
enum Target<'s> {
    Schema(&'s Schema),
    /// The schema does not say.
    Unknown,
    /// Nowhere: what is wrong, and the path that is meant.
    Nowhere {
        what: String,
        nearest: Option<String>,
    },
}

/// How many paths of a version get a suggestion: each one is compared with all names of an object.
const SUGGESTIONS: usize = 100;
/// How many steps of a path are corrected after the first one.
const CORRECTIONS: usize = 4;

/// Reports the paths of a version that lead nowhere in its schema.
pub(super) fn check(
    reader: &mut CrdReader<'_>,
    version: &Map<String, Value>,
    schema: &Schema,
    at: &At<'_>,
) {
    let mut left = SUGGESTIONS;
    let mut follow = |path: &str| follow(schema, path, &mut left);
    let columns_at = at.key("additionalPrinterColumns");
    for (index, path) in listed(version, "additionalPrinterColumns") {
        if let Target::Nowhere { what, nearest } = follow(path) {
            let hint = match nearest {
                Some(near) => format!("the column stays empty; did you mean `{near}`?"),
                None => "the column stays empty; correct the path, or declare the field".to_owned(),
            };
            let at = columns_at.index(index);
            let finding = reader.report(Code::InvalidPath, &at.key("jsonPath"), what);
            finding.hint(hint).severity = Severity::Warning;
        }
    }
    let selectable_at = at.key("selectableFields");
    for (index, path) in listed(version, "selectableFields") {
        if let Target::Nowhere {
            nearest: Some(near),
            ..
        } = follow(path)
        {
            // The API server rejects it, which is reported already.
            let place = reader.place(&selectable_at.index(index).key("jsonPath"));
            let mut all = reader.diagnostics.all_mut().iter_mut();
            let is_it = |it: &&mut crate::base::diag::Diagnostic| {
                it.code == Code::SelectableField && it.place.pointer == place.pointer
            };
            if let Some(finding) = all.find(is_it) {
                finding.hint(format!("did you mean `{near}`?"));
            }
        }
    }
    let subresources_at = at.key("subresources");
    let scale_at = subresources_at.key("scale");
    let Some(scale) = entry(version, "subresources").and_then(|it| it["scale"].as_object()) else {
        return;
    };
    for (key, wanted, what_wanted) in [
        ("specReplicasPath", SchemaType::Integer, "an integer"),
        ("statusReplicasPath", SchemaType::Integer, "an integer"),
        ("labelSelectorPath", SchemaType::String, "a string"),
    ] {
        let path = scale.get(key).and_then(Value::as_str).unwrap_or_default();
        let at = scale_at.key(key);
        let pointer = reader.place(&at).pointer;
        let is_reported = reader
            .diagnostics
            .iter()
            .any(|it| it.place.pointer == pointer);
        // Other paths are reported as they are read.
        if is_reported || !super::subresources::is_simple(path) {
            continue;
        }
        let (message, hint) = match follow(path) {
            Target::Unknown => continue,
            Target::Nowhere { what, nearest } => {
                let hint = match nearest {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "correct the path, or declare the field".to_owned(),
                };
                (what, hint)
            }
            Target::Schema(found) => {
                let Some(kind) = &found.type_ else {
                    continue;
                };
                // The API server reads a number without a fraction.
                let is_number = (kind, &wanted) == (&SchemaType::Number, &SchemaType::Integer);
                if *kind == wanted || is_number || found.kubernetes.int_or_string {
                    continue;
                }
                let message = format!(
                    "`{path}` is {}: {key} needs {what_wanted}",
                    name_of_type(kind)
                );
                let hint = if key == "labelSelectorPath" {
                    "the controller writes the selector as a text, such as `app=web`, for autoscalers"
                } else {
                    "name the field that has the number"
                };
                (message, hint.to_owned())
            }
        };
        let finding = reader.report(Code::InvalidPath, &at, message);
        finding.hint(hint).severity = Severity::Warning;
    }
}

/// Returns the paths in a list of columns or selectable fields.
fn listed<'v>(
    version: &'v Map<String, Value>,
    keyword: &str,
) -> impl Iterator<Item = (usize, &'v str)> {
    let list = version.get(keyword).and_then(Value::as_array);
    let items = list.into_iter().flatten().enumerate();
    items.filter_map(|(index, it)| Some((index, it["jsonPath"].as_str()?)))
}

fn name_of_type(kind: &SchemaType) -> String {
    match kind {
        SchemaType::Object => "an object".to_owned(),
        SchemaType::Array => "a list".to_owned(),
        SchemaType::String => "a string".to_owned(),
        SchemaType::Integer => "an integer".to_owned(),
        SchemaType::Number => "a number".to_owned(),
        SchemaType::Boolean => "a boolean".to_owned(),
        SchemaType::Unknown(name) => format!("a {name}"),
    }
}

/// Returns where a path leads to. A suggested path leads somewhere. `left`: for how many more paths one is looked for.
fn follow<'s>(root: &'s Schema, path: &str, left: &mut usize) -> Target<'s> {
    match walk(root, path, *left > 0) {
        Target::Nowhere { what, nearest } => {
            let nearest = if *left > 0 {
                corrected(root, nearest)
            } else {
                None
            };
            *left = left.saturating_sub(1);
            Target::Nowhere { what, nearest }
        }
        target => target,
    }
}

/// Returns a suggested path with its other steps corrected, too.
fn corrected(root: &Schema, nearest: Option<String>) -> Option<String> {
    let mut path = nearest?;
    for _ in 0..CORRECTIONS {
        match walk(root, &path, true) {
            Target::Nowhere { nearest, .. } => path = nearest?,
            Target::Schema(_) | Target::Unknown => return Some(path),
        }
    }
    None
}

fn walk<'s>(root: &'s Schema, path: &str, suggests: bool) -> Target<'s> {
    let Some(steps) = steps(path) else {
        return Target::Unknown;
    };
    let (mut schema, mut is_root) = (root, true);
    for (index, (step, bytes)) in steps.iter().enumerate() {
        let next = match step {
            Step::Any => None,
            Step::Items => match (&schema.items, &schema.type_) {
                (Some(Items::Schema(items)), _) => Some(&**items),
                (_, Some(kind)) if is_scalar(kind) && !schema.kubernetes.int_or_string => {
                    let (before, kind) = (&path[..bytes.start], name_of_type(kind));
                    return Target::Nowhere {
                        what: format!("`{before}` is {kind}, which has no items"),
                        nearest: None,
                    };
                }
                _ => None,
            },
            Step::Field(name) => match field(schema, name, is_root) {
                Field::Declared(inner) => Some(inner),
                Field::Metadata => return metadata(path, steps.get(index + 1)),
                Field::Unknown => None,
                Field::Absent => return absent(schema, name, path, bytes, suggests),
            },
        };
        let Some(next) = next else {
            return Target::Unknown;
        };
        (schema, is_root) = (next, false);
    }
    Target::Schema(schema)
}

fn is_scalar(kind: &SchemaType) -> bool {
    match kind {
        SchemaType::String | SchemaType::Integer | SchemaType::Number | SchemaType::Boolean => true,
        SchemaType::Object | SchemaType::Array | SchemaType::Unknown(_) => false,
    }
}

/// Returns where a path leads to whose step after `metadata` is this one.
fn metadata(path: &str, next: Option<&(Step, Range<usize>)>) -> Target<'static> {
    let known: Vec<&str> = decode::fields_of_metadata().collect();
    match next {
        Some((Step::Field(name), bytes)) if !known.contains(&&**name) => Target::Nowhere {
            what: format!("`{path}` leads nowhere: `metadata` has no field {name:?}"),
            nearest: suggestion(name, &known, path, bytes),
        },
        _ => Target::Unknown,
    }
}

/// Returns a path with the nearest known name in place of a step.
fn suggestion(name: &str, known: &[&str], path: &str, step: &Range<usize>) -> Option<String> {
    let near = closest(name, known)?.replace('.', "\\.");
    let (before, rest) = (&path[..step.start], &path[step.end..]);
    Some(format!("{before}.{near}{rest}"))
}

enum Field<'s> {
    Declared(&'s Schema),
    /// The metadata of a resource, which no schema describes.
    Metadata,
    /// The schema does not say.
    Unknown,
    Absent,
}

/// Returns a field of an object.
fn field<'s>(schema: &'s Schema, name: &str, is_root: bool) -> Field<'s> {
    let is_resource = is_root || schema.kubernetes.embedded_resource;
    match name {
        "metadata" if is_resource => return Field::Metadata,
        "apiVersion" | "kind" if is_resource => return Field::Unknown,
        _ => {}
    }
    let declared = schema.properties.as_ref().and_then(|all| all.get(name));
    if let Some(inner) = declared {
        return Field::Declared(inner);
    }
    match &schema.additional {
        Some(Additional::Schema(inner)) => return Field::Declared(inner),
        Some(Additional::Bool(true)) => return Field::Unknown,
        Some(Additional::Bool(false)) | None => {}
    }
    let kubernetes = &schema.kubernetes;
    let is_unclear = kubernetes.preserve_unknown_fields
        || kubernetes.int_or_string
        || matches!(schema.type_, None | Some(SchemaType::Unknown(_)));
    if is_unclear {
        Field::Unknown
    } else {
        Field::Absent
    }
}

fn absent(
    schema: &Schema,
    name: &str,
    path: &str,
    step: &Range<usize>,
    suggests: bool,
) -> Target<'static> {
    let (before, rest) = (&path[..step.start], &path[step.end..]);
    let of = if before.is_empty() { "." } else { before };
    match &schema.type_ {
        Some(SchemaType::Array) => {
            return Target::Nowhere {
                what: format!("`{of}` is a list, which has no field {name:?}"),
                nearest: match name.parse::<usize>() {
                    Ok(index) => Some(format!("{before}[{index}]{rest}")),
                    Err(_) => Some(format!("{before}[*]{}", &path[step.start..])),
                },
            };
        }
        Some(SchemaType::Object) => {}
        Some(kind) => {
            let kind = name_of_type(kind);
            return Target::Nowhere {
                what: format!("`{of}` is {kind}, which has no field {name:?}"),
                nearest: None,
            };
        }
        None => return Target::Unknown,
    }
    let known = schema.properties.iter().flat_map(|all| all.keys());
    let known: Vec<&str> = known.map(String::as_str).collect();
    Target::Nowhere {
        what: format!("`{path}` leads nowhere: the schema declares no field {name:?} in `{of}`"),
        nearest: suggests
            .then(|| suggestion(name, &known, path, step))
            .flatten(),
    }
}

/// Returns the steps of a JSON path, each with its bytes; none if it is more than steps.
fn steps(path: &str) -> Option<Vec<(Step, Range<usize>)>> {
    let mut steps = Vec::new();
    let mut at = 0;
    while at < path.len() {
        let rest = path.get(at..)?;
        let (step, length) = if let Some(rest) = rest.strip_prefix('.') {
            let (name, length) = name(rest);
            let step = match &*name {
                // `..name` looks everywhere.
                "" | "*" => Step::Any,
                _ => Step::Field(name),
            };
            (step, length + 1)
        } else {
            let end = bracket(rest)?;
            let inner = rest.get(1..end)?.trim();
            (selection(inner), end + 1)
        };
        if step == Step::Any {
            return None;
        }
        steps.push((step, at..at + length));
        at += length;
    }
    Some(steps)
}

/// Reads a name, in which a backslash escapes a dot; also returns how many bytes it has.
fn name(text: &str) -> (String, usize) {
    let (mut name, mut is_escaped) = (String::new(), false);
    for (at, c) in text.char_indices() {
        match c {
            _ if std::mem::take(&mut is_escaped) => name.push(c),
            '\\' => is_escaped = true,
            '.' | '[' => return (name, at),
            c if c.is_alphanumeric() || "-_/*$".contains(c) => name.push(c),
            // Something else than a path.
            _ => return (String::new(), at),
        }
    }
    (name, text.len())
}

/// Returns where the bracket at the start of a text is closed.
fn bracket(text: &str) -> Option<usize> {
    let (mut depth, mut quote, mut is_escaped) = (0, None, false);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            _ if std::mem::take(&mut is_escaped) => {}
            (Some(_), '\\') => is_escaped = true,
            (Some(mark), _) if c == mark => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, '[' | '(') => depth += 1,
            (None, ']' | ')') => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            (None, _) if depth == 0 => return None,
            (Some(_) | None, _) => {}
        }
    }
    None
}

/// Returns what is selected in brackets.
fn selection(inner: &str) -> Step {
    let quoted = ['\'', '"'].into_iter().find_map(|mark| {
        let inner = inner.strip_prefix(mark)?.strip_suffix(mark)?;
        (!inner.contains([mark, '\\'])).then_some(inner)
    });
    if let Some(name) = quoted {
        return Step::Field(name.to_owned());
    }
    let is_range = |text: &str| {
        let known = |c: char| c.is_ascii_digit() || "-:".contains(c);
        !text.is_empty() && text.chars().all(known)
    };
    if inner == "*" || inner.starts_with('?') || is_range(inner) {
        Step::Items
    } else {
        Step::Any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_as_steps() {
        let field = |name: &str| Step::Field(name.to_owned());
        let read = |path| {
            let steps = steps(path)?.into_iter().map(|(step, _)| step);
            Some(steps.collect::<Vec<_>>())
        };
        for (path, expected) in [
            (".spec.a", Some(vec![field("spec"), field("a")])),
            (
                ".spec['a.b'].c",
                Some(vec![field("spec"), field("a.b"), field("c")]),
            ),
            (".a\\.b/c", Some(vec![field("a.b/c")])),
            (".a[*].b", Some(vec![field("a"), Step::Items, field("b")])),
            (".a[-1:]", Some(vec![field("a"), Step::Items])),
            (
                ".a[?(@.type==\"R].dy\")].b",
                Some(vec![field("a"), Step::Items, field("b")]),
            ),
            ("..a", None),
            (".a.*", None),
            (".a['b','c']", None),
            (".a[", None),
            (".a b", None),
            ("{.a}", None),
        ] {
            assert_eq!(read(path), expected, "{path}");
        }
    }
}
