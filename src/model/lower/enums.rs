//! Lowers `enum` to an enum of strings, of integers, or of both; other values become a constraint on a plain type.
use super::node::{Lowering, SchemaNode};
use super::{int_or_string, scalar};
use crate::base::diag::Code;
use crate::input::crd::{Schema, SchemaType};
use crate::model::ir::{Body, Enum, EnumBase, Ident, IntWidth, Scalar, Ty, Variant};
use serde_json::Value;
use std::collections::HashSet;

/// The most values of a Rust enum. With 2,000, rustc takes half a second; with 10,000, six seconds and 800 MB.
const MOST_VARIANTS: usize = 2000;

pub(super) fn lower(lowering: &mut Lowering<'_>, node: &mut SchemaNode) -> Option<Ty> {
    take_branches(&mut node.schema);
    let mut values = node.schema.enum_.take()?;
    let count = values.len();
    values.retain(|value| !value.is_null());
    // Without a type, `null` among the values makes the node nullable.
    node.nullable |= values.len() < count && node.schema.type_.is_none();
    if values.len() < count && !node.nullable {
        let message = "the value null is never valid: the field is not nullable".to_owned();
        report(
            lowering,
            node,
            message,
            "remove it, or add `nullable: true`",
        );
    }
    let values = possible(lowering, node, values)?;
    let Some(base) = base(node, &values) else {
        plain(lowering, node, values);
        return None;
    };
    let variants = variants(values, base);
    let schema = &mut node.schema;
    schema.kubernetes.preserve_unknown_fields &= schema.type_.is_some();
    schema.type_ = None;
    if let EnumBase::Int(_) = base {
        schema
            .format
            .take_if(|format| scalar::integer(format).is_some());
    }
    let is_either = schema.kubernetes.int_or_string || int_or_string::is_pair(schema);
    if base == EnumBase::Mixed {
        int_or_string::take(schema);
    }
    let default = node.default.as_ref();
    let constants = variants.len() > MOST_VARIANTS;
    if constants {
        too_many(lowering, node, base, variants.len());
        if base != EnumBase::Text {
            return Some(number(base, is_either));
        }
    }
    let body = Body::Enum(Enum {
        base,
        constants,
        default: default.and_then(|default| variants.iter().position(|it| it.value == *default)),
        variants,
        other: Ident::new("Other"),
    });
    Some(lowering.define(node, body))
}

/// Takes branches that only list values: what all of them permit is the enum. controller-gen writes `allOf` where a type and its field
/// both list values, and `oneOf` is how other generators describe each value.
fn take_branches(schema: &mut Schema) {
    let listed = |branch: &Value| {
        let fields = branch.as_object()?;
        let known = ["enum", "title", "description"];
        let values = fields.get("enum").and_then(Value::as_array);
        let is_list = fields.keys().all(|name| known.contains(&name.as_str()));
        values.filter(|_| is_list).cloned()
    };
    let logic = &mut schema.logic;
    let mut lists = Vec::new();
    logic.all_of.retain(|branch| match listed(branch) {
        Some(values) => {
            lists.push(values);
            false
        }
        None => true,
    });
    for (branches, is_one) in [(&mut logic.one_of, true), (&mut logic.any_of, false)] {
        let all: Option<Vec<Vec<Value>>> = branches.iter().map(listed).collect();
        let Some(all) = all.filter(|all| !all.is_empty()) else {
            continue;
        };
        let matches = |value: &Value| all.iter().filter(|values| values.contains(value)).count();
        let mut values: Vec<Value> = Vec::new();
        for value in all.concat() {
            if !values.contains(&value) && (!is_one || matches(&value) == 1) {
                values.push(value);
            }
        }
        lists.push(values);
        branches.clear();
    }
    for list in lists {
        match &mut schema.enum_ {
            Some(values) => values.retain(|value| list.contains(value)),
            None => schema.enum_ = Some(list),
        }
    }
}

fn report(lowering: &mut Lowering<'_>, node: &SchemaNode, message: String, hint: &str) {
    lowering
        .report(Code::PlainEnum, &node.path, Some("enum"), message)
        .hint(hint);
}

/// Whether a value is of a type.
type Fits = fn(&Value) -> bool;

/// Returns the values that an object can have, each once, and reports the others; none if there is no such value.
fn possible(
    lowering: &mut Lowering<'_>,
    node: &mut SchemaNode,
    all: Vec<Value>,
) -> Option<Vec<Value>> {
    let schema = &node.schema;
    let is_either = schema.kubernetes.int_or_string || int_or_string::is_pair(schema);
    let (wanted, fits): (&str, Fits) = match schema.type_.as_ref() {
        _ if is_either => ("an integer or a string", |it| {
            it.is_string() || is_integer(it)
        }),
        Some(SchemaType::String) => ("a string", Value::is_string),
        Some(SchemaType::Integer) => ("an integer", is_integer),
        Some(SchemaType::Number) => ("a number", Value::is_number),
        Some(SchemaType::Boolean) => ("a boolean", Value::is_boolean),
        Some(SchemaType::Object) => ("an object", Value::is_object),
        Some(SchemaType::Array) => ("a list", Value::is_array),
        Some(SchemaType::Unknown(_)) | None => ("", |_| true),
    };
    let takes_integers = is_either || schema.type_ == Some(SchemaType::Integer);
    let (mut possible, mut wrong, mut twice) = (Vec::new(), Vec::new(), Vec::new());
    let (mut seen, mut repeated) = (HashSet::new(), HashSet::new());
    for value in all {
        // The API server compares numbers by their value.
        let value = match value.as_f64() {
            Some(number) if takes_integers && !is_integer(&value) => whole(number).unwrap_or(value),
            _ => value,
        };
        if !seen.insert(value.clone()) {
            if repeated.insert(value.clone()) {
                twice.push(value);
            }
        } else if fits(&value) {
            possible.push(value);
        } else {
            wrong.push(value);
        }
    }
    if !twice.is_empty() {
        let message = format!("the enum lists {} more than once", listed(&twice));
        report(lowering, node, message, "remove the repetition");
    }
    if wrong.is_empty() {
        return Some(possible);
    }
    let (are, values) = match wrong.as_slice() {
        [_] => ("is", "value"),
        _ => ("are", "values"),
    };
    let kind = match wanted.split_once(' ') {
        Some((_, kind)) if wrong.len() > 1 && !is_either => format!("{kind}s"),
        _ => wanted.to_owned(),
    };
    let shown = listed(&wrong);
    if possible.is_empty() {
        let message = format!("no value is valid: the {values} {shown} {are} not {kind}");
        let hint = "correct `type` or `enum`; the API server rejects every object with this field";
        report(lowering, node, message, hint);
        node.constrain("enum", Value::Array(wrong));
        return None;
    }
    let message = format!("the {values} {shown} {are} never valid: not {kind}");
    report(
        lowering,
        node,
        message,
        "remove what is never valid, or correct `type`",
    );
    Some(possible)
}

/// Returns a number without a fraction as an integer.
fn whole(number: f64) -> Option<Value> {
    /// All smaller integers are floats, too.
    const LARGEST: f64 = 9_007_199_254_740_992.0;
    let is_whole = number.fract() == 0.0 && number.abs() <= LARGEST;
    #[expect(clippy::cast_possible_truncation, reason = "no fraction and small")]
    is_whole.then(|| Value::from(number as i64))
}

/// Returns the first few values as JSON.
fn listed(values: &[Value]) -> String {
    const MOST: usize = 5;
    const LONGEST: usize = 60;
    let mut texts: Vec<String> = values.iter().take(MOST).map(Value::to_string).collect();
    for text in &mut texts {
        if let Some((end, _)) = text.char_indices().nth(LONGEST) {
            text.truncate(end);
            text.push('…');
        }
    }
    if values.len() > MOST {
        texts.push(format!("{} more", values.len() - MOST));
    }
    texts.join(", ")
}

/// Reports an enum that no Rust enum is generated for, because of its size.
fn too_many(lowering: &mut Lowering<'_>, node: &SchemaNode, base: EnumBase, count: usize) {
    let becomes = match base {
        EnumBase::Text => "it becomes a struct around a text, with a constant for each value",
        EnumBase::Int(_) => "it becomes an integer",
        EnumBase::Mixed => "it becomes a plain value",
    };
    lowering
        .report(
            Code::TooLarge,
            &node.path,
            Some("enum"),
            format!("{count} values are too many for a Rust enum; {becomes}"),
        )
        .hint(format!(
            "an enum has at most {MOST_VARIANTS} values; the API server still checks the value"
        ));
}

/// Returns the type of the values of an enum that are not all texts.
fn number(base: EnumBase, is_either: bool) -> Ty {
    match base {
        EnumBase::Int(width) => Ty::int(width),
        EnumBase::Mixed if is_either => Scalar::IntOrString.into(),
        EnumBase::Mixed | EnumBase::Text => Ty::JSON,
    }
}

/// Returns the type of the values, from `type` or else from the values; `None` if the node becomes a plain type.
fn base(node: &SchemaNode, values: &[Value]) -> Option<EnumBase> {
    let either = node.schema.kubernetes.int_or_string || int_or_string::is_pair(&node.schema);
    let texts = values.iter().any(Value::is_string);
    let integers = values.iter().any(is_integer);
    if either {
        return (texts || integers).then_some(EnumBase::Mixed);
    }
    match node.schema.type_.as_ref() {
        Some(SchemaType::String) => texts.then_some(EnumBase::Text),
        Some(SchemaType::Integer) => integers
            .then(|| width(node.schema.format.as_deref(), values))
            .flatten()
            .map(EnumBase::Int),
        None if values.iter().all(Value::is_string) => texts.then_some(EnumBase::Text),
        None if values.iter().all(is_integer) => width(None, values).map(EnumBase::Int),
        None if values.iter().all(is_scalar) && !values.iter().all(Value::is_boolean) => {
            Some(EnumBase::Mixed)
        }
        Some(
            SchemaType::Object
            | SchemaType::Array
            | SchemaType::Number
            | SchemaType::Boolean
            | SchemaType::Unknown(_),
        )
        | None => None,
    }
}

fn is_integer(value: &Value) -> bool {
    value.is_i64() || value.is_u64()
}

fn is_scalar(value: &Value) -> bool {
    value.is_string() || is_integer(value) || value.is_boolean()
}

/// Returns the width of the format, or a wider one that holds all integers among the values.
fn width(format: Option<&str>, values: &[Value]) -> Option<IntWidth> {
    let named = format.and_then(scalar::integer);
    let fits = |width: &IntWidth| {
        let mut integers = values.iter().filter(|value| is_integer(value));
        integers.all(|value| width.holds(value))
    };
    named
        .into_iter()
        .chain([IntWidth::I64, IntWidth::U64])
        .find(fits)
}

/// Returns the variants of the values that are of the base type, each once.
fn variants(values: Vec<Value>, base: EnumBase) -> Vec<Variant> {
    let mut variants: Vec<Variant> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for value in values {
        let fits = match base {
            EnumBase::Text => value.is_string(),
            EnumBase::Int(_) => is_integer(&value),
            EnumBase::Mixed => is_scalar(&value),
        };
        if fits && seen.insert(value.clone()) {
            variants.push(Variant { value, ident: None });
        }
    }
    variants
}

/// Keeps the values as a constraint on a plain type.
fn plain(lowering: &mut Lowering<'_>, node: &mut SchemaNode, values: Vec<Value>) {
    let boolean = match &node.schema.type_ {
        None => !values.is_empty(),
        Some(kind) => *kind == SchemaType::Boolean,
    };
    if boolean && values.iter().all(Value::is_boolean) {
        node.schema.type_ = Some(SchemaType::Boolean);
        // Both values together are no constraint.
        if !(values.contains(&Value::Bool(true)) && values.contains(&Value::Bool(false))) {
            node.constrain("enum", Value::Array(values));
        }
    } else if !values.is_empty() {
        let message = "an enum of these values becomes a plain type".to_owned();
        let hint = "the documentation of the field lists the values";
        report(lowering, node, message, hint);
        node.constrain("enum", Value::Array(values));
    }
}
