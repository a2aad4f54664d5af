//! Judges changes of what is too complex to compare: rules of CEL, combinators and types of lists and maps.
use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{Finding, focus::Focus, isolate, rules::Rule, satisfied, side::Side, updates, witness};
use crate::model::evolution::RULES;

/// Judges rules, combinators and types of lists: what they reject is found by search.
pub(super) fn judge(
    before: &Side<'_>,
    after: &Side<'_>,
    focus: &Focus<'_>,
    finding: &dyn Fn(Rule) -> Finding,
) -> Finding {
    let (old, new) = (before.node(focus.here), after.node(focus.there));
    if only_other_messages(old, new) {
        return finding(Rule::NoEffect);
    }
    let is_wider = only_wider_rules(old, new);
    if is_wider && texts(old).is_subset(&texts(new)) && others(old) == others(new) {
        return finding(Rule::RulesAdded);
    }
    let only = isolate::rules(before, after, focus);
    let mut narrowed = witness::rejected(before, after, only.as_ref(), Some(focus));
    if narrowed.witness.is_some() {
        let rule = if only_lists_differ(old, new) {
            Rule::ListNarrowed
        } else {
            Rule::RulesNarrowed
        };
        return finding(rule).searched(narrowed);
    }
    let about_updates = updates::differ(old, new);
    if about_updates {
        let rejected = updates::rejected(before, after, only.as_ref(), focus);
        narrowed.tries += rejected.tries;
        if rejected.witness.is_some() {
            return finding(Rule::UpdateNarrowed).searched(rejected);
        }
    }
    if is_wider {
        let back = focus.back();
        let only = isolate::rules(after, before, &back);
        let mut widened = witness::accepted(before, after, only.as_ref(), Some(&back));
        if widened.witness.is_none() && about_updates {
            widened = updates::accepted(before, after, only.as_ref(), &back);
        }
        return finding(Rule::RulesWidened).searched(widened);
    }
    if without_lists(old) == without_lists(new) && has_only_wider_rules(old, new) {
        return finding(Rule::MergeChanged).searched(narrowed);
    }
    finding(Rule::RulesChanged).searched(narrowed)
}

const CEL: &str = "x-kubernetes-validations";

/// What restricts values by other schemas.
const COMBINATORS: [&str; 4] = ["allOf", "anyOf", "oneOf", "not"];

/// How server-side apply merges.
const MERGES: [&str; 3] = [
    "x-kubernetes-map-type",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
];

/// Returns whether nothing differs but the type of a list or map.
fn only_lists_differ(old: &Value, new: &Value) -> bool {
    without_lists(old) == without_lists(new) && texts(old) == texts(new)
}

/// Returns what is ruled of a place, without rules of CEL and without how server-side apply merges.
fn without_lists(schema: &Value) -> Map<String, Value> {
    let mut fields = others(schema);
    fields.retain(|name, _| !MERGES.contains(&name.as_str()));
    fields
}

/// Returns what is ruled of a place beside rules of CEL; its bounds are a change of their own.
fn others(schema: &Value) -> Map<String, Value> {
    let mut fields = schema.as_object().cloned().unwrap_or_default();
    fields.retain(|name, _| name != CEL && RULES.contains(&name.as_str()));
    fields
}

/// Returns the rules of a place without their messages, in one order.
fn texts(schema: &Value) -> BTreeSet<(String, bool)> {
    let rules = schema[CEL].as_array().into_iter().flatten();
    rules.map(text).collect()
}

fn text(rule: &Value) -> (String, bool) {
    let text = rule["rule"].as_str().unwrap_or_default().trim();
    (text.to_owned(), rule["optionalOldSelf"] == true)
}

/// Returns whether nothing differs but the messages or the order of rules, and of alternatives and keys.
fn only_other_messages(old: &Value, new: &Value) -> bool {
    let sorted = |schema: &Value| {
        let mut fields = others(schema);
        for keyword in ["oneOf", "anyOf", "allOf", "x-kubernetes-list-map-keys"] {
            if let Some(Value::Array(items)) = fields.get_mut(keyword) {
                items.sort_by_cached_key(Value::to_string);
            }
        }
        fields.retain(|name, value| name != "uniqueItems" || *value != false);
        fields
    };
    sorted(old) == sorted(new) && texts(old) == texts(new)
}

/// Returns whether nothing that restricts values differs but rules that the second schema does not have, or their messages, and rules that hold for all
/// objects of the first release.
fn only_wider_rules(old: &Value, new: &Value) -> bool {
    let known = others(&satisfied::without_new(new, old, new));
    let mut former = others(old);
    // Without a combinator, more values are valid.
    former.retain(|name, _| !COMBINATORS.contains(&name.as_str()) || known.contains_key(name));
    former == known && has_only_wider_rules(old, new)
}

fn has_only_wider_rules(old: &Value, new: &Value) -> bool {
    let known = texts(old);
    let rules = new[CEL].as_array().into_iter().flatten();
    let mut added = rules.filter(|rule| !known.contains(&text(rule)));
    added.all(|rule| satisfied::holds(rule, old, new))
}
