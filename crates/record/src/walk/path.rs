//! A `JSONPath` as printer columns have it: text in, steps out, parsed once.
use super::eval::{self, Failed};
use super::node::Node;
use super::parse::Parser;
use crate::Record;
use std::fmt;
use std::str::FromStr;

/// A parsed path, such as `.spec.choice`, `.metadata.labels.app\.kubernetes\.io/name`, `.spec['a.b']`, `.spec.list[0].x`, `.spec.list[*].x` or
/// `.status.conditions[?(@.type=="Ready")].status`.
///
/// The language is that of client-go's `util/jsonpath` within one pair of braces, without ranges and recursive descent.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    pub(super) steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    /// `.name` or `['name']`.
    Field(String),
    /// `['a.b']`: the key `a.b`, or else, as client-go reads it, `.a.b`.
    Dotted(String, Path),
    /// `.*` or `[*]`.
    All,
    /// `[2]` or `[-1]`.
    Item(isize),
    /// `[from:to]`, either end open.
    Slice(Option<isize>, Option<isize>),
    /// `[0,2]`, `['a','b']`.
    Union(Vec<Step>),
    /// `[?(…)]`.
    Filter(Box<Filter>),
}

/// The condition of a filter.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Filter {
    /// `@.path`: something is there.
    Exists(Path),
    /// `@.path == operand`.
    Compare(Operand, Operator, Operand),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Operand {
    Path(Path),
    Text(String),
    Int(i64),
    Float(f64),
    Bool(bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Path {
    /// Parses a path, with or without the leading dot.
    ///
    /// # Errors
    /// What is wrong, and where.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        Parser::new(text).whole()
    }

    /// All that the path finds in `record`, in order. Nothing where a key is missing, an index is out of bounds, or types do not fit.
    pub fn find<'a>(&self, record: &'a dyn Record) -> Vec<Node<'a>> {
        eval::find(self, Node::of(record)).unwrap_or_else(|Failed| Vec::new())
    }

    /// The first of what the path finds: all that a printer column shows.
    pub fn first<'a>(&self, record: &'a dyn Record) -> Option<Node<'a>> {
        self.find(record).into_iter().next()
    }
}

impl FromStr for Path {
    type Err = PathError;
    fn from_str(text: &str) -> Result<Self, PathError> {
        Self::parse(text)
    }
}

/// A path that cannot be parsed.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub struct PathError {
    /// The whole path.
    pub path: String,
    /// Where, in bytes from its start.
    pub at: usize,
    /// What is wrong.
    pub problem: &'static str,
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "path {:?}, at byte {}: {}",
            self.path, self.at, self.problem
        )
    }
}
