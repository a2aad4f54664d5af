//! The functions of texts, as version 2 of cel-go's library has them.

use cel::common::{
    types::{CelInt, CelList, CelString},
    value::CowVal,
};

use super::{
    cost::{Bounds, Operands, TEXT, Values, count, share, size},
    function::{Answer, Function, function},
    printf,
};
use crate::size::Size;

pub(super) const FUNCTIONS: &[Function] = &[
    function("charAt", ".string,int string"),
    function("indexOf", ".string,string int | .string,string,int int")
        .costs(|it| it.whole(0))
        .instead(beyond),
    function("lastIndexOf", ".string,string int | .string,string,int int")
        .costs(|it| it.whole(0))
        .instead(beyond),
    function("join", ".list(string) string | .list(string),string string")
        .costs_running(|it| share(joined(it), 2.0 * TEXT))
        .costs_at_most(|it| share(joined_bounds(it).max, TEXT))
        .sized(|it| Some(joined_bounds(it))),
    function("lowerAscii", ".string string")
        .costs(|it| it.scan(0))
        .sized(|it| Some(it.bounds(0))),
    function("upperAscii", ".string string")
        .costs(|it| it.scan(0))
        .sized(|it| Some(it.bounds(0))),
    function("trim", ".string string")
        .costs(|it| it.scan(0))
        .sized(|it| Some(it.bounds(0))),
    function(
        "replace",
        ".string,string,string string | .string,string,string,int string",
    )
    .costs(|it| it.scan_twice(0))
    .sized(|it| Some(replaced(it.bounds(0), it.bounds(1), it.bounds(2)))),
    function(
        "split",
        ".string,string list(string) | .string,string,int list(string)",
    )
    .costs(|it| it.scan_twice(0))
    .sized(|it| {
        // As in Go, where a negative number is a large one.
        let parts = it.get(2).and_then(|arg| arg.number).map(i64::cast_unsigned);
        Some(Size::new(0, parts.unwrap_or_else(|| it.size(0))))
    }),
    function("substring", ".string,int string | .string,int,int string")
        .costs(|it| it.scan(0))
        .sized(|it| Some(it.bounds(0))),
    function("format", ".string,list(dyn) string")
        .costs(|it| it.scan(0))
        .instead(|args| match args {
            [text, items] => {
                let text = text.downcast_ref::<CelString>()?;
                let items = items.downcast_ref::<CelList>()?;
                Some(printf::format(text.inner(), items.inner()))
            }
            _ => None,
        }),
    function("strings.quote", "string string")
        .costs(|it| it.scan(0))
        .sized(|it| {
            let size = it.bounds(0);
            let most = size.max.wrapping_mul(2).wrapping_add(2);
            Some(Size::new(size.min.wrapping_add(2), most))
        }),
];

/// Returns the place of a part that is searched from an offset at or after the end.
fn beyond<'e>(args: &mut [CowVal<'e, 'static>]) -> Option<Answer<'e>> {
    let [text, part, offset] = args else {
        return None;
    };
    let text = text.downcast_ref::<CelString>()?.inner();
    let part = part.downcast_ref::<CelString>()?.inner();
    let length = i64::try_from(text.chars().count()).ok()?;
    let offset = *offset.downcast_ref::<CelInt>()?.inner();
    let at = if part.is_empty() { length } else { -1 };
    (offset >= length).then(|| Ok(CowVal::owned(CelInt::from(at))))
}

/// Returns the length of a joined list.
fn joined(it: &Values<'_>) -> u64 {
    if !it.is_list(0) {
        return 1;
    }
    let items = it.items(0);
    let separators = count(items.len().saturating_sub(1)) * it.get(1).map_or(0, size);
    items.iter().map(|item| size(&**item)).sum::<u64>() + separators
}

fn joined_bounds(it: &Bounds<'_>) -> Size {
    let mut result = it
        .items(0)
        .map_or(Size::new(0, 0), |(_, items)| it.bounds(0) * *items);
    if it.count() > 1 {
        let separators = |count: u64| count.saturating_sub(1);
        let separators = Size::new(separators(it.bounds(0).min), separators(it.size(0)));
        result = result + it.bounds(1) * separators;
    }
    result
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
