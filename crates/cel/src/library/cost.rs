//! The units of costs, as cel-go and the API server have them (`interpreter/runtimecost.go`, `checker/cost.go`, `pkg/cel/library/cost.go`):
//! once for the values of an evaluation and for the estimate before.
//!
//! Reading a variable or a field costs 1, a list 10, a map 30, an object 40 and a call what its function needs for arguments of this size.

use cel::common::{
    types::{CelBytes, CelInt, CelList, CelMap, CelOptional, CelString},
    value::BuiltinRef,
};

use crate::{size::Size, types::Type, value::Object};

use super::signature::Signature;

pub(crate) const READ: u64 = 1;
pub(crate) const LIST: u64 = 10;
pub(crate) const MAP: u64 = 30;
pub(crate) const STRUCT: u64 = 40;

/// The share of a text's length that passing over it costs.
pub(super) const TEXT: f64 = 0.1;
/// The share of a pattern's length that one step of a match costs.
pub(super) const PATTERN: f64 = 0.25;
/// What comparing two items of a list costs, if they are no texts.
pub(super) const COMPARISON: u64 = 2;

/// The arguments of a call, the target first, as far as costs depend on them: values, or what is known of them before.
pub(super) trait Operands {
    /// The characters, bytes, items or entries of an argument, 1 of another value.
    fn size(&self, at: usize) -> u64;
    fn is_string(&self, at: usize) -> bool;
    fn is_bytes(&self, at: usize) -> bool;
    fn is_list(&self, at: usize) -> bool;
    /// The value of an integer, 0 if it is negative; none if it is not known.
    fn number(&self, at: usize) -> Option<u64>;
    fn count(&self) -> usize;
    /// What passing over an argument with all its parts costs.
    fn whole(&self, at: usize) -> u64;

    fn is_text(&self, at: usize) -> bool {
        self.is_string(at) || self.is_bytes(at)
    }

    /// What passing over a text costs.
    fn scan(&self, at: usize) -> u64 {
        share(self.size(at), TEXT)
    }

    /// What passing over a text twice costs, or reading it and writing another one.
    fn scan_twice(&self, at: usize) -> u64 {
        share(self.size(at), 2.0 * TEXT)
    }

    /// What passing over the shorter of two texts costs.
    fn scan_shorter(&self) -> u64 {
        share(self.size(0).min(self.size(1)), TEXT)
    }

    /// What matching a text with a pattern costs.
    fn matching(&self) -> u64 {
        let steps = share(self.size(0).saturating_add(1), TEXT);
        steps.saturating_mul(share(self.size(1), PATTERN))
    }

    /// What comparing all items of two lists costs.
    fn pairs(&self, each: u64) -> u64 {
        let pairs = self.size(0).saturating_mul(self.size(1));
        pairs.saturating_mul(each).saturating_add(1)
    }
}

/// Returns what a call costs that makes a list with this much work for its items.
pub(super) fn made(units: u64) -> u64 {
    units.saturating_add(1 + LIST)
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

/// The arguments of a call that runs. An argument that is an error is `None`.
pub(crate) struct Values<'a>(pub(crate) &'a [Option<&'a Object>]);

impl Values<'_> {
    pub(super) fn get(&self, at: usize) -> Option<&Object> {
        self.0.get(at).copied().flatten()
    }

    /// Returns the items of a list.
    pub(super) fn items(&self, at: usize) -> &[Box<Object>] {
        let list = self.get(at).and_then(<Object>::downcast_ref::<CelList>);
        list.map_or(&[], |list| list.inner())
    }

    /// Returns what comparing all items of a list with each other costs.
    pub(super) fn compared(&self, at: usize) -> u64 {
        let items = self.items(at);
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
        pairs.saturating_mul(COMPARISON).saturating_add(texts)
    }
}

impl Operands for Values<'_> {
    fn size(&self, at: usize) -> u64 {
        self.get(at).map_or(1, size)
    }

    fn is_string(&self, at: usize) -> bool {
        let value = self.get(at);
        value.is_some_and(|it| matches!(it.as_builtin(), BuiltinRef::String(_)))
    }

    fn is_bytes(&self, at: usize) -> bool {
        let value = self.get(at);
        value.is_some_and(|it| matches!(it.as_builtin(), BuiltinRef::Bytes(_)))
    }

    fn is_list(&self, at: usize) -> bool {
        let value = self.get(at);
        value.is_some_and(|it| matches!(it.as_builtin(), BuiltinRef::List(_)))
    }

    fn number(&self, at: usize) -> Option<u64> {
        let number = self.get(at).and_then(<Object>::downcast_ref::<CelInt>);
        let number = number.map(|it| u64::try_from(*it.inner()).unwrap_or_default());
        Some(number.unwrap_or_default())
    }

    fn count(&self) -> usize {
        self.0.len()
    }

    fn whole(&self, at: usize) -> u64 {
        self.get(at).map_or(1, whole)
    }
}

/// Returns the length of a text, a list or a map, 1 of other values.
pub(super) fn size(value: &Object) -> u64 {
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

pub(super) fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// What is known of an argument before a call runs.
pub(crate) struct Argument {
    pub(crate) size: Size,
    pub(crate) type_: Type,
    /// The type and the size of a list's items.
    pub(crate) items: Option<(Type, Size)>,
    /// The value of an integer that is written in the expression.
    pub(crate) number: Option<i64>,
}

/// The arguments of a call of one overload, before it runs: its sizes are the largest.
pub(crate) struct Bounds<'a> {
    pub(crate) signature: &'a Signature,
    pub(crate) args: &'a [Argument],
}

impl Bounds<'_> {
    pub(super) fn get(&self, at: usize) -> Option<&Argument> {
        self.args.get(at)
    }

    pub(super) fn bounds(&self, at: usize) -> Size {
        self.get(at).map_or(Size::UNKNOWN, |arg| arg.size)
    }

    /// Returns the type and the size of the items of a list.
    pub(super) fn items(&self, at: usize) -> Option<&(Type, Size)> {
        self.get(at)?.items.as_ref()
    }

    fn is(&self, at: usize, type_: &Type) -> bool {
        self.signature.args.get(at) == Some(type_)
    }
}

impl Operands for Bounds<'_> {
    fn size(&self, at: usize) -> u64 {
        self.bounds(at).max
    }

    fn is_string(&self, at: usize) -> bool {
        self.is(at, &Type::STRING)
    }

    fn is_bytes(&self, at: usize) -> bool {
        self.is(at, &Type::BYTES)
    }

    fn is_list(&self, at: usize) -> bool {
        matches!(self.signature.args.get(at), Some(Type::List(_)))
    }

    fn number(&self, at: usize) -> Option<u64> {
        let number = self.get(at)?.number?;
        Some(u64::try_from(number).unwrap_or_default())
    }

    fn count(&self) -> usize {
        self.args.len()
    }

    fn whole(&self, at: usize) -> u64 {
        match self.items(at) {
            Some((type_, items)) if [Type::STRING, Type::BYTES].contains(type_) => {
                let each = share(items.max, TEXT).saturating_add(1);
                self.size(at).saturating_mul(each)
            }
            Some(_) => self.size(at),
            None => self.scan(at),
        }
    }
}
