//! Rules that cost too much are errors, with the texts of the API server.

#![cfg(feature = "cel")]
#![allow(clippy::unwrap_used)]

use kube_codegen_schema::Schema;
use serde_json::{Value, json};

fn messages(rules: &Value, items: usize) -> Vec<String> {
    let schema = Schema::new(&json!({"type": "object", "properties": {"spec": {
        "type": "object",
        "properties": {"n": {"type": "array", "items": {"type": "integer"}}, "t": {"type": "string"}},
        "x-kubernetes-validations": rules,
    }}}))
    .unwrap();
    let numbers: Vec<_> = (0..items).collect();
    // One search in this text costs 40,000.
    let causes = schema.validate(&json!({"spec": {"n": numbers, "t": "x".repeat(2000)}}));
    causes.iter().map(ToString::to_string).collect()
}

#[test]
fn a_rule_has_a_limit() {
    let rule = "self.n.all(a, self.t.contains(self.t))";
    let rules = json!([{"rule": rule}, {"rule": "false"}]);
    assert_eq!(
        messages(&rules, 24),
        ["spec: Invalid value: failed rule: false"]
    );
    assert_eq!(
        messages(&rules, 26),
        [format!(
            "spec: Invalid value: \"object\": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: {rule}"
        )]
    );
}

#[test]
fn the_rules_of_an_object_have_a_limit() {
    let rule = json!({"rule": "self.n.all(a, self.t.contains(self.t))"});
    let rules = Value::from(vec![rule; 20]);
    assert_eq!(messages(&rules, 12), [""; 0]);
    assert_eq!(
        messages(&rules, 20),
        [
            "spec: Invalid value: \"object\": validation failed due to running out of cost budget, no further validation rules will be run"
        ]
    );
}

#[test]
fn a_message_has_the_limit_of_a_rule() {
    let message = "string(self.n.all(a, self.t.contains(self.t)))";
    let rules = json!([{"rule": "false", "messageExpression": message}]);
    assert_eq!(
        messages(&rules, 26),
        [format!(
            "spec: Invalid value: \"object\": no further validation rules will be run due to call cost exceeds limit for messageExpression: \"{message}\""
        )]
    );
}
