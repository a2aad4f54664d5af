//! Makes objects that may prove a change: valid objects with other values at the place of the change.
use kube_codegen_schema::Extent;
use serde_json::{Value, json};

use super::{differing::differing, focus::Focus, side::Side, values};
use crate::{
    base::diag::pointer::push,
    input::path::{SchemaPath, Segment},
};

/// How many samples get the smallest value that has a field, with nothing else.
const ALONE: usize = 2;

/// Names that rules tell apart: short and long ones, with dots, dashes and digits.
const NAMES: [&str; 6] = [
    "a",
    "1",
    "a.b",
    "a-b",
    "example-with-a-long-name-of-more-than-sixty-three-characters-in-all",
    "an-example.with-the-longest-name.that-an-object-may-have.which-is-as-long-as-the-name-of-a-domain.and-hardly-one-gives-such-a-name.to-an-object-of-any-kind.but-some-rules-are-about-it.and-reject-it.or-accept-nothing-else.so-it-has-to-be-tried.once",
];

/// Returns objects of the accepting side with values that only it accepts at the place, as far as that can be seen there; at most `most`,
/// made as they are asked for. Adds to `tries` how many values there are.
pub(super) fn at(
    accepts: &Side<'_>,
    rejects: &Side<'_>,
    focus: &Focus<'_>,
    most: usize,
    tries: &mut usize,
) -> impl Iterator<Item = Value> {
    let is_root = focus.here.last().is_none() || focus.here.to_string() == "metadata";
    let here = accepts.at(focus.here).filter(|_| !accepts.is_spent());
    let there = rejects.at(focus.there);
    let mut objects = Vec::new();
    let mut values = Vec::new();
    let mut parts = None;
    if let (Some(here), Some(there)) = (here, there) {
        let reduced = differing(here, there);
        let negated = negated(accepts, here, there, &reduced, focus);
        if focus.here.last().is_none() {
            objects = negated;
        } else {
            values = negated;
        }
        if let (Some(old), Some(new)) = (accepts.part(here), rejects.part(there)) {
            let samples = accepts.part(&reduced);
            let samples = samples.iter().flat_map(|it| it.samples(12)).collect();
            values.extend(values::of(&old, &new, samples));
            parts = Some((old, new));
        }
    }
    *tries += values.len();
    let frames = match values.as_slice() {
        [] => Vec::new(),
        _ => frames(accepts, focus.here, accepts.samples().len()),
    };
    let count = frames.len();
    let is_disputed = move |value: &Value| {
        let mut parts = parts.iter();
        parts.any(|(old, new)| old.accepts(value) && !new.accepts(value))
    };
    let values = values.into_iter().filter(is_disputed);
    let placed = values.flat_map(move |value| (0..count).map(move |frame| (frame, value.clone())));
    let made = placed.filter_map(move |(frame, value)| frames[frame].with(accepts, value));
    // Rules of the whole object may be about its name.
    let named = NAMES.iter().filter(move |_| is_root).map(|name| {
        let base = accepts.samples().first().unwrap_or(&accepts.head);
        let mut object = base.clone();
        object["metadata"]["name"] = (*name).into();
        object
    });
    objects.into_iter().chain(named).chain(made).take(most)
}

/// A valid object that has a place, where other values are tried: to make what is missing on the way is the expensive part.
pub(super) struct Frame {
    object: Value,
    pointer: String,
}

/// Returns frames of some samples.
pub(super) fn frames(side: &Side<'_>, path: &SchemaPath, most: usize) -> Vec<Frame> {
    let most = if side.is_spent() { 0 } else { most };
    let bases = |most| side.samples().iter().take(most);
    let frames = bases(most).filter_map(|base| {
        let mut object = base.clone();
        let pointer = reach(side, &mut object, path, false)?;
        Some(Frame { object, pointer })
    });
    // A rule may not permit the field beside what a sample has.
    let alone = bases(most.min(ALONE)).filter_map(|base| {
        let parent = path.parent().filter(|it| it.last().is_some())?;
        let value = side.smallest_with(path)?;
        let Some(Segment::Property(name)) = path.last() else {
            return None;
        };
        let mut object = base.clone();
        let mut pointer = reach(side, &mut object, parent, true)?;
        *object.pointer_mut(&pointer)? = value;
        push(&mut pointer, name);
        Some(Frame { object, pointer })
    });
    frames.chain(alone).collect()
}

impl Frame {
    /// Returns the object with another value at the place.
    pub(super) fn with(&self, side: &Side<'_>, mut value: Value) -> Option<Value> {
        if self.pointer.is_empty() {
            // The head of the object stays.
            value
                .as_object_mut()?
                .extend(side.head.as_object()?.clone());
            return Some(value);
        }
        let mut object = self.object.clone();
        *object.pointer_mut(&self.pointer)? = value;
        Some(object)
    }
}

/// Returns objects that have a value at the place.
pub(super) fn reaching(side: &Side<'_>, focus: &Focus<'_>) -> Vec<Value> {
    let place = side.at(focus.here);
    let Some(part) = place.and_then(|place| side.part(place)) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let values: Vec<Value> = part.samples(4).collect();
    for frame in frames(side, focus.here, side.samples().len()) {
        for value in &values {
            found.extend(frame.with(side, value.clone()));
        }
    }
    found
}

/// Returns objects without the field at the place, whose parents exist.
pub(super) fn without(side: &Side<'_>, focus: &Focus<'_>) -> Vec<Value> {
    let Some(parent) = focus.here.parent().filter(|_| !side.is_spent()) else {
        return Vec::new();
    };
    let Some(Segment::Property(name)) = focus.here.last() else {
        return Vec::new();
    };
    let bases = side.samples().iter().cloned();
    // Samples may need the field for what else they have.
    let mut definition = side.definition.clone().into_owned();
    let node = definition.pointer_mut(&parent.pointer());
    let fields = node.and_then(|it| it["properties"].as_object_mut());
    if let Some(fields) = fields {
        fields.remove(&**name);
    }
    let lacking = definition.pointer(&parent.pointer());
    let lacking = lacking.and_then(|it| side.part(it));
    let lacking = lacking.iter().flat_map(|it| it.samples(8));
    let parents = frames(side, parent, ALONE);
    let lacking: Vec<Value> = lacking
        .flat_map(|value| parents.iter().map(move |it| (it, value.clone())))
        .filter_map(|(frame, value)| frame.with(side, value))
        .collect();
    let without = bases.filter_map(|mut object| {
        let pointer = reach(side, &mut object, parent, false)?;
        object
            .pointer_mut(&pointer)?
            .as_object_mut()?
            .remove(&**name);
        Some(object)
    });
    without.chain(lacking).collect()
}

/// Returns objects with these values at the place.
pub(super) fn with(side: &Side<'_>, focus: &Focus<'_>, values: &[Value]) -> Vec<Value> {
    let frames = frames(side, focus.here, side.samples().len());
    let placed = frames
        .iter()
        .flat_map(|frame| values.iter().map(move |it| (frame, it)));
    placed
        .filter_map(|(frame, value)| frame.with(side, value.clone()))
        .collect()
}

/// Returns objects with null at the place.
pub(super) fn null(side: &Side<'_>, focus: &Focus<'_>) -> Vec<Value> {
    with(side, focus, &[Value::Null])
}

/// Adds what is missing on the way to a path, and returns the pointer to the first place with it. What gets a field on the way keeps what it has, or
/// has it `alone`.
fn reach(side: &Side<'_>, object: &mut Value, path: &SchemaPath, alone: bool) -> Option<String> {
    let mut pointer = String::new();
    let mut at = object;
    let mut here = SchemaPath::root();
    for segment in path.segments() {
        here = here.join(segment.clone());
        let name = match segment {
            Segment::Property(name) => name.to_string(),
            Segment::Items => "0".to_owned(),
            Segment::Values => {
                let first = at.as_object()?.keys().next().cloned();
                first.unwrap_or_else(|| "key".to_owned())
            }
        };
        at = match at {
            Value::Array(items) => {
                if items.is_empty() {
                    items.push(side.smallest(&here)?);
                }
                items.first_mut()?
            }
            Value::Object(fields) => {
                if fields.get(&name).is_none_or(Value::is_null) {
                    let whole = alone.then(|| side.smallest_with(&here)).flatten();
                    if let Some(Value::Object(whole)) = whole {
                        *fields = whole;
                    } else {
                        fields.insert(name.clone(), side.smallest(&here)?);
                    }
                }
                fields.get_mut(&name)?
            }
            _ => return None,
        };
        push(&mut pointer, &name);
    }
    Some(pointer)
}

/// Returns values that also have to break what only the other schema demands at the place, for the root whole objects: the search for
/// samples that satisfy a rule finds those that break it, if the rule is negated. `reduced` is what samples are made of.
fn negated(
    accepts: &Side<'_>,
    here: &Value,
    there: &Value,
    reduced: &Value,
    focus: &Focus<'_>,
) -> Vec<Value> {
    let mut demands = Vec::new();
    let rules = |node: &Value| node["x-kubernetes-validations"].as_array().cloned();
    let known = rules(here).unwrap_or_default();
    for rule in rules(there).unwrap_or_default() {
        let text = rule["rule"].as_str().unwrap_or_default();
        let is_known = known.iter().any(|it| it["rule"] == rule["rule"]);
        // A rule about an update cannot be broken by one object.
        if !is_known && !text.contains("oldSelf") {
            demands.push((
                "x-kubernetes-validations",
                json!({"rule": format!("!({text})")}),
            ));
        }
    }
    for keyword in ["oneOf", "anyOf", "allOf", "pattern", "enum"] {
        if let Some(value) = there.get(keyword)
            && here.get(keyword) != Some(value)
        {
            demands.push(("allOf", json!({"not": {keyword: value}})));
        }
    }
    if let Some(not) = there.get("not")
        && here.get("not") != Some(not)
    {
        demands.push(("allOf", not.clone()));
    }
    let mut definitions = Vec::new();
    for (keyword, demand) in demands {
        let mut definition = reduced.clone();
        let list = definition.as_object_mut();
        let list = list.map(|node| node.entry(keyword).or_insert_with(|| json!([])));
        if let Some(Value::Array(list)) = list {
            list.push(demand);
            definitions.push(definition);
        }
    }
    // A sample has the first branch, which may be one that stays.
    for keyword in ["oneOf", "anyOf"] {
        let branches = |schema: &Value| schema[keyword].as_array().cloned().unwrap_or_default();
        let known = branches(there);
        for branch in branches(here).into_iter().filter(|it| !known.contains(it)) {
            let mut definition = reduced.clone();
            definition[keyword] = json!([branch]);
            definitions.push(definition);
        }
    }
    let mut found = Vec::new();
    for definition in definitions {
        if focus.here.last().is_some() {
            let part = accepts.part(&definition);
            found.extend(part.iter().flat_map(|it| it.samples(4)));
        } else if let Some(schema) = accepts.like(&definition) {
            let extents = [Extent::Minimal, Extent::Full].into_iter();
            let samples = extents.map(|extent| schema.sample(extent, &accepts.head).0);
            let random = (0..4).map(|seed| schema.random(seed, &accepts.head).0);
            found.extend(samples.chain(random));
        }
    }
    found
}
