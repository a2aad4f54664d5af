//! Finds the rules of a schema that the API server rejects when the CRD is created.

use kube_codegen_formats::pointer;

use super::{
    examine::{Text, examine},
    sizes::{Declared, count},
    types,
};
use crate::{
    cause::Reason,
    node::{Additional, Node},
    rule::Rule,
};

/// The most that the server accepts of one expression.
const EXPRESSION_LIMIT: u64 = 10_000_000;
/// The most that it accepts of all expressions of a schema.
const SCHEMA_LIMIT: u64 = 100_000_000;

/// A validation rule (`x-kubernetes-validations`) that the API server rejects when the CRD is created.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct RuleProblem {
    /// JSON pointer (RFC 6901) of the rule's field in the schema.
    pub pointer: String,
    /// [`Reason::Forbidden`] of a rule that may cost too much, [`Reason::Internal`] of rules for values without a type, else [`Reason::Invalid`].
    pub reason: Reason,
    /// Whether all rules of the schema together cost too much, to which this one contributes.
    pub of_total: bool,
    /// The server's text, without the path.
    pub message: String,
    /// The same in one line: without the lines that repeat the rule.
    pub brief: String,
}

/// As many expressions are named if all together cost too much, if each is at least a hundredth of what is permitted.
const NAMED: usize = 4;

/// The server's text for rules whose values have no type.
const UNTYPED: &str = "internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations";

/// Returns the problems of all rules, in the order of the schema.
pub(crate) fn problems(schema: &Node) -> Vec<RuleProblem> {
    let mut found = Found::default();
    let root = SchemaPlace {
        pointer: String::new(),
        resource: true,
        unordered: None,
        occurrences: Some(1),
    };
    found.walk(schema, &root);
    found.limit_total();
    found.problems
}

/// A place in a schema.
struct SchemaPlace {
    pointer: String,
    resource: bool,
    /// The list around the place whose items have no counterpart before an update.
    unordered: Option<String>,
    /// How many values there can be; `None` if a list or map around the place has no limit.
    occurrences: Option<u64>,
}

impl SchemaPlace {
    fn inside(&self, keyword: &str, schema: &Node) -> Self {
        Self {
            pointer: format!("{}/{keyword}", self.pointer),
            resource: schema.embedded_resource,
            unordered: self.unordered.clone(),
            occurrences: self.occurrences,
        }
    }

    /// Returns the place of the items or values of a list or map with a limit.
    fn of_many(&self, keyword: &str, schema: &Node, limit: Option<i64>) -> Self {
        let inside = self.inside(keyword, schema);
        let occurrences = inside.occurrences.zip(limit);
        Self {
            occurrences: occurrences.map(|(outer, limit)| outer.saturating_mul(count(limit))),
            ..inside
        }
    }
}

#[derive(Default)]
struct Found {
    problems: Vec<RuleProblem>,
    /// What all expressions cost at most.
    total: u64,
    /// The expensive expressions.
    expensive: Vec<(u64, String)>,
}

impl Found {
    fn walk(&mut self, schema: &Node, place: &SchemaPlace) {
        if !schema.validations.is_empty() {
            if types::root(schema, place.resource).is_none() {
                let pointer = format!("{}/x-kubernetes-validations", place.pointer);
                self.report(pointer, Reason::Internal, UNTYPED.into());
            }
            let declared = Declared::of(schema, place.resource);
            self.rules(&schema.validations, schema, place, declared.as_ref());
        }
        for (index, branch) in schema.all_of.iter().enumerate() {
            let place = SchemaPlace {
                resource: place.resource,
                ..place.inside(&format!("allOf/{index}"), schema)
            };
            self.rules(&branch.validations, schema, &place, None);
        }
        for (name, inner) in &schema.properties {
            let name = pointer::escape(name);
            self.walk(inner, &place.inside(&format!("properties/{name}"), inner));
        }
        if let Some(Additional::Schema(inner)) = &schema.additional_properties {
            let place = place.of_many("additionalProperties", inner, schema.max_properties);
            self.walk(inner, &place);
        }
        if let Some(items) = &schema.items {
            let mut inside = place.of_many("items", items, schema.max_items);
            if schema.list_type.as_deref() != Some("map") && inside.unordered.is_none() {
                inside.unordered = Some(place.pointer.clone());
            }
            self.walk(items, &inside);
        }
    }

    fn rules(
        &mut self,
        rules: &[Rule],
        schema: &Node,
        place: &SchemaPlace,
        declared: Option<&Declared>,
    ) {
        for (index, rule) in rules.iter().enumerate() {
            let at =
                |field: &str| format!("{}/x-kubernetes-validations/{index}/{field}", place.pointer);
            let examined = examine(rule, schema, place.resource, declared);
            for (field, cost) in examined.costs {
                let times = declared.map_or(1, Declared::occurrences);
                let (cost, what) = if field == "rule" {
                    let times = place.occurrences.unwrap_or(times);
                    (cost.saturating_mul(times), "estimated rule cost")
                } else {
                    (cost, "estimated messageExpression cost")
                };
                self.observe(cost, at(field), what);
            }
            for (field, message) in examined.problems {
                self.report(at(field), Reason::Invalid, message);
            }
            if let (Some(list), true) = (&place.unordered, rule.uses_old()) {
                let list = if list.is_empty() { "/" } else { list };
                let why = format!(
                    "oldSelf cannot be used on the uncorrelatable portion of the schema within {list}"
                );
                self.report(at("rule"), Reason::Invalid, (&*why).into());
            }
        }
    }

    fn report(&mut self, pointer: String, reason: Reason, text: Text) {
        self.problems.push(RuleProblem {
            pointer,
            reason,
            of_total: false,
            message: text.full,
            brief: text.brief,
        });
    }

    fn report_total(&mut self, pointer: String, message: String) {
        self.problems.push(RuleProblem {
            pointer,
            reason: Reason::Forbidden,
            of_total: true,
            brief: message.clone(),
            message,
        });
    }

    fn observe(&mut self, cost: u64, pointer: String, what: &str) {
        self.total = self.total.saturating_add(cost);
        if cost > EXPRESSION_LIMIT {
            let why = exceeded(what, cost, EXPRESSION_LIMIT);
            self.report(pointer.clone(), Reason::Forbidden, (&*why).into());
        }
        if cost >= SCHEMA_LIMIT / 100 {
            self.expensive.push((cost, pointer));
        }
    }

    /// Reports what all expressions cost together, if it is too much.
    fn limit_total(&mut self) {
        if self.total <= SCHEMA_LIMIT {
            return;
        }
        let mut expensive = std::mem::take(&mut self.expensive);
        expensive.sort_by_key(|(cost, _)| std::cmp::Reverse(*cost));
        for (_, pointer) in expensive.into_iter().take(NAMED) {
            let why = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
            self.report_total(pointer, why.to_owned());
        }
        let what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
        let why = exceeded(what, self.total, SCHEMA_LIMIT);
        self.report_total(String::new(), why);
    }
}

/// Returns the server's text for costs beyond a limit.
fn exceeded(what: &str, cost: u64, limit: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "as in Go")]
    let factor = cost as f64 / limit as f64;
    let factor = if factor > 100.0 {
        "more than 100x".to_owned()
    } else if factor < 1.5 {
        format!("{factor:.6}x")
    } else {
        format!("{factor:.1}x")
    };
    format!(
        "{what} exceeds budget by factor of {factor} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)"
    )
}
