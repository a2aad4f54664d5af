//! A CEL expression over named values, such as a match condition of an admission webhook.

use std::collections::HashMap;

use cel::{
    Context, Program, Value as CelValue,
    common::{
        types::{CelList, CelMap, CelMapKey, CelNull, CelString},
        value::Val,
    },
};
use serde_json::Value;

use super::{errors, rule, value};

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
        let mut context = Context::with_env(rule::ENV.clone());
        for (name, value) in variables {
            context.add_variable_as_val(*name, dynamic(value));
        }
        match self.0.execute(&context) {
            Ok(CelValue::Bool(holds)) => Ok(holds),
            Ok(_) => Err("the result is no boolean".to_owned()),
            Err(error) => Err(errors::text(&error)),
        }
    }
}

/// Returns a value as CEL sees one without a schema.
fn dynamic(value: &Value) -> Box<dyn Val> {
    match value {
        Value::Null => Box::new(CelNull),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(dynamic).collect();
            Box::new(CelList::from(items))
        }
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| {
                let name = CelMapKey::String(CelString::from(name.clone()));
                (name, dynamic(value))
            });
            Box::new(CelMap::from(fields.collect::<HashMap<_, _>>()))
        }
        scalar => value::scalar(scalar),
    }
}
