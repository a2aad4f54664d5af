//! A path and where it starts in, what it finds out; by the rules of client-go's `util/jsonpath` with missing keys allowed.
use super::filter;
use super::node::Node;
use super::path::{Path, Step};

/// The path does not fit the object: an index out of bounds, an array expected. Then nothing is found at all.
#[derive(Debug)]
pub(super) struct Failed;

pub(super) fn find<'a>(path: &Path, start: Node<'a>) -> Result<Vec<Node<'a>>, Failed> {
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
                    if filter::holds(condition, &item)? {
                        found.push(item);
                    }
                }
            }
        }
    }
    Ok(found)
}

/// An index, where a negative one counts from the end.
fn from_end(index: isize, len: usize) -> Option<usize> {
    if index < 0 {
        len.checked_sub(index.unsigned_abs())
    } else {
        usize::try_from(index).ok()
    }
}
