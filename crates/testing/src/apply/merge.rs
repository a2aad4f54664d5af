//! A live object and an applied configuration in, the live object with the configuration laid over it out; nothing is taken away.
use serde_json::Value;

use super::shape::Shape;

pub(super) fn merge(shape: &Shape<'_>, live: &mut Value, applied: &Value) {
    match (live, applied) {
        (Value::Object(live), Value::Object(applied)) if !shape.atomic() => {
            for (name, value) in applied {
                merge(
                    &shape.field(name),
                    live.entry(name.as_str()).or_insert(Value::Null),
                    value,
                );
            }
        }
        (Value::Array(live), Value::Array(applied)) => {
            let identities: Option<Vec<String>> =
                applied.iter().map(|item| shape.identity(item)).collect();
            let Some(identities) = identities else {
                live.clone_from(applied);
                return;
            };
            for (identity, item) in identities.iter().zip(applied) {
                match live
                    .iter_mut()
                    .find(|known| shape.identity(known).as_ref() == Some(identity))
                {
                    Some(known) => merge(&shape.items(), known, item),
                    None => live.push(item.clone()),
                }
            }
        }
        (live, applied) => *live = applied.clone(),
    }
}
