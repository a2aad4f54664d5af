//! Checks one rule as the server does when the CRD is created.

use std::fmt::Display;

use kube_codegen_cel::{Problem, Program, Sizes, Type};

use super::{sizes::Declared, types};
use crate::{node::Node, path, rule::Rule};

/// What is known of a rule without evaluating it, by the fields of the rule.
#[derive(Debug, Default)]
pub(super) struct Examined {
    pub(super) problems: Vec<(&'static str, Text)>,
    /// What the expressions without problems cost at most.
    pub(super) costs: Vec<(&'static str, u64)>,
}

/// The server's text, and the same without the lines that repeat the rule.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) full: String,
    pub(super) brief: String,
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self {
            full: text.to_owned(),
            brief: text.to_owned(),
        }
    }
}

impl Examined {
    fn add(&mut self, field: &'static str, checked: Result<Option<u64>, Text>) {
        match checked {
            Ok(cost) => self.costs.extend(cost.map(|cost| (field, cost))),
            Err(why) => self.problems.push((field, why)),
        }
    }
}

/// Checks a rule. Without a declaration, there are no costs.
pub(super) fn examine(
    rule: &Rule,
    schema: &Node,
    resource: bool,
    declared: Option<&Declared>,
) -> Examined {
    let mut found = Examined::default();
    let sizes = declared.map(Declared::sizes);
    if !rule.is_empty()
        && let Some(own) = types::root(schema, resource)
    {
        let old = if rule.old_is_optional() {
            own.clone().optional()
        } else {
            own.clone()
        };
        let checked = rule
            .program()
            .map_err(|why| Rejection::compilation(why, why.problems()));
        let checked = checked.and_then(|it| check(it, own.clone(), old, &Type::BOOL, sizes));
        let rejected = |why: Rejection| why.text("cel expression must evaluate to a bool", "");
        found.add("rule", checked.map_err(rejected));
        if let Some(source) = rule.message_expression() {
            let checked = Program::compile(source);
            let checked = checked.map_err(|why| Rejection::compilation(&why, why.problems()));
            let checked = checked.and_then(|it| check(&it, own.clone(), own, &Type::STRING, sizes));
            let rejected = |why: Rejection| {
                let result = "messageExpression must evaluate to a string";
                why.text(result, "messageExpression ")
            };
            found.add("messageExpression", checked.map_err(rejected));
        }
    }
    if rule.sets_optional_old() && rule.program().is_ok() && !rule.uses_old() {
        let why = "may not be set if oldSelf is not used in rule";
        found.problems.push(("optionalOldSelf", why.into()));
    }
    if normal_path(schema, rule.field_path()).is_none() {
        found
            .problems
            .push(("fieldPath", "must be a valid path".into()));
    }
    found
}

/// Why an expression is rejected.
enum Rejection {
    /// It cannot be compiled.
    Compilation(Text),
    /// Its result has another type than it must have.
    Result,
    /// The server cannot plan it.
    Plan(String),
}

impl Rejection {
    fn compilation(why: &impl Display, problems: &[Problem]) -> Self {
        let brief: Vec<_> = problems.iter().map(Problem::brief).collect();
        Self::Compilation(Text {
            full: why.to_string(),
            brief: brief.join("; "),
        })
    }

    /// Returns the server's text; `what` is what cannot be compiled.
    fn text(self, result: &str, what: &str) -> Text {
        match self {
            Self::Result => result.into(),
            Self::Plan(why) => {
                let what = if what.is_empty() { "program " } else { what };
                (&*format!("{what}instantiation failed: {why}")).into()
            }
            Self::Compilation(Text { full, brief }) => Text {
                full: format!("{what}compilation failed: {full}"),
                brief: format!("{what}compilation failed: {brief}"),
            },
        }
    }
}

/// Returns what an expression costs at most, if there are sizes.
fn check(
    program: &Program,
    own: Type,
    old: Type,
    result: &Type,
    sizes: Option<&Sizes>,
) -> Result<Option<u64>, Rejection> {
    let checked = program.check(&[("self", own), ("oldSelf", old)]);
    let checked = checked.map_err(|why| Rejection::compilation(&why, why.problems()))?;
    if checked.result() != result {
        return Err(Rejection::Result);
    }
    if let Some(why) = program.unplanned() {
        return Err(Rejection::Plan(why));
    }
    let sizes = sizes.map(|sizes| [("self", sizes), ("oldSelf", sizes)]);
    Ok(sizes.map(|sizes| program.estimate(&checked, &sizes)))
}

/// Returns the path of the field that a violation is reported for.
pub(super) fn field(rule: &Rule, schema: &Node, at: &str) -> String {
    match normal_path(schema, rule.field_path()) {
        Some(inner) if !inner.is_empty() => path::field(at, &inner),
        _ => at.to_owned(),
    }
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
