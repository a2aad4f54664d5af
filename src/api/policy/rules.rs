//! Validation rules (`x-kubernetes-validations`) as the validations of a `ValidatingAdmissionPolicy`.
use serde_json::{Value, json};

use super::{Step, Walk, cel, location, parts};
use crate::input::crd::{Rule, Schema, SchemaType};

/// Formats whose values are no strings in the rules of a CRD, but in those of a policy.
const TYPED_FORMATS: &[&str] = &["byte", "date", "date-time", "duration"];
/// Parts of escaped names, which only the rules of a CRD have.
const ESCAPES: &[&str] = &["__dash__", "__dot__", "__slash__", "__underscores__", ".__"];

pub(super) fn validations(schema: &Schema, walk: &mut Walk<'_>) -> Vec<Value> {
    let mut validations = Vec::new();
    visit(schema, &mut Vec::new(), walk, &mut validations);
    validations
}

fn visit<'a>(
    schema: &'a Schema,
    steps: &mut Vec<Step<'a>>,
    walk: &mut Walk<'_>,
    out: &mut Vec<Value>,
) {
    for rule in schema.rules() {
        let text = rule.rule.trim();
        match validation(schema, &rule, text, steps) {
            Ok(validation) => out.push(validation),
            Err(reason) => {
                let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
                walk.note(steps, format!("the rule `{line}` is left out: {reason}"));
            }
        }
    }
    for (step, part) in parts(schema) {
        steps.push(step);
        visit(part, steps, walk, out);
        steps.pop();
    }
}

fn validation(
    schema: &Schema,
    rule: &Rule<'_>,
    text: &str,
    steps: &[Step<'_>],
) -> Result<Value, String> {
    check(schema, text)?;
    // The names `self` and `oldSelf` get their values as the variables of comprehensions.
    let bound = |value: &str| format!("[{value}].all(self, {})", grouped(text));
    let expression = if mentions(text, "oldSelf") {
        let old = cel::value_at("oldObject", steps);
        let old = old.ok_or("a policy cannot find the old value of an item")?;
        let lacks = old_lacks(steps);
        if rule.optional_old_self {
            let old = format!("{lacks} ? optional.none() : optional.of({old})");
            cel::for_all("object", steps, &|new| {
                format!("[{old}].all(oldSelf, {})", bound(new))
            })
        } else {
            let new = cel::for_all("object", steps, &|new| {
                format!("[{old}].all(oldSelf, {})", bound(new))
            });
            format!("{lacks} || {new}")
        }
    } else {
        cel::for_all("object", steps, &bound)
    };
    let mut validation = json!({
        "expression": expression,
        "message": message(rule, text, steps),
        "reason": "Invalid",
    });
    // Only here it is certain which value breaks the rule.
    if let (Some(message), Some(value)) = (rule.message_expression, cel::value_at("object", steps))
        && !mentions(message, "oldSelf")
    {
        let message = format!("[{value}].map(self, {})[0]", grouped(message.trim()));
        let message = match path(steps) {
            Some(path) => format!("{} + {message}", cel::quote(&format!("{path}: "))),
            None => message,
        };
        validation["messageExpression"] = message.into();
    }
    Ok(validation)
}

/// Returns the expression for whether the old object has no value at a path of fields.
fn old_lacks(steps: &[Step<'_>]) -> String {
    let (mut base, mut all) = ("oldObject".to_owned(), "oldObject == null".to_owned());
    for step in steps {
        if let Step::Field { name, nullable } = step {
            let lacks = cel::lacks(&base, name, *nullable);
            all = format!("{all} || {lacks}");
            base = cel::select(&base, name);
        }
    }
    all
}

/// Returns the message of a rule with the field's path, on one line.
fn message(rule: &Rule<'_>, text: &str, steps: &[Step<'_>]) -> String {
    let message = rule
        .message
        .map_or_else(|| format!("failed rule: {text}"), str::to_owned);
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    match path(steps) {
        Some(path) => format!("{path}: {message}"),
        None => message,
    }
}

/// Returns a path such as `spec.items[]`; `None` for the object itself.
fn path(steps: &[Step<'_>]) -> Option<String> {
    let location = location(steps);
    let path = location.strip_prefix('.').unwrap_or(&location);
    (!path.is_empty()).then(|| path.to_owned())
}

/// Fails if a rule means something else in a policy, where the schema is unknown.
fn check(schema: &Schema, text: &str) -> Result<(), String> {
    if let Some(escape) = ESCAPES.iter().find(|escape| text.contains(**escape)) {
        return Err(format!("a policy has no escaped names such as `{escape}`"));
    }
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    check_values("self", schema, text, &compact)
}

/// Checks what the rule does with a value, and with all values in it.
fn check_values(name: &str, schema: &Schema, text: &str, compact: &str) -> Result<(), String> {
    let what = if name == "self" {
        "the value".to_owned()
    } else {
        format!("`{name}`")
    };
    if mentions(text, name) {
        let format = schema.format.as_deref().unwrap_or_default();
        if TYPED_FORMATS.contains(&format) && schema.is(SchemaType::String) {
            return Err(format!(
                "{what} is a {format} in the CRD, and a string in a policy"
            ));
        }
        let follows = |operators: &[&str]| {
            let operators = operators.iter().map(|operator| format!("{name}{operator}"));
            operators.into_iter().any(|it| compact.contains(&it))
        };
        if schema.is(SchemaType::Number) && follows(&["+", "-", "*", "/", "%"]) {
            return Err(format!(
                "{what} is a double in the CRD, and may be an integer in a policy"
            ));
        }
        let list = schema.kubernetes.list_type.as_deref().unwrap_or_default();
        if matches!(list, "set" | "map") && follows(&["==", "!=", "+"]) {
            return Err(format!(
                "{what} is a {list} in the CRD, and a list with an order in a policy"
            ));
        }
    }
    for (step, part) in parts(schema) {
        let name = match step {
            Step::Field { name, .. } => name,
            // The rule has a name of its own for them.
            Step::Items | Step::Values => name,
        };
        check_values(name, part, text, compact)?;
    }
    Ok(())
}

/// Whether a rule contains a name as a whole word.
fn mentions(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// Puts a rule on lines of its own if it may end with a comment.
fn grouped(text: &str) -> String {
    if text.contains("//") {
        format!("({text}\n)")
    } else {
        format!("({text})")
    }
}
