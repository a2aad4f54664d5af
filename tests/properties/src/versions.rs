//! Strategies for two versions of a schema: fields of the second one moved, have another name, or are copied to other places.
use super::schema;
use kube_codegen_formats::pointer::escape;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Map, Value, json};

/// How the second version differs at a place.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// A field gets another name.
    Rename,
    /// A field moves into a new object beside it.
    Wrap,
    /// A field moves into another object.
    Move,
    /// Another object gets a copy of a field, whose type is shared.
    Copy,
    /// A field exists in the first version only.
    Remove,
    /// An enum gets a value, and an object a rule.
    Loosen,
}

/// Returns the root schemas of two versions with this depth.
pub fn pair(depth: u32) -> BoxedStrategy<(Value, Value)> {
    let step = prop_oneof![
        3 => Just(Step::Rename),
        2 => Just(Step::Wrap),
        3 => Just(Step::Move),
        2 => Just(Step::Copy),
        1 => Just(Step::Remove),
        2 => Just(Step::Loosen),
    ];
    let steps = vec((step, any::<[Index; 3]>()), 1..6);
    (schema::root(depth), steps)
        .prop_map(|(old, steps)| {
            let mut new = old.clone();
            for (step, [place, field, target]) in steps {
                apply(&mut new, step, place, field, target);
            }
            (old, new)
        })
        .boxed()
}

fn apply(root: &mut Value, step: Step, place: Index, field: Index, target: Index) {
    let places = objects(root);
    let (from, to) = (place.get(&places), target.get(&places));
    let Some(fields) = root.pointer(from).and_then(properties) else {
        return;
    };
    let names: Vec<&String> = fields.keys().collect();
    if names.is_empty() {
        return;
    }
    let name = (*field.get(&names)).clone();
    let schema = fields[&name].clone();
    match step {
        Step::Rename => {
            take(root, from, &name);
            let suffix = *target.get(&["s", "_", "Renamed"]);
            put(root, from, &format!("{name}{suffix}"), schema);
        }
        Step::Wrap => {
            take(root, from, &name);
            let whole = json!({"type": "object", "properties": {name: schema}});
            put(root, from, "wrapped", whole);
        }
        Step::Move => {
            take(root, from, &name);
            // Not into itself.
            let target = if root.pointer(to).is_some() { to } else { from };
            put(root, target, &name, schema);
        }
        Step::Copy => put(root, to, &format!("{name}Copy"), schema),
        Step::Remove => take(root, from, &name),
        Step::Loosen => {
            let Some(object) = root.pointer_mut(from) else {
                return;
            };
            object["maxProperties"] = json!(40);
            let field = &mut object["properties"][&name];
            if field["type"] == "string"
                && let Some(values) = field["enum"].as_array_mut()
            {
                values.push(json!("Added"));
            }
        }
    }
}

fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema["properties"].as_object()
}

fn take(root: &mut Value, object: &str, name: &str) {
    let Some(object) = root.pointer_mut(object) else {
        return;
    };
    if let Some(fields) = object["properties"].as_object_mut() {
        fields.remove(name);
    }
    if let Some(required) = object.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|it| it != name);
    }
}

/// Adds a field, unless the object has one of this name.
fn put(root: &mut Value, object: &str, name: &str, schema: Value) {
    let is_given = object.is_empty() && schema::is_given(name);
    let fields = root
        .pointer_mut(object)
        .and_then(|it| it["properties"].as_object_mut());
    if let Some(fields) = fields.filter(|_| !is_given) {
        fields.entry(name).or_insert(schema);
    }
}

/// Returns the pointers of all schemas with properties, the root first.
fn objects(root: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut todo = vec![(String::new(), root)];
    while let Some((pointer, schema)) = todo.pop() {
        for (name, inner) in properties(schema).into_iter().flatten() {
            todo.push((format!("{pointer}/properties/{}", escape(name)), inner));
        }
        for keyword in ["items", "additionalProperties"] {
            if schema[keyword].is_object() {
                todo.push((format!("{pointer}/{keyword}"), &schema[keyword]));
            }
        }
        if properties(schema).is_some() {
            found.push(pointer);
        }
    }
    found
}
