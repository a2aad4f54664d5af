//! Applies one change to the schema of the first release alone, so that a proof is about this change.
use serde_json::Value;

use super::{focus::Focus, side::Side};
use crate::{input::path::Segment, model::evolution::RULES};

/// Keywords of what is below a node, and of its presence.
const BELOW: [&str; 6] = [
    "properties",
    "items",
    "additionalProperties",
    "required",
    "default",
    "x-kubernetes-preserve-unknown-fields",
];

/// What is a change of its own at a place that has nothing below.
const APART: [&str; 1] = ["default"];

/// Replaces a whole node.
pub(super) fn node(
    before: &Side<'_>,
    after: &Side<'_>,
    focus: &Focus<'_>,
) -> Option<Side<'static>> {
    let new = after.definition.pointer(&focus.there.pointer())?;
    changed(before, focus, |node| *node = new.clone())
}

/// Replaces a node; where both have something below, what restricts it, since what is below has changes of its own. So have the rules.
pub(super) fn constraints(
    before: &Side<'_>,
    after: &Side<'_>,
    focus: &Focus<'_>,
) -> Option<Side<'static>> {
    let old = before.definition.pointer(&focus.here.pointer())?;
    let new = after.definition.pointer(&focus.there.pointer())?;
    let below = ["items", "additionalProperties", "properties"];
    let mut below = below.iter();
    let has_below = below.any(|keyword| old[keyword].is_object() && new[keyword].is_object());
    changed(before, focus, |node| {
        let known = std::mem::replace(node, new.clone());
        let kept: &[&str] = if has_below { &BELOW } else { &APART };
        keep(node, &known, RULES.iter().chain(&["nullable"]).chain(kept));
    })
}

/// Replaces the rules of a node.
pub(super) fn rules(
    before: &Side<'_>,
    after: &Side<'_>,
    focus: &Focus<'_>,
) -> Option<Side<'static>> {
    let new = after.definition.pointer(&focus.there.pointer())?;
    changed(before, focus, |node| keep(node, new, RULES.iter()))
}

/// Gives a node these keywords of another one, and no others of them.
fn keep<'k>(node: &mut Value, of: &Value, keywords: impl Iterator<Item = &'k &'k str>) {
    let Some(fields) = node.as_object_mut() else {
        return;
    };
    for name in keywords {
        match of.get(name) {
            Some(value) => _ = fields.insert((*name).to_owned(), value.clone()),
            None => _ = fields.remove(*name),
        }
    }
}

/// Replaces what restricts a node, but not what is below it.
pub(super) fn keywords(
    before: &Side<'_>,
    after: &Side<'_>,
    focus: &Focus<'_>,
) -> Option<Side<'static>> {
    let new = after.definition.pointer(&focus.there.pointer())?;
    changed(before, focus, |node| {
        let known = std::mem::replace(node, new.clone());
        keep(node, &known, BELOW.iter());
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

/// Does not declare a field, and keeps others around it as the second release does.
pub(super) fn around(
    before: &Side<'_>,
    after: &Side<'_>,
    focus: &Focus<'_>,
) -> Option<Side<'static>> {
    let Some(Segment::Property(name)) = focus.here.last() else {
        return None;
    };
    let parent = focus.here.parent()?;
    let new = after.definition.pointer(&focus.there.parent()?.pointer())?;
    let mut definition = before.definition.clone().into_owned();
    let node = definition.pointer_mut(&parent.pointer())?;
    node["properties"].as_object_mut()?.remove(&**name);
    let still_required = new["required"].as_array();
    if let Some(required) = node["required"].as_array_mut()
        && still_required.is_none_or(|it| !it.iter().any(|it| it == &**name))
    {
        required.retain(|it| it != &**name);
    }
    keep(
        node,
        new,
        [
            "additionalProperties",
            "x-kubernetes-preserve-unknown-fields",
        ]
        .iter(),
    );
    before.with(definition)
}

/// Gives a field its new name, and requires it under that name if the second release does.
pub(super) fn renamed(
    before: &Side<'_>,
    after: &Side<'_>,
    focus: &Focus<'_>,
) -> Option<Side<'static>> {
    let Some(Segment::Property(name)) = focus.there.last() else {
        return None;
    };
    let around = focus.there.parent()?;
    let parent = after.definition.pointer(&around.pointer())?;
    let required = parent["required"].as_array();
    let is_required = required.is_some_and(|it| it.iter().any(|it| it == &**name));
    let removed = self::around(before, after, focus)?;
    let added = Focus {
        here: focus.there,
        there: focus.there,
    };
    field(&removed, after, &added, is_required)
}

/// Sets the default that the second release has.
pub(super) fn default(
    before: &Side<'_>,
    after: &Side<'_>,
    focus: &Focus<'_>,
) -> Option<Side<'static>> {
    these(before, after, focus, &["default"])
}

/// Permits null as the second release does.
pub(super) fn nullable(
    before: &Side<'_>,
    after: &Side<'_>,
    focus: &Focus<'_>,
) -> Option<Side<'static>> {
    these(before, after, focus, &["nullable"])
}

/// Keeps unknown fields as the second release does.
pub(super) fn unknown_fields(
    before: &Side<'_>,
    after: &Side<'_>,
    focus: &Focus<'_>,
) -> Option<Side<'static>> {
    let keywords = [
        "additionalProperties",
        "x-kubernetes-preserve-unknown-fields",
    ];
    these(before, after, focus, &keywords)
}

/// Gives a place these keywords of the second release.
fn these(
    before: &Side<'_>,
    after: &Side<'_>,
    focus: &Focus<'_>,
    keywords: &[&str],
) -> Option<Side<'static>> {
    let new = after.definition.pointer(&focus.there.pointer())?;
    changed(before, focus, |node| keep(node, new, keywords.iter()))
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
