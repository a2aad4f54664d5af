//! Finds what an apply would change, by the fields that the manager owns and by their values.
//!
//! The comparison walks the configuration, the object and the manager's field set at the same time. A field changes if its value differs, if the
//! manager does not own it yet, or if it owns the field and the configuration no longer sets it. Items of lists are paired as the server does: by
//! the keys or values in the field set. Where nothing says how, the list is one value.
use std::{
    collections::{HashMap, HashSet},
    fmt,
};

use serde_json::{Map, Value};

use super::{
    fields::{FieldSet, Owned, StepIndex, shown},
    same::Comparer,
};

/// A field that an apply would change. `Display` does not show the values of a Secret.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Change {
    /// The field, such as `.spec.containers[name="a"].image`.
    pub path: String,
    /// The value in the object; `None` if it has none.
    pub old: Option<Value>,
    /// The value in the configuration; `None` if the configuration no longer sets the field. The server then removes the field, unless
    /// another manager owns it.
    pub new: Option<Value>,
    /// Whether the values are those of a Secret.
    is_secret: bool,
}

/// The changes that an apply would make; empty if there are none. `Display` shows them, separated by commas.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diff(Vec<Change>);

impl Diff {
    /// Whether the apply would change nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the changes, sorted by path up to the first list.
    pub fn changes(&self) -> &[Change] {
        &self.0
    }
}

impl fmt::Display for Diff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, change) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{change}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Change {
    /// Writes `.spec.replicas: 2 → 3`. A value is `unset` if there is none; if both are equal, the manager does not own the field yet.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |value: &Option<Value>| match value {
            None => "unset".to_owned(),
            Some(_) if self.is_secret => "(secret)".to_owned(),
            Some(value) => value.to_string(),
        };
        let (old, new) = (text(&self.old), text(&self.new));
        if self.old == self.new {
            write!(f, "{}: {new} (owner)", self.path)
        } else {
            write!(f, "{}: {old} → {new}", self.path)
        }
    }
}

impl fmt::Debug for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Change({self})")
    }
}

/// The place of a value: its path, and the fields inside it that the manager owns, and that any manager owns.
struct OwnedPlace<'a> {
    path: String,
    own: Option<&'a FieldSet>,
    all: Option<&'a FieldSet>,
}

impl OwnedPlace<'_> {
    fn below(&self, step: &str) -> Self {
        Self {
            path: format!("{}{}", self.path, shown(step)),
            own: self.own.and_then(|own| own.0.get(step)),
            all: self.all.and_then(|all| all.0.get(step)),
        }
    }

    /// Whether fields inside the value have owners of their own.
    fn is_granular(&self) -> bool {
        self.all.is_some_and(|all| !all.is_leaf())
    }
}

/// Compares a configuration with an object, which may be a Secret.
pub(super) fn diff(
    config: &Value,
    live: &Value,
    owned: &Owned,
    comparer: Comparer,
    is_secret: bool,
) -> Diff {
    let root = OwnedPlace {
        path: String::new(),
        own: Some(&owned.own),
        all: Some(&owned.all),
    };
    let mut walk = Walk {
        comparer,
        is_secret,
        changes: Vec::new(),
    };
    if let Value::Object(fields) = config {
        walk.fields(fields, Some(live), &root, &owned.own);
    }
    Diff(walk.changes)
}

struct Walk {
    comparer: Comparer,
    is_secret: bool,
    changes: Vec<Change>,
}

impl Walk {
    fn add(&mut self, path: &str, old: Option<&Value>, new: Option<&Value>) {
        self.changes.push(Change {
            path: path.to_owned(),
            old: old.cloned(),
            new: new.cloned(),
            is_secret: self.is_secret
                && (path.starts_with(".data") || path.starts_with(".stringData")),
        });
    }

    fn value(&mut self, config: &Value, live: Option<&Value>, place: &OwnedPlace<'_>) {
        match (config, place.own) {
            (Value::Object(fields), Some(own)) if !own.is_leaf() => {
                self.fields(fields, live, place, own);
            }
            (Value::Object(fields), None) if !fields.is_empty() => {
                self.fields(fields, live, place, &FieldSet::default());
            }
            (Value::Object(fields), Some(_)) if place.is_granular() => {
                // An empty map was applied, into which others have set fields.
                let unowned = OwnedPlace {
                    path: place.path.clone(),
                    own: None,
                    all: place.all,
                };
                self.fields(fields, live, &unowned, &FieldSet::default());
            }
            (Value::Array(items), Some(own)) if !own.is_leaf() => {
                self.items(items, live, place, own);
            }
            // An empty list of identified items has no owner.
            (Value::Array(items), None) if items.is_empty() => {
                let is_equal = match live {
                    Some(Value::Array(live)) => place.is_granular() || live.is_empty(),
                    _ => false,
                };
                if !is_equal {
                    self.add(&place.path, live, Some(config));
                }
            }
            (config, Some(own))
                if own.is_leaf() && self.comparer.same(config, live, &place.path) => {}
            (config, _) => self.add(&place.path, live, Some(config)),
        }
    }

    fn fields(
        &mut self,
        fields: &Map<String, Value>,
        live: Option<&Value>,
        place: &OwnedPlace<'_>,
        own: &FieldSet,
    ) {
        let live_field = |name: &str| live.and_then(|live| live.get(name));
        for (name, value) in fields {
            self.value(value, live_field(name), &place.below(&format!("f:{name}")));
        }
        for (step, own) in &own.0 {
            if let Some(name) = step.strip_prefix("f:")
                && !fields.contains_key(name)
            {
                self.removed(own, live_field(name), &place.below(step).path);
            }
        }
    }

    /// Adds the fields that the configuration no longer sets.
    fn removed(&mut self, own: &FieldSet, live: Option<&Value>, path: &str) {
        if own.is_leaf() {
            return self.add(path, live, None);
        }
        let live_items = live.and_then(Value::as_array).map(Vec::as_slice);
        let by_step = by_step(own, live_items.unwrap_or_default());
        for (step, own) in &own.0 {
            let path = format!("{path}{}", shown(step));
            if let Some(name) = step.strip_prefix("f:") {
                self.removed(own, live.and_then(|live| live.get(name)), &path);
            } else {
                self.add(&path, by_step.get(&**step).map(|(_, item)| *item), None);
            }
        }
    }

    fn items(
        &mut self,
        items: &[Value],
        live: Option<&Value>,
        place: &OwnedPlace<'_>,
        own: &FieldSet,
    ) {
        let live_items = live
            .and_then(Value::as_array)
            .map_or(&[][..], Vec::as_slice);
        let by_step = by_step(own, live_items);
        let mut steps = StepIndex::new(own);
        let mut set = HashSet::new();
        let mut order = Vec::new();
        for (index, item) in items.iter().enumerate() {
            match steps.step(item) {
                Some(step) => {
                    set.insert(step);
                    let live = by_step.get(step);
                    order.extend(live.map(|(at, _)| *at));
                    self.item(item, live.map(|(_, item)| *item), &place.below(step));
                }
                None => self.add(&format!("{}[{index}]", place.path), None, Some(item)),
            }
        }
        for step in own.0.keys().filter(|step| !set.contains(&***step)) {
            let old = by_step.get(&**step).map(|(_, item)| *item);
            self.add(&place.below(step).path, old, None);
        }
        // The server keeps the order of the configuration.
        if !order.is_sorted() {
            let new = Value::from(items.to_vec());
            self.add(&place.path, live, Some(&new));
        }
    }

    /// Compares an item. Its keys may be all that the manager owns of it.
    fn item(&mut self, item: &Value, live: Option<&Value>, place: &OwnedPlace<'_>) {
        if live.is_none() {
            self.add(&place.path, None, Some(item));
        } else {
            self.value(item, live, place);
        }
    }
}

/// Returns the place and the item that each step of a set names.
fn by_step<'a>(own: &'a FieldSet, items: &'a [Value]) -> HashMap<&'a str, (usize, &'a Value)> {
    let mut steps = StepIndex::new(own);
    let mut found = HashMap::new();
    for (at, item) in items.iter().enumerate() {
        if let Some(step) = steps.step(item) {
            found.entry(step).or_insert((at, item));
        }
    }
    found
}
