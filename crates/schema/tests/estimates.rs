//! Compares what rules cost at most with the estimates of kube-apiserver 1.37, recorded in `estimates.json`.

#![cfg(feature = "cel")]

use std::error::Error;

use kube_codegen_schema::Schema;
use serde_json::{Value, json};

/// Each rule of `rules.json` on the values of a map. With the recorded number of entries, the costs are just above the limit.
#[test]
fn rules_cost_at_most_what_the_api_server_estimates() -> Result<(), Box<dyn Error>> {
    let recorded: Value = serde_json::from_str(include_str!("rules.json"))?;
    let estimates: Value = serde_json::from_str(include_str!("estimates.json"))?;
    let estimates = estimates.as_array().ok_or("estimates")?;
    for estimate in estimates {
        let mut spec = recorded["schema"]["properties"]["spec"].clone();
        spec["x-kubernetes-validations"] = json!([{"rule": estimate["rule"]}]);
        let root = |most: u64| {
            json!({"type": "object", "properties": {
                "p": {"type": "object", "maxProperties": most, "additionalProperties": spec},
            }})
        };
        let most = estimate["entries"].as_u64().ok_or("entries")?;
        let messages = |most| -> Result<Vec<String>, Box<dyn Error>> {
            let problems = Schema::new(&root(most))?.rule_problems();
            Ok(problems.into_iter().map(|it| it.message).collect())
        };
        assert_eq!(
            json!(messages(most)?),
            estimate["messages"],
            "{}",
            estimate["rule"]
        );
        // One entry less is not too expensive.
        assert!(messages(most - 1)?.is_empty(), "{}", estimate["rule"]);
    }
    assert_eq!(estimates.len(), 381);
    Ok(())
}
