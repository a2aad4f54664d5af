//! Collects the problems of one object into a single message with paths.
use std::{cell::RefCell, fmt};

use crate::literal::Literal;

thread_local! {
    /// The problems of the last object, while [`collect`] runs: an error of serde is a message alone.
    static FOUND: RefCell<Option<Vec<Problem>>> = const { RefCell::new(None) };
}

/// Further problems are only counted, to keep the message readable and hostile objects cheap.
const LISTED: usize = 16;

/// A value that does not fit its type.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// The path of the value, such as `spec.ports[0].name`. It is empty for the object itself, and if the type does not report a path.
    pub path: String,
    /// The problem with the value.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

/// Calls `read`, and returns its error as a list.
pub(super) fn collect<T, E: fmt::Display>(
    read: impl FnOnce() -> Result<T, E>,
) -> Result<T, Vec<Problem>> {
    let before = FOUND.replace(Some(Vec::new()));
    let result = read();
    let found = FOUND.replace(before).unwrap_or_default();
    result.map_err(|error| {
        let message = error.to_string();
        // Otherwise the error is of the deserializer, or of another type's reader.
        if !found.is_empty() && listed(&found) == message {
            return found;
        }
        let path = String::new();
        vec![Problem { path, message }]
    })
}

fn listed(problems: &[Problem]) -> String {
    let all: Vec<_> = problems.iter().map(ToString::to_string).collect();
    all.join("; ")
}

/// The problems found while reading one object.
#[derive(Default)]
pub(super) struct Report {
    problems: Vec<Problem>,
    unlisted: usize,
    /// Whether the outermost object or array was entered: `null` at the root is an error.
    pub(super) inside: bool,
    /// The keys of the maps being read, concatenated.
    keys: String,
}

impl Report {
    /// Returns the number of problems so far, for [`Report::prefix`].
    #[inline]
    pub(super) fn mark(&self) -> usize {
        self.problems.len()
    }

    #[cold]
    pub(super) fn add(&mut self, path: String, message: String) {
        if self.problems.len() < LISTED {
            self.problems.push(Problem { path, message });
        } else {
            self.unlisted += 1;
        }
    }

    #[cold]
    pub(super) fn wrong_type(&mut self, found: &str, expected: &str) {
        self.add(
            String::new(),
            format!("invalid type: {found}, expected {expected}"),
        );
    }

    #[cold]
    pub(super) fn wrong_value(&mut self, found: &Literal<'_>, expected: &str) {
        self.add(
            String::new(),
            format!("invalid value: {}, expected {expected}", found.describe()),
        );
    }

    /// Prefixes the paths of all problems since `mark` with a field name.
    #[inline]
    pub(super) fn in_field(&mut self, mark: usize, name: &str) {
        if self.problems.len() > mark {
            self.prefix(mark, &key_segment(name));
        }
    }

    /// Prefixes the paths of all problems since `mark` with an index.
    #[inline]
    pub(super) fn in_item(&mut self, mark: usize, index: usize) {
        if self.problems.len() > mark {
            self.prefix(mark, &format!("[{index}]"));
        }
    }

    #[cold]
    fn prefix(&mut self, mark: usize, segment: &str) {
        for problem in &mut self.problems[mark..] {
            prepend(&mut problem.path, segment);
        }
    }

    /// Keeps the key of a map entry while its value is read.
    #[inline]
    pub(super) fn enter_key(&mut self, key: &str) {
        self.keys.push_str(key);
    }

    /// Removes the key that starts at `start`, and prefixes the paths of all problems since `mark` with it.
    #[inline]
    pub(super) fn leave_key(&mut self, mark: usize, start: usize) {
        if self.problems.len() > mark {
            let segment = key_segment(&self.keys[start..]);
            self.prefix(mark, &segment);
        }
        self.keys.truncate(start);
    }

    /// Returns where the next key will start.
    #[inline]
    pub(super) fn next_key(&self) -> usize {
        self.keys.len()
    }

    /// Returns all problems in one line; `None` if there are none.
    pub(super) fn finish(mut self) -> Option<String> {
        if self.problems.is_empty() {
            return None;
        }
        if self.unlisted > 0 {
            self.problems.push(Problem {
                path: String::new(),
                message: format!("and {} more", self.unlisted),
            });
        }
        let message = listed(&self.problems);
        FOUND.with_borrow_mut(|found| {
            if let Some(found) = found {
                *found = self.problems;
            }
        });
        Some(message)
    }
}

/// Formats a key as part of a path: plain, or as `["a.b"]` where plain would be ambiguous.
pub(super) fn key_segment(key: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '$' | '/' | '@');
    if !key.is_empty() && key.chars().all(plain) {
        key.to_owned()
    } else {
        format!("[{key:?}]")
    }
}

/// Prepends a segment to a path.
pub(super) fn prepend(path: &mut String, segment: &str) {
    let dot = !path.is_empty() && !path.starts_with('[');
    if dot {
        path.insert(0, '.');
    }
    path.insert_str(0, segment);
}
