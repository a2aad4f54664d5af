//! Finds fields that moved or have a new name among those that only one version has.
//!
//! No pair costs little: a field that is removed and one that is added keep their values, and a pair can be declared. A wrong pair costs
//! data: a conversion that copies writes the values of one field into another one. So a pair needs evidence that outweighs coincidence,
//! in this order:
//!
//! 1. In one object, a name with the same letters in another case (`podIP`, `podIp`), and a schema that needs no decision.
//! 2. In one object, a name that differs in the spelling of a word (`replica`, `replicas`), and the same schema.
//! 3. In one object, a name with more or fewer words (`timeout`, `timeoutSeconds`), and the same telling schema.
//! 4. The same name and the same telling schema, where one of both is in an object that is new, or gone, beside the other one, and
//!    nothing else in either version is like it.
//!
//! What is telling is in [`evidence`]. Nothing moves from one object that stays to another one, or between two unrelated objects that come
//! and go: equal fields of two plugins, and Kubernetes' own types, look the same. Several candidates are none.
use super::{
    Change, Class, evidence,
    names::{self, Relation},
    shape::{self, Shape, is_required, is_within},
    walk::{self, Single},
};
use crate::input::{
    crd::Schema,
    path::{SchemaPath, Segment},
};

/// Two paths with one value.
pub(super) struct Pair {
    pub(super) class: Class,
    pub(super) from: SchemaPath,
    pub(super) to: SchemaPath,
}

/// A field below what only one version has, through objects alone.
struct Candidate<'a> {
    path: SchemaPath,
    schema: &'a Schema,
    single: &'a Single,
}

/// Whether two candidates are a pair of one kind.
type Kind<'k> = &'k dyn Fn(&Candidate<'_>, &Candidate<'_>) -> bool;

/// Classifies the fields that only one version has. Releases of one version have no moves: each field has its own verdict there.
pub(super) fn resolve(
    from: &Schema,
    to: &Schema,
    removed: &[Single],
    added: &[Single],
    declared: &[(SchemaPath, SchemaPath)],
    renames_only: bool,
) -> Vec<Change> {
    let declared = declared.iter().map(|(from, to)| Pair {
        class: Class::Declared,
        from: from.clone(),
        to: to.clone(),
    });
    let mut pairs: Vec<Pair> = declared.collect();
    let is_free = |path: &SchemaPath, side: fn(&Pair) -> &SchemaPath, pairs: &[Pair]| {
        let mut sides = pairs.iter().map(side);
        !sides.any(|other| is_within(other, path) || is_within(path, other))
    };
    let old = candidates(from, removed);
    let new = candidates(to, added);
    let moves =
        |a: &Candidate<'_>, b: &Candidate<'_>| is_moved(a, b) && a.is_only(from) && b.is_only(to);
    let mut kinds: Vec<(Class, Kind<'_>)> = vec![
        (Class::Renamed, &has_same_letters),
        (Class::Renamed, &is_corrected),
        (Class::Renamed, &is_extended),
    ];
    if !renames_only {
        kinds.push((Class::Moved, &moves));
    }
    for (class, matches) in kinds {
        // The outermost first: what is in them moves along.
        for a in &old {
            if !is_free(&a.path, |pair| &pair.from, &pairs) {
                continue;
            }
            let free = |b: &&Candidate<'_>| is_free(&b.path, |pair| &pair.to, &pairs);
            let mut found = new.iter().filter(|b| matches(a, b)).filter(free);
            let (Some(b), None) = (found.next(), found.next()) else {
                continue;
            };
            let others = old.iter().filter(|other| matches(other, b));
            let mut others = others.filter(|other| is_free(&other.path, |pair| &pair.from, &pairs));
            // Several candidates would be a guess.
            if others.all(|other| other.path == a.path) {
                pairs.push(Pair {
                    class,
                    from: a.path.clone(),
                    to: b.path.clone(),
                });
            }
        }
    }
    let mut changes = Vec::new();
    for pair in pairs.iter().filter(|pair| pair.class != Class::Declared) {
        changes.push(Change {
            class: pair.class,
            from: Some(pair.from.clone()),
            to: Some(pair.to.clone()),
            details: Vec::new(),
        });
        changes.extend(walk::presence(from, to, &pair.from, &pair.to));
        if let (Some(was), Some(is)) = (shape::at(from, &pair.from), shape::at(to, &pair.to)) {
            changes.extend(walk::undecided(was, is, &pair.from, &pair.to).unwrap_or_default());
        }
    }
    let (paired_from, paired_to): (Vec<_>, Vec<_>) =
        pairs.iter().map(|pair| (&pair.from, &pair.to)).unzip();
    for single in removed {
        let mut left = |class, path, details| {
            changes.push(Change {
                class,
                from: Some(path),
                to: None,
                details,
            });
        };
        split(
            from,
            &single.path,
            &paired_from,
            [Class::Removed, Class::RemovedAround],
            &mut left,
        );
    }
    for single in added {
        let mut left = |class, path, details| {
            changes.push(Change {
                class,
                from: None,
                to: Some(path),
                details,
            });
        };
        split(
            to,
            &single.path,
            &paired_to,
            [Class::Added, Class::AddedAround],
            &mut left,
        );
    }
    changes
}

/// Reports a field that only one version has, without the parts of it that have a pair.
fn split(
    root: &Schema,
    path: &SchemaPath,
    paired: &[&SchemaPath],
    [whole, around]: [Class; 2],
    report: &mut dyn FnMut(Class, SchemaPath, Vec<String>),
) {
    if paired.contains(&path) {
        return;
    }
    let details = presence(root, path);
    if !paired.iter().any(|other| is_within(other, path)) {
        return report(whole, path.clone(), details);
    }
    report(around, path.clone(), details);
    let fields = shape::at(root, path).into_iter().flat_map(Schema::fields);
    for (name, _) in fields {
        split(root, &path.property(name), paired, [whole, around], report);
    }
}

/// Describes whether a field is required, and its default.
fn presence(root: &Schema, path: &SchemaPath) -> Vec<String> {
    let (Some(parent), Some(Segment::Property(name))) = (path.parent(), path.last()) else {
        return Vec::new();
    };
    let Some(parent) = shape::at(root, parent) else {
        return Vec::new();
    };
    let field = parent.field(name);
    match field.and_then(|it| it.default.as_ref()) {
        Some(default) => vec![format!("default: {default}")],
        None if is_required(parent, name) => vec!["required".to_owned()],
        None => Vec::new(),
    }
}

fn candidates<'a>(root: &'a Schema, singles: &'a [Single]) -> Vec<Candidate<'a>> {
    let mut found: Vec<Candidate<'a>> = Vec::new();
    let tops = singles.iter().filter_map(|single| {
        Some(Candidate {
            path: single.path.clone(),
            schema: shape::at(root, &single.path)?,
            single,
        })
    });
    found.extend(tops);
    let mut at = 0;
    // Level by level, so that the outermost come first.
    while let Some(outer) = found.get(at) {
        at += 1;
        if Shape::of(outer.schema) != Shape::Object {
            continue;
        }
        let inner = outer.schema.fields().map(|(name, schema)| Candidate {
            path: outer.path.property(name),
            schema,
            single: outer.single,
        });
        let inner: Vec<_> = inner.collect();
        found.extend(inner);
    }
    found
}

impl Candidate<'_> {
    fn name(&self) -> &str {
        match self.path.last() {
            Some(Segment::Property(name)) => name,
            _ => "",
        }
    }

    /// Returns whether it is the whole of what one version lacks there.
    fn is_top(&self) -> bool {
        self.path == self.single.path
    }

    /// Returns whether nothing else in its version has this name and this schema: what occurs twice says nothing about where a third
    /// one comes from.
    fn is_only(&self, root: &Schema) -> bool {
        evidence::occurrences(root, self.name(), self.schema) == 1
    }
}

/// Returns whether what the versions lack of each other is in one object that both have.
fn is_in_same_object(a: &Candidate<'_>, b: &Candidate<'_>) -> bool {
    a.single.path.parent() == Some(&b.single.other_parent)
        && b.single.path.parent() == Some(&a.single.other_parent)
}

/// Returns whether both are fields of one object, which both versions have.
fn is_sibling(a: &Candidate<'_>, b: &Candidate<'_>) -> bool {
    a.is_top() && b.is_top() && is_in_same_object(a, b)
}

/// Returns whether a field has the same letters in the same object, with other capitals or separators, and nothing about it needs a decision.
fn has_same_letters(a: &Candidate<'_>, b: &Candidate<'_>) -> bool {
    is_sibling(a, b)
        && names::relation(a.name(), b.name()) == Some(Relation::SameLetters)
        && walk::undecided(a.schema, b.schema, &a.path, &b.path).is_some()
}

/// Returns whether a field of the same object has the same schema, and one of the words of its name is spelled in another way.
fn is_corrected(a: &Candidate<'_>, b: &Candidate<'_>) -> bool {
    is_sibling(a, b)
        && names::relation(a.name(), b.name()) == Some(Relation::OtherSpelling)
        && evidence::is_same(a.schema, b.schema)
}

/// Returns whether a field of the same object has the same schema, which few fields have, and a longer or shorter name.
fn is_extended(a: &Candidate<'_>, b: &Candidate<'_>) -> bool {
    is_sibling(a, b)
        && names::relation(a.name(), b.name()) == Some(Relation::MoreWords)
        && evidence::is_same(a.schema, b.schema)
        && evidence::of("", a.schema, b.schema) >= evidence::ENOUGH
}

/// Returns whether a field went into a new object beside it, or out of one that is gone, under its own name and with a schema that few
/// fields have.
fn is_moved(a: &Candidate<'_>, b: &Candidate<'_>) -> bool {
    a.is_top() != b.is_top()
        && a.name() == b.name()
        && is_in_same_object(a, b)
        && evidence::is_same(a.schema, b.schema)
        && evidence::of(a.name(), a.schema, b.schema) >= evidence::ENOUGH
}
