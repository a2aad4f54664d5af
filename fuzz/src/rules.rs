//! Compiles, checks, estimates and evaluates a text as an expression, and calls all functions of CEL with it.
use std::sync::LazyLock;

use kube_codegen_cel::{Declaration, PER_CALL_LIMIT, Program, Sizes, Type, Value, functions};
use serde_json::json;

/// Uses a text as an expression, and as each argument of each function that takes a text.
///
/// # Panics
/// If an invariant is violated.
pub fn rules(text: &str) {
    let object = json!({"text": text, "list": [1, 2], "map": {"a": "b"}, "number": 0.5});
    if let Ok(program) = Program::compile(text) {
        evaluate(&program, text, &[("self", &Value::from(&object))]);
    }
    let value = Value::from(text);
    for program in &*CALLS {
        drop(program.evaluate(&[("self", &value)], PER_CALL_LIMIT));
    }
}

/// Calls of all functions that take a text.
static CALLS: LazyLock<Vec<Program>> = LazyLock::new(|| {
    let overloads = functions().flat_map(|function| {
        let overloads = function.overloads.split(" | ");
        overloads.filter_map(move |overload| call(&function, overload))
    });
    overloads
        .map(|call| Program::compile(&call).expect("a call"))
        .collect()
});

fn evaluate(program: &Program, source: &str, variables: &[(&str, &Value)]) {
    let types: Vec<_> = variables
        .iter()
        .map(|(name, _)| (*name, Type::Dyn))
        .collect();
    let sizes = Sizes::of(100);
    let sizes: Vec<_> = variables.iter().map(|(name, _)| (*name, &sizes)).collect();
    if let Ok(checked) = program.check(&types) {
        program.estimate(&checked, &sizes);
    }
    let first = program.evaluate(variables, PER_CALL_LIMIT);
    let second = program.evaluate(variables, PER_CALL_LIMIT);
    assert_eq!(first.cost, second.cost, "{source}");
    assert_eq!(first.result.is_ok(), second.result.is_ok(), "{source}");
}

/// Writes a call of an overload whose texts are `self`; none if it takes no text or is an operator.
fn call(function: &Declaration, overload: &str) -> Option<String> {
    let (types, _) = overload
        .rsplit_once(' ')
        .filter(|_| overload.contains("string"))?;
    if !function
        .name
        .starts_with(|first: char| first.is_ascii_alphabetic())
    {
        return None;
    }
    let is_member = types.starts_with('.');
    let mut args = types.trim_start_matches('.').split(',').map(argument);
    let target = if is_member {
        format!("{}.", args.next()?)
    } else {
        String::new()
    };
    let args: Vec<_> = args.collect();
    Some(format!("{target}{}({})", function.name, args.join(", ")))
}

/// Returns a value of a type, as an expression.
fn argument(type_: &str) -> &'static str {
    match type_ {
        "int" => "3",
        "bool" => "true",
        "bytes" => "bytes(self)",
        "timestamp" => "timestamp('2026-11-24T00:00:00Z')",
        "kubernetes.NamedFormat" => "format.dns1123Label()",
        "net.CIDR" => "cidr('10.0.0.0/8')",
        type_ if type_.starts_with("list(") => "[self, self, 'a', ' ']",
        type_ if type_.starts_with("map(") => "{self: self}",
        _ => "self",
    }
}
