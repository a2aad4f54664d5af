//! Reads `oneOf`, `anyOf`, `allOf` and `not` as conditions on presence.
use super::expression::Expr;
use crate::input::crd::Logic;
use serde_json::{Map, Value};

/// Finds the index of a property.
pub(super) type Find<'a> = &'a dyn Fn(&str) -> Option<usize>;

/// Returns the conditions of the combinators of a node.
pub(super) fn conditions(logic: &Logic, find: Find<'_>) -> Vec<Expr> {
    let each = |branches: &[Value]| branches.iter().map(|it| branch(it, find)).collect();
    let mut found = Vec::new();
    if !logic.one_of.is_empty() {
        found.push(Expr::exactly_one(each(&logic.one_of)));
    }
    if !logic.any_of.is_empty() {
        found.push(Expr::Any(each(&logic.any_of)));
    }
    found.extend(each(&logic.all_of));
    found.extend(logic.not.iter().map(|not| branch(not, find).not()));
    found
}

fn branch(schema: &Value, find: Find<'_>) -> Expr {
    let Some(schema) = schema.as_object() else {
        return Expr::Unknown;
    };
    let parts = schema.iter().map(|(keyword, value)| {
        let each = || branches(value, find);
        match keyword.as_str() {
            "required" => required(value, find),
            "oneOf" => each().map_or(Expr::Unknown, Expr::exactly_one),
            "anyOf" => each().map_or(Expr::Unknown, Expr::Any),
            "allOf" => each().map_or(Expr::Unknown, Expr::All),
            "not" => branch(value, find).not(),
            "properties" => properties(value, find),
            "title" | "description" => Expr::Bool(true),
            "type" if value == "object" => Expr::Bool(true),
            _ => Expr::Unknown,
        }
    });
    Expr::All(parts.collect())
}

fn branches(value: &Value, find: Find<'_>) -> Option<Vec<Expr>> {
    let branches = value.as_array().filter(|branches| !branches.is_empty())?;
    Some(branches.iter().map(|it| branch(it, find)).collect())
}

fn required(names: &Value, find: Find<'_>) -> Expr {
    let names = names.as_array().into_iter().flatten();
    let parts = names.map(|name| {
        let field = name.as_str().and_then(find);
        field.map_or(Expr::Unknown, Expr::Has)
    });
    Expr::All(parts.collect())
}

/// Conditions on the values of properties hold for each that is absent.
fn properties(value: &Value, find: Find<'_>) -> Expr {
    let properties = value.as_object().into_iter().flatten();
    let parts = properties.map(|(name, schema)| {
        let (Some(field), Some(schema)) = (find(name), schema.as_object()) else {
            return Expr::Unknown;
        };
        Expr::Any(vec![Expr::Has(field).not(), text(field, schema)])
    });
    Expr::All(parts.collect())
}

/// Returns the condition on the text of a property.
fn text(field: usize, schema: &Map<String, Value>) -> Expr {
    let parts = schema
        .iter()
        .map(|(keyword, value)| match keyword.as_str() {
            "enum" => {
                let values = value.as_array().into_iter().flatten();
                let equal = values.map(|value| match value.as_str() {
                    Some(text) => Expr::Field(field).equal(Expr::Text(text.to_owned())),
                    None => Expr::Unknown,
                });
                Expr::Any(equal.collect())
            }
            "not" => match value.as_object() {
                Some(not) => text(field, not).not(),
                None => Expr::Unknown,
            },
            "title" | "description" => Expr::Bool(true),
            _ => Expr::Unknown,
        });
    Expr::All(parts.collect())
}
