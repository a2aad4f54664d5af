//! Evaluates paths by the rules of client-go's `util/jsonpath` with `AllowMissingKeys`.
use std::cmp::Ordering;

use serde_json::Value;

use super::{
    node::Node,
    path::{Filter, Operand, Operator, Path, Step},
};
use crate::value::Record;

/// The path does not fit the object (index out of bounds, not an array), so it finds nothing.
#[derive(Debug)]
struct Failed;

impl Path {
    /// Returns all values that the path finds in `record`, in order. Finds nothing if an index is out of bounds or types do not fit.
    pub fn find<'a>(&self, record: &'a dyn Record) -> Vec<Node<'a>> {
        find(self, Node::of(record)).unwrap_or_else(|Failed| Vec::new())
    }

    /// Returns the first value that the path finds, which is what a printer column shows.
    pub fn first<'a>(&self, record: &'a dyn Record) -> Option<Node<'a>> {
        self.find(record).into_iter().next()
    }
}

fn find<'a>(path: &Path, start: Node<'a>) -> Result<Vec<Node<'a>>, Failed> {
    let mut found = vec![start];
    for step in &path.steps {
        found = walk(step, &found)?;
    }
    Ok(found)
}

fn walk<'a>(step: &Step, from: &[Node<'a>]) -> Result<Vec<Node<'a>>, Failed> {
    let mut found = Vec::new();
    for node in from {
        match step {
            Step::Field(name) => found.extend(node.field(name)),
            Step::Dotted(key, path) => match node.field(key) {
                Some(value) => found.push(value),
                None => found.extend(find(path, node.clone())?),
            },
            Step::All => found.extend(node.children()),
            Step::Item(index) => {
                let items = node.items().ok_or(Failed)?;
                let at = from_end(*index, items.len());
                found.push(at.and_then(|at| items.into_iter().nth(at)).ok_or(Failed)?);
            }
            Step::Slice(start, end) => {
                let items = node.items().ok_or(Failed)?;
                let len = items.len();
                let start = start
                    .map_or(Some(0), |index| from_end(index, len))
                    .ok_or(Failed)?;
                let end = end
                    .map_or(Some(len), |index| from_end(index, len))
                    .ok_or(Failed)?;
                if start > end || end > len {
                    return Err(Failed);
                }
                found.extend(items.into_iter().take(end).skip(start));
            }
            Step::Union(steps) => {
                for step in steps {
                    found.extend(walk(step, std::slice::from_ref(node))?);
                }
            }
            Step::Filter(condition) => {
                for item in node.items().ok_or(Failed)? {
                    if holds(condition, &item)? {
                        found.push(item);
                    }
                }
            }
        }
    }
    Ok(found)
}

/// Resolves an index; a negative one counts from the end.
fn from_end(index: isize, len: usize) -> Option<usize> {
    if index < 0 {
        len.checked_sub(index.unsigned_abs())
    } else {
        usize::try_from(index).ok()
    }
}

fn holds(filter: &Filter, item: &Node<'_>) -> Result<bool, Failed> {
    match filter {
        Filter::Exists(path) => Ok(find(path, item.clone()).is_ok_and(|found| !found.is_empty())),
        Filter::Compare(left, operator, right) => {
            compare(&value(left, item)?, *operator, &value(right, item)?)
        }
    }
}

/// Returns the one value of an operand; more or fewer fail, as in client-go.
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

/// Compares values of the same type; booleans only for equality.
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
