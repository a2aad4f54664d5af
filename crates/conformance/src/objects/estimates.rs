//! Compares what rules cost at most, here and as a real API server estimates it when a CRD is created.
//!
//! The server reports only by which factor a limit is exceeded, with six digits near the limit. So each schema with a rule becomes the
//! value of a map whose `maxProperties` makes its costs exceed the limit by little.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use kube::Client;
use kube_codegen_schema::Schema;
use serde_json::{Map, Value, json};
use testresult::TestResult;

use super::{costs, read, send};

/// The rules of one CRD.
const CHUNK: usize = 50;
/// The most entries: a rule that costs something exceeds the limit with them.
const MOST: i64 = 10_000_001;
const VALIDATIONS: &str = "x-kubernetes-validations";

/// Compares the rules of the schema crate's tests and of CRDs, and returns the report. Without CRDs, it records the server's estimates for
/// those tests.
///
/// # Errors
///
/// Fails if the server cannot be reached or a CRD cannot be read.
pub async fn run(client: &Client, crds: &[PathBuf], show: usize) -> TestResult<String> {
    let recorded = recorded()?;
    let mut schemas = recorded.clone();
    for most in [7, 300] {
        schemas.extend(costs::RULES.iter().map(|rule| costs::spec(rule, most)));
    }
    for path in crds {
        for crd in read(path)? {
            for version in crd["spec"]["versions"].as_array().into_iter().flatten() {
                collect(&version["schema"]["openAPIV3Schema"], true, &mut schemas);
            }
        }
    }
    schemas.sort_by_key(ToString::to_string);
    schemas.dedup();
    let mut out = String::new();
    let (mut same, mut different) = (0, 0);
    let mut estimates = BTreeMap::new();
    for (number, chunk) in schemas.chunks(CHUNK).enumerate() {
        let values: Vec<_> = chunk.iter().map(of_limit).collect::<Result<_, _>>()?;
        let names = values.iter().enumerate();
        let properties: Map<_, _> = names
            .map(|(at, (schema, _))| (format!("p{at}"), schema.clone()))
            .collect();
        let theirs = rejected(client, number, properties).await?;
        for (at, (schema, ours)) in values.iter().enumerate() {
            let theirs = theirs.get(&format!("p{at}")).cloned().unwrap_or_default();
            estimates.insert(
                schema["additionalProperties"].to_string(),
                json!({
                    "rule": schema["additionalProperties"][VALIDATIONS][0]["rule"],
                    "entries": schema["maxProperties"],
                    "messages": theirs,
                }),
            );
            if *ours == theirs {
                same += 1;
                continue;
            }
            different += 1;
            if different <= show {
                let rules = &schema["additionalProperties"][VALIDATIONS];
                _ = writeln!(out, "{rules}\n    here: {ours:?}\n  server: {theirs:?}");
            }
        }
    }
    if crds.is_empty() {
        let lines = recorded.iter().map(ToString::to_string);
        let lines = lines.filter_map(|it| Some(estimates.get(&it)?.to_string()));
        let text = format!("[\n{}\n]\n", lines.collect::<Vec<_>>().join(",\n"));
        fs::write(tests().join("estimates.json"), text)?;
    }
    _ = writeln!(out, "{same} of {} rules cost the same", same + different);
    Ok(out)
}

/// Returns the folder of the schema crate's tests.
fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../schema/tests")
}

/// Returns the rules whose results are recorded, each in its schema.
fn recorded() -> TestResult<Vec<Value>> {
    let path = tests().join("rules.json");
    let recorded: Value = serde_json::from_str(&fs::read_to_string(path)?)?;
    let answers = recorded["answers"].as_array().ok_or("answers")?;
    Ok(answers
        .iter()
        .map(|answer| {
            let mut schema = recorded["schema"]["properties"]["spec"].clone();
            schema[VALIDATIONS] = json!([{"rule": answer["rule"]}]);
            schema
        })
        .collect())
}

/// Collects the schemas with rules, each with one of them.
fn collect(schema: &Value, is_resource: bool, found: &mut Vec<Value>) {
    let rules = schema[VALIDATIONS].as_array().into_iter().flatten();
    for rule in rules {
        let mut schema = schema.clone();
        remove_rules(&mut schema);
        schema[VALIDATIONS] = json!([rule]);
        if is_resource {
            schema["x-kubernetes-embedded-resource"] = true.into();
        }
        found.push(schema);
    }
    for inner in schema["properties"].as_object().into_iter().flatten() {
        collect(inner.1, false, found);
    }
    for inner in ["items", "additionalProperties"] {
        if schema[inner].is_object() {
            collect(&schema[inner], false, found);
        }
    }
}

fn remove_rules(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            fields.remove(VALIDATIONS);
            fields.values_mut().for_each(remove_rules);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_rules),
        _ => {}
    }
}

/// Returns a map of as many values as make their rule too expensive, and the messages.
fn of_limit(schema: &Value) -> TestResult<(Value, Vec<String>)> {
    let of = |most: i64| json!({"type": "object", "maxProperties": most, "additionalProperties": schema});
    let messages = |most: i64| -> TestResult<Vec<String>> {
        let root = json!({"type": "object", "properties": {"p": of(most)}});
        let problems = Schema::new(&root)?.rule_problems();
        let problems = problems.into_iter().map(|it| it.message);
        Ok(problems.filter(|it| is_estimate(it)).collect())
    };
    let (mut low, mut high) = (1, MOST);
    while low < high {
        let middle = i64::midpoint(low, high);
        if messages(middle)?.is_empty() {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Ok((of(low), messages(low)?))
}

/// Whether a message is about the costs of one expression.
fn is_estimate(message: &str) -> bool {
    message.contains("estimated rule cost exceeds") || message.contains("messageExpression cost")
}

/// Returns the server's messages on the costs of rules, by property.
async fn rejected(
    client: &Client,
    number: usize,
    properties: Map<String, Value>,
) -> TestResult<BTreeMap<String, Vec<String>>> {
    let plural = format!("estimates{number}");
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.estimates.example.com")},
        "spec": {
            "group": "estimates.example.com", "scope": "Namespaced",
            "names": {"kind": format!("Estimate{number}"), "plural": plural},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": properties}},
            }],
        },
    });
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All";
    let (_, answer, _) = send(client, "POST", path, Some(&crd)).await?;
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for cause in answer["details"]["causes"].as_array().into_iter().flatten() {
        let (field, message) = (&cause["field"], &cause["message"]);
        let name = field.as_str().and_then(|it| it.split(['[', ']']).nth(1));
        let message = message.as_str().unwrap_or_default();
        let message = message.strip_prefix("Forbidden: ").unwrap_or(message);
        if is_estimate(message) {
            let messages = found
                .entry(name.unwrap_or_default().to_owned())
                .or_default();
            messages.push(message.to_owned());
        } else if !message.contains("estimated rule cost total") {
            println!("{field}: {message}");
        }
    }
    Ok(found)
}
