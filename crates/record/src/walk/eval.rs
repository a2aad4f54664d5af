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

/// The most values that a recursive descent visits, since each `..` multiplies them.
const VISITED: usize = 100_000;

impl Path {
    /// Returns all values that the path finds in `record`, in order. The result is empty if an index is out of bounds or types do not fit.
    pub fn find<'a>(&self, record: &'a dyn Record) -> Vec<Node<'a>> {
        find(self, Node::of(record)).unwrap_or_else(|Failed| Vec::new())
    }

    /// Returns all values that the path finds in JSON, like [`Self::find`].
    pub fn find_in<'a>(&self, json: &'a Value) -> Vec<Node<'a>> {
        find(self, Node::Json(json)).unwrap_or_else(|Failed| Vec::new())
    }

    /// Returns the first value that the path finds, which a printer column would show.
    pub fn first<'a>(&self, record: &'a dyn Record) -> Option<Node<'a>> {
        self.find(record).into_iter().next()
    }
}

fn find<'a>(path: &Path, start: Node<'a>) -> Result<Vec<Node<'a>>, Failed> {
    find_from(path, vec![start])
}

fn find_from<'a>(path: &Path, mut found: Vec<Node<'a>>) -> Result<Vec<Node<'a>>, Failed> {
    for step in &path.steps {
        found = walk(step, &found)?;
    }
    Ok(found)
}

fn walk<'a>(step: &Step, from: &[Node<'a>]) -> Result<Vec<Node<'a>>, Failed> {
    let mut found = Vec::new();
    if let Step::Union(paths) = step {
        for path in paths {
            found.extend(find_from(path, from.to_vec())?);
        }
        return Ok(found);
    }
    for node in from {
        // `null` has nothing inside, and no type that could be wrong.
        if node.is_null() {
            continue;
        }
        match step {
            Step::Field(name) => found.extend(node.field(name)),
            Step::All => found.extend(node.children()),
            Step::Descent => descend(node, &mut found)?,
            Step::Item(index) => {
                let items = node.items().ok_or(Failed)?;
                let at = from_end(*index, items.len());
                found.push(at.and_then(|at| items.into_iter().nth(at)).ok_or(Failed)?);
            }
            Step::Slice(start, end, step) => {
                let items = node.items().ok_or(Failed)?;
                found.extend(slice(items, *start, *end, *step)?);
            }
            Step::Union(_) => {}
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

/// Adds a value and everything inside it, except what has nothing inside.
fn descend<'a>(node: &Node<'a>, found: &mut Vec<Node<'a>>) -> Result<(), Failed> {
    let children = node.children();
    if children.is_empty() && node.as_text().is_none_or(|text| text.is_empty()) {
        return Ok(());
    }
    if found.len() >= VISITED {
        return Err(Failed);
    }
    found.push(node.clone());
    children.iter().try_for_each(|child| descend(child, found))
}

/// Returns each `step`-th item of a range, which may be empty but not beyond the items.
fn slice(
    items: Vec<Node<'_>>,
    start: Option<isize>,
    end: Option<isize>,
    step: Option<isize>,
) -> Result<impl Iterator<Item = Node<'_>>, Failed> {
    let len = items.len();
    let start = start.map_or(Some(0), |index| from_end(index, len));
    let end = end.map_or(Some(len), |index| from_end(index, len));
    let (start, end, step) = match (start, end, step.unwrap_or(1)) {
        (start, end, _) if start == end => (0, 0, 1),
        (Some(start), Some(end), step) if start < end && end <= len && step > 0 => {
            (start, end, step.unsigned_abs())
        }
        _ => return Err(Failed),
    };
    Ok(items.into_iter().take(end).skip(start).step_by(step))
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
            let Some(left) = value(left, item)? else {
                return Ok(false);
            };
            let Some(right) = value(right, item)? else {
                return Ok(false);
            };
            compare(&left, *operator, &right)
        }
    }
}

/// Returns the value of an operand, if there is one; more than one fail, as in client-go.
fn value(operand: &Operand, item: &Node<'_>) -> Result<Option<Value>, Failed> {
    Ok(Some(match operand {
        Operand::Text(text) => text.as_str().into(),
        Operand::Int(int) => (*int).into(),
        Operand::Float(float) => (*float).into(),
        Operand::Bool(value) => (*value).into(),
        Operand::Word => return Err(Failed),
        Operand::Path(path) => match find(path, item.clone())?.as_slice() {
            [] => return Ok(None),
            [one] => one.to_json(),
            _ => return Err(Failed),
        },
    }))
}

/// Compares values of the same type, of which integers and floats are two; booleans only for equality.
fn compare(left: &Value, operator: Operator, right: &Value) -> Result<bool, Failed> {
    let order = match (left, right) {
        (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
        (Value::Number(left), Value::Number(right)) => match (left.as_i64(), right.as_i64()) {
            (Some(left), Some(right)) => Some(left.cmp(&right)),
            (None, None) => left.as_f64().partial_cmp(&right.as_f64()),
            _ => None,
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
