//! Random objects that are valid for a random schema are read and written without a change.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use kube_codegen_properties::{SCHEMAS, SEED, read_and_write, value};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestRunner};
use serde_json::Value;

/// Objects of each kind.
const OBJECTS: u32 = 500;

#[test]
fn objects_come_back_as_they_were() {
    let schemas: Vec<(String, Value)> = serde_json::from_str(SCHEMAS).unwrap();
    assert!(schemas.len() >= 40);
    let mut wrong = Vec::new();
    for (kind, schema) in &schemas {
        let config = ProptestConfig {
            cases: OBJECTS,
            failure_persistence: None,
            ..ProptestConfig::default()
        };
        let objects = value::object_of(kind, schema);
        let outcome = TestRunner::new(config).run(&objects, |object| {
            let text = read_and_write(kind, &object.to_string()).map_err(TestCaseError::fail)?;
            let written: Value = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(written, object);
            Ok(())
        });
        if let Err(failure) = outcome {
            wrong.push(format!("{kind} of seed {SEED}: {failure}\n{schema}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
