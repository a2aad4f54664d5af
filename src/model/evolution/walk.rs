//! Walks two schemas side by side.
use serde_json::{Value, json};

use super::{
    Change, Class,
    compare::{self, RULES, Relation, differ, differs},
    shape::{self, Shape, element, has_default, is_required},
};
use crate::input::{
    crd::Schema,
    path::{SchemaPath, Segment},
};

/// A field that only one version has, at the top of what is missing in the other.
pub(super) struct Single {
    pub(super) path: SchemaPath,
    /// The path of its parent in the other version.
    pub(super) other_parent: SchemaPath,
}

/// Compares whether fields at two paths are required.
pub(super) fn presence(from: &Schema, to: &Schema, a: &SchemaPath, b: &SchemaPath) -> Vec<Change> {
    let mut walk = Walk::default();
    walk.presence(from, to, a, b);
    walk.changes
}

/// Returns the differences of two schemas at two paths; none if one of them needs a decision.
pub(super) fn undecided(
    from: &Schema,
    to: &Schema,
    a: &SchemaPath,
    b: &SchemaPath,
) -> Option<Vec<Change>> {
    let mut walk = Walk::default();
    walk.node(from, to, a, b);
    let is_decided = walk.changes.iter().any(|it| it.class.needs_decision());
    (walk.removed.is_empty() && walk.added.is_empty() && !is_decided).then_some(walk.changes)
}

/// The walk side by side: what differs, and what only one side has.
#[derive(Default)]
pub(super) struct Walk<'a> {
    pub(super) declared: &'a [(SchemaPath, SchemaPath)],
    /// Whether a change of a list is separate from those of its items.
    pub(super) apart: bool,
    pub(super) changes: Vec<Change>,
    pub(super) removed: Vec<Single>,
    pub(super) added: Vec<Single>,
}

impl Walk<'_> {
    pub(super) fn push(
        &mut self,
        class: Class,
        from: &SchemaPath,
        to: &SchemaPath,
        details: Vec<String>,
    ) {
        let (from, to) = (Some(from.clone()), Some(to.clone()));
        self.changes.push(Change {
            class,
            from,
            to,
            details,
        });
    }

    /// Compares two nodes that are at the same place.
    pub(super) fn node(&mut self, from: &Schema, to: &Schema, a: &SchemaPath, b: &SchemaPath) {
        if from == to && self.declared.is_empty() {
            return;
        }
        let (mut old, mut new) = (Shape::of(from), Shape::of(to));
        if self.apart {
            // For a cluster, an object whose fields are all unknown is an object; for Rust, it is any JSON.
            match (old, new) {
                (Shape::Any, Shape::Object) if shape::is_open_object(from) => old = Shape::Object,
                (Shape::Object, Shape::Any) if shape::is_open_object(to) => new = Shape::Object,
                (Shape::Any, Shape::Any) => {
                    match (shape::is_open_object(from), shape::is_open_object(to)) {
                        (true, false) => old = Shape::Object,
                        (false, true) => new = Shape::Object,
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        if old == new {
            self.same_shape(from, to, a, b, old);
        } else {
            let detail = format!("{}, then {}", old.name(), new.name());
            let mut relation = compare::constraints(from, to);
            relation.details.insert(0, detail);
            relation.forward &= new.includes(old);
            relation.backward &= old.includes(new);
            let is_other_type = !new.includes(old) && !old.includes(new);
            let class = if is_other_type {
                Some(Class::Retyped)
            } else {
                relation.class()
            };
            if let Some(class) = class {
                self.push(class, a, b, relation.details);
            }
            self.rules(from, to, a, b);
        }
        for (class, is, was) in [(Class::Nullable, to, from), (Class::NotNullable, from, to)] {
            if is.nullable && !was.nullable {
                self.push(class, a, b, Vec::new());
            }
        }
        if from.default != to.default {
            let detail = differ("default", from.default.as_ref(), to.default.as_ref());
            self.push(Class::Default, a, b, vec![detail]);
        }
    }

    pub(super) fn same_shape(
        &mut self,
        from: &Schema,
        to: &Schema,
        a: &SchemaPath,
        b: &SchemaPath,
        shape: Shape,
    ) {
        let before = self.changes.len();
        if shape == Shape::Object {
            self.object(from, to, a, b);
        } else if let (Some((step, old)), Some((_, new))) = (element(from), element(to)) {
            self.node(old, new, &a.join(step.clone()), &b.join(step));
        }
        self.rules(from, to, a, b);
        let mut relation = if shape == Shape::Any {
            Relation::equal()
        } else {
            compare::constraints(from, to)
        };
        if let Some(mut class) = relation.class() {
            if self.apart {
                return self.push(class, a, b, relation.details);
            }
            if shape == Shape::Object {
                return self.push(Class::Rules, a, b, relation.details);
            }
            // The whole list is converted, and its items with it.
            let items = self.changes.split_off(before);
            let is_outside = |single: &Single| {
                !shape::is_within(&single.path, a) && !shape::is_within(&single.path, b)
            };
            let singles = self.removed.len() + self.added.len();
            self.removed.retain(is_outside);
            self.added.retain(is_outside);
            let is_single = singles > self.removed.len() + self.added.len();
            if is_single || items.iter().any(|it| it.class.needs_decision()) {
                class = Class::Changed;
                relation.details.push("its items differ, too".to_owned());
            }
            self.push(class, a, b, relation.details);
        }
    }

    /// Compares the properties of two objects.
    pub(super) fn object(&mut self, from: &Schema, to: &Schema, a: &SchemaPath, b: &SchemaPath) {
        let is_root = a.last().is_none();
        let own = |name: &str| is_root && matches!(name, "apiVersion" | "kind" | "metadata");
        let is_from = |path: &SchemaPath| self.declared.iter().any(|(from, _)| from == path);
        let is_to = |path: &SchemaPath| self.declared.iter().any(|(_, to)| to == path);
        let mut both = Vec::new();
        let (mut removed, mut added) = (Vec::new(), Vec::new());
        for (name, inner) in from.fields().filter(|(name, _)| !own(name)) {
            let (path, other) = (a.property(name), b.property(name));
            match to.field(name) {
                Some(there) if !is_from(&path) && !is_to(&other) => both.push((name, inner, there)),
                // A declared path has a counterpart elsewhere.
                _ => removed.push(Single {
                    path,
                    other_parent: b.clone(),
                }),
            }
        }
        for (name, _) in to.fields().filter(|(name, _)| !own(name)) {
            let (path, other) = (b.property(name), a.property(name));
            let is_in_both = from.field(name).is_some() && !is_to(&path) && !is_from(&other);
            if !is_in_both {
                added.push(Single {
                    path,
                    other_parent: a.clone(),
                });
            }
        }
        self.removed.append(&mut removed);
        self.added.append(&mut added);
        for (name, inner, there) in both {
            let (a, b) = (a.property(name), b.property(name));
            self.node(inner, there, &a, &b);
            self.field_presence((from, name), (to, name), &a, &b);
        }
        match (shape::is_open(from), shape::is_open(to)) {
            (true, false) => self.push(Class::Pruned, a, b, Vec::new()),
            (false, true) => self.push(Class::Preserved, a, b, Vec::new()),
            (false, false) | (true, true) => {}
        }
    }

    /// Compares whether fields at two paths are required.
    pub(super) fn presence(&mut self, from: &Schema, to: &Schema, a: &SchemaPath, b: &SchemaPath) {
        let field = |root, path: &SchemaPath| {
            let Some(Segment::Property(name)) = path.last() else {
                return None;
            };
            Some((shape::at(root, path.parent()?)?, name.clone()))
        };
        if let (Some((from, old)), Some((to, new))) = (field(from, a), field(to, b)) {
            self.field_presence((from, &old), (to, &new), a, b);
        }
    }

    fn field_presence(
        &mut self,
        from: (&Schema, &str),
        to: (&Schema, &str),
        a: &SchemaPath,
        b: &SchemaPath,
    ) {
        for (class, (is, name), (was, before)) in [
            (Class::NowRequired, to, from),
            (Class::NowOptional, from, to),
        ] {
            let mut is_always_set = is_required(was, before) || has_default(was, before);
            if self.apart && class == Class::NowRequired {
                // A default counts as long as there is one.
                is_always_set = is_required(was, before) || !is_required(is, name);
            }
            if is_required(is, name) && !is_always_set {
                self.push(class, a, b, Vec::new());
            }
        }
    }

    /// Compares what restricts values and is too complex to say which of them.
    fn rules(&mut self, from: &Schema, to: &Schema, a: &SchemaPath, b: &SchemaPath) {
        let differing = RULES
            .into_iter()
            .filter(|keyword| effective(from, keyword) != effective(to, keyword));
        let details = differing.flat_map(|keyword| match keyword {
            "x-kubernetes-validations" => compare::rules(from, to),
            "oneOf" | "anyOf" | "allOf" | "not" => vec![keyword.to_owned()],
            _ => vec![differs(keyword, &ruled(from, keyword), &ruled(to, keyword))],
        });
        let details: Vec<String> = details.collect();
        if !details.is_empty() {
            self.push(Class::Rules, a, b, details);
        }
    }
}

/// Returns what a schema has of the keywords of [`RULES`].
fn ruled(schema: &Schema, keyword: &str) -> Value {
    let list = |list: &[Value]| match list {
        [] => Value::Null,
        list => list.to_vec().into(),
    };
    let (kubernetes, logic) = (&schema.kubernetes, &schema.logic);
    match keyword {
        "x-kubernetes-validations" => list(&kubernetes.validations),
        "x-kubernetes-list-type" => json!(kubernetes.list_type),
        "x-kubernetes-map-type" => json!(kubernetes.map_type),
        "x-kubernetes-list-map-keys" if kubernetes.list_map_keys.is_empty() => Value::Null,
        "x-kubernetes-list-map-keys" => json!(kubernetes.list_map_keys),
        "not" => json!(logic.not),
        "oneOf" => list(&logic.one_of),
        "anyOf" => list(&logic.any_of),
        "allOf" => list(&logic.all_of),
        bound => json!(schema.bound(bound)),
    }
}

/// Returns what the API server takes, also for a list or an object that does not say how it is merged.
fn effective(schema: &Schema, keyword: &str) -> Value {
    match (ruled(schema, keyword), keyword) {
        (Value::Null, "x-kubernetes-list-type") => "atomic".into(),
        (Value::Null, "x-kubernetes-map-type") => "granular".into(),
        // What `x-kubernetes-int-or-string` says, too.
        (types, "anyOf")
            if schema.kubernetes.int_or_string
                && types == json!([{"type": "integer"}, {"type": "string"}]) =>
        {
            Value::Null
        }
        (value, _) => value,
    }
}
