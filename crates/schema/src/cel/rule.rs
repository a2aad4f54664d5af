//! One validation rule, compiled.

use std::sync::{Arc, LazyLock, OnceLock};

use cel::{
    Context, Env, ExecutionError, Program, Value as CelValue,
    common::{types::CelOptional, value::Val},
};
use serde::Deserialize;

use super::{errors, library};
use crate::{cause::Reason, node::Node, path};

type Object = dyn Val + 'static;

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

/// The functions, macros and types of a rule.
pub(super) static ENV: LazyLock<Arc<Env>> = LazyLock::new(|| Arc::new(library::env()));

/// The result of an evaluation that is not true.
pub(super) enum Failure {
    /// The rule does not hold.
    False,
    /// The rule cannot be evaluated; the text explains why.
    Error(String),
}

impl Rule {
    /// Returns the program; the error is the reason why there is none.
    fn program(&self) -> Result<&Program, &str> {
        let program = self.program.get_or_init(|| compile(&self.source));
        program.as_ref().map_err(String::as_str)
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

    pub(super) fn evaluate(&self, new: &Object, old: Option<&Object>) -> Result<(), Failure> {
        if self.source.trim().is_empty() {
            return Ok(());
        }
        let program = self.program().map_err(|why| {
            Failure::Error(format!("rule compile error: compilation failed: {why}"))
        })?;
        let quoted = self.shown();
        match program.execute(&context(new, old, self.old_is_optional())) {
            Ok(CelValue::Bool(true)) => Ok(()),
            Ok(_) => Err(Failure::False),
            Err(error) => {
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
    pub(super) fn message(&self, new: &Object, old: Option<&Object>) -> String {
        self.expressed(new, old)
            .unwrap_or_else(|| match self.message.as_deref() {
                None | Some("") => format!("failed rule: {}", self.source.trim()),
                Some(message) => message.trim().to_owned(),
            })
    }

    /// Returns the result of `messageExpression`, unless it fails or is not one line of at most 5 KiB.
    fn expressed(&self, new: &Object, old: Option<&Object>) -> Option<String> {
        const LIMIT: usize = 5 << 10;
        let source = self
            .message_expression
            .as_ref()
            .filter(|it| !it.is_empty())?;
        let program = self.message_program.get_or_init(|| compile(source).ok());
        match program.as_ref()?.execute(&context(new, old, false)) {
            Ok(CelValue::String(text)) => {
                let text = text.trim();
                let is_message = !text.is_empty() && text.len() <= LIMIT && !text.contains('\n');
                is_message.then(|| text.to_owned())
            }
            _ => None,
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

/// The variables of a rule. A rule that is not evaluated on an update has no `oldSelf`.
fn context<'a>(new: &Object, old: Option<&Object>, optional: bool) -> Context<'a, 'static> {
    let mut context = Context::with_env(ENV.clone());
    context.add_variable_as_val("self", new.clone_as_boxed());
    match (old, optional) {
        (Some(old), false) => context.add_variable_as_val("oldSelf", old.clone_as_boxed()),
        (old, true) => {
            let old = match old {
                Some(old) => CelOptional::of(old.clone_as_boxed()),
                None => CelOptional::none(),
            };
            context.add_variable_as_val("oldSelf", Box::new(old));
        }
        (None, false) => {}
    }
    context
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
