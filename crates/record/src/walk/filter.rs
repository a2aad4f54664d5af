//! The condition of a filter and an item in, whether it holds out.
use super::eval::{Failed, find};
use super::node::Node;
use super::path::{Filter, Operand, Operator};
use serde_json::Value;
use std::cmp::Ordering;

pub(super) fn holds(filter: &Filter, item: &Node<'_>) -> Result<bool, Failed> {
    match filter {
        Filter::Exists(path) => Ok(find(path, item.clone()).is_ok_and(|found| !found.is_empty())),
        Filter::Compare(left, operator, right) => {
            compare(&value(left, item)?, *operator, &value(right, item)?)
        }
    }
}

/// One value, no more and no less, as client-go has it.
fn value(operand: &Operand, item: &Node<'_>) -> Result<Value, Failed> {
    Ok(match operand {
        Operand::Text(text) => text.as_str().into(),
        Operand::Int(int) => (*int).into(),
        Operand::Float(float) => (*float).into(),
        Operand::Bool(value) => (*value).into(),
        Operand::Path(path) => match find(path, item.clone())?.as_slice() {
            [one] => one.to_json(),
            _ => return Err(Failed),
        },
    })
}

/// Only values of one kind can be compared, and booleans only for equality.
fn compare(left: &Value, operator: Operator, right: &Value) -> Result<bool, Failed> {
    let order = match (left, right) {
        (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
        (Value::Number(left), Value::Number(right)) => match (left.as_i64(), right.as_i64()) {
            (Some(left), Some(right)) => Some(left.cmp(&right)),
            _ => left.as_f64().partial_cmp(&right.as_f64()),
        },
        (Value::Bool(left), Value::Bool(right))
            if matches!(operator, Operator::Equal | Operator::NotEqual) =>
        {
            Some(left.cmp(right))
        }
        _ => None,
    };
    let order = order.ok_or(Failed)?;
    Ok(match operator {
        Operator::Equal => order == Ordering::Equal,
        Operator::NotEqual => order != Ordering::Equal,
        Operator::Less => order == Ordering::Less,
        Operator::LessEqual => order != Ordering::Greater,
        Operator::Greater => order == Ordering::Greater,
        Operator::GreaterEqual => order != Ordering::Less,
    })
}
