//! Finds properties of which an object has at most one: proven from combinators, `maxProperties` and rules (CEL), never guessed.
//!
//! Constraints become conditions on presence. Two properties exclude each other if the conditions certainly reject each object
//! that has both, whatever else it has. Where a property such as `type` chooses, this must be so for each of its values.
//!
//! Most choices in real CRDs come from rules, and combinators alone prove the others. So rules are read here, too:
//! build scripts do without kube-codegen-cel, whose crates take longer to compile than the generator, and a build script must make the
//! same types as the command. What is read is less than CEL: all that says nothing about presence is unknown.
mod combinators;
mod expression;
mod groups;
mod rule;
#[cfg(test)]
mod tests;

use super::node::{Lowering, SchemaNode};
use crate::base::diag::Code;
use crate::model::ir::{Body, Choice, EnumBase, Field, Member, Presence, Scalar, Ty, Types};
use expression::{Comparison, Expr, State};
use rule::Read;
use std::{cell::Cell, collections::BTreeSet};

/// The most properties of a choice. Sets of them are bits.
const MOST_MEMBERS: usize = 64;

/// The most values of a property that chooses, and the most properties that choose.
const MOST_VALUES: usize = 64;
const MOST_SELECTORS: usize = 4;

/// How many parts of conditions are evaluated at most for the choices of an object.
const MOST_STEPS: usize = 20_000_000;

/// Returns the choices of an object, the one with the most members first.
pub(super) fn choices(
    lowering: &mut Lowering<'_>,
    node: &SchemaNode,
    fields: &[Field],
    keeps_rest: bool,
) -> Vec<Choice> {
    let find = |name: &str| fields.iter().position(|field| field.wire == name);
    let mut conditions = combinators::conditions(&node.schema.logic, &find);
    conditions.extend(counts(node, fields, keeps_rest));
    let mut too_large = Vec::new();
    for (index, validation) in node.rules.validations.iter().enumerate() {
        let rule = validation["rule"].as_str().unwrap_or_default();
        // A rule about changes says nothing about a new object.
        if !rule.contains("oldSelf") {
            match rule::condition(rule, &find) {
                Read::Condition(condition) => conditions.push(condition),
                Read::Nothing => {}
                Read::TooLarge => too_large.push(index),
            }
        }
    }
    let proof = Proof::new(lowering.types, fields, conditions);
    let choices = proof.choices();
    let mut report = |at: &str, what: &str| {
        let message = format!("{what} too large to find out which fields exclude each other");
        let mut place = node.path.place(lowering.place, lowering.schema_pointer);
        place.pointer.push_str(at);
        let finding = lowering.diagnostics.report(Code::Choice, place, message);
        finding.hint("no choice is derived from it; the API server still evaluates it");
    };
    for index in too_large {
        let at = format!("/x-kubernetes-validations/{index}/rule");
        report(&at, "the rule is");
    }
    if choices.is_none() {
        report("", "the conditions of this object are");
    }
    choices.unwrap_or_default()
}

/// Returns the conditions of `minProperties` and `maxProperties`.
fn counts(node: &SchemaNode, fields: &[Field], keeps_rest: bool) -> Vec<Expr> {
    let bound = |name: &str| {
        let mut all = node.rules.constraints.iter();
        let (_, value) = all.find(|(keyword, _)| *keyword == name)?;
        value.as_i64().map(Expr::Int)
    };
    let count = || Expr::Count((0..fields.len()).map(Expr::Has).collect());
    let ordered = |low, high| Expr::Compare(Comparison::LessOrEqual, Box::new(low), Box::new(high));
    let most = bound("maxProperties").map(|most| ordered(count(), most));
    // Fields that the schema does not declare count, too.
    let least = bound("minProperties").filter(|_| !keeps_rest);
    let least = least.map(|least| ordered(least, count()));
    most.into_iter().chain(least).collect()
}

/// The conditions of an object, and what is known of each of its fields.
struct Proof<'a> {
    fields: &'a [Field],
    conditions: Vec<Expr>,
    /// The properties that choose.
    selectors: Vec<Selector>,
    /// Whether a field is present in each object that the API server stores.
    always: Vec<bool>,
    /// How many parts all conditions have.
    size: usize,
    /// How many parts may still be evaluated.
    steps: Cell<usize>,
}

/// A property whose values choose.
struct Selector {
    field: usize,
    /// Its values; none is any text that no condition contains.
    values: Vec<Option<String>>,
}

impl<'a> Proof<'a> {
    fn new(types: &Types, fields: &'a [Field], conditions: Vec<Expr>) -> Self {
        let always = fields.iter().map(|field| {
            let may_be_absent = field.presence.may_be_absent();
            !may_be_absent || field.default.is_some()
        });
        let mut texts: BTreeSet<&str> = BTreeSet::new();
        let mut compared: Vec<usize> = Vec::new();
        for condition in &conditions {
            condition.walk(&mut |expr| match expr {
                Expr::Text(text) => _ = texts.insert(text),
                Expr::Field(field) if !compared.contains(field) => compared.push(*field),
                _ => {}
            });
        }
        let selectors = compared.into_iter().filter_map(|field| {
            let values = values(types, fields.get(field)?, &texts)?;
            Some(Selector { field, values })
        });
        let selectors = selectors.take(MOST_SELECTORS).collect();
        Self {
            fields,
            always: always.collect(),
            selectors,
            size: conditions.iter().map(Expr::size).sum::<usize>().max(1),
            steps: Cell::new(MOST_STEPS),
            conditions,
        }
    }

    /// Returns the choices; none if that takes too many steps.
    fn choices(&self) -> Option<Vec<Choice>> {
        let mut mentioned: Vec<usize> = Vec::new();
        for condition in &self.conditions {
            condition.walk(&mut |expr| {
                if let Expr::Has(field) = expr
                    && !mentioned.contains(field)
                {
                    mentioned.push(*field);
                }
            });
        }
        mentioned.retain(|field| !self.always[*field] && !self.is_rejected(&[(*field, true)]));
        if mentioned.len() > MOST_MEMBERS {
            return Some(Vec::new());
        }
        let excludes = |a: usize, b: usize| {
            let (a, b) = (mentioned[a], mentioned[b]);
            self.is_rejected(&[(a, true), (b, true)])
        };
        let groups = groups::find(mentioned.len(), excludes).into_iter();
        let groups = groups.filter_map(|group| {
            let group: Vec<usize> = group.into_iter().map(|at| mentioned[at]).collect();
            // What can never be the only one is not an alternative.
            let is_alone = |field: &usize| !self.is_rejected(&alone(&group, *field));
            let mut members: Vec<usize> = group.iter().copied().filter(is_alone).collect();
            let first = *members.first()?;
            // Fields are sorted by wire name.
            members.sort_unstable();
            (members.len() == group.len()).then(|| (first, self.choice(&members)))
        });
        let groups = groups.enumerate().map(|(index, (first, choice))| Choice {
            named_by: (index > 0).then(|| self.fields[first].wire.clone()),
            ..choice
        });
        let choices = groups.collect();
        (self.steps.get() > 0).then_some(choices)
    }

    fn choice(&self, group: &[usize]) -> Choice {
        let none: Vec<(usize, bool)> = group.iter().map(|field| (*field, false)).collect();
        let members = group.iter().map(|field| {
            let alone = alone(group, *field);
            let selectors = self.selectors.iter();
            let chosen = selectors.filter(|it| !group.contains(&it.field));
            let sets = chosen.filter_map(|selector| {
                let text = self.only_value(selector, &alone)?;
                Some((self.fields[selector.field].wire.clone(), text))
            });
            Member {
                wire: self.fields[*field].wire.clone(),
                sets: sets.collect(),
                variant: None,
                constructor: None,
            }
        });
        Choice {
            members: members.collect(),
            is_required: self.is_rejected(&none),
            named_by: None,
            method: None,
        }
    }

    /// Returns whether the conditions reject each object with and without these fields.
    fn is_rejected(&self, fixed: &[(usize, bool)]) -> bool {
        let state = self.state(fixed);
        let mut selectors = self.selectors.iter();
        self.rejects(&state)
            || selectors.any(|selector| {
                let mut states = states(selector, &state);
                states.all(|(_, state)| self.rejects(&state))
            })
    }

    fn rejects(&self, state: &State<'_>) -> bool {
        let left = self.steps.get().saturating_sub(self.size);
        self.steps.set(left);
        let mut conditions = self.conditions.iter();
        left > 0 && conditions.any(|condition| condition.certain(state) == Some(false))
    }

    fn state(&self, fixed: &[(usize, bool)]) -> State<'static> {
        let always = self.always.iter();
        let mut present: Vec<Option<bool>> = always.map(|always| always.then_some(true)).collect();
        for (field, is_present) in fixed {
            present[*field] = Some(*is_present);
        }
        State {
            present,
            chosen: None,
        }
    }

    /// Returns the only value of a selector that the conditions permit.
    fn only_value(&self, selector: &Selector, fixed: &[(usize, bool)]) -> Option<String> {
        let state = self.state(fixed);
        let states = states(selector, &state);
        let mut permitted = states.filter(|(_, state)| !self.rejects(state));
        let (value, _) = permitted.next()?;
        let value = value?.to_owned();
        permitted.next().is_none().then_some(value)
    }
}

/// Returns what is known for each value of a selector, and for none.
fn states<'s>(
    selector: &'s Selector,
    state: &State<'_>,
) -> impl Iterator<Item = (Option<&'s str>, State<'s>)> {
    let present = state.present.clone();
    let at = selector.field;
    let is_present = present[at];
    let with = move |is_present: bool, chosen| {
        let mut present = present.clone();
        present[at] = Some(is_present);
        State { present, chosen }
    };
    let absent = (is_present != Some(true)).then(|| (None, with(false, None)));
    let values: &'s [Option<String>] = if is_present == Some(false) {
        &[]
    } else {
        &selector.values
    };
    let values = values.iter().map(move |value| {
        let value = value.as_deref();
        (value, with(true, Some((at, value))))
    });
    absent.into_iter().chain(values)
}

/// Returns what is known if one field of a group is present, and the others are not.
fn alone(group: &[usize], field: usize) -> Vec<(usize, bool)> {
    group
        .iter()
        .map(|other| (*other, *other == field))
        .collect()
}

/// Returns the texts that a property can have; `None` if it has no texts, or too many.
fn values(types: &Types, field: &Field, texts: &BTreeSet<&str>) -> Option<Vec<Option<String>>> {
    let known = |texts: &BTreeSet<&str>| texts.iter().map(|it| Some((*it).to_owned())).collect();
    let mut values: Vec<Option<String>> = match &field.ty {
        Ty::Named(id) => match &types[*id].body {
            Body::Enum(body) if body.base == EnumBase::Text => {
                let values = body.variants.iter().filter_map(|it| it.value.as_str());
                known(&values.collect())
            }
            Body::Struct(_) | Body::Enum(_) | Body::Union(_) | Body::Alias(_) => return None,
        },
        Ty::Scalar(Scalar::Str) => known(texts),
        Ty::Scalar(_) | Ty::List(_) | Ty::Map(_) | Ty::Nullable(_) | Ty::External(_) => {
            return None;
        }
    };
    let may_be_null = matches!(
        field.presence,
        Presence::Nullable | Presence::OptionalNullable
    );
    // Null equals no text either.
    if may_be_null || field.ty == Ty::STR {
        values.push(None);
    }
    (values.len() <= MOST_VALUES).then_some(values)
}
