//! The `JSONPath` of printer columns.
use std::fmt;

/// A parsed path, such as `.spec.choice`, `.metadata.labels.app\.kubernetes\.io/name`, `.spec['a\.b']`, `.spec.list[0].x`, `.spec.list[*].x`,
/// `..image` or `.status.conditions[?(@.type=="Ready")].status`.
///
/// The syntax is that of client-go's `util/jsonpath` within one pair of braces, without `range`. As in client-go, dots in quoted keys
/// separate names unless a backslash escapes them, and `[*]` works for arrays only.
///
/// ```
/// use kube_codegen_record::walk::Path;
///
/// let path: Path = ".status.conditions[?(@.type==\"Ready\")].status".parse()?;
/// assert_eq!(Path::parse(".spec.list[").unwrap_err().at, 11);
/// # Ok::<(), kube_codegen_record::walk::PathError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    pub(super) steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    /// `.name` or `['name']`.
    Field(String),
    /// `.*`: the items of an array or the values of an object.
    All,
    /// `..`: the value and everything inside it.
    Descent,
    /// `[2]` or `[-1]`.
    Item(isize),
    /// `[from:to:step]`, each optional, or `[*]`.
    Slice(Option<isize>, Option<isize>, Option<isize>),
    /// `[0,2]`, `['a','b']`.
    Union(Vec<Path>),
    /// `[?(…)]`.
    Filter(Box<Filter>),
}

/// The condition of a filter.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Filter {
    /// `@.path` finds a value.
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
    /// A word without quotes, which cannot be compared.
    Word,
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

/// A syntax error in a path.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub struct PathError {
    /// The whole path.
    pub path: String,
    /// The byte offset of the error.
    pub at: usize,
    /// The problem.
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
