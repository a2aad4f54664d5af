//! Evaluates all rules of a schema on an object.

use kube_codegen_formats::go;
use serde_json::Value;

use super::{examine::field, values};
use crate::{
    cause::{Cause, Reason},
    node::Node,
    old::{Old, same_keys},
    path,
    rule::{Budget, EXHAUSTED, Failure, Rule},
};

/// What is known about the state of a value before an update, for ratcheting.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Change<'a> {
    pub(crate) current: Option<Old<'a>>,
    parent: Option<Old<'a>>,
}

impl<'a> Change<'a> {
    pub(crate) fn new(current: Option<Old<'a>>) -> Self {
        Self {
            current,
            parent: None,
        }
    }

    /// Returns whether the update does not change the value, or its parent if the value has no counterpart.
    fn is_equal(self) -> bool {
        self.current.or(self.parent).is_some_and(Old::is_equal)
    }

    fn field(self, name: &str) -> Self {
        match self.current {
            None => self,
            Some(_) if self.parent.is_none() && matches!(name, "apiVersion" | "kind") => {
                Self::default()
            }
            Some(current) => Self {
                current: current.field(name),
                parent: Some(current),
            },
        }
    }

    fn index(self, index: usize) -> Self {
        match self.current {
            None => self,
            Some(current) => Self {
                current: current.index(index),
                parent: Some(current),
            },
        }
    }
}

/// Adds the violations of the rules of an object, or of a value inside one.
pub(crate) fn evaluate(
    schema: &Node,
    is_root: bool,
    object: &Value,
    old: Option<&Value>,
    change: Change<'_>,
    causes: &mut Vec<Cause>,
) {
    let at = At {
        rules: schema,
        schema,
        resource: is_root || schema.embedded_resource,
        path: String::new(),
    };
    at.walk(object, old, change, &mut Run::new(causes));
}

/// The violations found and what further rules may cost.
struct Run<'a> {
    causes: &'a mut Vec<Cause>,
    budget: Budget,
    is_over: bool,
}

impl<'a> Run<'a> {
    fn new(causes: &'a mut Vec<Cause>) -> Self {
        Self {
            causes,
            budget: Budget::default(),
            is_over: false,
        }
    }

    /// Reports a rule that has no result.
    fn error(&mut self, path: &str, type_: &str, why: &str) {
        let type_ = go::quote(type_);
        self.causes
            .push(Cause::new(path, Reason::Invalid, &type_, why));
    }
}

/// A place in an object.
struct At<'a> {
    /// The schema with the rules: `schema` or a branch of its `allOf`.
    rules: &'a Node,
    schema: &'a Node,
    resource: bool,
    path: String,
}

impl At<'_> {
    fn walk(&self, value: &Value, old: Option<&Value>, change: Change<'_>, run: &mut Run<'_>) {
        if run.is_over || value.is_null() || !self.rules.has_rules() {
            return;
        }
        let old = old.filter(|old| !old.is_null());
        self.check(value, old, change, run);
        for rules in &self.rules.all_of {
            let at = At {
                rules,
                schema: self.schema,
                resource: self.resource,
                path: self.path.clone(),
            };
            let change = Change {
                current: None,
                ..change
            };
            at.walk(value, old, change, run);
        }
        match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    let old = old.and_then(|old| old.get(name));
                    if let (Some(rules), Some(schema)) =
                        (self.rules.additional(), self.schema.additional())
                    {
                        let path = path::key(&self.path, name);
                        At::inside(rules, schema, path).walk(value, old, change.field(name), run);
                    }
                    if let (Some(rules), Some(schema)) = (
                        self.rules.properties.get(name),
                        self.schema.properties.get(name),
                    ) {
                        let path = path::field(&self.path, name);
                        At::inside(rules, schema, path).walk(value, old, change.field(name), run);
                    }
                }
            }
            Value::Array(items) => {
                let (Some(rules), Some(schema)) = (&self.rules.items, &self.schema.items) else {
                    return;
                };
                let before = old.and_then(Value::as_array);
                for (index, value) in items.iter().enumerate() {
                    let path = path::index(&self.path, index);
                    let old = before.and_then(|before| same_keys(self.schema, before, value));
                    At::inside(rules, schema, path).walk(value, old, change.index(index), run);
                }
            }
            _ => {}
        }
    }

    fn inside<'a>(rules: &'a Node, schema: &'a Node, path: String) -> At<'a> {
        At {
            rules,
            schema,
            resource: schema.embedded_resource,
            path,
        }
    }

    /// Evaluates the rules of this place.
    fn check(&self, value: &Value, old: Option<&Value>, change: Change<'_>, run: &mut Run<'_>) {
        if self.rules.validations.is_empty() || !is_typed(self.schema) {
            return;
        }
        let type_ = self.schema.type_.as_deref().unwrap_or_default();
        if run.budget.is_spent() {
            run.is_over = true;
            return run.error(&self.path, type_, EXHAUSTED);
        }
        let convert = |value: &Value| match value {
            Value::Object(fields) if self.resource => {
                values::resource(self.schema, fields, self.path.is_empty())
            }
            value => values::convert(self.schema, value),
        };
        let new = convert(value);
        let uses_old = self.rules.validations.iter().any(Rule::uses_old);
        let before = old.filter(|_| uses_old).map(convert);
        let before = before.as_ref();
        for rule in &self.rules.validations {
            if rule.uses_old() && before.is_none() && !rule.old_is_optional() {
                continue;
            }
            match rule.evaluate(&new, before, &mut run.budget) {
                Ok(()) => continue,
                Err(Failure::False) => {}
                Err(Failure::Error(why)) => {
                    run.error(&self.path, type_, &why);
                    continue;
                }
                Err(Failure::Exhausted(why)) => {
                    run.is_over = true;
                    return run.error(&self.path, type_, &why);
                }
            }
            let is_reported = rule.uses_old() || !change.is_equal();
            let field = field(rule, self.schema, &self.path);
            let message = match rule.message(&new, before, &mut run.budget) {
                Ok(message) => message,
                Err(why) => {
                    run.is_over = true;
                    if is_reported {
                        run.error(&field, type_, &why);
                    }
                    return;
                }
            };
            if is_reported {
                let shown = match (rule.reason(), type_) {
                    (Reason::Forbidden | Reason::Required, _) | (_, "object" | "array") => {
                        String::new()
                    }
                    _ => go::shown(value),
                };
                // The server drops the message of this reason.
                let message = match rule.reason() {
                    Reason::Duplicate => "",
                    _ => &*message,
                };
                run.causes
                    .push(Cause::new(&field, rule.reason(), &shown, message));
            }
        }
    }
}

/// Returns whether CEL has a type for the values of a schema.
fn is_typed(schema: &Node) -> bool {
    schema.int_or_string
        || match schema.type_.as_deref() {
            Some("array") => schema.items.as_deref().is_some_and(is_typed),
            Some("object") => schema.additional().is_none_or(is_typed),
            Some("string" | "boolean" | "number" | "integer") => true,
            _ => false,
        }
}
