//! Finds the rule of a change, and an object that proves it.
use serde_json::Value;

use super::{
    Finding, candidates,
    differing::plain,
    focus::Focus,
    implied, isolate, kept,
    keywords::restricts,
    language, ruled,
    rules::{Level, Rule},
    side::Side,
    updates, values,
    witness::{self, Search},
};
use crate::{
    input::path::{SchemaPath, Segment},
    model::evolution::{Change, Class, RULES},
};

/// A change at its place.
struct PlacedChange<'a> {
    before: &'a Side<'a>,
    after: &'a Side<'a>,
    path: &'a SchemaPath,
    focus: Focus<'a>,
    /// The object that has the field.
    around: Focus<'a>,
    detail: String,
}

/// Finds the rule of a change, and an object that proves it.
pub(super) fn judge(before: &Side<'_>, after: &Side<'_>, change: &Change) -> Finding {
    let path = change.path();
    let (here, there) = (
        change.from.as_ref().unwrap_or(&path),
        change.to.as_ref().unwrap_or(&path),
    );
    let (Some(parent), Some(new_parent)) =
        (here.parent().or(Some(here)), there.parent().or(Some(there)))
    else {
        return Finding::new(Rule::KeywordChanged, &path, String::new());
    };
    let place = PlacedChange {
        before,
        after,
        path: &path,
        focus: Focus { here, there },
        around: Focus {
            here: parent,
            there: new_parent,
        },
        detail: detail(change),
    };
    let back = place.focus.back();
    let whole_back = || isolate::constraints(after, before, &back);
    match change.class {
        Class::Moved | Class::Renamed | Class::Declared => {
            let mut moved = place.removed_at(Rule::FieldMoved);
            if moved.witness.is_none() {
                // The new place may be one that has to be there.
                let objects = candidates::reaching(before, &place.focus);
                let only = isolate::renamed(before, after, &place.focus);
                let rejected = witness::rejected_of(before, after, only.as_ref(), objects);
                moved = moved.searched(rejected);
            }
            moved.to = change.to.as_ref().map(SchemaPath::to_string);
            moved
        }
        Class::Removed | Class::RemovedAround => place.removed(),
        Class::Pruned => {
            let only = isolate::unknown_fields(before, after, &place.focus);
            place.dropped(Rule::Pruned, only.as_ref(), kept::What::UnknownFields)
        }
        Class::Added | Class::AddedAround if change.details.iter().any(|it| it == "required") => {
            place.required()
        }
        Class::Added | Class::AddedAround => place.added(),
        Class::NowRequired if place.is_required_by_rule() => place.finding(Rule::NoEffect),
        Class::NowRequired => place.required(),
        Class::NowOptional => {
            let only = isolate::field(after, before, &back, true);
            place.accepted(Rule::FieldOptional, only.as_ref(), &place.around.back())
        }
        Class::Changed if place.differs_only_in(&["pattern"]) => place.pattern(),
        // Each value of an enum can be tried.
        Class::Narrowed if place.includes_enum() || place.follows() => {
            place.finding(Rule::NoEffect)
        }
        Class::Changed if place.includes_enum() || place.follows() => {
            place.accepted(Rule::Widened, whole_back().as_ref(), &back)
        }
        Class::Narrowed => place.restricted(Rule::Narrowed, false),
        // Only a search says which of two formats accepts more.
        Class::Changed => {
            place.restricted(Rule::Changed, place.differs_only_in(&["format", "pattern"]))
        }
        Class::Retyped => place.retyped(),
        Class::NotNullable => {
            let only = isolate::nullable(before, after, &place.focus);
            let found = place.rejected(Rule::NotNullable, only.as_ref(), &place.focus);
            if found.witness.is_some() {
                return found;
            }
            // The API server drops null where a field may be absent.
            let search = kept::stored(before, after, only.as_ref(), &place.focus);
            let mut dropped = found.searched(search);
            dropped.level = Level::Risk;
            dropped
        }
        Class::Widened => place.accepted(Rule::Widened, whole_back().as_ref(), &back),
        Class::Nullable => {
            let only = isolate::nullable(before, after, &place.focus);
            let stored = kept::stored(before, after, only.as_ref(), &place.focus);
            if stored.witness.is_some() {
                let mut found = place.finding(Rule::Nullable).searched(stored);
                let nodes = [before.node(here), after.node(there)];
                if nodes.iter().all(|it| it.get("default").is_some()) {
                    // A default takes the place of null no more.
                    found.level = Level::Risk;
                }
                return found;
            }
            let back_only = isolate::nullable(after, before, &back);
            place.accepted(Rule::Nullable, back_only.as_ref(), &back)
        }
        Class::Preserved => place.finding(Rule::Preserved),
        Class::Default => place
            .default_rejected()
            .unwrap_or_else(|| place.default_changed()),
        Class::Rules => ruled::judge(before, after, &place.focus, &|rule| place.finding(rule)),
    }
}

/// Returns what differs, as far as the rule does not say it.
fn detail(change: &Change) -> String {
    let was = matches!(change.class, Class::Removed | Class::RemovedAround);
    let details = change.details.iter().filter_map(|it| match it.as_str() {
        "required" if was => Some("was required"),
        "required" => None,
        other => Some(other),
    });
    details.collect::<Vec<_>>().join("; ")
}

impl PlacedChange<'_> {
    fn finding(&self, rule: Rule) -> Finding {
        Finding::new(rule, self.path, self.detail.clone())
    }

    fn rejected(&self, rule: Rule, only: Option<&Side<'_>>, focus: &Focus<'_>) -> Finding {
        let found = witness::rejected(self.before, self.after, only, Some(focus));
        self.finding(rule).searched(found)
    }

    fn accepted(&self, rule: Rule, only: Option<&Side<'_>>, focus: &Focus<'_>) -> Finding {
        let found = witness::accepted(self.before, self.after, only, Some(focus));
        self.finding(rule).searched(found)
    }

    fn dropped(&self, rule: Rule, only: Option<&Side<'_>>, what: kept::What) -> Finding {
        let found = kept::dropped(self.before, self.after, only, &self.focus, what);
        self.finding(rule).searched(found)
    }

    /// Searches for an object whose field is dropped.
    fn removed_at(&self, rule: Rule) -> Finding {
        let only = isolate::around(self.before, self.after, &self.focus);
        self.dropped(rule, only.as_ref(), kept::What::Field)
    }

    /// Searches for what a new default, or one less, makes the API server reject: an object, or an update.
    fn default_rejected(&self) -> Option<Finding> {
        if !self.is_limited() {
            return None;
        }
        let (before, after) = (self.before, self.after);
        let only = isolate::default(before, after, &self.focus);
        let only = only.as_ref();
        let around = || witness::rejected(before, after, only, Some(&self.around));
        let without = || {
            let objects = candidates::without(before, &self.focus);
            witness::rejected_of(before, after, only, objects)
        };
        let update = || updates::defaulted(before, after, only, &self.focus);
        let searches: [&dyn Fn() -> Search; 3] = [&around, &without, &update];
        let mut found = searches.iter().map(|search| search());
        let search = found.find(|it| it.witness.is_some())?;
        Some(self.finding(Rule::Narrowed).searched(search))
    }

    fn default_changed(&self) -> Finding {
        let only = isolate::default(self.before, self.after, &self.focus);
        let stored = kept::stored(self.before, self.after, only.as_ref(), &self.focus);
        let mut found = self.finding(Rule::DefaultChanged).searched(stored);
        if found.witness.is_none() && self.is_always_there() {
            // No object lacks the field, so none gets the default; new ones need not have it.
            found.level = Level::Compatible;
            found.detail.push_str("; each object has the field");
        }
        found
    }

    /// Returns whether each object of the first release that has the place around the field has the field, too, as a user wrote it.
    fn is_always_there(&self) -> bool {
        let Some(Segment::Property(name)) = self.focus.here.last() else {
            return false;
        };
        let parent = self.before.node(self.around.here);
        let field = self.before.node(self.focus.here);
        let mut required = parent["required"].as_array().into_iter().flatten();
        field.get("default").is_none_or(Value::is_null)
            && (required.any(|it| it == &**name) || implied::requires(parent, name))
    }

    /// Returns whether something around the place may reject it for what it has: a default is valid in itself.
    fn is_limited(&self) -> bool {
        let mut path = self.focus.there;
        while let Some(parent) = path.parent() {
            path = parent;
            let node = self.after.node(path);
            let mut keywords = RULES.iter().chain(&["maxProperties", "enum"]);
            if keywords.any(|keyword| node.get(*keyword).is_some()) {
                return true;
            }
        }
        // Rules of the place itself about updates.
        self.after
            .node(self.focus.there)
            .get("x-kubernetes-validations")
            .is_some()
    }

    /// Judges another type.
    fn retyped(&self) -> Finding {
        let only = isolate::node(self.before, self.after, &self.focus);
        let rejected = self.rejected(Rule::TypeChanged, only.as_ref(), &self.focus);
        if rejected.witness.is_some() {
            return rejected;
        }
        let nodes = [
            self.before.node(self.focus.here),
            self.after.node(self.focus.there),
        ];
        // Fields may become keys of a map, and the other way round.
        if nodes.iter().any(|node| node["type"] != "object") {
            return rejected;
        }
        let dropped = self.dropped(Rule::TypeChanged, only.as_ref(), kept::What::Fields);
        if dropped.witness.is_some() {
            return dropped;
        }
        let values = &nodes[1]["additionalProperties"];
        let fields = nodes[0]["properties"].as_object();
        let is_same = fields.is_some_and(|it| it.values().all(|field| is_included(field, values)));
        self.finding(if is_same {
            Rule::Widened
        } else {
            Rule::RulesChanged
        })
    }

    fn is_required_by_rule(&self) -> bool {
        let Some(Segment::Property(name)) = self.focus.here.last() else {
            return false;
        };
        implied::requires(self.before.node(self.around.here), name)
    }

    /// Returns whether what is new follows from what there was.
    fn follows(&self) -> bool {
        implied::follows(
            self.before.node(self.focus.here),
            self.after.node(self.focus.there),
        )
    }

    /// Judges a field that only the first release declares.
    fn removed(&self) -> Finding {
        let removed = self.removed_at(Rule::FieldRemoved);
        if removed.witness.is_some() || !self.keeps_others() {
            return removed;
        }
        let only = isolate::around(self.before, self.after, &self.focus);
        let narrowed = self.rejected(Rule::Narrowed, only.as_ref(), &self.focus);
        if narrowed.witness.is_some() {
            return narrowed;
        }
        Finding::new(
            Rule::Widened,
            self.path,
            "not declared, and kept".to_owned(),
        )
    }

    /// Judges a field that only the second release declares.
    fn added(&self) -> Finding {
        let parent = self.before.node(self.around.here);
        let keeps = parent["x-kubernetes-preserve-unknown-fields"] == true;
        let has_default = self.after.node(self.focus.there).get("default").is_some();
        if keeps || has_default {
            let only = isolate::field(self.before, self.after, &self.focus, false);
            let mut narrowed = self.rejected(Rule::Narrowed, only.as_ref(), &self.around);
            if narrowed.witness.is_some() {
                "declared".clone_into(&mut narrowed.detail);
                return narrowed;
            }
        }
        self.finding(Rule::FieldAdded)
    }

    fn required(&self) -> Finding {
        let only = isolate::field(self.before, self.after, &self.focus, true);
        self.rejected(Rule::FieldRequired, only.as_ref(), &self.around)
    }

    /// Judges another pattern.
    fn pattern(&self) -> Finding {
        let nodes = [
            self.before.node(self.focus.here),
            self.after.node(self.focus.there),
        ];
        let [old, new] = nodes.map(|it| it["pattern"].as_str().unwrap_or_default());
        match (language::includes(new, old), language::includes(old, new)) {
            (true, true) => self.finding(Rule::NoEffect),
            (true, false) => {
                let back = self.focus.back();
                let only = isolate::constraints(self.after, self.before, &back);
                self.accepted(Rule::Widened, only.as_ref(), &back)
            }
            (false, _) => self.restricted(Rule::Changed, true),
        }
    }

    /// Returns whether nothing that restricts values differs but these keywords, and what is a change of its own.
    fn differs_only_in(&self, keywords: &[&str]) -> bool {
        let nodes = [
            self.before.node(self.focus.here),
            self.after.node(self.focus.there),
        ];
        let [old, new] = nodes.map(|node| {
            let mut node = node.clone();
            if let Some(fields) = node.as_object_mut() {
                fields.retain(|name, _| restricts(name) && !keywords.contains(&name.as_str()));
            }
            node
        });
        old == new
    }

    /// Judges bounds, patterns and the like. What they reject may follow from others: how many fields an object has, from what is required; and only a
    /// search compares patterns, as `is_searched` says.
    fn restricted(&self, rule: Rule, is_searched: bool) -> Finding {
        let only = isolate::constraints(self.before, self.after, &self.focus);
        let mut found = self.rejected(rule, only.as_ref(), &self.focus);
        let is_object = self.before.node(self.focus.here)["properties"].is_object();
        if found.witness.is_none() && (is_searched || is_object) {
            found.rule = Rule::RulesChanged;
            found.level = Rule::RulesChanged.level();
        }
        found
    }

    /// Returns whether the second release keeps fields of an object that it does not declare.
    fn keeps_others(&self) -> bool {
        let parent = self.after.node(self.around.there);
        self.after.preserves
            || parent["x-kubernetes-preserve-unknown-fields"] == true
            || parent["additionalProperties"].is_object()
    }

    /// Returns whether the second schema accepts each value of an enum.
    fn includes_enum(&self) -> bool {
        let old = self.before.node(self.focus.here);
        let new = self.after.node(self.focus.there);
        let parts = self.before.part(old).zip(self.after.part(new));
        parts.is_some_and(|(old, new)| values::includes_enum(&old, &new))
    }
}

/// Returns whether the values of a field are those of a map, too.
fn is_included(field: &Value, values: &Value) -> bool {
    *values == true || (values.is_object() && plain(field) == plain(values))
}
