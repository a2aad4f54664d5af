//! Makes changes of an object from its OpenAPI schema. The server decides which of them are valid.

use kube_codegen_schema::{Extent, Schema};
use regex_syntax::hir::{Class, Hir, HirKind};
use serde_json::{Value, json};

fn flag(schema: &Value, name: &str) -> bool {
    schema.get(name).and_then(Value::as_bool).unwrap_or(false)
}

/// Returns values of a field whose name says what it means. The last one may be valid and still of no use, such as an image that does not exist.
fn meanings(schema: &Value, name: &str) -> Vec<Value> {
    let is_plain = ["enum", "pattern", "format"]
        .iter()
        .all(|it| schema.get(it).is_none());
    let is_quantity = flag(schema, "x-kubernetes-int-or-string");
    let name = name.to_lowercase();
    let ends = |endings: &[&str]| endings.iter().any(|it| name.ends_with(it));
    let texts: &[&str] = match schema.get("type").and_then(Value::as_str) {
        Some("integer") if name == "replicas" => return vec![json!(0)],
        Some("string") if !is_plain => &[],
        Some("string") if ends(&["image"]) => &[
            "example.com/app:1",
            "example.com/app:2",
            "example.com/missing:latest",
        ],
        Some("string") if ends(&["schedule", "cron"]) => &["*/5 * * * *", "0 3 * * *"],
        Some("string") if ends(&["timeout", "interval", "period", "ttl"]) => &["30s", "5m"],
        kind if is_quantity || kind == Some("string") => {
            if ends(&["cpu"]) {
                &["500m", "1"]
            } else if ends(&["storage", "memory", "size", "capacity"]) {
                &["1Gi", "2Gi"]
            } else {
                &[]
            }
        }
        _ => &[],
    };
    texts.iter().map(|text| json!(text)).collect()
}

/// Returns some values of a scalar schema, the most usual first.
fn scalars(schema: &Value) -> Vec<Value> {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return values.clone();
    }
    if flag(schema, "x-kubernetes-int-or-string") {
        return vec![json!(1), json!("50%")];
    }
    let limit = |name: &str| schema.get(name).and_then(Value::as_f64);
    match schema.get("type").and_then(Value::as_str) {
        Some("boolean") => vec![json!(true), json!(false)],
        Some("integer") => {
            #[expect(clippy::cast_possible_truncation, reason = "limits of integers")]
            let (least, most) = (
                limit("minimum").map_or(1, |limit| limit as i64),
                limit("maximum").map_or(i64::from(i32::MAX), |limit| limit as i64),
            );
            let mut values = vec![least, least.saturating_add(1), least.saturating_add(2)];
            values.retain(|value| *value <= most);
            values.push(most.min(least.saturating_add(9)));
            values.into_iter().map(Value::from).collect()
        }
        Some("number") => {
            let least = limit("minimum").unwrap_or(1.0);
            vec![json!(least), json!(least + 1.0)]
        }
        Some("string") => texts(schema).into_iter().map(Value::from).collect(),
        _ => vec![json!({})],
    }
}

fn texts(schema: &Value) -> Vec<String> {
    if let Some(pattern) = schema.get("pattern").and_then(Value::as_str)
        && let Ok(pattern) = regex_syntax::parse(pattern)
    {
        let mut texts = matching(&pattern);
        // A pattern without an end accepts more than its author thinks of.
        let longer = texts.first().map(|text| format!("{text}x"));
        texts.extend(longer);
        return texts;
    }
    let texts: &[&str] = match schema.get("format").and_then(Value::as_str) {
        Some("date-time") => &["2026-01-01T00:00:00Z", "2026-02-02T00:00:00Z"],
        Some("date") => &["2026-01-01", "2026-02-02"],
        Some("duration") => &["30s", "1m"],
        Some("ipv4" | "ip") => &["10.0.0.1", "10.0.0.2"],
        Some("cidr") => &["10.0.0.0/24", "10.0.1.0/24"],
        Some("uri") => &["https://example.com/a", "https://example.com/b"],
        Some("email") => &["a@example.com", "b@example.com"],
        Some("byte") => &["YQ==", "Yg=="],
        _ => &["one", "two", "1", ""],
    };
    let least = schema.get("minLength").and_then(Value::as_u64).unwrap_or(0);
    texts
        .iter()
        .map(|text| {
            let missing = usize::try_from(least).unwrap_or(0).min(200);
            let missing = missing.saturating_sub(text.len());
            format!("{text}{}", "a".repeat(missing))
        })
        .collect()
}

/// Returns up to three texts that match a pattern.
fn matching(pattern: &Hir) -> Vec<String> {
    let mut texts = match pattern.kind() {
        HirKind::Empty | HirKind::Look(_) => vec![String::new()],
        HirKind::Literal(literal) => vec![String::from_utf8_lossy(&literal.0).into_owned()],
        HirKind::Class(Class::Unicode(class)) => class
            .ranges()
            .iter()
            .flat_map(|range| [range.start(), range.end()])
            .filter(|letter| !letter.is_control())
            .map(String::from)
            .collect(),
        HirKind::Class(Class::Bytes(_)) => vec!["a".to_owned()],
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(u32::MAX);
            let count = repetition.min.max(1.min(most)) as usize;
            matching(&repetition.sub)
                .iter()
                .map(|text| text.repeat(count.min(100)))
                .collect()
        }
        HirKind::Capture(capture) => matching(&capture.sub),
        HirKind::Concat(parts) => {
            let parts: Vec<Vec<String>> = parts.iter().map(matching).collect();
            let most = parts.iter().map(Vec::len).max().unwrap_or(0);
            (0..most)
                .map(|index| {
                    parts
                        .iter()
                        .filter_map(|texts| texts.get(index % texts.len().max(1)))
                        .map(String::as_str)
                        .collect()
                })
                .collect()
        }
        HirKind::Alternation(parts) => parts.iter().flat_map(matching).collect(),
    };
    texts.dedup();
    texts.truncate(3);
    texts
}

/// A change of one field: its path, and the new value; null removes the field.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) path: Vec<String>,
    pub(crate) value: Value,
}

/// Returns changes of the scalars and lists in `current`, a value of `schema`.
pub(crate) fn changes(schema: &Value, current: &Value) -> Vec<Change> {
    let mut changes = Vec::new();
    collect(schema, current, &mut Vec::new(), &mut changes);
    changes
}

fn collect(schema: &Value, current: &Value, path: &mut Vec<String>, changes: &mut Vec<Change>) {
    let known = path.last().cloned();
    let name = known.as_deref().unwrap_or_default();
    let mut add = |value: Value| {
        if value != *current {
            changes.push(Change {
                path: path.clone(),
                value,
            });
        }
    };
    match current {
        Value::Object(fields) => {
            for (name, field) in fields {
                let property = schema
                    .get("properties")
                    .and_then(|properties| properties.get(name));
                if let Some(property) = property {
                    path.push(name.clone());
                    collect(property, field, path, changes);
                    path.pop();
                }
            }
        }
        Value::Array(items) => {
            let mut longer = items.clone();
            longer.extend(items.last().cloned().or_else(|| item(schema)));
            add(Value::Array(longer));
            if !items.is_empty() {
                add(Value::Array(items[1..].to_vec()));
            }
        }
        Value::Number(number) => {
            // As users do: one more, one less, and what the schema allows at most.
            let more = number.as_i64().map(|number| number.saturating_add(1));
            if let Some(value) = more {
                add(value.into());
            }
            meanings(schema, name).into_iter().for_each(&mut add);
            scalars(schema).into_iter().for_each(&mut add);
            add(Value::Null);
        }
        _ => {
            meanings(schema, name).into_iter().for_each(&mut add);
            scalars(schema).into_iter().for_each(&mut add);
            add(Value::Null);
        }
    }
}

/// Returns an item of a list.
fn item(schema: &Value) -> Option<Value> {
    let schema = Schema::new(schema.get("items")?).ok()?;
    Some(schema.sample(Extent::Minimal, &Value::Null).0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> Value {
        json!({"type": "object", "properties": {
            "choice": {"type": "string", "pattern": "(mysql|tomcat)"},
            "replicas": {"type": "integer", "minimum": 1, "maximum": 10},
            "image": {"type": "string"},
        }})
    }

    #[test]
    fn each_field_changes_in_several_ways() {
        let changes = changes(
            &schema(),
            &json!({"choice": "mysql", "image": "a", "replicas": 1}),
        );
        let of = |name: &str| {
            changes
                .iter()
                .filter(|change| change.path == [name])
                .map(|change| change.value.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            of("choice"),
            [json!("tomcat"), json!("mysqlx"), Value::Null]
        );
        assert!(of("replicas").contains(&json!(10)));
        assert_eq!(of("image")[0], json!("example.com/app:1"));
    }
}
