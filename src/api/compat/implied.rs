//! Finds bounds of the second release that the first one has in another form: a pattern, a rule, a format.
use kube_codegen_cel::Program;
use serde_json::Value;

use super::{keywords::restricts, language};

/// Returns whether all that newly restricts values at a place follows from what restricted them.
pub(super) fn follows(old: &Value, new: &Value) -> bool {
    let keywords = new.as_object().into_iter().flatten();
    let mut differing = keywords
        .filter(|(keyword, bound)| restricts(keyword) && old.get(keyword.as_str()) != Some(*bound));
    differing.all(|(keyword, bound)| bound_follows(keyword, bound, old, new))
}

/// Returns whether a rule of an object requires a field.
pub(super) fn requires(schema: &Value, name: &str) -> bool {
    let name = kube_codegen_cel::escape(name);
    name.is_some_and(|name| is_ruled(schema, &format!("has(self.{name})")))
}

fn bound_follows(keyword: &str, bound: &Value, old: &Value, new: &Value) -> bool {
    let shown = bound.to_string();
    let ruled = |forms: &[&str], operator: &str| {
        let mut forms = forms.iter();
        forms.any(|form| {
            let strict = match (operator, bound.as_i64()) {
                ("<=", Some(bound)) => format!("{form} < {}", bound.saturating_add(1)),
                (">=", Some(bound)) => format!("{form} > {}", bound.saturating_sub(1)),
                _ => return false,
            };
            is_ruled(old, &format!("{form} {operator} {shown}")) || is_ruled(old, &strict)
        })
    };
    let size = ["size(self)", "self.size()"];
    let count = |schema: &Value, keyword: &str| schema[keyword].as_u64();
    let at_most = |keyword: &str| {
        let known = count(old, keyword).zip(bound.as_u64());
        known.is_some_and(|(known, bound)| known <= bound) || ruled(&size, "<=")
    };
    let at_least = |keyword: &str| {
        let known = count(old, keyword).zip(bound.as_u64());
        known.is_some_and(|(known, bound)| known >= bound) || ruled(&size, ">=")
    };
    let matches =
        |pattern: &str| language::includes(pattern, old["pattern"].as_str().unwrap_or_default());
    match keyword {
        "pattern" => bound.as_str().is_some_and(matches),
        "enum" => {
            let texts = bound.as_array().into_iter().flatten().map(Value::as_str);
            let texts: Option<Vec<String>> = texts.map(|it| it.map(quoted)).collect();
            let texts = texts.filter(|_| old["type"] == "string");
            texts.is_some_and(|it| matches(&format!("^(?:{})$", it.join("|"))))
        }
        "maxLength" => at_most(keyword) || matches(&format!("^(?s:.{{0,{shown}}})$")),
        "minLength" => at_least(keyword) || matches(&format!("^(?s:.{{{shown},}})$")),
        "maxItems" => {
            distinct_items(old).is_some_and(|most| bound.as_u64() >= u64::try_from(most).ok())
                || at_most(keyword)
        }
        "minItems" | "minProperties" => at_least(keyword),
        "maxProperties" => {
            let is_closed = old.get("additionalProperties").is_none()
                && old.get("x-kubernetes-preserve-unknown-fields").is_none();
            let fields = old["properties"].as_object().filter(|_| is_closed);
            let fits = fields.is_some_and(|it| bound.as_u64() >= u64::try_from(it.len()).ok());
            fits || at_most(keyword)
        }
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "format" => {
            let (was, is) = (range(old), range(new));
            let fits = was.zip(is);
            fits.is_some_and(|((low, high), (lower, higher))| low >= lower && high <= higher)
                || (keyword == "minimum" && ruled(&["self"], ">="))
                || (keyword == "maximum" && ruled(&["self"], "<="))
        }
        _ => false,
    }
}

/// Returns how many items a list has at most, if they have to differ in what has known values.
fn distinct_items(list: &Value) -> Option<usize> {
    let count = |schema: &Value| schema["enum"].as_array().map(Vec::len);
    match list["x-kubernetes-list-type"].as_str()? {
        "set" => count(&list["items"]),
        "map" => {
            let keys = list["x-kubernetes-list-map-keys"].as_array()?.iter();
            keys.map(|key| count(&list["items"]["properties"][key.as_str()?]))
                .try_fold(1, |all: usize, count| all.checked_mul(count?))
        }
        _ => None,
    }
}

/// Returns a pattern for one text.
fn quoted(text: &str) -> String {
    let letters = text.chars();
    letters
        .flat_map(|c| {
            c.is_ascii_punctuation()
                .then_some('\\')
                .into_iter()
                .chain([c])
        })
        .collect()
}

/// Returns the least and the greatest integer of a schema of integers.
fn range(schema: &Value) -> Option<(i64, i64)> {
    if schema["type"] != "integer" {
        return None;
    }
    let (mut low, mut high) = (i64::MIN, i64::MAX);
    if schema["format"] == "int32" {
        (low, high) = (i32::MIN.into(), i32::MAX.into());
    }
    let whole = |keyword: &str| match schema.get(keyword) {
        None => Some(None),
        Some(bound) => bound.as_i64().map(Some),
    };
    if let Some(minimum) = whole("minimum")? {
        low = low.max(minimum.saturating_add(i64::from(schema["exclusiveMinimum"] == true)));
    }
    if let Some(maximum) = whole("maximum")? {
        high = high.min(maximum.saturating_sub(i64::from(schema["exclusiveMaximum"] == true)));
    }
    Some((low, high))
}

/// Returns what the bounds of a place say, as expressions.
pub(super) fn bounds(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for (keyword, operator) in [
        ("maxLength", "<="),
        ("maxItems", "<="),
        ("maxProperties", "<="),
        ("minLength", ">="),
        ("minItems", ">="),
        ("minProperties", ">="),
    ] {
        if let Some(bound) = schema[keyword].as_u64() {
            found.push(format!("size(self) {operator} {bound}"));
            found.push(format!("self.size() {operator} {bound}"));
        }
    }
    if let Some((low, high)) = range(schema) {
        found.extend([format!("self >= {low}"), format!("self <= {high}")]);
        if let (Some(below), Some(above)) = (low.checked_sub(1), high.checked_add(1)) {
            found.extend([format!("self > {below}"), format!("self < {above}")]);
        }
    }
    if let Some(pattern) = schema["pattern"].as_str() {
        found.push(format!("self.matches({})", Value::from(pattern)));
    }
    found
}

/// Returns whether a rule of a place implies an expression.
fn is_ruled(schema: &Value, expression: &str) -> bool {
    let Ok(expression) = Program::compile(expression) else {
        return false;
    };
    let rules = schema["x-kubernetes-validations"].as_array();
    let mut rules = rules.into_iter().flatten();
    rules.any(|rule| {
        let program = rule["rule"].as_str().map(Program::compile);
        program.is_some_and(|it| it.is_ok_and(|it| it.implies(&expression)))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_bound_may_follow_from_other_keywords() {
        let text = |more: Value| with(json!({"type": "string"}), &more);
        let integer = |more: Value| with(json!({"type": "integer"}), &more);
        let pattern = json!({"pattern": "^[a-z]{1,10}$"});
        let rule = |text: &str| json!({"x-kubernetes-validations": [{"rule": text}]});
        let set = json!({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string", "enum": ["a", "b", "c"]}});
        let object = json!({"type": "object", "properties": {"a": {}, "b": {}}});
        for (old, bound, expected) in [
            (text(pattern.clone()), json!({"maxLength": 10}), true),
            (text(pattern.clone()), json!({"maxLength": 9}), false),
            (text(pattern.clone()), json!({"minLength": 1}), true),
            (text(pattern.clone()), json!({"minLength": 2}), false),
            (text(pattern), json!({"enum": ["a"]}), false),
            (text(json!({})), json!({"maxLength": 5}), false),
            (
                text(rule("self.size() <= 5")),
                json!({"maxLength": 5}),
                true,
            ),
            (
                text(rule("size(self) <= 6")),
                json!({"maxLength": 5}),
                false,
            ),
            (
                integer(json!({"format": "int32"})),
                json!({"maximum": 2_147_483_647}),
                true,
            ),
            (
                integer(json!({"minimum": 0, "exclusiveMinimum": true})),
                json!({"minimum": 1, "exclusiveMinimum": false}),
                true,
            ),
            (integer(json!({"minimum": 0})), json!({"minimum": 1}), false),
            (
                integer(json!({"minimum": 1, "maximum": 5})),
                json!({"format": "int32"}),
                true,
            ),
            (
                integer(rule("self >= 3 && self < 9")),
                json!({"minimum": 3}),
                true,
            ),
            (
                text(json!({"pattern": "^(a.b|c)$"})),
                json!({"enum": ["a.b", "c"]}),
                false,
            ),
            (
                text(json!({"pattern": r"^(a\.b|c)$"})),
                json!({"enum": ["a.b", "c"]}),
                true,
            ),
            (text(rule("self.size() < 6")), json!({"maxLength": 5}), true),
            (set.clone(), json!({"maxItems": 3}), true),
            (set, json!({"maxItems": 2}), false),
            (object.clone(), json!({"maxProperties": 2}), true),
            (object, json!({"maxProperties": 1}), false),
        ] {
            let new = with(old.clone(), &bound);
            assert_eq!(follows(&old, &new), expected, "{old} and {bound}");
        }
        let ruled = with(
            json!({"type": "object"}),
            &rule("has(self.a) && self.a > 1"),
        );
        assert!(requires(&ruled, "a") && !requires(&ruled, "b"));
    }

    fn with(mut schema: Value, more: &Value) -> Value {
        let fields = schema.as_object_mut().unwrap();
        fields.extend(more.as_object().unwrap().clone());
        schema
    }
}
