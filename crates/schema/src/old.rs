//! Correlates a value with its state before an update, for ratcheting: what an update does not change is not reported.
//!
//! See <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-ratcheting>.

use kube_codegen_formats::go::Number;
use serde_json::Value;

use crate::node::Node;

/// A value, its state before the update, and their schema.
#[allow(clippy::struct_field_names)] // `old` beside `new`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Old<'a> {
    pub(crate) schema: &'a Node,
    pub(crate) new: &'a Value,
    pub(crate) old: &'a Value,
}

impl Old<'_> {
    /// Returns the field of this name, if both states have it and the schema declares it.
    pub(crate) fn field(self, name: &str) -> Option<Self> {
        Some(Self {
            schema: self.schema.field(name)?,
            new: self.new.get(name)?,
            old: self.old.get(name)?,
        })
    }

    /// Returns the item of the new list with the item of the same keys in the old list. Only lists of type `map` have such items.
    pub(crate) fn index(self, index: usize) -> Option<Self> {
        let new = self.new.as_array()?.get(index)?;
        Some(Self {
            schema: self.schema.items.as_deref()?,
            new,
            old: same_keys(self.schema, self.old.as_array()?, new)?,
        })
    }

    /// Returns whether the update changes nothing here. Maps with fields that the schema does not declare count as changed.
    pub(crate) fn is_equal(self) -> bool {
        match (self.new, self.old) {
            (Value::Array(new), Value::Array(old)) => {
                let is_map = self.schema.list_type.as_deref() == Some("map");
                new.len() == old.len()
                    && if is_map {
                        let item = |index| self.index(index).is_some_and(Self::is_equal);
                        (0..new.len()).all(item)
                    } else {
                        new == old
                    }
            }
            (Value::Object(new), Value::Object(old)) => {
                new.len() == old.len()
                    && new
                        .keys()
                        .all(|name| self.field(name).is_some_and(Self::is_equal))
            }
            (new, old) => new == old,
        }
    }
}

/// Returns the first item of a list of type `map` with the keys of `item`.
pub(crate) fn same_keys<'a>(list: &Node, items: &'a [Value], item: &Value) -> Option<&'a Value> {
    let is_map = list.list_type.as_deref() == Some("map");
    if !is_map || list.list_map_keys.is_empty() {
        return None;
    }
    let keys = keys(list, item)?;
    items
        .iter()
        .find(|item| self::keys(list, item).as_ref() == Some(&keys))
}

/// Returns the keys of an item, if all are scalars.
fn keys(list: &Node, item: &Value) -> Option<Vec<String>> {
    let key = |name: &String| match item.get(name)? {
        key @ (Value::Bool(_) | Value::String(_)) => Some(key.to_string()),
        key @ Value::Number(_) => Some(match Number::of(key)? {
            Number::Int(int) => int.to_string(),
            Number::Float(float) => format!("{float:?}"),
        }),
        _ => None,
    };
    list.list_map_keys.iter().map(key).collect()
}
