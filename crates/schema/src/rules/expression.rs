//! A CEL expression over named values, such as a match condition of an admission webhook.

use std::{error, fmt};

use kube_codegen_cel::{CompileError, EvaluationError, PER_CALL_LIMIT, Program, Value as CelValue};
use serde_json::Value;

/// A CEL expression over named values.
///
/// ```
/// use kube_codegen_schema::Expression;
/// use serde_json::json;
///
/// let condition = Expression::new("!request.userInfo.username.startsWith('system:')")?;
/// let request = json!({"userInfo": {"username": "jane"}});
/// assert!(condition.holds(&[("request", &request)])?);
/// # Ok::<(), kube_codegen_schema::ExpressionError>(())
/// ```
#[derive(Debug)]
pub struct Expression(Program);

impl Expression {
    /// Compiles an expression with the functions that the rules of a CRD have.
    pub fn new(source: &str) -> Result<Self, ExpressionError> {
        let program = Program::compile(source);
        program.map(Self).map_err(ExpressionError::Compile)
    }

    /// Returns whether the expression is true for these values. A field that a value does not have is an error, unless the
    /// expression asks by `has()`.
    pub fn holds(&self, variables: &[(&str, &Value)]) -> Result<bool, ExpressionError> {
        let values: Vec<_> = variables
            .iter()
            .map(|(name, value)| (*name, CelValue::from(*value)))
            .collect();
        let values: Vec<_> = values.iter().map(|(name, value)| (*name, value)).collect();
        let value = self.0.evaluate(&values, PER_CALL_LIMIT).result;
        let value = value.map_err(ExpressionError::Evaluate)?;
        value.as_bool().ok_or(ExpressionError::NotBoolean)
    }
}

/// Why an [`Expression`] has no result.
#[derive(Debug)]
#[non_exhaustive]
pub enum ExpressionError {
    /// It cannot be compiled.
    Compile(CompileError),
    /// It cannot be evaluated for these values.
    Evaluate(EvaluationError),
    /// Its result is not a boolean.
    NotBoolean,
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Compile(_) => "the expression cannot be compiled",
            Self::Evaluate(_) => "the expression cannot be evaluated",
            Self::NotBoolean => "the result is not a boolean",
        })
    }
}

impl error::Error for ExpressionError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Compile(cause) => Some(cause),
            Self::Evaluate(cause) => Some(cause),
            Self::NotBoolean => None,
        }
    }
}
