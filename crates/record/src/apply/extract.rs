//! Reads back what a field manager has applied.
use serde_json::{Map, Value};

use super::fields::{FieldSet, StepIndex, keys};

/// Returns the parts of `live` that are in the set `own`. `all` has the fields of every manager, which show what is atomic: nothing has an owner
/// inside an atomic value.
pub(super) fn extract(live: &Value, own: &FieldSet, all: Option<&FieldSet>) -> Value {
    if own.is_leaf() {
        let is_granular = all.is_some_and(|all| !all.is_leaf());
        return match live {
            Value::Object(_) if is_granular => Value::Object(Map::new()),
            Value::Array(_) if is_granular => Value::Array(Vec::new()),
            live => live.clone(),
        };
    }
    let below = |step: &str| all.and_then(|all| all.0.get(step));
    match live {
        Value::Object(fields) => {
            let steps = own.0.iter().filter_map(|(step, own)| {
                let name = step.strip_prefix("f:")?;
                Some((
                    name.to_owned(),
                    extract(fields.get(name)?, own, below(step)),
                ))
            });
            Value::Object(steps.collect())
        }
        Value::Array(items) => {
            let mut steps = StepIndex::new(own);
            let items = items.iter().filter_map(|item| {
                let step = steps.step(item)?;
                let own = own.0.get(step)?;
                let mut extracted = extract(item, own, below(step));
                if let (Value::Object(fields), true) = (&mut extracted, own.is_leaf()) {
                    fields.extend(keys(step).into_iter().flatten());
                }
                Some(extracted)
            });
            items.collect()
        }
        live => live.clone(),
    }
}
