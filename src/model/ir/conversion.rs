//! How objects of a kind are converted between a version and the hub.
use super::{Ident, KindId, SchemaPath};
use crate::model::evolution::Change;
use serde_json::{Number, Value};

/// The conversion of a kind between a version and the hub.
#[derive(Clone, Debug)]
pub struct Conversion {
    /// The version.
    pub spoke: KindId,
    /// The version that all others are converted to and from.
    pub hub: KindId,
    /// The trait that asks for decisions.
    pub name: Ident,
    /// The function that makes the converter of the kind.
    pub function: Ident,
    /// What differs, from the spoke to the hub.
    pub steps: Vec<ConversionStep>,
    /// The lists around it whose items have keys.
    pub keyed: Vec<(SchemaPath, Vec<String>)>,
}

/// One difference that a conversion takes care of.
#[derive(Clone, Debug)]
pub struct ConversionStep {
    /// The difference.
    pub(crate) change: Change,
    /// Who decides on the values.
    pub decision: Decision,
    /// The names of the declared fields, for an object whose other fields are pruned.
    pub known: Vec<String>,
}

/// Who decides how a value is converted.
#[derive(Clone, Debug)]
pub enum Decision {
    /// The user, in a method.
    Method(Ident),
    /// The config.
    Declared(Strategy),
    /// There is one way.
    Automatic,
}

/// A conversion that the config declares.
#[derive(Clone, Debug)]
pub enum Strategy {
    /// The value is copied.
    Copy,
    /// The values of the spoke and those of the hub.
    Values(Vec<(String, String)>),
    /// The hub has a list.
    ListInHub,
    /// The spoke has a list.
    ListInSpoke,
    /// The number of the hub is that of the spoke, multiplied.
    Multiplied(Number),
    /// The number of the hub is that of the spoke, divided.
    Divided(Number),
    /// The value where there is none.
    IfAbsent(Option<Value>),
}

impl Conversion {
    /// Returns whether the user has something to decide.
    pub fn has_methods(&self) -> bool {
        let mut steps = self.steps.iter();
        steps.any(|step| matches!(step.decision, Decision::Method(_)))
    }
}
