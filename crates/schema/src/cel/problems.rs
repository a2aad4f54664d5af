//! Finds the rules of a schema that the API server refuses when the CRD is created.

use super::rule::Rule;
use crate::{
    node::{Additional, Node},
    schema::RuleProblem,
};

/// Returns the problems of all rules, in the order of the schema.
pub(crate) fn problems(schema: &Node) -> Vec<RuleProblem> {
    let mut found = Vec::new();
    walk(
        schema,
        &Place {
            pointer: String::new(),
            resource: true,
            unordered: None,
        },
        &mut found,
    );
    found
}

/// A place in a schema.
struct Place {
    pointer: String,
    resource: bool,
    /// The list around the place whose items have no counterpart before an update.
    unordered: Option<String>,
}

impl Place {
    fn inside(&self, keyword: &str, schema: &Node) -> Self {
        Self {
            pointer: format!("{}/{keyword}", self.pointer),
            resource: schema.embedded_resource,
            unordered: self.unordered.clone(),
        }
    }
}

fn walk(schema: &Node, place: &Place, found: &mut Vec<RuleProblem>) {
    rules(&schema.validations, schema, place, found);
    for (index, branch) in schema.all_of.iter().enumerate() {
        let place = Place {
            resource: place.resource,
            ..place.inside(&format!("allOf/{index}"), schema)
        };
        rules(&branch.validations, schema, &place, found);
    }
    for (name, inner) in &schema.properties {
        let name = name.replace('~', "~0").replace('/', "~1");
        walk(
            inner,
            &place.inside(&format!("properties/{name}"), inner),
            found,
        );
    }
    if let Some(Additional::Schema(inner)) = &schema.additional_properties {
        walk(inner, &place.inside("additionalProperties", inner), found);
    }
    if let Some(items) = &schema.items {
        let mut inside = place.inside("items", items);
        if schema.list_type.as_deref() != Some("map") && inside.unordered.is_none() {
            inside.unordered = Some(place.pointer.clone());
        }
        walk(items, &inside, found);
    }
}

fn rules(rules: &[Rule], schema: &Node, place: &Place, found: &mut Vec<RuleProblem>) {
    for (index, rule) in rules.iter().enumerate() {
        let at =
            |field: &str| format!("{}/x-kubernetes-validations/{index}/{field}", place.pointer);
        for (field, message) in rule.problems(schema, place.resource) {
            let pointer = at(field);
            found.push(RuleProblem { pointer, message });
        }
        if let (Some(list), true) = (&place.unordered, rule.uses_old()) {
            let list = if list.is_empty() { "/" } else { list };
            found.push(RuleProblem {
                pointer: at("rule"),
                message: format!(
                    "oldSelf cannot be used on the uncorrelatable portion of the schema within {list}"
                ),
            });
        }
    }
}
