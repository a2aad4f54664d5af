//! Rules that cost too much are errors, with the texts of the API server.

#![cfg(feature = "cel")]
#![allow(clippy::unwrap_used)]

use kube_codegen_schema::Schema;
use serde_json::{Value, json};

fn messages(rules: &Value, items: usize) -> Vec<String> {
    let schema = Schema::new(&json!({"type": "object", "properties": {"spec": {
        "type": "object",
        "properties": {"n": {"type": "array", "items": {"type": "integer"}}},
        "x-kubernetes-validations": rules,
    }}}))
    .unwrap();
    let numbers: Vec<_> = (0..items).collect();
    let causes = schema.validate(&json!({"spec": {"n": numbers}}));
    causes.iter().map(ToString::to_string).collect()
}

#[test]
fn a_rule_has_a_limit() {
    let rule = "self.n.all(a, self.n.all(b, a + b >= 0))";
    let rules = json!([{"rule": rule}, {"rule": "false"}]);
    assert_eq!(
        messages(&rules, 300),
        ["spec: Invalid value: failed rule: false"]
    );
    assert_eq!(
        messages(&rules, 500),
        [format!(
            "spec: Invalid value: \"object\": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: {rule}"
        )]
    );
}

#[test]
fn the_rules_of_an_object_have_a_limit() {
    let rule = json!({"rule": "self.n.all(a, self.n.all(b, a + b >= 0))"});
    let rules = Value::from(vec![rule; 20]);
    assert_eq!(messages(&rules, 100), [""; 0]);
    assert_eq!(
        messages(&rules, 320),
        [
            "spec: Invalid value: \"object\": validation failed due to running out of cost budget, no further validation rules will be run"
        ]
    );
}

#[test]
fn a_message_has_the_limit_of_a_rule() {
    let message = "string(self.n.all(a, self.n.all(b, a + b >= 0)))";
    let rules = json!([{"rule": "false", "messageExpression": message}]);
    assert_eq!(
        messages(&rules, 500),
        [format!(
            "spec: Invalid value: \"object\": no further validation rules will be run due to call cost exceeds limit for messageExpression: \"{message}\""
        )]
    );
}
