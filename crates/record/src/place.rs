//! One literal and a slot in, the literal in its place or a problem in the report out; knows no deserializer.
use super::report::Report;
use super::{Fixed, Literal, Misfit, Scalar, Slot, foreign};

/// The slot within all optional ones, which are filled with a blank value on the way.
#[inline]
pub(super) fn resolve(mut slot: Slot<'_>) -> Slot<'_> {
    while let Slot::Optional(optional) = slot {
        slot = optional.set_blank();
    }
    slot
}

/// Puts a literal that is not `null` (save at the root) in its place.
pub(super) fn literal(slot: Slot<'_>, mut literal: Literal<'_>, report: &mut Report) {
    match resolve(slot) {
        Slot::Scalar(scalar) => {
            if let Err(misfit) = scalar.set(&mut literal) {
                refuse(scalar, misfit, &literal, report);
            }
        }
        Slot::Text(text) => match literal.text() {
            Some(value) => text.set(value),
            None => report.wrong_type(literal.kind(), "a string"),
        },
        Slot::Fixed(fixed) => compare(fixed, &literal, report),
        Slot::Json(json) => *json = literal.into(),
        Slot::Whole(whole) => whole.take(literal.into()),
        Slot::Foreign(leaf) => foreign::read_literal(leaf, literal, report),
        slot => misplaced(&slot, literal.kind(), report),
    }
}

#[cold]
fn refuse(scalar: &dyn Scalar, misfit: Misfit, literal: &Literal<'_>, report: &mut Report) {
    match misfit {
        Misfit::Type => report.wrong_type(literal.kind(), scalar.expects()),
        Misfit::Value => report.wrong_value(literal, scalar.expects()),
    }
}

/// An empty text is what Go clients write for an unknown type: as good as absent.
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

/// Reports a value that the slot has no place for.
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
        Slot::Json(json) => *json = serde_json::Value::Null,
        Slot::Whole(whole) => whole.take(serde_json::Value::Null),
        Slot::Foreign(leaf) => leaf.clear(),
    }
}
