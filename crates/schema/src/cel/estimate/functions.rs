//! What a call costs at most.

use super::size::Size;
use crate::cel::{
    check::{STRING, Signature, Type},
    cost::{LIST, TEXT, pattern, share},
};

/// An argument of a call; the target is the first one.
pub(super) struct Argument {
    pub(super) size: Size,
    pub(super) type_: Type,
    /// The type and the size of a list's items.
    pub(super) items: Option<(Type, Size)>,
    /// The value of an integer that is written in the rule.
    pub(super) number: Option<i64>,
}

const BYTES: Type = Type::Plain("bytes");

/// The bytes of the longest IP address, compared with those of another one.
const ADDRESSES: u64 = 16 + 16;
/// The length of the longest pattern of a named format.
const FORMAT_PATTERN: f64 = 128.0 * 0.25;
/// The length of the longest named format.
const FORMAT: u64 = 64;

/// Returns what a call of one overload costs without its arguments, and the size of its result where it is known.
pub(super) fn call(name: &str, signature: &Signature, args: &[Argument]) -> (u64, Option<Size>) {
    let arg = |at: usize| args.get(at);
    let size = |at: usize| arg(at).map_or(Size::UNKNOWN, |arg| arg.size);
    let most = |at: usize| size(at).max;
    let scan = |at: usize| share(most(at), TEXT);
    let is = |at: usize, type_: &Type| signature.args.get(at) == Some(type_);
    let is_text = |at: usize| is(at, &STRING) || is(at, &BYTES);
    let is_list = |at: usize| matches!(signature.args.get(at), Some(Type::List(_)));
    let parsed = if is(1, &STRING) { scan(1) } else { 0 };
    if let Some(made) = made(name, args) {
        return made;
    }
    if name == "_==_"
        && let Some(cost) = equality(args)
    {
        return (cost, None);
    }
    match name {
        "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" | "includes" => {
            let items = arg(0).and_then(|arg| arg.items.as_ref());
            let cost = match items {
                Some((type_, items)) if [STRING, BYTES].contains(type_) => {
                    most(0).saturating_mul(share(items.max, TEXT).saturating_add(1))
                }
                Some(_) => most(0),
                None if name == "includes" => most(0),
                None => scan(0),
            };
            (cost, None)
        }
        "url" | "lowerAscii" | "upperAscii" | "substring" | "trim" => (scan(0), Some(size(0))),
        "replace" => {
            let result = replaced(size(0), size(1), size(2));
            (share(most(0), 2.0 * TEXT), Some(result))
        }
        "split" => {
            // As in Go, where a negative number is a large one.
            let parts = arg(2).and_then(|arg| arg.number).map(i64::cast_unsigned);
            let result = Size::new(0, parts.unwrap_or_else(|| most(0)));
            (share(most(0), 2.0 * TEXT), Some(result))
        }
        "join" => {
            let items = arg(0).and_then(|arg| arg.items.as_ref());
            let mut result = items.map_or(Size::new(0, 0), |(_, items)| size(0) * *items);
            if args.len() > 1 {
                let separators = |count: u64| count.saturating_sub(1);
                let separators = Size::new(separators(size(0).min), separators(most(0)));
                result = result + size(1) * separators;
            }
            (share(result.max, TEXT), Some(result))
        }
        "find" | "findAll" => (pattern(most(0), most(1)), Some(Size::new(0, most(0)))),
        "matches" => (pattern(most(0), most(1)), None),
        "ip" if signature.is_member => (1, None),
        "cidr" | "ip" | "isIP" | "isCIDR" | "quantity" | "isQuantity" | "semver" | "isSemver"
        | "format" => (scan(0), None),
        "ip.isCanonical" => (share(most(0), 2.0 * TEXT), None),
        "containsIP" => (share(ADDRESSES, TEXT).saturating_add(parsed), None),
        "containsCIDR" => {
            let masked = share(ADDRESSES / 2, TEXT) + 1;
            let compared = share(ADDRESSES, TEXT) + masked;
            (compared.saturating_add(parsed), None)
        }
        "validate" => (share(scan(1), FORMAT_PATTERN), None),
        "sets.contains" | "sets.intersects" => {
            (most(0).saturating_mul(most(1)).saturating_add(1), None)
        }
        "sets.equivalent" => {
            let compared = share(most(0).saturating_mul(most(1)), 2.0);
            (compared.saturating_add(1), None)
        }
        "bytes" if is(0, &STRING) => {
            let result = Size::new(size(0).min, most(0).wrapping_mul(4));
            (scan(0), Some(result))
        }
        "string" if is(0, &BYTES) => (scan(0), Some(Size::new(size(0).min / 4, most(0)))),
        "strings.quote" => {
            let most = most(0).wrapping_mul(2).wrapping_add(2);
            (scan(0), Some(Size::new(size(0).min.wrapping_add(2), most)))
        }
        "startsWith" | "endsWith" => (scan(1), None),
        "contains" => (scan(0).saturating_mul(scan(1)), None),
        "@in" if is_list(1) => (most(1), None),
        "_+_" if is_list(0) => (1, Some(size(0) + size(1))),
        "_+_" if is_text(0) => {
            let result = size(0) + size(1);
            (share(result.max, TEXT), Some(result))
        }
        "_<_" | "_<=_" | "_>_" | "_>=_" if is_text(0) => (share(most(0).min(most(1)), TEXT), None),
        "_==_" | "_!=_" => (share(most(0).min(most(1)), TEXT), None),
        _ => (1, None),
    }
}

/// Returns what a function costs that makes a list, and the size of the list; `None` for other functions.
fn made(name: &str, args: &[Argument]) -> Option<(u64, Option<Size>)> {
    let arg = |at: usize| args.get(at);
    let size = |at: usize| arg(at).map_or(Size::UNKNOWN, |arg| arg.size);
    let number = |at: usize| {
        let number = arg(at)?.number;
        number.map(|it| u64::try_from(it).unwrap_or_default())
    };
    Some(match name {
        "slice" => {
            let start = number(1).unwrap_or_default();
            let end = number(2).unwrap_or_else(|| size(0).max);
            list(1.0, Size::exactly(end.wrapping_sub(start)))
        }
        "lists.range" => list(1.0, Size::exactly(number(0).unwrap_or(u64::MAX))),
        "reverse" => list(1.0, size(0)),
        "flatten" => {
            let depth = if args.len() > 1 {
                number(1).unwrap_or(u64::MAX)
            } else {
                1
            };
            #[expect(clippy::cast_precision_loss, reason = "as in Go")]
            list(depth as f64, size(0))
        }
        "distinct" => list(2.0, size(0) * size(0)),
        "sort" | "@sortByAssociatedKeys" => {
            let keys = args.len() - 1;
            let items = arg(keys).and_then(|arg| arg.items.as_ref());
            let has_texts = items.is_none_or(|(it, _)| [STRING, BYTES, Type::Dyn].contains(it));
            let factor = if has_texts { 2.0 + TEXT } else { 2.0 };
            list(factor, size(keys) * size(keys))
        }
        _ => return None,
    })
}

/// Returns what a call costs that makes a list.
fn list(factor: f64, size: Size) -> (u64, Option<Size>) {
    let cost = share(size.max, factor).saturating_add(1 + LIST);
    (cost, Some(size))
}

/// Returns what comparing two values of a type of the library costs.
fn equality(args: &[Argument]) -> Option<u64> {
    let [left, right] = args else {
        return None;
    };
    let Type::Plain(name) = left.type_ else {
        return None;
    };
    if left.type_ != right.type_ {
        return None;
    }
    match name {
        "net.IP" | "net.CIDR" | "kubernetes.Quantity" | "kubernetes.Semver" => Some(1),
        "kubernetes.NamedFormat" => Some(share(FORMAT, TEXT)),
        // As on the server, which takes the right one for both.
        "kubernetes.URL" if right.size == Size::UNKNOWN => Some(share(1, TEXT)),
        "kubernetes.URL" => Some(share(right.size.max, TEXT)),
        _ => None,
    }
}

/// Returns the size of a text in which something is replaced.
fn replaced(text: Size, old: Size, new: Size) -> Size {
    // At the bounds, the most or the fewest occurrences are replaced.
    let bound = |text: u64, old: u64, shrinks: bool, new: u64| {
        let (count, kept) = if old == 0 {
            (text.saturating_add(1), text)
        } else if shrinks {
            (0, text)
        } else {
            (text.div_ceil(old), 0)
        };
        count.saturating_mul(new).saturating_add(kept)
    };
    Size::new(
        bound(text.min, old.max, old.max <= new.min, new.min),
        bound(text.max, old.min, new.max <= old.min, new.max),
    )
}
