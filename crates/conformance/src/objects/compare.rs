//! Compares an answer of the server with what the schema says.

use std::collections::BTreeSet;

use kube_codegen_schema::{undecodable_metadata, validate_metadata};
use serde_json::Value;

use super::Served;

/// Returns how the server's answer differs from the schema's.
pub(super) fn difference(
    version: &Served,
    old: Option<&Value>,
    object: &Value,
    status: u16,
    answer: &Value,
    warnings: &BTreeSet<String>,
) -> Option<(&'static str, String)> {
    if status == 400 {
        return undecoded(version, object, answer);
    }
    if status != 200 && status != 201 && status != 422 {
        return Some(("status", format!("  server {status} {}", answer["message"])));
    }
    let mut ours = object.clone();
    let unknown = if version.preserves {
        Vec::new()
    } else {
        version.schema.prune(&mut ours)
    };
    version.schema.apply_defaults(&mut ours);
    if version.has_status
        && let Some(fields) = ours.as_object_mut()
    {
        fields.remove("status");
        fields.extend(
            old.and_then(|old| old.get("status"))
                .map(|it| ("status".to_owned(), it.clone())),
        );
    }
    let mut causes = validate_metadata(&ours);
    causes.extend(match old {
        Some(old) => version.schema.validate_update(&ours, old),
        None => version.schema.validate(&ours),
    });
    let text = |field: &str, reason: &str, message: &str| format!("{field} {reason} {message}");
    let ours_said: BTreeSet<String> = causes
        .iter()
        .map(|it| text(&it.field, it.reason.as_str(), &it.message))
        .collect();
    let theirs = answer["details"]["causes"].as_array().into_iter().flatten();
    let theirs_said: BTreeSet<String> = theirs
        .map(|it| {
            let part = |name: &str| it[name].as_str().unwrap_or_default();
            text(part("field"), part("reason"), part("message"))
        })
        .collect();
    let only = |these: &BTreeSet<String>, those: &BTreeSet<String>| {
        these
            .difference(those)
            .cloned()
            .collect::<Vec<_>>()
            .join("\n         ")
    };
    let both = || {
        format!(
            "  here   {}\n  server {}",
            only(&ours_said, &theirs_said),
            only(&theirs_said, &ours_said)
        )
    };
    if causes.is_empty() != (status < 300) {
        return Some(("verdict", both()));
    }
    if ours_said != theirs_said {
        let names = |said: &BTreeSet<String>| -> BTreeSet<String> {
            said.iter()
                .filter_map(|it| it.split(' ').next())
                .map(str::to_owned)
                .collect()
        };
        let is_field = names(&ours_said) != names(&theirs_said);
        return Some((if is_field { "field" } else { "message" }, both()));
    }
    if status < 300 {
        let body = |object: &Value| {
            let mut object = numbers(object.clone());
            object
                .as_object_mut()
                .map(|fields| fields.remove("metadata"));
            object
        };
        read_again(version, &mut ours);
        let (ours, theirs) = (body(&ours), body(answer));
        if ours != theirs {
            return Some(("stored", format!("  here   {ours}\n  server {theirs}")));
        }
        let unknown: BTreeSet<String> = unknown
            .iter()
            .map(|field| format!("unknown field \"{field}\""))
            .collect();
        let warned: BTreeSet<String> = warnings
            .iter()
            .filter(|it| it.starts_with("unknown field"))
            .cloned()
            .collect();
        if unknown != warned {
            let what = format!(
                "  here   {}\n  server {}",
                only(&unknown, &warned),
                only(&warned, &unknown)
            );
            return Some(("unknown", what));
        }
    }
    None
}

/// Compares what cannot be decoded. The server names the first value, in any order.
fn undecoded(version: &Served, object: &Value, answer: &Value) -> Option<(&'static str, String)> {
    let mut pruned = object.clone();
    version.schema.prune(&mut pruned);
    version.schema.drop_nulls(&mut pruned);
    let causes = version.schema.undecodable(&pruned).into_iter();
    let own = undecodable_metadata(object);
    let ours: Vec<String> = own
        .into_iter()
        .chain(causes.map(|it| it.to_string()))
        .collect();
    let theirs = answer["message"].as_str().unwrap_or_default();
    if ours.iter().any(|why| theirs.ends_with(&format!(": {why}"))) {
        return None;
    }
    let what = format!("  here   {}\n  server {theirs}", ours.join("\n         "));
    Some(("undecoded", what))
}

/// Changes an object as storing does, perhaps in another version: it is read with the defaults of the stored version alone.
fn read_again(version: &Served, object: &mut Value) {
    if let Some(storage) = &version.storage {
        storage.prune(object);
        storage.apply_defaults(object);
        version.schema.prune(object);
    } else {
        version.schema.apply_defaults(object);
    }
}

/// Writes whole floats as integers, as the server does.
fn numbers(value: Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(float) if !number.is_i64() && float.fract() == 0.0 && float.abs() < 1e21 => {
                serde_json::from_str(&format!("{float:.0}")).unwrap_or(Value::Number(number))
            }
            _ => Value::Number(number),
        },
        Value::Array(items) => items.into_iter().map(numbers).collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(name, value)| (name, numbers(value)))
            .collect(),
        value => value,
    }
}
