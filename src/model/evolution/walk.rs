//! Walks two schemas side by side.
use serde_json::{Value, json};

use super::{
    Change, Class,
    compare::{self, RULES, Relation, differs},
    pairs::{self, Pair},
    shape::{self, Shape, element, flag, properties},
};
use crate::input::path::{SchemaPath, Segment};

/// Compares two versions of a schema. Declared pairs of paths are compared with each other; both paths must exist.
///
/// Descriptions are not compared, nor what the API server alone defines: `apiVersion`, `kind` and `metadata`.
pub(crate) fn diff(from: &Value, to: &Value, declared: &[(SchemaPath, SchemaPath)]) -> Vec<Change> {
    let mut walk = Walk {
        declared,
        ..Walk::default()
    };
    let root = SchemaPath::root();
    walk.object(from, to, &root, &root);
    finish(walk, from, to)
}

/// Compares a schema in two releases: as [`diff`], but with each change at its own place, and with rules of the whole object. A conversion
/// takes a list with its items, and leaves rules to the API server.
#[cfg(feature = "cli")]
pub(crate) fn diff_releases(from: &Value, to: &Value) -> Vec<Change> {
    let mut walk = Walk {
        apart: true,
        ..Walk::default()
    };
    let root = SchemaPath::root();
    walk.same_shape(from, to, &root, &root, Shape::Object);
    finish(walk, from, to)
}

/// Compares declared pairs, and finds pairs of what only one side has.
fn finish(mut walk: Walk<'_>, from: &Value, to: &Value) -> Vec<Change> {
    let declared = walk.declared;
    for (a, b) in declared {
        if let (Some(old), Some(new)) = (shape::at(from, a), shape::at(to, b)) {
            walk.push(Class::Declared, a, b, Vec::new());
            walk.node(old, new, a, b);
            walk.presence(from, to, a, b);
        }
    }
    let Walk {
        mut changes,
        removed,
        added,
        apart,
        ..
    } = walk;
    changes.extend(pairs::resolve(from, to, &removed, &added, declared, apart));
    changes.sort_by_cached_key(|change| (change.path().to_string(), change.class));
    changes
}

/// A field that only one version has, at the top of what is missing in the other.
pub(super) struct Single {
    pub(super) path: SchemaPath,
    /// The path of its parent in the other version.
    pub(super) other_parent: SchemaPath,
}

/// Compares whether fields at two paths are required.
pub(super) fn presence(from: &Value, to: &Value, a: &SchemaPath, b: &SchemaPath) -> Vec<Change> {
    let mut walk = Walk::default();
    walk.presence(from, to, a, b);
    walk.changes
}

/// Returns the differences of two schemas at two paths; none if one of them needs a decision.
pub(super) fn undecided(
    from: &Value,
    to: &Value,
    a: &SchemaPath,
    b: &SchemaPath,
) -> Option<Vec<Change>> {
    let mut walk = Walk::default();
    walk.node(from, to, a, b);
    let is_decided = walk.changes.iter().any(|it| it.class.needs_decision());
    (walk.removed.is_empty() && walk.added.is_empty() && !is_decided).then_some(walk.changes)
}

#[derive(Default)]
struct Walk<'a> {
    declared: &'a [(SchemaPath, SchemaPath)],
    /// Whether a change of a list is separate from those of its items.
    apart: bool,
    changes: Vec<Change>,
    removed: Vec<Single>,
    added: Vec<Single>,
}

impl Walk<'_> {
    fn push(&mut self, class: Class, from: &SchemaPath, to: &SchemaPath, details: Vec<String>) {
        let (from, to) = (Some(from.clone()), Some(to.clone()));
        self.changes.push(Change {
            class,
            from,
            to,
            details,
        });
    }

    /// Compares two nodes that are at the same place.
    fn node(&mut self, from: &Value, to: &Value, a: &SchemaPath, b: &SchemaPath) {
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
            if flag(is, "nullable") && !flag(was, "nullable") {
                self.push(class, a, b, Vec::new());
            }
        }
        // The API server takes no null from a default.
        let default = |schema: &Value| schema.get("default").filter(|it| !it.is_null()).cloned();
        if default(from) != default(to) {
            let detail = differs("default", &from["default"], &to["default"]);
            self.push(Class::Default, a, b, vec![detail]);
        }
    }

    fn same_shape(
        &mut self,
        from: &Value,
        to: &Value,
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
    fn object(&mut self, from: &Value, to: &Value, a: &SchemaPath, b: &SchemaPath) {
        let is_root = a.last().is_none();
        let own = |name: &str| is_root && matches!(name, "apiVersion" | "kind" | "metadata");
        let (old, new) = (properties(from), properties(to));
        let is_from = |path: &SchemaPath| self.declared.iter().any(|(from, _)| from == path);
        let is_to = |path: &SchemaPath| self.declared.iter().any(|(_, to)| to == path);
        let mut both = Vec::new();
        let (mut removed, mut added) = (Vec::new(), Vec::new());
        for (name, inner) in old.into_iter().flatten().filter(|(name, _)| !own(name)) {
            let (path, other) = (a.property(name), b.property(name));
            match new.and_then(|new| new.get(name)) {
                Some(there) if !is_from(&path) && !is_to(&other) => both.push((name, inner, there)),
                // A declared path has a counterpart elsewhere.
                _ => removed.push(Single {
                    path,
                    other_parent: b.clone(),
                }),
            }
        }
        for (name, _) in new.into_iter().flatten().filter(|(name, _)| !own(name)) {
            let (path, other) = (b.property(name), a.property(name));
            let is_in_both =
                old.is_some_and(|old| old.contains_key(name)) && !is_to(&path) && !is_from(&other);
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
    fn presence(&mut self, from: &Value, to: &Value, a: &SchemaPath, b: &SchemaPath) {
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
        from: (&Value, &str),
        to: (&Value, &str),
        a: &SchemaPath,
        b: &SchemaPath,
    ) {
        for (class, (is, name), (was, before)) in [
            (Class::NowRequired, to, from),
            (Class::NowOptional, from, to),
        ] {
            let default =
                |schema: &Value, name: &str| schema["properties"][name].get("default").is_some();
            let mut is_always_set = shape::is_required(was, before) || default(was, before);
            if self.apart && class == Class::NowRequired {
                // A default counts as long as there is one.
                let needs =
                    |schema, name| shape::is_required(schema, name) && !default(schema, name);
                is_always_set = needs(was, before) || !needs(is, name);
            }
            if shape::is_required(is, name) && !is_always_set {
                self.push(class, a, b, Vec::new());
            }
        }
    }

    /// Compares what restricts values and is too complex to say which of them.
    fn rules(&mut self, from: &Value, to: &Value, a: &SchemaPath, b: &SchemaPath) {
        // What the API server takes for a list or an object that does not say how it is merged.
        let of = |schema: &Value, keyword: &str| match (&schema[keyword], keyword) {
            (Value::Null, "x-kubernetes-list-type") => "atomic".into(),
            (Value::Null, "x-kubernetes-map-type") => "granular".into(),
            // What `x-kubernetes-int-or-string` says, too.
            (types, "anyOf")
                if flag(schema, "x-kubernetes-int-or-string")
                    && *types == json!([{"type": "integer"}, {"type": "string"}]) =>
            {
                Value::Null
            }
            (value, _) => value.clone(),
        };
        let differing = RULES
            .into_iter()
            .filter(|keyword| of(from, keyword) != of(to, keyword));
        let details = differing.flat_map(|keyword| match keyword {
            "x-kubernetes-validations" => compare::rules(&from[keyword], &to[keyword]),
            "oneOf" | "anyOf" | "allOf" | "not" => vec![keyword.to_owned()],
            _ => vec![differs(keyword, &from[keyword], &to[keyword])],
        });
        let details: Vec<String> = details.collect();
        if !details.is_empty() {
            self.push(Class::Rules, a, b, details);
        }
    }
}

/// Returns the declared and found pairs of a comparison.
pub(super) fn declared_pairs(declared: &[(SchemaPath, SchemaPath)]) -> Vec<Pair> {
    let pairs = declared.iter().map(|(from, to)| Pair {
        class: Class::Declared,
        from: from.clone(),
        to: to.clone(),
    });
    pairs.collect()
}
