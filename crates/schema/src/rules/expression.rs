//! A CEL expression over named values, such as a match condition of an admission webhook.

use kube_codegen_cel::{PER_CALL_LIMIT, Program, Value as CelValue};
use serde_json::Value;

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
        Program::compile(source)
            .map(Self)
            .map_err(|why| why.to_string())
    }

    /// Returns whether the expression is true for these values. A field that a value does not have is an error, unless the
    /// expression asks by `has()`.
    ///
    /// # Errors
    /// Returns why the expression cannot be evaluated, or that it gives no boolean.
    pub fn holds(&self, variables: &[(&str, &Value)]) -> Result<bool, String> {
        let values: Vec<_> = variables
            .iter()
            .map(|(name, value)| (*name, CelValue::from(*value)))
            .collect();
        let values: Vec<_> = values.iter().map(|(name, value)| (*name, value)).collect();
        match self.0.evaluate(&values, PER_CALL_LIMIT).result {
            Ok(value) => value
                .as_bool()
                .ok_or_else(|| "the result is not a boolean".to_owned()),
            Err(why) => Err(why.to_string()),
        }
    }
}
