//! Validates a number: range of its type, `multipleOf`, `maximum`, `minimum`.

use kube_codegen_formats::go::{self, Number};
use serde_json::Value;

use super::{Outcome, Problem};
use crate::node::Node;

pub(super) fn numbers(schema: &Node, number: Number, value: &Value, path: &str) -> Outcome {
    let mut outcome = Outcome::default();
    let type_ = match schema.types() {
        [one] => *one,
        _ => "",
    };
    let format = schema.format.as_deref();
    let range = |number: Number, what: &str| out_of_range(number, type_, format, what, path);
    let report = |rule: &str| Problem::invalid(path, value, rule);
    if let Some(problem) = range(number, "Checked") {
        outcome.add(problem);
    }
    // A bound out of the range of the type is reported as well, and then compared as a float.
    if let Some(factor) = schema.multiple_of {
        let problem = range(Number::Float(factor), "MultipleOf");
        match number {
            Number::Int(int) if problem.is_none() => {
                let factor = go::int(factor);
                if factor <= 0 {
                    let detail =
                        format!("factor MultipleOf declared for {path} must be positive: {factor}");
                    let value = factor.to_string();
                    outcome.add(Problem::new(path, crate::Reason::Invalid, value, detail));
                } else if int % factor != 0 {
                    outcome.add(report(&format!("should be a multiple of {factor}")));
                }
            }
            number => {
                let data = number.as_f64();
                let quotient = if factor < 1.0 {
                    1.0 / factor * data
                } else {
                    data / factor
                };
                if !is_integral(quotient) {
                    outcome.add(report(&format!(
                        "should be a multiple of {}",
                        go::float(factor)
                    )));
                }
            }
        }
        if let Some(problem) = problem {
            outcome.add(problem);
        }
    }
    if let Some(bound) = schema.minimum {
        let problem = range(Number::Float(bound), "Minimum boundary");
        let strict = schema.exclusive_minimum;
        let rule = if strict {
            "greater than"
        } else {
            "greater than or equal to"
        };
        bounded(
            number,
            bound,
            problem.is_none(),
            strict,
            |number, bound| number < bound,
            |bound| {
                outcome.add(report(&format!("should be {rule} {bound}")));
            },
        );
        if let Some(problem) = problem {
            outcome.add(problem);
        }
    }
    if let Some(bound) = schema.maximum {
        let problem = range(Number::Float(bound), "Maximum boundary");
        let strict = schema.exclusive_maximum;
        let rule = if strict {
            "less than"
        } else {
            "less than or equal to"
        };
        bounded(
            number,
            bound,
            problem.is_none(),
            strict,
            |number, bound| number > bound,
            |bound| {
                outcome.add(report(&format!("should be {rule} {bound}")));
            },
        );
        if let Some(problem) = problem {
            outcome.add(problem);
        }
    }
    outcome.matched += 1;
    outcome
}

/// Compares with a bound; an integer is compared with the bound cut to an integer.
fn bounded(
    number: Number,
    bound: f64,
    native: bool,
    strict: bool,
    beyond: fn(Ordered, Ordered) -> bool,
    report: impl FnOnce(String),
) {
    let (number, bound, text) = match number {
        Number::Int(int) if native => {
            let bound = go::int(bound);
            (Ordered::Int(int), Ordered::Int(bound), bound.to_string())
        }
        number => (
            Ordered::Float(number.as_f64()),
            Ordered::Float(bound),
            go::float(bound),
        ),
    };
    if beyond(number, bound) || strict && number == bound {
        report(text);
    }
}

#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Ordered {
    Int(i64),
    Float(f64),
}

/// Reports a number that its type or format cannot hold.
fn out_of_range(
    number: Number,
    type_: &str,
    format: Option<&str>,
    what: &str,
    path: &str,
) -> Option<Problem> {
    let is_held = match (type_, format, number) {
        ("integer", Some("int32"), Number::Int(int)) => i32::try_from(int).is_ok(),
        ("integer", format, Number::Float(float)) => {
            let limit = if format == Some("int32") {
                2f64.powi(31)
            } else {
                2f64.powi(63)
            };
            float.fract() == 0.0 && (-limit..limit).contains(&float)
        }
        ("number", Some("float"), number) => number.as_f64().abs() < 2f64.powi(128),
        _ => true,
    };
    let of = match format {
        Some(format) => format!("{type_} with format {format}"),
        None => format!("{type_} (default format)"),
    };
    (!is_held)
        .then(|| Problem::nowhere(path, format!("{what} value must be of type {of} in {path}")))
}

/// Returns whether a float is an integer that JSON holds exactly, up to a relative error of 1e-9.
pub(super) fn is_integral(float: f64) -> bool {
    const LIMIT: f64 = 9_007_199_254_740_991.0;
    let rounded = float.round();
    (-LIMIT..=LIMIT).contains(&float)
        && (float.fract() == 0.0
            || rounded != 0.0 && (float - rounded).abs() < 1e-9 * rounded.abs())
}
