//! Lowers `enum` to an enum of strings, of integers, or of both; other values become a constraint on a plain type.
use super::node::{Lowering, Node};
use super::{int_or_string, scalar};
use crate::base::diag::Code;
use crate::input::crd::{Schema, SchemaType};
use crate::model::ir::{Body, Enum, EnumBase, Ident, IntWidth, Scalar, Ty, Variant};
use serde_json::Value;

/// The most values of a Rust enum. With 2,000, rustc takes half a second; with 10,000, six seconds and 800 MB.
const MOST_VARIANTS: usize = 2000;

pub(super) fn lower(lowering: &mut Lowering<'_>, node: &mut Node) -> Option<Ty> {
    take_branches(&mut node.schema);
    let mut values = node.schema.enum_.take()?;
    let count = values.len();
    values.retain(|value| !value.is_null());
    // Without a type, `null` among the values makes the node nullable.
    node.nullable |= values.len() < count && node.schema.type_.is_none();
    let Some(base) = base(node, &values) else {
        plain(lowering, node, values);
        return None;
    };
    let count = values.len();
    let variants = variants(values, base);
    if variants.len() < count {
        lowering
            .report(
                Code::PlainEnum,
                &node.path,
                Some("enum"),
                "enum values that are duplicates or of another type are ignored".into(),
            )
            .hint("no valid object contains such a value");
    }
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

/// Reports an enum that no Rust enum is generated for, because of its size.
fn too_many(lowering: &mut Lowering<'_>, node: &Node, base: EnumBase, count: usize) {
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
fn base(node: &Node, values: &[Value]) -> Option<EnumBase> {
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
fn plain(lowering: &mut Lowering<'_>, node: &mut Node, values: Vec<Value>) {
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
        lowering
            .report(
                Code::PlainEnum,
                &node.path,
                Some("enum"),
                "an enum of these values becomes a plain type".into(),
            )
            .hint("the documentation of the field lists the values");
        node.constrain("enum", Value::Array(values));
    }
}
