//! What a schema says of a value beside its type.
use super::{IntWidth, ty};
use serde_json::Value;
use std::ops::RangeInclusive;

/// The constraints of a schema node: told in the docs, and the ground of validation, apply and merge.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Keyword and value, as the schema has them: bounds, patterns, combinators, and what the type does not say of `format`, `enum` and `required`.
    pub constraints: Vec<(&'static str, Value)>,
    /// `x-kubernetes-validations`
    pub validations: Vec<Value>,
    /// `x-kubernetes-list-type`: `atomic`, `set` or `map`.
    pub list_type: Option<String>,
    /// `x-kubernetes-list-map-keys`
    pub list_map_keys: Vec<String>,
    /// `x-kubernetes-map-type`: `atomic` or `granular`.
    pub map_type: Option<String>,
    /// Whether the API server drops whatever an object has: nothing is declared, and nothing preserved.
    pub pruned: bool,
    /// What is said of each item of a list, or of each value of a map.
    pub element: Option<Box<Element>>,
}

impl Rules {
    /// Nothing is said.
    pub const NOTHING: Self = Self {
        constraints: Vec::new(),
        validations: Vec::new(),
        list_type: None,
        list_map_keys: Vec::new(),
        map_type: None,
        pruned: false,
        element: None,
    };

    /// The integers of a width that the bounds let pass.
    pub fn integers(&self, width: IntWidth) -> RangeInclusive<i128> {
        let (least, most) = width.range().into_inner();
        let low = self.bound("minimum").map_or(least, |it| it.max(least));
        let high = self.bound("maximum").map_or(most, |it| it.min(most));
        low..=high
    }

    /// A bound that the schema gives as an integer.
    fn bound(&self, keyword: &str) -> Option<i128> {
        let mut constraints = self.constraints.iter();
        let (_, value) = constraints.find(|(name, _)| *name == keyword)?;
        ty::integer(value)
    }
}

/// What a schema says of each item of a list, or of each value of a map.
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
    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
