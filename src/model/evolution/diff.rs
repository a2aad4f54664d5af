//! Compares two schemas: a walk side by side, then pairs of what only one of them has.
use super::{Change, Class, pairs, shape, walk::Walk};
use crate::input::{crd::Schema, path::SchemaPath};

/// Compares two versions of a schema. Declared pairs of paths are compared with each other; both paths must exist.
///
/// Descriptions are not compared, nor what the API server alone defines: `apiVersion`, `kind` and `metadata`.
pub(crate) fn diff(
    from: &Schema,
    to: &Schema,
    declared: &[(SchemaPath, SchemaPath)],
) -> Vec<Change> {
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
pub(crate) fn diff_releases(from: &Schema, to: &Schema) -> Vec<Change> {
    let mut walk = Walk {
        apart: true,
        ..Walk::default()
    };
    let root = SchemaPath::root();
    walk.same_shape(from, to, &root, &root, shape::Shape::Object);
    finish(walk, from, to)
}

/// Compares declared pairs, and finds pairs of what only one side has.
fn finish(mut walk: Walk<'_>, from: &Schema, to: &Schema) -> Vec<Change> {
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
