//! Mappings that need no code, as the config of `kube-codegen` declares them.
use serde_json::{Number, Value};

use super::{IfAbsent, Mapping};

impl Mapping<Value, Value> {
    /// Copies the JSON unchanged: [`Mapping::copy`] without types.
    pub fn copied() -> Self {
        Self::copy()
    }

    /// Replaces strings: each pair is a string of the spoke and the corresponding one of the hub. Other values are copied.
    pub fn values(pairs: &'static [(&'static str, &'static str)]) -> Self {
        let replace = move |value: Value, to_hub: bool| {
            let found = pairs
                .iter()
                .find(|(spoke, hub)| value == *(if to_hub { spoke } else { hub }));
            found.map_or(value.clone(), |(spoke, hub)| {
                (if to_hub { *hub } else { *spoke }).into()
            })
        };
        Self::of_json(
            move |value| Ok(Some(replace(value, true))),
            move |value| Ok(Some(replace(value, false))),
        )
    }

    /// Converts a value of the spoke to a list of one item in the hub. Further items of the hub are stored in the annotation.
    pub fn list_in_hub() -> Self {
        Self::of_json(wrap, unwrap)
    }

    /// Converts a value of the hub to a list of one item in the spoke. Further items of the spoke are stored in the annotation.
    pub fn list_in_spoke() -> Self {
        Self::of_json(unwrap, wrap)
    }

    /// Multiplies the number of the spoke to get the number of the hub.
    pub fn multiplied(factor: f64) -> Self {
        Self::of_json(
            move |value| multiply(value, factor),
            move |value| divide(value, factor),
        )
    }

    /// Divides the number of the spoke to get the number of the hub.
    pub fn divided(factor: f64) -> Self {
        Self::of_json(
            move |value| divide(value, factor),
            move |value| multiply(value, factor),
        )
    }

    fn of_json(
        to_hub: impl Fn(Value) -> Result<Option<Value>, String> + Send + Sync + 'static,
        to_spoke: impl Fn(Value) -> Result<Option<Value>, String> + Send + Sync + 'static,
    ) -> Self {
        Self::of_values(
            move |value, _| value.map_or(Ok(None), &to_hub),
            move |value, _| value.map_or(Ok(None), &to_spoke),
        )
    }
}

impl IfAbsent<Value> {
    /// Leaves the field absent: [`IfAbsent::absent`] without a type.
    pub fn unset() -> Self {
        Self::absent()
    }

    /// Sets the field to an empty object, for fields that were moved into it.
    pub fn empty() -> Self {
        Self::value(Value::Object(serde_json::Map::new()))
    }

    /// Sets the field to a value, given as JSON text.
    pub fn json(text: &'static str) -> Self {
        Self::of_object(move |_| serde_json::from_str(text).map(Some))
    }
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "one of two directions, of which the other may fail"
)]
fn wrap(value: Value) -> Result<Option<Value>, String> {
    Ok(Some(if value.is_null() {
        value
    } else {
        Value::Array(vec![value])
    }))
}

fn unwrap(value: Value) -> Result<Option<Value>, String> {
    match value {
        Value::Array(items) => Ok(items.into_iter().next()),
        Value::Null => Ok(Some(Value::Null)),
        other => Err(format!("expected a list, found {other}")),
    }
}

fn multiply(value: Value, factor: f64) -> Result<Option<Value>, String> {
    scale(value, |number| number * factor)
}

/// Divides; an integer is rounded towards zero if the divisor is an integer.
fn divide(value: Value, divisor: f64) -> Result<Option<Value>, String> {
    let is_whole = divisor.fract() == 0.0 && value.is_i64();
    scale(value, |number| {
        let quotient = number / divisor;
        if is_whole { quotient.trunc() } else { quotient }
    })
}

fn scale(value: Value, change: impl Fn(f64) -> f64) -> Result<Option<Value>, String> {
    if value.is_null() {
        return Ok(Some(value));
    }
    let number = value.as_f64().map(change);
    let number = number.filter(|number| number.is_finite());
    let number = number.and_then(|number| {
        // Integers stay integers, as far as a double holds them.
        #[expect(clippy::cast_possible_truncation, reason = "the range was checked")]
        let whole = (number.fract() == 0.0 && number.abs() < 9.0e15).then_some(number as i64);
        whole.map(Number::from).or_else(|| Number::from_f64(number))
    });
    match number {
        Some(number) => Ok(Some(number.into())),
        None => Err(format!("expected a number, found {value}")),
    }
}
