//! Judges a scale subresource that is new or has another path: the API server limits the number of replicas then.
use serde_json::Value;

use super::{Finding, candidates, focus::Focus, rules::Rule, side::Side, witness};
use crate::input::path::SchemaPath;

/// Searches for an object whose number of replicas is rejected now. That of the status is not in what users create.
pub(super) fn compare(
    before: &Side<'_>,
    after: &Side<'_>,
    old: &Value,
    new: &Value,
) -> Option<Finding> {
    let keyword = "/subresources/scale/specReplicasPath";
    let text = new.pointer(keyword)?.as_str()?;
    if old.pointer(keyword) == new.pointer(keyword) {
        return None;
    }
    let names = text.split('.').filter(|it| !it.is_empty());
    let path = names.fold(SchemaPath::root(), |path, name| path.property(name));
    let focus = Focus {
        here: &path,
        there: &path,
    };
    let outside = [Value::from(-1), Value::from(i64::from(i32::MAX) + 1)];
    let objects = candidates::with(before, &focus, &outside);
    let search = witness::rejected_of(before, after, None, objects);
    search.witness.as_ref()?;
    let detail = "the scale subresource permits 0 to 2147483647".to_owned();
    Some(Finding::new(Rule::Narrowed, &path, detail).searched(search))
}
