//! A CEL expression over named values, such as a match condition of an admission webhook.

use std::collections::HashMap;

use cel::{
    Program,
    common::{
        types::{CelBool, CelList, CelMap, CelMapKey, CelNull, CelString},
        value::Val,
    },
};
use serde_json::Value;

use super::{
    errors,
    interpret::Stop,
    rule,
    shared::{Identity, List, Map},
    value,
};

/// A CEL expression over named values.
///
/// ```
/// use kube_codegen_schema::Expression;
/// use serde_json::json;
///
/// let condition = Expression::new("!request.userInfo.username.startsWith('system:')")?;
/// let request = json!({"userInfo": {"username": "jane"}});
/// assert_eq!(condition.holds(&[("request", &request)]), Ok(true));
/// # Ok::<(), String>(())
/// ```
#[derive(Debug)]
pub struct Expression(Program);

impl Expression {
    /// Compiles an expression with the functions that the rules of a CRD have.
    ///
    /// # Errors
    /// Returns the compiler's message.
    pub fn new(source: &str) -> Result<Self, String> {
        rule::compile(source).map(Self)
    }

    /// Returns whether the expression is true for these values. A field that a value does not have is an error, unless the
    /// expression asks by `has()`.
    ///
    /// # Errors
    /// Returns why the expression cannot be evaluated, or that it gives no boolean.
    pub fn holds(&self, variables: &[(&str, &Value)]) -> Result<bool, String> {
        let values: Vec<_> = variables
            .iter()
            .map(|(name, value)| (*name, dynamic(value)))
            .collect();
        let values: Vec<_> = values
            .iter()
            .map(|(name, value)| (*name, &**value))
            .collect();
        match rule::run(&self.0, &values).result {
            Ok(value) => match value.downcast_ref::<CelBool>() {
                Some(holds) => Ok(*holds.inner()),
                None => Err("the result is not a boolean".to_owned()),
            },
            Err(Stop::Error(error)) => Err(errors::text(&error)),
            Err(Stop::TooExpensive) => {
                Err("operation cancelled: actual cost limit exceeded".to_owned())
            }
        }
    }
}

/// Returns a value as CEL sees one without a schema.
fn dynamic(value: &Value) -> Box<dyn Val> {
    match value {
        Value::Null => Box::new(CelNull),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(dynamic).collect();
            Box::new(List::new(CelList::from(items), Identity::Place))
        }
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| {
                let name = CelMapKey::String(CelString::from(name.clone()));
                (name, dynamic(value))
            });
            Box::new(Map::new(CelMap::from(fields.collect::<HashMap<_, _>>())))
        }
        scalar => value::scalar(scalar),
    }
}
