//! What to do about a finding, where nothing better is known at its place.
use super::Code;

/// The hint of a code whose findings all ask for the same.
pub(super) fn of(code: Code) -> Option<&'static str> {
    Some(match code {
        Code::Syntax => "the text breaks off here, or shortly before",
        Code::DuplicateKey => "leave one of the two out",
        Code::TooDeep => "nest less",
        Code::AliasLimit => "write the repeated parts out, or repeat less",
        Code::Unsupported => {
            "write what JSON has, too: keys that are text, finite numbers, no cycles"
        }
        Code::EmptySource => "take it out of the inputs, or put a definition in",
        Code::OtherKind => "it may stay where it is: nothing is generated for it",
        Code::MissingField => "every definition needs it: add it",
        Code::WrongType => "give the field a value of that type",
        Code::UnknownField => "remove it, or look for the place it is meant for",
        Code::KeywordType => "give the keyword a value of that type",
        _ => return None,
    })
}
