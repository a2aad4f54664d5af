//! Defaults as the mutations of a `MutatingAdmissionPolicy`.
use serde_json::{Value, json};

use super::{Step, Walk, cel, parts};
use crate::{base::diag::pointer::escape, input::crd::Schema};

pub(super) fn mutations(schema: &Schema, walk: &mut Walk<'_>) -> Vec<Value> {
    let mut expressions = Vec::new();
    visit(schema, &mut Vec::new(), walk, &mut expressions);
    let mutation =
        |expression| json!({"patchType": "JSONPatch", "jsonPatch": {"expression": expression}});
    expressions.into_iter().map(mutation).collect()
}

/// Outer defaults come first, since inner ones apply to what they make.
fn visit<'a>(
    schema: &'a Schema,
    steps: &mut Vec<Step<'a>>,
    walk: &mut Walk<'_>,
    out: &mut Vec<String>,
) {
    for (step, part) in parts(schema) {
        if let (Step::Field { name, nullable }, Some(default)) = (step, &part.default) {
            if let Some(expression) = expression(steps, name, nullable, default) {
                out.push(expression);
            } else {
                steps.push(step);
                let reason =
                    "the default is left out: a policy reaches one list or map, not one in another";
                walk.note(steps, reason.to_owned());
                steps.pop();
            }
        }
        steps.push(step);
        visit(part, steps, walk, out);
        steps.pop();
    }
}

/// Returns the expression that sets a field; `None` if it is in a list or map of another.
fn expression(steps: &[Step<'_>], name: &str, nullable: bool, default: &Value) -> Option<String> {
    let value = cel::literal(default);
    let at = steps
        .iter()
        .position(|step| !matches!(step, Step::Field { .. }));
    let (outer, inner) = steps.split_at(at.unwrap_or(steps.len()));
    let exists = |base: &str, steps: &[Step<'_>]| {
        let (mut base, mut all) = (base.to_owned(), Vec::new());
        for step in steps {
            if let Step::Field { name, .. } = step {
                all.push(cel::has(&base, name));
                base = cel::select(&base, name);
            }
        }
        (base, all)
    };
    // Null is replaced too, unless it is a value.
    let lacks = |base: &str| {
        let absent = cel::lacks(base, name, !nullable);
        if nullable {
            absent
        } else {
            format!("({absent})")
        }
    };
    let (base, mut conditions) = exists("object", outer);
    let outer_path = pointer(outer);
    let Some((step, rest)) = inner.split_first() else {
        conditions.push(lacks(&base));
        let path = cel::quote(&format!("{outer_path}/{}", escape(name)));
        let operation = format!("JSONPatch{{op: 'add', path: {path}, value: {value}}}");
        return Some(format!("{} ? [{operation}] : []", conditions.join(" && ")));
    };
    if rest.iter().any(|step| !matches!(step, Step::Field { .. })) {
        return None;
    }
    let (item, mut inner_conditions) = exists("item", rest);
    inner_conditions.push(lacks(&item));
    let key = match step {
        Step::Items => "string(key)",
        _ => "jsonpatch.escapeKey(key)",
    };
    let start = cel::quote(&format!("{outer_path}/"));
    let end = cel::quote(&format!("{}/{}", pointer(rest), escape(name)));
    let operation =
        format!("JSONPatch{{op: 'add', path: {start} + {key} + {end}, value: {value}}}");
    let patches = format!(
        "{base}.transformList(key, item, {}, {operation})",
        inner_conditions.join(" && ")
    );
    if conditions.is_empty() {
        return Some(patches);
    }
    Some(format!("{} ? {patches} : []", conditions.join(" && ")))
}

/// Returns the JSON pointer (RFC 6901) of a path of fields.
fn pointer(steps: &[Step<'_>]) -> String {
    let names = steps.iter().filter_map(|step| match step {
        Step::Field { name, .. } => Some(format!("/{}", escape(name))),
        _ => None,
    });
    names.collect()
}
