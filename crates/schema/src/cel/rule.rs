//! One validation rule, compiled.

use std::sync::{Arc, LazyLock, OnceLock};

use cel::{
    Env, ExecutionError, Program,
    common::{
        types::{CelBool, CelOptional, CelString},
        value::CowVal,
    },
};
use serde::Deserialize;

use super::{
    check, cost, errors,
    estimate::{Declared, estimate},
    interpret::{Interpreter, Object, Scope, Stop},
    library,
};
use crate::{cause::Reason, go, node::Node, path};

/// An entry of `x-kubernetes-validations`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Rule {
    #[serde(rename = "rule")]
    source: String,
    message: Option<String>,
    message_expression: Option<String>,
    reason: Option<String>,
    field_path: Option<String>,
    optional_old_self: Option<bool>,
    #[serde(skip)]
    program: OnceLock<Result<Program, String>>,
    #[serde(skip)]
    message_program: OnceLock<Option<Program>>,
}

/// What is known of a rule without evaluating it, by the fields of the rule.
#[derive(Debug, Default)]
pub(super) struct Examined {
    /// The server's text.
    pub(super) problems: Vec<(&'static str, String)>,
    /// What the expressions without problems cost at most.
    pub(super) costs: Vec<(&'static str, u64)>,
}

impl Examined {
    fn add(&mut self, field: &'static str, checked: Result<Option<u64>, String>) {
        match checked {
            Ok(cost) => self.costs.extend(cost.map(|cost| (field, cost))),
            Err(why) => self.problems.push((field, why)),
        }
    }
}

/// The functions, macros and types of a rule.
pub(super) static ENV: LazyLock<Arc<Env>> = LazyLock::new(|| Arc::new(library::env()));

/// The result of an evaluation that is not true.
pub(super) enum Failure {
    /// The rule does not hold.
    False,
    /// The rule cannot be evaluated; the text explains why.
    Error(String),
    /// The rules cost too much: no further rule is evaluated.
    Exhausted(String),
}

/// What the rules of an object may still cost.
#[derive(Debug)]
pub(super) struct Budget(u64);

impl Default for Budget {
    fn default() -> Self {
        Self(cost::OBJECT_LIMIT)
    }
}

impl Budget {
    /// Deducts costs; `false` if there is not enough left.
    fn spend(&mut self, cost: u64) -> bool {
        let rest = self.0.checked_sub(cost);
        self.0 = rest.unwrap_or_default();
        rest.is_some()
    }

    pub(super) fn is_spent(&self) -> bool {
        self.0 == 0
    }
}

pub(super) const EXHAUSTED: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";

impl Rule {
    /// Returns the program; the error is the reason why there is none.
    fn program(&self) -> Result<&Program, &str> {
        let program = self.program.get_or_init(|| compile(&self.source));
        program.as_ref().map_err(String::as_str)
    }

    /// Checks the rule as the server does when the CRD is created.
    ///
    /// Without a declaration, there are no costs.
    pub(super) fn examine(
        &self,
        schema: &Node,
        resource: bool,
        declared: Option<&Declared>,
    ) -> Examined {
        let mut found = Examined::default();
        if !self.source.trim().is_empty() {
            let program = self
                .program()
                .map_err(|why| format!("compilation failed: {why}"));
            let optional = self.old_is_optional();
            let checked = program.and_then(|program| {
                let checked = check::check(program, schema, resource, optional, "bool")?;
                Ok(declared.map(|it| estimate(program, &checked, it)))
            });
            found.add("rule", checked);
            let message = self.message_expression.as_deref();
            if let Some(source) = message.filter(|it| !it.is_empty()) {
                let program = compile(source)
                    .map_err(|why| format!("messageExpression compilation failed: {why}"));
                let checked = program.and_then(|program| {
                    let checked = check::check(&program, schema, resource, false, "string")?;
                    Ok(declared.map(|it| estimate(&program, &checked, it)))
                });
                found.add("messageExpression", checked);
            }
        }
        if self.optional_old_self.is_some() && self.program().is_ok() && !self.uses_old() {
            let why = "may not be set if oldSelf is not used in rule".to_owned();
            found.problems.push(("optionalOldSelf", why));
        }
        if normal_path(schema, self.field_path.as_deref().unwrap_or_default()).is_none() {
            let why = "must be a valid path".to_owned();
            found.problems.push(("fieldPath", why));
        }
        found
    }

    /// Returns whether the rule reads the metadata of the object.
    #[cfg(feature = "sample")]
    pub(crate) fn reads_metadata(&self) -> bool {
        self.source.contains("metadata")
    }

    /// Returns the string literals of the rule.
    #[cfg(feature = "sample")]
    pub(crate) fn literals(&self) -> Vec<String> {
        let mut found = Vec::new();
        if let Ok(program) = self.program() {
            super::literals::literals(program.expression(), &mut found);
        }
        found
    }

    /// Returns whether the rule compares with the state before an update.
    pub(super) fn uses_old(&self) -> bool {
        self.program()
            .is_ok_and(|program| program.references().has_variable("oldSelf"))
    }

    /// Returns whether `oldSelf` is an optional value.
    pub(super) fn old_is_optional(&self) -> bool {
        self.optional_old_self.unwrap_or_default()
    }

    pub(super) fn evaluate(
        &self,
        new: &Object,
        old: Option<&Object>,
        budget: &mut Budget,
    ) -> Result<(), Failure> {
        if self.source.trim().is_empty() {
            return Ok(());
        }
        let program = self.program().map_err(|why| {
            Failure::Error(format!("rule compile error: compilation failed: {why}"))
        })?;
        let quoted = self.shown();
        let evaluation = execute(program, new, old, self.old_is_optional());
        if !budget.spend(evaluation.cost) {
            return Err(Failure::Exhausted(EXHAUSTED.to_owned()));
        }
        match evaluation.result {
            Ok(value) => match value.downcast_ref::<CelBool>() {
                Some(holds) if *holds.inner() => Ok(()),
                _ => Err(Failure::False),
            },
            Err(Stop::TooExpensive) => Err(Failure::Exhausted(format!(
                "'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: {quoted}"
            ))),
            Err(Stop::Error(error)) => {
                let why = errors::text(&error);
                Err(Failure::Error(if why.starts_with("no such overload") {
                    format!(
                        "'{why}': call arguments did not match a supported operator, function or macro signature for rule: {quoted}"
                    )
                } else {
                    format!("{why} evaluating rule: {quoted}")
                }))
            }
        }
    }

    /// Returns the message of a violation.
    ///
    /// # Errors
    ///
    /// Fails if `messageExpression` costs too much.
    pub(super) fn message(
        &self,
        new: &Object,
        old: Option<&Object>,
        budget: &mut Budget,
    ) -> Result<String, String> {
        let expressed = self.expressed(new, old, budget)?;
        Ok(expressed.unwrap_or_else(|| match self.message.as_deref() {
            None | Some("") => format!("failed rule: {}", self.source.trim()),
            Some(message) => message.trim().to_owned(),
        }))
    }

    /// Returns the result of `messageExpression`, unless it fails or is not one line of at most 5 KiB.
    fn expressed(
        &self,
        new: &Object,
        old: Option<&Object>,
        budget: &mut Budget,
    ) -> Result<Option<String>, String> {
        const LIMIT: usize = 5 << 10;
        let source = self.message_expression.as_deref().unwrap_or_default();
        if source.is_empty() {
            return Ok(None);
        }
        let program = self.message_program.get_or_init(|| compile(source).ok());
        let Some(program) = program else {
            return Ok(None);
        };
        let evaluation = execute(program, new, old, false);
        if !budget.spend(evaluation.cost) {
            return Err("messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run".to_owned());
        }
        match evaluation.result {
            Ok(value) => Ok(value.downcast_ref::<CelString>().and_then(|text| {
                let text = text.inner().trim();
                let is_message = !text.is_empty() && text.len() <= LIMIT && !text.contains('\n');
                is_message.then(|| text.to_owned())
            })),
            Err(Stop::Error(_)) => Ok(None),
            Err(Stop::TooExpensive) => Err(format!(
                "no further validation rules will be run due to call cost exceeds limit for messageExpression: {}",
                go::quote(source)
            )),
        }
    }

    /// Returns the message or the rule.
    fn shown(&self) -> &str {
        match self.message.as_deref() {
            None | Some("") => self.source.trim(),
            Some(message) => message.trim(),
        }
    }

    pub(super) fn reason(&self) -> Reason {
        match self.reason.as_deref() {
            Some("FieldValueForbidden") => Reason::Forbidden,
            Some("FieldValueRequired") => Reason::Required,
            Some("FieldValueDuplicate") => Reason::Duplicate,
            _ => Reason::Invalid,
        }
    }

    /// Returns the path of the field that a violation is reported for.
    pub(super) fn field(&self, schema: &Node, at: &str) -> String {
        let inner = self.field_path.as_deref().unwrap_or_default();
        match normal_path(schema, inner) {
            Some(inner) if !inner.is_empty() => path::field(at, &inner),
            _ => at.to_owned(),
        }
    }
}

pub(super) fn compile(source: &str) -> Result<Program, String> {
    ENV.compile(source).map_err(|errors| errors.to_string())
}

/// The result of an expression and its cost.
pub(super) struct Evaluation {
    pub(super) result: Result<Box<Object>, Stop>,
    cost: u64,
}

/// Evaluates an expression. A rule that is not evaluated on an update has no `oldSelf`.
fn execute(program: &Program, new: &Object, old: Option<&Object>, optional: bool) -> Evaluation {
    let before: Option<Box<Object>> = match (old, optional) {
        (_, false) => None,
        (Some(old), true) => Some(Box::new(CelOptional::of(old.clone_as_boxed()))),
        (None, true) => Some(Box::new(CelOptional::none())),
    };
    let old = before.as_deref().or(old);
    let mut variables = vec![("self", new)];
    variables.extend(old.map(|old| ("oldSelf", old)));
    run(program, &variables)
}

/// Evaluates an expression with variables.
pub(super) fn run(program: &Program, variables: &[(&str, &Object)]) -> Evaluation {
    let interpreter = Interpreter::new(&ENV);
    let result = within(&interpreter, program, variables, None);
    Evaluation {
        result,
        cost: interpreter.cost(),
    }
}

fn within(
    interpreter: &Interpreter,
    program: &Program,
    variables: &[(&str, &Object)],
    outer: Option<&Scope<'_>>,
) -> Result<Box<Object>, Stop> {
    let Some(((name, value), rest)) = variables.split_first() else {
        let result = interpreter.evaluate(program.expression(), outer);
        return result.map(CowVal::into_owned);
    };
    let scope = Scope {
        name,
        value: Ok(*value),
        outer,
    };
    within(interpreter, program, rest, Some(&scope))
}

/// Returns a path such as `.spec['a.b'].c` as the server writes it; `None` for a path that the schema does not have.
fn normal_path(schema: &Node, source: &str) -> Option<String> {
    let (mut node, mut path, mut rest) = (schema, String::new(), source);
    while !rest.is_empty() {
        let name;
        if let Some(tail) = rest.strip_prefix("['") {
            let end = tail
                .match_indices("']")
                .find(|(at, _)| !tail[..*at].ends_with('\\'))?
                .0;
            name = tail[..end].replace("\\'", "'").replace("\\\\", "\\");
            rest = &tail[end + 2..];
        } else {
            let tail = rest.strip_prefix('.')?;
            let end = tail.find(['.', '[']).unwrap_or(tail.len());
            name = tail[..end].to_owned();
            rest = &tail[end..];
        }
        path = if node.properties.is_empty() {
            node = node.additional()?;
            path::key(&path, &name)
        } else {
            node = node.properties.get(&name)?;
            path::field(&path, &name)
        };
    }
    Some(path)
}

/// An error of a function of the library.
pub(super) fn error(function: &str, message: impl Into<String>) -> ExecutionError {
    ExecutionError::function_error(function, message.into())
}
