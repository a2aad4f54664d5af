//! The constraints that a schema puts on a value, apart from its type.
use super::{IntWidth, ty};
use serde_json::Value;
use std::ops::RangeInclusive;

/// The constraints of a schema node, which docs, validation, apply and merge are generated from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Keyword and value: bounds, patterns, combinators, and those of `format`, `enum` and `required` that the type does not express.
    pub constraints: Vec<(&'static str, Value)>,
    /// `x-kubernetes-validations`
    pub validations: Vec<Value>,
    /// `x-kubernetes-list-type`: `atomic`, `set` or `map`.
    pub list_type: Option<String>,
    /// `x-kubernetes-list-map-keys`
    pub list_map_keys: Vec<String>,
    /// `x-kubernetes-map-type`: `atomic` or `granular`.
    pub map_type: Option<String>,
    /// Whether the API server prunes every field of the object: none is declared, and none preserved.
    pub pruned: bool,
    /// The constraints on each item of a list, or on each value of a map.
    pub element: Option<Box<Element>>,
}

impl Rules {
    /// No constraints.
    pub const NONE: Self = Self {
        constraints: Vec::new(),
        validations: Vec::new(),
        list_type: None,
        list_map_keys: Vec::new(),
        map_type: None,
        pruned: false,
        element: None,
    };

    /// Returns the integers of a width that the bounds admit.
    pub fn integers(&self, width: IntWidth) -> RangeInclusive<i128> {
        let (least, most) = width.range().into_inner();
        let low = self.bound("minimum").map_or(least, |it| it.max(least));
        let high = self.bound("maximum").map_or(most, |it| it.min(most));
        low..=high
    }

    /// Returns a bound that the schema gives as an integer.
    fn bound(&self, keyword: &str) -> Option<i128> {
        let mut constraints = self.constraints.iter();
        let (_, value) = constraints.find(|(name, _)| *name == keyword)?;
        ty::integer(value)
    }
}

/// Documentation, default and constraints of each item of a list, or of each value of a map.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Element {
    /// Its description.
    pub doc: Option<String>,
    /// The default that the API server fills in.
    pub default: Option<Value>,
    /// Its constraints.
    pub rules: Rules,
}

impl Element {
    /// Returns whether there are none of them.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
