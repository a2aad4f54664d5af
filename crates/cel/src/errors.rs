//! The errors of an evaluation, in the words of cel-go.

use cel::{
    ExecutionError, Value,
    common::value::{CowVal, Val},
};

/// Returns the text of an error as cel-go writes it.
pub(crate) fn text(error: &ExecutionError) -> String {
    match error {
        ExecutionError::NoSuchKey(key) => format!("no such key: {key}"),
        ExecutionError::IndexOutOfBounds(index) => match index {
            Value::Int(index) => format!("index out of bounds: {index}"),
            Value::UInt(index) => format!("index out of bounds: {index}"),
            index => format!("index out of bounds: {index:?}"),
        },
        ExecutionError::DivisionByZero(_) => "division by zero".to_owned(),
        ExecutionError::RemainderByZero(_) => "modulus by zero".to_owned(),
        ExecutionError::Overflow(_, Value::UInt(_), _) => "unsigned integer overflow".to_owned(),
        ExecutionError::Overflow(_, Value::Int(_), _) => "integer overflow".to_owned(),
        ExecutionError::Overflow(_, Value::Timestamp(_), _) => "timestamp overflow".to_owned(),
        ExecutionError::Overflow(_, Value::Duration(_), _) => "duration overflow".to_owned(),
        ExecutionError::NoSuchOverload(_)
        | ExecutionError::ValuesNotComparable(..)
        | ExecutionError::UnexpectedType { .. }
        | ExecutionError::UnsupportedBinaryOperator(..)
        | ExecutionError::UnsupportedIndex(..)
        | ExecutionError::UnsupportedTargetType { .. }
        | ExecutionError::NotSupportedAsMethod { .. } => "no such overload".to_owned(),
        ExecutionError::FunctionError { function, message } => match function.as_str() {
            "int" | "uint" | "double" | "bool" if !message.contains("overflow") => {
                format!("type conversion error from 'string' to '{function}'")
            }
            "duration" => {
                "type conversion error from 'string' to 'google.protobuf.Duration'".to_owned()
            }
            "timestamp" => {
                "type conversion error from 'string' to 'google.protobuf.Timestamp'".to_owned()
            }
            _ => message.clone(),
        },
        ExecutionError::UndeclaredReference(name) => format!("no such attribute(s): {name}"),
        ExecutionError::DuplicateKey(_) => "Failed with repeated key".to_owned(),
        error => error.to_string(),
    }
}

/// An error of a function of the library.
pub(crate) fn error(function: &str, message: impl Into<String>) -> ExecutionError {
    ExecutionError::function_error(function, message.into())
}

/// Why an expression has no value.
#[derive(Debug)]
pub(crate) enum Stop {
    Error(ExecutionError),
    /// The rule costs more than it may.
    TooExpensive,
}

impl From<ExecutionError> for Stop {
    fn from(error: ExecutionError) -> Self {
        Self::Error(error)
    }
}

pub(crate) type Answer<'e> = Result<CowVal<'e, 'static>, Stop>;

/// The error of a call with arguments of types that its function does not take.
pub(crate) fn no_overload<'a>(
    name: &str,
    args: impl IntoIterator<Item = &'a dyn Val>,
) -> ExecutionError {
    let types = args.into_iter().map(|arg| arg.get_type().name().to_owned());
    ExecutionError::no_such_overload(name, types.collect())
}
