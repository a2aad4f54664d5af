//! Compares the results of rules with those of kube-apiserver 1.37, recorded in `rules.json`.

#![cfg(feature = "cel")]

use std::error::Error;

use kube_codegen_schema::{Schema, definition};
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

/// What kube-apiserver 1.37 says of rules for values whose type it does not know, and of patterns that it compiles with the rule.
#[test]
fn rules_that_the_server_cannot_plan_are_named() -> Result<(), Box<dyn Error>> {
    const UNTYPED: &str = "internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations";
    let any = json!({"x-kubernetes-preserve-unknown-fields": true});
    let rules = json!([{"rule": "true"}]);
    let find = json!([{"rule": "'a'.find('[') == ''", "messageExpression": "'a'.find('(')"}]);
    for (mut schema, rules, expected) in [
        (any.clone(), &rules, vec![("", UNTYPED)]),
        (
            json!({"type": "array", "items": any}),
            &rules,
            vec![("", UNTYPED)],
        ),
        (
            json!({"type": "object", "additionalProperties": any}),
            &rules,
            vec![("", UNTYPED)],
        ),
        (
            json!({"type": "object", "additionalProperties": true}),
            &rules,
            vec![],
        ),
        (
            json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
            &rules,
            vec![],
        ),
        (
            json!({"type": "string"}),
            &find,
            vec![
                (
                    "/0/rule",
                    "program instantiation failed: error parsing regexp: missing closing ]: `[`",
                ),
                (
                    "/0/messageExpression",
                    "messageExpression instantiation failed: error parsing regexp: missing closing ): `(`",
                ),
            ],
        ),
    ] {
        schema["x-kubernetes-validations"] = rules.clone();
        let root = json!({"type": "object", "properties": {"spec": schema}});
        let problems = Schema::new(&root)?.rule_problems();
        let found: Vec<_> = problems
            .iter()
            .map(|it| {
                (
                    it.pointer
                        .strip_prefix("/properties/spec/x-kubernetes-validations")
                        .unwrap_or_default(),
                    &*it.message,
                )
            })
            .collect();
        assert_eq!(found, expected, "{root}");
    }
    let mut root = any;
    root["x-kubernetes-validations"] = rules;
    let problems = Schema::new(&root)?.rule_problems();
    assert_eq!(problems[0].pointer, "/x-kubernetes-validations");
    let causes = definition::causes(
        &json!({"spec": {"versions": [{"name": "v1", "schema": {"openAPIV3Schema": root}}]}}),
    );
    let untyped = causes
        .iter()
        .find(|it| it.reason.as_str() == "InternalError")
        .ok_or("no cause")?;
    let expected = format!(
        "spec.validation.openAPIV3Schema.x-kubernetes-validations: Internal error: {UNTYPED}"
    );
    assert_eq!(untyped.to_string(), expected);
    Ok(())
}
