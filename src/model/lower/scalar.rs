//! Lowers booleans, numbers and strings. A format selects the Rust type if the API server or the bounds enforce it.
use super::node::{Lowering, SchemaNode};
use crate::input::crd::SchemaType;
use crate::model::ir::{IntWidth, Rules, Scalar, Ty};

pub(super) fn lower(_: &mut Lowering<'_>, node: &mut SchemaNode) -> Option<Ty> {
    let format = node.schema.format.as_deref().unwrap_or_default();
    let (scalar, is_expressed) = match node.schema.type_.as_ref()? {
        SchemaType::Boolean => (Scalar::Bool, false),
        SchemaType::Integer => sized(format, &node.rules),
        // The API server ignores both formats and keeps all digits, so there is one type for both.
        SchemaType::Number => (Scalar::Number, matches!(format, "float" | "double")),
        SchemaType::String => match format {
            "byte" => (Scalar::Bytes, true),
            "date-time" => (Scalar::Time, true),
            _ => (Scalar::Str, false),
        },
        SchemaType::Object | SchemaType::Array | SchemaType::Unknown(_) => return None,
    };
    node.schema.type_ = None;
    if is_expressed {
        node.schema.format = None;
    }
    Some(scalar.into())
}

/// Returns the type of an integer, and whether it expresses the format.
///
/// The API server enforces `int32` and `int64` alone: it accepts 300 for an `int8` and -1 for a `uint64`. Any other format
/// narrows the type only if the bounds of the schema enforce it, so that every stored object can be read.
fn sized(format: &str, rules: &Rules) -> (Scalar, bool) {
    let (low, high) = rules.integers(IntWidth::I64).into_inner();
    let fits = |width: IntWidth| width.range().contains(&low) && width.range().contains(&high);
    let Some(width) = integer(format) else {
        return (Scalar::Int(IntWidth::I64), false);
    };
    if matches!(width, IntWidth::I32 | IntWidth::I64) || fits(width) {
        (Scalar::Int(width), true)
    } else if *width.range().start() == 0 && fits(IntWidth::U64) {
        (Scalar::Int(IntWidth::U64), false)
    } else {
        (Scalar::Int(IntWidth::I64), false)
    }
}

/// Returns the width of an integer format.
pub(super) fn integer(format: &str) -> Option<IntWidth> {
    Some(match format {
        "int8" => IntWidth::I8,
        "int16" => IntWidth::I16,
        "int32" => IntWidth::I32,
        "int64" => IntWidth::I64,
        "uint8" => IntWidth::U8,
        "uint16" => IntWidth::U16,
        "uint32" => IntWidth::U32,
        "uint64" => IntWidth::U64,
        _ => return None,
    })
}
