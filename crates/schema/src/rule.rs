//! One validation rule, compiled.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use kube_codegen_cel::{CompileError, Evaluation, EvaluationError, PER_CALL_LIMIT, Program, Value};
use kube_codegen_formats::go;
use serde::Deserialize;

use crate::{cause::Reason, work};

/// The most that all rules of an object may cost.
const OBJECT_LIMIT: u64 = 10_000_000;

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
    compiled: Arc<Compiled>,
}

/// What is compiled of a rule when it is first used; equal rules share it.
#[derive(Debug, Default)]
pub(crate) struct Compiled {
    program: OnceLock<Result<Program, CompileError>>,
    message: OnceLock<Option<Program>>,
    uses_old: OnceLock<bool>,
}

/// The result of an evaluation that is not true.
pub(crate) enum Failure {
    /// The rule does not hold.
    False,
    /// The rule cannot be evaluated; the text explains why.
    Error(String),
    /// The rules cost too much: no further rule is evaluated.
    Exhausted(String),
}

/// What the rules of an object may still cost.
#[derive(Debug)]
pub(crate) struct Budget(u64);

impl Default for Budget {
    fn default() -> Self {
        Self(OBJECT_LIMIT)
    }
}

impl Budget {
    /// Deducts costs; `false` if there is not enough left.
    fn spend(&mut self, cost: u64) -> bool {
        let rest = self.0.checked_sub(cost);
        self.0 = rest.unwrap_or_default();
        rest.is_some()
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.0 == 0
    }
}

pub(crate) const EXHAUSTED: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";

/// What is compiled of rules, by their expression and that of their message.
pub(crate) type Known = HashMap<(String, Option<String>), Arc<Compiled>>;

impl Rule {
    /// Compiles an equal rule only once.
    pub(crate) fn share(&mut self, known: &mut Known) {
        let key = (self.source.clone(), self.message_expression.clone());
        self.compiled = known
            .entry(key)
            .or_insert(Arc::clone(&self.compiled))
            .clone();
    }

    /// Returns the program; the error is the reason why there is none.
    pub(crate) fn program(&self) -> Result<&Program, &CompileError> {
        let program = &self.compiled.program;
        let program = program.get_or_init(|| Program::compile(&self.source));
        program.as_ref()
    }

    /// Returns whether there is nothing to evaluate.
    pub(crate) fn is_empty(&self) -> bool {
        self.source.trim().is_empty()
    }

    pub(crate) fn message_expression(&self) -> Option<&str> {
        let source = self.message_expression.as_deref();
        source.filter(|it| !it.is_empty())
    }

    pub(crate) fn field_path(&self) -> &str {
        self.field_path.as_deref().unwrap_or_default()
    }

    pub(crate) fn sets_optional_old(&self) -> bool {
        self.optional_old_self.is_some()
    }

    /// Returns whether the rule reads the metadata of the object.
    #[cfg(feature = "sample")]
    pub(crate) fn reads_metadata(&self) -> bool {
        self.source.contains("metadata")
    }

    /// Returns the string literals of the rule.
    #[cfg(feature = "sample")]
    pub(crate) fn literals(&self) -> Vec<String> {
        self.program().map(Program::literals).unwrap_or_default()
    }

    /// Returns whether the rule compares with the state before an update.
    pub(crate) fn uses_old(&self) -> bool {
        let reads = || self.program().is_ok_and(|program| program.reads("oldSelf"));
        *self.compiled.uses_old.get_or_init(reads)
    }

    /// Returns whether `oldSelf` is an optional value.
    pub(crate) fn old_is_optional(&self) -> bool {
        self.optional_old_self.unwrap_or_default()
    }

    pub(crate) fn evaluate(
        &self,
        new: &Value,
        old: Option<&Value>,
        budget: &mut Budget,
    ) -> Result<(), Failure> {
        if self.is_empty() {
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
            Ok(value) if value.as_bool() == Some(true) => Ok(()),
            Ok(_) => Err(Failure::False),
            Err(EvaluationError::TooExpensive) => Err(Failure::Exhausted(format!(
                "'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: {quoted}"
            ))),
            Err(error) => {
                let why = error.to_string();
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
    pub(crate) fn message(
        &self,
        new: &Value,
        old: Option<&Value>,
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
        new: &Value,
        old: Option<&Value>,
        budget: &mut Budget,
    ) -> Result<Option<String>, String> {
        const LIMIT: usize = 5 << 10;
        let Some(source) = self.message_expression() else {
            return Ok(None);
        };
        let program = &self.compiled.message;
        let program = program.get_or_init(|| Program::compile(source).ok());
        let Some(program) = program else {
            return Ok(None);
        };
        let evaluation = execute(program, new, old, false);
        if !budget.spend(evaluation.cost) {
            return Err("messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run".to_owned());
        }
        match evaluation.result {
            Ok(value) => Ok(value.as_str().and_then(|text| {
                let text = text.trim();
                let is_message = !text.is_empty() && text.len() <= LIMIT && !text.contains('\n');
                is_message.then(|| text.to_owned())
            })),
            Err(EvaluationError::TooExpensive) => Err(format!(
                "no further validation rules will be run due to call cost exceeds limit for messageExpression: {}",
                go::quote(source)
            )),
            Err(_) => Ok(None),
        }
    }

    /// Returns the message or the rule.
    fn shown(&self) -> &str {
        match self.message.as_deref() {
            None | Some("") => self.source.trim(),
            Some(message) => message.trim(),
        }
    }

    pub(crate) fn reason(&self) -> Reason {
        match self.reason.as_deref() {
            Some("FieldValueForbidden") => Reason::Forbidden,
            Some("FieldValueRequired") => Reason::Required,
            Some("FieldValueDuplicate") => Reason::Duplicate,
            _ => Reason::Invalid,
        }
    }
}

/// Evaluates an expression. A rule that is not evaluated on an update has no `oldSelf`.
fn execute(program: &Program, new: &Value, old: Option<&Value>, optional: bool) -> Evaluation {
    let before = optional.then(|| Value::optional(old.cloned()));
    let old = before.as_ref().or(old);
    let mut variables = vec![("self", new)];
    variables.extend(old.map(|old| ("oldSelf", old)));
    let evaluation = program.evaluate(&variables, PER_CALL_LIMIT);
    let cost = usize::try_from(evaluation.cost).unwrap_or(usize::MAX);
    work::add(cost.saturating_mul(work::UNIT));
    evaluation
}
