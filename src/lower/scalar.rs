//! Booleans, numbers and strings; a format chooses the Rust type where the API server, or the schema's bounds, hold values to it.
use super::node::{Lowering, Node};
use crate::crd::SchemaType;
use crate::ir::{IntWidth, Rules, Ty};

pub(super) fn lower(_: &mut Lowering<'_>, node: &mut Node) -> Option<Ty> {
    let format = node.schema.format.as_deref().unwrap_or_default();
    let (ty, is_said) = match node.schema.type_.as_ref()? {
        SchemaType::Boolean => (Ty::Bool, false),
        SchemaType::Integer => sized(format, &node.rules),
        // The API server knows neither format and keeps all digits, so there is one type for both.
        SchemaType::Number => (Ty::Number, matches!(format, "float" | "double")),
        SchemaType::String => match format {
            "byte" => (Ty::Bytes, true),
            "date-time" => (Ty::Time, true),
            _ => (Ty::Str, false),
        },
        SchemaType::Object | SchemaType::Array | SchemaType::Unknown(_) => return None,
    };
    node.schema.type_ = None;
    if is_said {
        node.schema.format = None;
    }
    Some(ty)
}

/// The type of an integer, and whether it says all that its format does.
///
/// The API server holds an integer to `int32` and `int64` alone and takes 300 for an `int8`, -1 for a `uint64`: any other format narrows
/// the type only where the bounds of the schema hold a value to it. No stored object is unreadable then.
fn sized(format: &str, rules: &Rules) -> (Ty, bool) {
    let (low, high) = rules.integers(IntWidth::I64).into_inner();
    let fits = |width: IntWidth| width.range().contains(&low) && width.range().contains(&high);
    let Some(width) = integer(format) else {
        return (Ty::Int(IntWidth::I64), false);
    };
    if matches!(width, IntWidth::I32 | IntWidth::I64) || fits(width) {
        (Ty::Int(width), true)
    } else if *width.range().start() == 0 && fits(IntWidth::U64) {
        (Ty::Int(IntWidth::U64), false)
    } else {
        (Ty::Int(IntWidth::I64), false)
    }
}

/// The integer type of a format.
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
