//! What a rule costs, in the units of cel-go and of the API server (`interpreter/runtimecost.go`, `pkg/cel/library/cost.go`).
//!
//! Reading a variable or a field costs 1, a list 10, a map 30 and a call what its function needs for values of this size.

use cel::common::{
    types::{CelBytes, CelInt, CelList, CelMap, CelOptional, CelString},
    value::BuiltinRef,
};

use super::{interpret::Object, library::octets};

/// The most that one rule may cost.
pub(super) const RULE_LIMIT: u64 = 1_000_000;

/// The most that all rules of an object may cost.
pub(super) const OBJECT_LIMIT: u64 = 10_000_000;

pub(super) const READ: u64 = 1;
pub(super) const LIST: u64 = 10;
pub(super) const MAP: u64 = 30;

/// The share of a text's length that passing over it costs.
pub(super) const TEXT: f64 = 0.1;
/// The share of a pattern's length that one step of a match costs.
const PATTERN: f64 = 0.25;

/// Returns what a call costs. An argument that is an error is `None`.
pub(super) fn call(name: &str, args: &[Option<&Object>]) -> u64 {
    let size = |index: usize| args.get(index).map_or(1, |value| value.map_or(1, size));
    let is_text = |index: usize| {
        let value = args.get(index).copied().flatten();
        let text = |it: &Object| {
            matches!(
                it.as_builtin(),
                BuiltinRef::String(_) | BuiltinRef::Bytes(_)
            )
        };
        value.is_some_and(text)
    };
    let is_list = |index: usize| {
        let value = args.get(index).copied().flatten();
        value.is_some_and(|it| matches!(it.as_builtin(), BuiltinRef::List(_)))
    };
    let number = |index: usize| {
        let value = args.get(index).copied().flatten();
        let number = value.and_then(<Object>::downcast_ref::<CelInt>);
        number.map_or(0, |it| u64::try_from(*it.inner()).unwrap_or_default())
    };
    match name {
        "startsWith" | "endsWith" => share(size(1), TEXT),
        "bytes" | "string" | "ip" if is_text(0) => share(size(0), TEXT),
        "@in" if is_list(1) => size(1),
        "_<_" | "_>_" | "_<=_" | "_>=_" if is_text(0) && is_text(1) => {
            share(size(0).min(size(1)), TEXT)
        }
        "_==_" | "_!=_" => share(size(0).min(size(1)), TEXT),
        "_+_" if is_text(0) && is_text(1) => share(size(0).saturating_add(size(1)), TEXT),
        "matches" | "find" | "findAll" => pattern(size(0), size(1)),
        "contains" => share(size(0), TEXT).saturating_mul(share(size(1), TEXT)),
        "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" | "includes" => {
            args.first().copied().flatten().map_or(1, whole)
        }
        "strings.quote" | "format" | "url" | "lowerAscii" | "upperAscii" | "substring" | "trim"
        | "cidr" | "isIP" | "isCIDR" | "quantity" | "isQuantity" | "semver" | "isSemver" => {
            share(size(0), TEXT)
        }
        "replace" | "split" | "ip.isCanonical" => share(size(0), 2.0 * TEXT),
        "join" => share(joined(args), 2.0 * TEXT),
        "sets.contains" | "sets.intersects" => size(0).saturating_mul(size(1)).saturating_add(1),
        "sets.equivalent" => {
            let compared = size(0).saturating_mul(size(1)).saturating_mul(2);
            compared.saturating_add(1)
        }
        "slice" => made(number(2).saturating_sub(number(1))),
        "lists.range" => made(number(0)),
        "flatten" if args.len() > 1 => made(size(0).saturating_mul(number(1))),
        "flatten" | "reverse" => made(size(0)),
        "distinct" | "sort" => made(compared(args.first().copied().flatten())),
        "@sortByAssociatedKeys" => made(compared(args.get(1).copied().flatten())),
        "containsIP" | "containsCIDR" => {
            let octets = args.first().copied().flatten().map_or(1, octets);
            let masked = if name == "containsCIDR" {
                share(octets, TEXT) + 1
            } else {
                0
            };
            let parsed = if is_text(1) { share(size(1), TEXT) } else { 0 };
            share(2 * octets, TEXT) + masked + parsed
        }
        _ => 1,
    }
}

/// Returns what a call costs that makes a list.
fn made(units: u64) -> u64 {
    units.saturating_add(1 + LIST)
}

/// Returns what comparing all items of a list with each other costs.
fn compared(list: Option<&Object>) -> u64 {
    let items = list.and_then(<Object>::downcast_ref::<CelList>);
    let items = items.map_or(&[][..], |list| list.inner());
    let is_text = |item: &Object| {
        matches!(
            item.as_builtin(),
            BuiltinRef::String(_) | BuiltinRef::Bytes(_)
        )
    };
    let pairs = count(items.len()).saturating_mul(count(items.len()));
    let texts = if items.first().is_some_and(|item| is_text(&**item)) {
        pairs / 10
    } else {
        0
    };
    pairs.saturating_mul(2).saturating_add(texts)
}

/// Returns the length of a joined list.
fn joined(args: &[Option<&Object>]) -> u64 {
    let arg = |index: usize| args.get(index).copied().flatten();
    let Some(items) = arg(0).and_then(<Object>::downcast_ref::<CelList>) else {
        return 1;
    };
    let items = items.inner();
    let separators = count(items.len().saturating_sub(1)) * arg(1).map_or(0, size);
    items.iter().map(|item| size(&**item)).sum::<u64>() + separators
}

pub(super) fn pattern(text: u64, pattern: u64) -> u64 {
    share(text.saturating_add(1), TEXT).saturating_mul(share(pattern, PATTERN))
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "as in Go"
)]
pub(super) fn share(size: u64, factor: f64) -> u64 {
    (size as f64 * factor).ceil() as u64
}

/// Returns the length of a text, a list or a map, 1 of other values.
fn size(value: &Object) -> u64 {
    if let Some(text) = value.downcast_ref::<CelString>() {
        return count(text.inner().chars().count());
    }
    if let Some(optional) = value.downcast_ref::<CelOptional>() {
        return optional.option().map_or(1, size);
    }
    let length = value.as_sizer().map(|sizer| *sizer.size().inner());
    length.map_or(1, |length| u64::try_from(length).unwrap_or_default())
}

/// Returns what passing over a value with all its parts costs.
fn whole(value: &Object) -> u64 {
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "as in Go, which rounds down here"
    )]
    let text = |length: usize| (length as f64 * TEXT) as u64;
    if let Some(value) = value.downcast_ref::<CelString>() {
        text(value.inner().len())
    } else if let Some(value) = value.downcast_ref::<CelBytes>() {
        text(value.inner().len())
    } else if let Some(items) = value.downcast_ref::<CelList>() {
        items.inner().iter().map(|item| whole(&**item)).sum()
    } else if let Some(entries) = value.downcast_ref::<CelMap>() {
        let entries = entries.inner().iter();
        entries
            .map(|(key, value)| whole(key.inner()) + whole(&**value))
            .sum()
    } else {
        1
    }
}

fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
