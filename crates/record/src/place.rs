//! Puts literals and buffered JSON into slots; reports what does not fit.
use serde_json::Value;

use crate::{
    foreign,
    literal::{Literal, Misfit},
    report::Report,
    value::{Fixed, Scalar, Slot},
};

/// Unwraps optional slots, filling each with a blank value.
#[inline]
pub(super) fn resolve(mut slot: Slot<'_>) -> Slot<'_> {
    while let Slot::Optional(optional) = slot {
        slot = optional.set_blank();
    }
    slot
}

/// Puts a literal into a slot. `null` occurs only at the root.
pub(super) fn literal(slot: Slot<'_>, mut literal: Literal<'_>, report: &mut Report) {
    match resolve(slot) {
        Slot::Scalar(scalar) => {
            if let Err(misfit) = scalar.set(&mut literal) {
                reject(scalar, misfit, &literal, report);
            }
        }
        Slot::Text(text) => match literal.text() {
            Some(value) => text.set(value),
            None => report.wrong_type(literal.kind(), "a string"),
        },
        Slot::Fixed(fixed) => compare(fixed, &literal, report),
        slot @ (Slot::Json(_) | Slot::Whole(_) | Slot::Foreign(_)) => {
            buffered(slot, literal.into(), report);
        }
        slot => misplaced(&slot, literal.kind(), report),
    }
}

/// Puts JSON into a slot that takes a whole value.
pub(super) fn buffered(slot: Slot<'_>, json: Value, report: &mut Report) {
    match slot {
        Slot::Json(place) => *place = json,
        Slot::Whole(whole) => whole.take(json),
        Slot::Foreign(leaf) => foreign::read(leaf, &json, report),
        _ => {}
    }
}

#[cold]
fn reject(scalar: &dyn Scalar, misfit: Misfit, literal: &Literal<'_>, report: &mut Report) {
    match misfit {
        Misfit::Type => report.wrong_type(literal.kind(), scalar.expects()),
        Misfit::Value => report.wrong_value(literal, scalar.expects()),
    }
}

/// Checks a constant. Go clients write an empty string for an unknown type, so it counts as absent.
fn compare(Fixed(expected): Fixed, literal: &Literal<'_>, report: &mut Report) {
    match literal.text() {
        Some(found) if found == expected || found.is_empty() => {}
        Some(found) => report.add(
            String::new(),
            format!("invalid value: {found:?}, expected {expected:?}"),
        ),
        None => report.wrong_type(literal.kind(), "a string"),
    }
}

/// Reports a value of the wrong type.
#[cold]
pub(super) fn misplaced(slot: &Slot<'_>, found: &str, report: &mut Report) {
    let expected = match slot {
        Slot::Scalar(scalar) => scalar.expects(),
        Slot::Text(_) | Slot::Fixed(_) => "a string",
        Slot::Record(_) | Slot::Map(_) => "an object",
        Slot::List(_) => "an array",
        Slot::Skip | Slot::Optional(_) | Slot::Json(_) | Slot::Whole(_) | Slot::Foreign(_) => {
            return;
        }
    };
    report.wrong_type(found, expected);
}

/// Empties a slot, as `null` does.
pub(super) fn null(slot: Slot<'_>) {
    match slot {
        Slot::Skip | Slot::Fixed(_) => {}
        Slot::Scalar(scalar) => scalar.clear(),
        Slot::Text(text) => text.set(""),
        Slot::Record(record) => {
            for index in 0..record.names().len() {
                null(record.at(index));
            }
            if let Some(rest) = record.rest_mut() {
                rest.clear();
            }
        }
        Slot::Optional(optional) => optional.set_null(),
        Slot::List(list) => list.clear(0),
        Slot::Map(map) => map.clear(),
        Slot::Json(json) => *json = Value::Null,
        Slot::Whole(whole) => whole.take(Value::Null),
        Slot::Foreign(leaf) => leaf.clear(),
    }
}
