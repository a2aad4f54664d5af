//! Reads the signatures of functions.

use std::sync::Arc;

use crate::types::Type;

pub(crate) struct Signature {
    pub(crate) is_member: bool,
    /// With the target in front.
    pub(crate) args: Vec<Type>,
    pub(crate) result: Type,
}

/// The types of a comparison.
pub(super) const COMPARE: &str = "bool,bool bool | int,int bool | int,double bool | int,uint bool | uint,uint bool | uint,double bool | uint,int bool | double,double bool | double,int bool | double,uint bool | string,string bool | bytes,bytes bool | timestamp,timestamp bool | duration,duration bool";
/// The types of a part of a timestamp, in UTC or in another zone.
pub(super) const TIME: &str = ".timestamp int | .timestamp,string int";

/// Reads overloads such as `string net.IP | .net.CIDR net.IP`: types of arguments are separated by commas, the result follows; a member
/// function starts with a point.
pub(super) fn signatures(overloads: &'static str) -> Vec<Signature> {
    overloads.split(" | ").map(signature).collect()
}

fn signature(text: &'static str) -> Signature {
    // The result follows the last space that is not in parentheses.
    let mut depth = 0;
    let at = text.char_indices().find(|(_, letter)| {
        depth += match letter {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        *letter == ' ' && depth == 0
    });
    let (args, result) = text.split_at(at.map_or(0, |(at, _)| at));
    let args_text = args.strip_prefix('.').unwrap_or(args);
    let args_text = args_text.split(',').filter(|it| !it.is_empty());
    Signature {
        is_member: args.starts_with('.'),
        args: args_text.map(parse).collect(),
        result: parse(result.trim_start()),
    }
}

/// Reads a type such as `list(A)`.
fn parse(text: &'static str) -> Type {
    let inner = |text: &'static str| text.strip_suffix(')');
    if let Some(item) = text.strip_prefix("list(").and_then(inner) {
        return Type::list(parse(item));
    }
    if let Some(item) = text.strip_prefix("optional(").and_then(inner) {
        return parse(item).optional();
    }
    if let Some(item) = text.strip_prefix("type(").and_then(inner) {
        return Type::Meta(Arc::new(parse(item)));
    }
    if let Some((key, value)) = text
        .strip_prefix("map(")
        .and_then(inner)
        .and_then(|it| it.split_once(' '))
    {
        return Type::map(parse(key), parse(value));
    }
    match Type::plain(text) {
        Some(known) => known,
        None if text == "dyn" => Type::Dyn,
        None => Type::Any(text),
    }
}
