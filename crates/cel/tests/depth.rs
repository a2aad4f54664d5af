//! Texts that are deep are evaluated or rejected: they do not overflow the stack of a thread.
#![allow(clippy::unwrap_used)]

use kube_codegen_cel::{PER_CALL_LIMIT, Program, Type, Value};
use serde_json::json;

type Make = fn(usize) -> String;

const NESTED: &str = "ERROR: <input>:-1:0: expression recursion limit exceeded: 250";
const HIGH: &str = "ERROR: <input>:-1:0: max recursion depth exceeded";

/// How deep cel-go 0.29 lets each be, and its error of the next one.
const KINDS: &[(Make, usize, &str)] = &[
    (
        |n| format!("{}1{}", "(".repeat(n), ")".repeat(n)),
        249,
        NESTED,
    ),
    (
        |n| format!("{}{}", "[".repeat(n), "]".repeat(n)),
        250,
        NESTED,
    ),
    (
        |n| format!("{}true{}", "!(".repeat(n), ")".repeat(n)),
        249,
        NESTED,
    ),
    (|n| format!("{}1", "true ? 1 : ".repeat(n)), 249, NESTED),
    (
        |n| format!("{}1{}", "string(".repeat(n), ")".repeat(n)),
        249,
        NESTED,
    ),
    (
        |n| format!("{}true{}", "[1].all(x, ".repeat(n), ")".repeat(n)),
        249,
        NESTED,
    ),
    (|n| format!("1{}", " + 1".repeat(n)), 250, HIGH),
    (|n| format!("1 * 1{}", " + 1 * 1".repeat(n)), 249, HIGH),
    (|n| format!("1{}", " < 1".repeat(n)), 250, HIGH),
    (|n| format!("self{}", ".a".repeat(n)), 250, HIGH),
    (|n| format!("self{}", "[0]".repeat(n)), 250, HIGH),
    (|n| format!("'a'{}", ".trim()".repeat(n)), 250, HIGH),
    (|n| format!("[1]{}", ".map(x, x)".repeat(n)), 250, HIGH),
];

/// Uses all parts of the crate on a text.
fn exercise(text: &str) -> Result<(), String> {
    let program = Program::compile(text).map_err(|why| why.to_string())?;
    if let Ok(checked) = program.check(&[("self", Type::Dyn)]) {
        program.estimate(&checked, &[]);
    }
    let value = Value::from(&json!({"a": {}}));
    drop(program.evaluate(&[("self", &value)], PER_CALL_LIMIT));
    program.literals();
    program.reads("self");
    Ok(())
}

#[test]
fn expressions_are_as_deep_as_in_cel_go() {
    for (make, most, error) in KINDS {
        let text = make(*most);
        assert_eq!(exercise(&text), Ok(()), "{text}");
        for more in [1, 2, 500, 8_000] {
            let text = make(most + more);
            assert_eq!(exercise(&text), Err((*error).to_owned()), "{text:.60}");
        }
    }
}

#[test]
fn long_expressions_that_are_not_deep_are_evaluated() {
    for text in [
        format!("true{}", " && true".repeat(5_000)),
        format!("false{}", " || [1].exists(x, x == 1)".repeat(2_000)),
        format!("[1{}].size() > 0", ", 1 + 2 + 3".repeat(5_000)),
        format!("'{}' == ''", "((((.+".repeat(10_000)),
        format!("r'\\' == '' // {}", "(".repeat(9_000)),
    ] {
        assert_eq!(exercise(&text), Ok(()), "{text:.60}");
    }
}

#[test]
fn what_is_not_a_token_hides_no_depth() {
    for start in ["'", "\"\"\"", "'\\q", "r'", "rb'\\'", "'\\xq", "`", "$"] {
        let text = format!("{start}{}", "(".repeat(9_000));
        assert_eq!(exercise(&text).unwrap_err(), NESTED, "{start}");
    }
}

#[test]
fn a_long_text_is_rejected() {
    assert_eq!(
        exercise(&"a".repeat(100_001)).unwrap_err(),
        "ERROR: <input>:-1:0: expression code point size exceeds limit: size: 100001, limit 100000"
    );
}

/// Each map doubled its type: 24 of them took seconds.
#[test]
fn types_grow_with_the_text() {
    let text = format!("[1]{} == [2]", ".map(a, {a: a})".repeat(200));
    assert_eq!(exercise(&text), Ok(()));
}
