//! Compares the results of rules with those of kube-apiserver 1.37, recorded in `rules.json`.

#![cfg(feature = "cel")]

use std::error::Error;

use kube_codegen_schema::Schema;
use serde_json::{Value, json};

/// Rules with another result or message here, for reasons in `cel` 0.15 or the texts of Go's libraries.
const DIFFERENT: &[&str] = &[
    // Texts of numbers and maps.
    "'%s'.format([{'a': 1}]) == '{a: 1}'",
    "'%s'.format([{'a': 1}]) == '{\"a\":1}'",
    "'%e'.format([self.n]) == '2.500000e+00'",
    "'%.1e'.format([self.n]) == '2.5e+00'",
    "string(1e30) == '1e+30'",
    // Errors instead of a result.
    "self.s.indexOf('l', 99) == 1",
    "self.t.getHours('99:00') == 1",
    // Other texts of errors.
    "self.s.matches('(' + self.s)",
    "self.s.find('(' + self.s) == ''",
    "self.s.findAll('(' + self.s) == []",
    "ip(':::').family() == 6",
    "ip('1:2:3').family() == 6",
    "self.list.exists(x, self.map[x] == 'v')",
    "dyn(self.list).foo == 1",
    "dyn(self.i).foo == 1",
];

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
        let causes = Schema::new(&schema)?.validate(&object);
        let causes: Vec<_> = causes
            .iter()
            .map(|cause| json!([cause.field, cause.reason.as_str(), cause.message]))
            .collect();
        let rule = answer["rule"].as_str().ok_or("rule")?;
        let differs = Value::from(causes.clone()) != *expected;
        if differs != DIFFERENT.contains(&rule) {
            differences.push(format!(
                "{rule}\n    here: {}\n  server: {expected}",
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
