//! Evaluates the match conditions of admission webhooks
//! (<https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-matchconditions>).

use serde_json::Value;

/// Returns whether all conditions hold for the request of a review. One that is false decides before one that fails.
///
/// The variable `authorizer` does not exist.
#[cfg(feature = "cel")]
pub(crate) fn holds(conditions: &Value, request: &Value) -> Result<bool, String> {
    use std::error::Error as _;

    use kube_codegen_schema::Expression;

    use crate::values::object::{at, map, text};

    let Some(conditions) = conditions.as_array().filter(|it| !it.is_empty()) else {
        return Ok(true);
    };
    let (object, old) = (at(request, "/object"), at(request, "/oldObject"));
    let mut asked = request.clone();
    map(&mut asked).retain(|field, _| !matches!(field.as_str(), "object" | "oldObject"));
    let variables = [("object", object), ("oldObject", old), ("request", &asked)];
    let mut failed = Ok(true);
    for condition in conditions {
        let source = text(condition, "/expression");
        match Expression::new(source).and_then(|it| it.holds(&variables)) {
            Ok(false) => return Ok(false),
            Err(error) if failed.is_ok() => {
                // The server has the compiler's words alone.
                let why = error
                    .source()
                    .map_or_else(|| error.to_string(), ToString::to_string);
                failed = Err(format!("expression '{source}' resulted in error: {why}"));
            }
            Ok(true) | Err(_) => {}
        }
    }
    failed
}

/// Without CEL, every condition holds.
#[cfg(not(feature = "cel"))]
pub(crate) fn holds(_: &Value, _: &Value) -> Result<bool, String> {
    Ok(true)
}
