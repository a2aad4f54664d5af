//! An expression: compiled, checked, estimated and evaluated.

use std::{collections::BTreeSet, error, fmt};

use cel::{
    ExecutionError, IdedExpr, ParseErrors,
    common::{ast::SourceInfo, value::CowVal},
};

use crate::{
    check::{self, Problem, Types},
    depth,
    errors::{self, Stop},
    estimate::{self, Sizes},
    implied,
    library::ENV,
    literals::literals,
    partial::{self, Facts},
    run::Interpreter,
    syntax,
    types::Type,
    value::{Object, Value},
};

/// The most that the API server lets one expression cost when it runs.
pub const PER_CALL_LIMIT: u64 = 1_000_000;

/// A text that is not an expression; the message says where and why.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CompileError(Vec<Problem>);

impl CompileError {
    /// Returns what is wrong, in the order of the source.
    pub fn problems(&self) -> &[Problem] {
        &self.0
    }
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        check::write_all(&self.0, f)
    }
}

impl error::Error for CompileError {}

/// An expression whose types do not fit.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CheckError(Vec<Problem>);

impl CheckError {
    /// Returns what is wrong, in the order of the source.
    pub fn problems(&self) -> &[Problem] {
        &self.0
    }
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        check::write_all(&self.0, f)
    }
}

impl error::Error for CheckError {}

/// Why an expression has no value.
#[derive(Debug)]
#[non_exhaustive]
pub enum EvaluationError {
    /// An operation failed.
    Failed(Failure),
    /// The expression costs more than the limit.
    TooExpensive,
}

/// An operation that failed, with the text of cel-go.
#[derive(Debug)]
pub struct Failure(ExecutionError);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&errors::text(&self.0))
    }
}

impl error::Error for Failure {}

impl fmt::Display for EvaluationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(failure) => failure.fmt(f),
            Self::TooExpensive => f.write_str("operation cancelled: actual cost limit exceeded"),
        }
    }
}

impl error::Error for EvaluationError {}

/// The result of an expression and what it has cost.
#[derive(Debug)]
#[non_exhaustive]
pub struct Evaluation {
    pub result: Result<Value, EvaluationError>,
    pub cost: u64,
}

/// The types of an expression without errors.
#[derive(Debug)]
pub struct Checked {
    result: Type,
    types: Types,
}

impl Checked {
    /// Returns the type of the expression.
    pub fn result(&self) -> &Type {
        &self.result
    }
}

/// A compiled expression.
#[derive(Debug)]
pub struct Program {
    expr: IdedExpr,
    source: SourceInfo,
    /// How deep the tree is.
    depth: usize,
}

/// Not less than what [`depth`] permits, which has the errors of cel-go.
const MAX_DEPTH: u16 = 250;

fn unparsed(source: &str, why: &ParseErrors) -> CompileError {
    let natural = |number: isize| usize::try_from(number).unwrap_or_default();
    let problems = why.errors.iter().map(|error| {
        let (line, column) = error.pos;
        // cel-rust has no type for this: it puts the debug text of a private error into the message. A test pins it.
        let message = if error
            .msg
            .starts_with("invalid string literal: InvalidUnicode")
        {
            "invalid unicode code point"
        } else if error.msg.starts_with("invalid string literal")
            || error.msg.starts_with("invalid bytes literal")
        {
            "unable to unescape string"
        } else {
            &error.msg
        };
        Problem::located(source, natural(line), natural(column), message.to_owned())
    });
    CompileError(problems.collect())
}

impl Program {
    /// Compiles an expression with all macros of the API server.
    pub fn compile(source: &str) -> Result<Self, CompileError> {
        let whole = |why| CompileError(vec![Problem::whole(why)]);
        let depth = depth::of_text(source).map_err(whole)?;
        depth::within(depth, || {
            let parser = ENV
                .parser()
                .max_recursion_depth(MAX_DEPTH)
                .enable_ident_escape_syntax(true);
            let parsed = parser.parse_with_source_info(source);
            let (expr, source) = parsed.map_err(|why| unparsed(source, &why))?;
            let depth = depth::of_tree(&expr).map_err(whole)?;
            Ok(Self {
                expr,
                source,
                depth,
            })
        })
    }

    /// Checks the types of the expression, with the types of its variables.
    pub fn check(&self, variables: &[(&str, Type)]) -> Result<Checked, CheckError> {
        self.check_as(variables, false)
    }

    /// Checks the types of the expression of a mutation: it may create `Object{…}`, `Object.spec{…}` and `JSONPatch{…}`, and call
    /// `jsonpatch.escapeKey`.
    ///
    /// ```
    /// use kube_codegen_cel::{PER_CALL_LIMIT, Program, Type};
    /// use serde_json::json;
    ///
    /// let program = Program::compile("Object{spec: Object.spec{replicas: 1 + 1}}")?;
    /// assert!(program.check(&[]).is_err());
    /// assert_eq!(program.check_mutation(&[])?.result(), &Type::literal("Object"));
    /// let created = program.evaluate(&[], PER_CALL_LIMIT).result?;
    /// assert_eq!(created.to_json()?, json!({"spec": {"replicas": 2}}));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check_mutation(&self, variables: &[(&str, Type)]) -> Result<Checked, CheckError> {
        self.check_as(variables, true)
    }

    fn check_as(
        &self,
        variables: &[(&str, Type)],
        is_mutation: bool,
    ) -> Result<Checked, CheckError> {
        let checked = depth::within(self.depth, || {
            check::check(&self.expr, &self.source, variables, is_mutation)
        });
        match checked {
            Ok((result, types)) => Ok(Checked { result, types }),
            Err(problems) => Err(CheckError(problems)),
        }
    }

    /// Returns why the API server cannot plan the expression, although its types fit: a pattern that it compiles beforehand is not one.
    ///
    /// ```
    /// use kube_codegen_cel::Program;
    ///
    /// let program = Program::compile("'a'.find('[') == ''")?;
    /// let why = program.unplanned();
    /// assert_eq!(why.as_deref(), Some("error parsing regexp: missing closing ]: `[`"));
    /// # Ok::<(), kube_codegen_cel::CompileError>(())
    /// ```
    pub fn unplanned(&self) -> Option<String> {
        depth::within(self.depth, || check::unplanned(&self.expr))
    }

    /// Returns what the expression costs at most, with the sizes that its variables can have.
    pub fn estimate(&self, checked: &Checked, sizes: &[(&str, &Sizes)]) -> u64 {
        depth::within(self.depth, || {
            estimate::estimate(&self.expr, &checked.types, sizes)
        })
    }

    /// Evaluates the expression, until it costs more than a limit.
    pub fn evaluate(&self, variables: &[(&str, &Value)], limit: u64) -> Evaluation {
        let variables: Vec<(&str, &Object)> = variables
            .iter()
            .map(|(name, value)| (*name, &*value.0))
            .collect();
        let (result, cost) = depth::within(self.depth, || {
            let interpreter = Interpreter::new(&variables, limit);
            let result = interpreter.run(&self.expr).map(CowVal::into_owned);
            (result, interpreter.cost())
        });
        let result = result.map(Value).map_err(|stop| match stop {
            Stop::Error(error) => EvaluationError::Failed(Failure(error)),
            Stop::TooExpensive => EvaluationError::TooExpensive,
        });
        Evaluation { result, cost }
    }

    /// Returns what the expression is for all values that its variables may have, if it is the same for all: true, or false. It is none if it may
    /// fail.
    ///
    /// ```
    /// use kube_codegen_cel::{Facts, Presence, Program};
    ///
    /// /// Objects without fields.
    /// #[derive(Clone)]
    /// struct Empty;
    ///
    /// impl Facts for Empty {
    ///     fn field(&self, _: &str) -> Presence<Self> {
    ///         Presence::Never
    ///     }
    ///     fn items(&self) -> Option<Self> {
    ///         None
    ///     }
    ///     fn values(&self) -> Option<Vec<serde_json::Value>> {
    ///         None
    ///     }
    /// }
    ///
    /// let decide = |text| Program::compile(text).map(|it| it.decide(&["self"], &Empty));
    /// assert_eq!(decide("!has(self.a) || self.a > self.b")?, Some(true));
    /// assert_eq!(decide("self.a > 1")?, None);
    /// # Ok::<(), kube_codegen_cel::CompileError>(())
    /// ```
    pub fn decide(&self, variables: &[&str], facts: &(impl Facts + Sync)) -> Option<bool> {
        depth::within(self.depth, || partial::decide(&self.expr, variables, facts))
    }

    /// Returns the expression without what does not matter for any value that its variables may have: without operands that [`decide`](Self::decide) knows.
    #[must_use]
    pub fn reduced(&self, variables: &[&str], facts: &(impl Facts + Sync)) -> Self {
        let expr = depth::within(self.depth, || partial::reduce(&self.expr, variables, facts));
        Self {
            expr,
            source: SourceInfo::default(),
            depth: self.depth,
        }
    }

    /// Returns whether the form of both shows that another expression is true wherever this one is.
    ///
    /// ```
    /// use kube_codegen_cel::Program;
    ///
    /// let old = Program::compile("self.kind == 'Gateway'")?;
    /// let new = Program::compile("self.kind in ['Gateway', 'ListenerSet']")?;
    /// assert!(old.implies(&new) && !new.implies(&old));
    /// # Ok::<(), kube_codegen_cel::CompileError>(())
    /// ```
    pub fn implies(&self, other: &Self) -> bool {
        depth::within(self.depth.max(other.depth), || {
            implied::implies(&self.expr, &other.expr)
        })
    }

    /// Returns whether the expression reads a variable.
    pub fn reads(&self, variable: &str) -> bool {
        depth::within(self.depth, || self.expr.references().has_variable(variable))
    }

    /// Returns the fields of a variable that the expression names, sorted.
    pub fn fields_of(&self, variable: &str) -> Vec<String> {
        depth::within(self.depth, || {
            let mut found = BTreeSet::new();
            syntax::fields_of(&self.expr, variable, &mut found);
            found.into_iter().map(str::to_owned).collect()
        })
    }

    /// Returns the string literals of the expression.
    pub fn literals(&self) -> Vec<String> {
        depth::within(self.depth, || {
            let mut found = Vec::new();
            literals(&self.expr, &mut found);
            found
        })
    }
}
