//! Booleans, numbers and strings; a format that is known beside its type chooses the Rust type.
use super::node::{Lowering, Node};
use crate::crd::SchemaType;
use crate::ir::{IntWidth, Ty};

pub(super) fn lower(_: &mut Lowering<'_>, node: &mut Node) -> Option<Ty> {
    let format = node.schema.format.as_deref();
    let by_format = match node.schema.type_.as_ref()? {
        SchemaType::Boolean => None,
        SchemaType::Integer => format.and_then(integer),
        SchemaType::Number => format.and_then(number),
        SchemaType::String => format.and_then(string),
        SchemaType::Object | SchemaType::Array | SchemaType::Unknown(_) => return None,
    };
    let plain = match node.schema.type_.take()? {
        SchemaType::Boolean => Ty::Bool,
        SchemaType::Integer => Ty::Int(IntWidth::I64),
        SchemaType::Number => Ty::Float,
        SchemaType::String
        | SchemaType::Object
        | SchemaType::Array
        | SchemaType::Unknown(_) => Ty::Str,
    };
    if by_format.is_some() {
        node.schema.format = None;
    }
    Some(by_format.unwrap_or(plain))
}

/// The integer type of a format.
pub(super) fn integer(format: &str) -> Option<Ty> {
    Some(Ty::Int(match format {
        "int8" => IntWidth::I8,
        "int16" => IntWidth::I16,
        "int32" => IntWidth::I32,
        "int64" => IntWidth::I64,
        "uint8" => IntWidth::U8,
        "uint16" => IntWidth::U16,
        "uint32" => IntWidth::U32,
        "uint64" => IntWidth::U64,
        _ => return None,
    }))
}

/// The API server knows neither format and keeps all digits, so there is one type for both.
fn number(format: &str) -> Option<Ty> {
    matches!(format, "float" | "double").then_some(Ty::Float)
}

fn string(format: &str) -> Option<Ty> {
    match format {
        "byte" => Some(Ty::Bytes),
        "date-time" => Some(Ty::Time),
        _ => None,
    }
}
