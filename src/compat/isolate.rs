//! Applies one change to the schema of the first release alone, so that a proof is about this change.
use serde_json::Value;

use super::{candidates::Focus, witness::Side};
use crate::path::Segment;

/// Replaces a whole node.
pub(super) fn node(
    before: &Side<'_>,
    after: &Side<'_>,
    focus: &Focus<'_>,
) -> Option<Side<'static>> {
    let new = after.definition.pointer(&focus.there.pointer())?;
    changed(before, focus, |node| *node = new.clone())
}

/// Replaces a node; of a list or a map what restricts it, since what is below has changes of its own.
pub(super) fn constraints(
    before: &Side<'_>,
    after: &Side<'_>,
    focus: &Focus<'_>,
) -> Option<Side<'static>> {
    let old = before.definition.pointer(&focus.here.pointer())?;
    let new = after.definition.pointer(&focus.there.pointer())?;
    let below = ["items", "additionalProperties"];
    let mut below = below.iter();
    if below.any(|keyword| old[keyword].is_object() && new[keyword].is_object()) {
        keywords(before, after, focus)
    } else {
        node(before, after, focus)
    }
}

/// Replaces what restricts a node, but not what is below it.
pub(super) fn keywords(
    before: &Side<'_>,
    after: &Side<'_>,
    focus: &Focus<'_>,
) -> Option<Side<'static>> {
    const BELOW: [&str; 6] = [
        "properties",
        "items",
        "additionalProperties",
        "required",
        "default",
        "x-kubernetes-preserve-unknown-fields",
    ];
    let new = after.definition.pointer(&focus.there.pointer())?;
    changed(before, focus, |node| {
        let mut fields = new.as_object().cloned().unwrap_or_default();
        for name in BELOW {
            match node.get(name) {
                Some(old) => _ = fields.insert(name.to_owned(), old.clone()),
                None => _ = fields.remove(name),
            }
        }
        *node = fields.into();
    })
}

/// Declares a field as the second release does, and requires it if it does.
pub(super) fn field(
    before: &Side<'_>,
    after: &Side<'_>,
    focus: &Focus<'_>,
    required: bool,
) -> Option<Side<'static>> {
    let Some(Segment::Property(name)) = focus.there.last() else {
        return None;
    };
    let new = after.definition.pointer(&focus.there.pointer())?;
    let parent = focus.here.parent()?;
    let mut definition = before.definition.clone().into_owned();
    let node = definition.pointer_mut(&parent.pointer())?;
    let known = node["properties"].get(&**name);
    // A field that both have stays as it is, without the default that made it present.
    let mut declared = known.unwrap_or(new).clone();
    if let (Some(fields), None) = (declared.as_object_mut(), new.get("default")) {
        fields.remove("default");
    }
    node["properties"][&**name] = declared;
    if required {
        match &mut node["required"] {
            Value::Array(names) if !names.iter().any(|it| it == &**name) => {
                names.push((**name).into());
            }
            Value::Array(_) => {}
            other => *other = vec![Value::from(&**name)].into(),
        }
    }
    before.with(definition)
}

/// Sets the default that the second release has.
pub(super) fn default(
    before: &Side<'_>,
    after: &Side<'_>,
    focus: &Focus<'_>,
) -> Option<Side<'static>> {
    let new = after.definition.pointer(&focus.there.pointer())?;
    changed(before, focus, |node| {
        if let Some(fields) = node.as_object_mut() {
            match new.get("default") {
                Some(default) => _ = fields.insert("default".to_owned(), default.clone()),
                None => _ = fields.remove("default"),
            }
        }
    })
}

fn changed(
    before: &Side<'_>,
    focus: &Focus<'_>,
    change: impl FnOnce(&mut Value),
) -> Option<Side<'static>> {
    let mut definition = before.definition.clone().into_owned();
    change(definition.pointer_mut(&focus.here.pointer())?);
    before.with(definition)
}
