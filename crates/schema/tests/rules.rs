//! Compares the results of rules with those of kube-apiserver 1.37, recorded in `rules.json`.

#![cfg(feature = "cel")]

use std::error::Error;

use kube_codegen_schema::Schema;
use serde_json::{Value, json};

/// The rules of all libraries, each on the same object.
#[test]
fn rules_have_the_results_of_the_api_server() -> Result<(), Box<dyn Error>> {
    let recorded: Value = serde_json::from_str(include_str!("rules.json"))?;
    let mut differences = Vec::new();
    let answers = recorded["answers"].as_array().ok_or("answers")?;
    for answer in answers {
        let expected = &answer["causes"];
        let mut schema = recorded["schema"].clone();
        let rule = json!([{"rule": answer["rule"]}]);
        schema["properties"]["spec"]["x-kubernetes-validations"] = rule;
        let object = json!({"spec": recorded["object"]});
        let schema = Schema::new(&schema)?;
        let causes = schema.validate(&object);
        let causes: Vec<_> = causes
            .iter()
            .map(|cause| json!([cause.field, cause.reason.as_str(), cause.message]))
            .collect();
        let rule = answer["rule"].as_str().ok_or("rule")?;
        // The server has accepted them all.
        let problems = schema.rule_problems();
        if Value::from(causes.clone()) != *expected || !problems.is_empty() {
            differences.push(format!(
                "{rule}\n    here: {} {problems:?}\n  server: {expected}",
                Value::from(causes)
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
