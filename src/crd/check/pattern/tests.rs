//! Tests of the syntax, each compared with Go's `regexp.Compile`.
use super::{check, matches};

#[test]
fn what_go_compiles_is_valid() {
    for pattern in [
        "",
        "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
        r"^\d+(\.\d+){0,2}$",
        "a{,3}",
        "a{",
        "a{01}",
        "[]a]",
        "[^]a]",
        "[-a]",
        "[a-]",
        "[a&&b[]",
        "[[:alpha:]_]",
        r"[\d\-\]]",
        r"\Qa.b\E+",
        r"\p{Greek}\pN\x{10FFFF}\x41\012\_\-\/\z",
        "(?i)a(?P<x>b)(?<y>c)(?s-i:.)",
        "()*|",
        "^*",
        "a||b",
        "(?)",
        "a(?i)*",
        "[a-b-c]",
        r"[\d-z]",
        "((a{10}){10}){10}",
        "(a*){1000}",
    ] {
        assert_eq!(check(pattern), Ok(()), "{pattern}");
    }
}

#[test]
fn what_go_refuses_is_invalid() {
    for pattern in [
        "(",
        ")",
        "[",
        "[a",
        "a**",
        "a+?*",
        "*",
        "a|*",
        "(?=a)",
        "(?!a)",
        "(?<=a)",
        "(?<!a)",
        "(?>a)",
        "(?#a)",
        "(?x)a",
        "(?P<a>b)(?P<a>c)",
        "(?P<>a)",
        "(?P<a",
        "[z-a]",
        "[[:nope:]]",
        r"\1",
        r"\8",
        r"\y",
        r"\Z",
        r"\u0041",
        r"\x4",
        r"\x{110000}",
        r"\",
        "a{1001}",
        "a{2,1}",
        "(a{100}){100}",
        "(?i)*",
        "(?i-)",
        r"\p",
        r"[a-\d]",
        r"\C",
    ] {
        assert!(check(pattern).is_err(), "{pattern}");
    }
}

#[test]
fn texts_match_as_in_go() {
    for (pattern, text, expected) in [
        ("^[a-z]+$", "abc", true),
        ("^[a-z]+$", "aBc", false),
        ("b", "abc", true),
        (r"^\d+$", "٣", false),
        ("^.$", "é", true),
        ("^[a&&b]+$", "a&b", true),
        ("^[[]+$", "[[", true),
        (r"^\Qa.\E$", "ab", false),
        ("^a{,2}$", "a{,2}", true),
        ("(?i)^abc$", "ABC", true),
        ("^(a|b){2,3}$", "abab", false),
    ] {
        assert_eq!(matches(pattern, text), expected, "{pattern} on {text}");
    }
}
