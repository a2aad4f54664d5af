//! Compares the results for objects with those of kube-apiserver 1.37, recorded in `objects.json`: creations and updates of objects with
//! random changes, by a schema with all keywords and formats.

#![cfg(feature = "cel")]

use std::error::Error;

use kube_codegen_schema::Schema;
use serde_json::{Value, json};

#[test]
fn objects_have_the_results_of_the_api_server() -> Result<(), Box<dyn Error>> {
    let recorded: Value = serde_json::from_str(include_str!("objects.json"))?;
    let schema = Schema::new(&recorded["schema"])?;
    let answers = recorded["answers"].as_array().ok_or("answers")?;
    let mut differences = Vec::new();
    for answer in answers {
        let mut object = changed(&recorded["base"], &answer["changes"]);
        schema.prune(&mut object);
        schema.apply_defaults(&mut object);
        let causes = if answer["old"] == true {
            schema.validate_update(&object, &recorded["old"])
        } else {
            schema.validate(&object)
        };
        let text = |cause: &Value| cause.to_string();
        let ours = causes
            .iter()
            .map(|cause| json!([cause.field, cause.reason.as_str(), cause.message]).to_string());
        let mut ours: Vec<_> = ours.collect();
        let mut theirs: Vec<_> = answer["causes"]
            .as_array()
            .ok_or("causes")?
            .iter()
            .map(text)
            .collect();
        // The server visits maps in random order.
        ours.sort();
        theirs.sort();
        let is_stored = answer.get("stored").is_none_or(|changes| {
            let stored = changed(&recorded["stored"], changes);
            numbers(stored) == numbers(object.clone())
        });
        if ours != theirs || !is_stored {
            let only = |these: &[String], those: &[String]| {
                let only = these.iter().filter(|it| !those.contains(it));
                only.cloned().collect::<Vec<_>>().join("\n         ")
            };
            differences.push(format!(
                "{}\n  here   {}\n  server {}\n  stored {is_stored}",
                answer["changes"],
                only(&ours, &theirs),
                only(&theirs, &ours)
            ));
        }
    }
    assert!(
        differences.is_empty(),
        "{} of {} differ:\n{}",
        differences.len(),
        answers.len(),
        differences.join("\n")
    );
    Ok(())
}

/// Returns a value with other values at some pointers; a change without value removes the field.
fn changed(base: &Value, changes: &Value) -> Value {
    let mut value = base.clone();
    for change in changes.as_array().into_iter().flatten() {
        let pointer = change[0].as_str().unwrap_or_default();
        let (parent, name) = pointer.rsplit_once('/').unwrap_or_default();
        let name = name.replace("~1", "/").replace("~0", "~");
        if let Some(Value::Object(fields)) = value.pointer_mut(parent) {
            match change.get(1) {
                Some(value) => fields.insert(name, value.clone()),
                None => fields.remove(&name),
            };
        }
    }
    value
}

/// Returns a value whose floats without a fraction are integers, as the server writes them.
fn numbers(value: Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(float) if float.fract() == 0.0 && float.abs() < 1e15 => {
                json!(format!("{float:.0}").parse::<i64>().unwrap_or_default())
            }
            _ => Value::Number(number),
        },
        Value::Array(items) => items.into_iter().map(numbers).collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(name, value)| (name, numbers(value)))
            .collect(),
        value => value,
    }
}
