//! Validates what a schema contains besides types: defaults, patterns and rules.

use kube_codegen_schema::Schema;
use serde_json::{Value, json};

use super::Report;
use crate::object::{at, list, text};

/// Validates the default, the pattern and the rules of one schema, not of those inside it.
pub(super) fn check(schema: &Value, path: &str, report: &mut Report) {
    pattern(schema, path, report);
    rules(schema, path, report);
    default(schema, path, report);
}

/// A pattern must compile.
pub(super) fn pattern(schema: &Value, path: &str, report: &mut Report) {
    let pattern = at(schema, "/pattern");
    if pattern.is_null() {
        return;
    }
    let probe = json!({"type": "string", "pattern": pattern});
    let Ok(probe) = Schema::new(&probe) else {
        return;
    };
    let causes = probe.validate(&json!(""));
    let marker = "but pattern is invalid: ";
    let why = causes.iter().find_map(|it| it.message.split_once(marker));
    if let Some((_, why)) = why {
        let why = why.trim_end_matches('\'');
        let why = format!("must be a valid regular expression, but isn't: {why}");
        report.invalid(&format!("{path}.pattern"), pattern, &why);
    }
}

/// A rule must be there and compile. Types are not checked.
fn rules(schema: &Value, path: &str, report: &mut Report) {
    for (index, rule) in list(schema, "/x-kubernetes-validations").iter().enumerate() {
        let path = format!("{path}.x-kubernetes-validations[{index}]");
        let source = text(rule, "/rule");
        if source.trim().is_empty() {
            report.required(&format!("{path}.rule"), "rule is not specified");
            continue;
        }
        #[cfg(feature = "cel")]
        for field in ["rule", "messageExpression"] {
            use kube_codegen_schema::Expression;

            let source = text(rule, &format!("/{field}"));
            if source.is_empty() {
                continue;
            }
            if let Err(why) = Expression::new(source) {
                let what = if field == "rule" {
                    ""
                } else {
                    "messageExpression "
                };
                let why = format!("{what}compilation failed: {why}");
                report.invalid(&format!("{path}.{field}"), rule, &why);
            }
        }
    }
}

/// A default must be valid, and have no unknown fields.
fn default(schema: &Value, path: &str, report: &mut Report) {
    let Some(default) = schema.get("default").filter(|it| !it.is_null()) else {
        return;
    };
    let Ok(rules) = Schema::new(schema) else {
        return;
    };
    let path = format!("{path}.default");
    let mut pruned = default.clone();
    if default.is_object() {
        rules.prune(&mut pruned);
    }
    if pruned != *default {
        report.invalid(&path, default, "must not have unknown fields");
    }
    for cause in rules.validate(default) {
        let field = match cause.field.as_str() {
            "<nil>" => path.clone(),
            inner => format!("{path}.{inner}"),
        };
        // The items of a set are not compared here.
        if cause.reason.as_str() == "FieldValueDuplicate" {
            continue;
        }
        report.add(&field, cause.reason.as_str(), cause.message);
    }
}
