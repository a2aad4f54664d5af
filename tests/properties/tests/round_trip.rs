//! Random valid objects of random schemas round-trip without a change.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use kube_codegen_properties::{SCHEMAS, SEED, read_and_write, value};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestRunner};
use serde_json::Value;
use std::thread;

/// Objects of each kind.
const OBJECTS: u32 = 600;

#[test]
fn valid_objects_round_trip() {
    let schemas: Vec<(String, Value)> = serde_json::from_str(SCHEMAS).unwrap();
    assert!(schemas.len() >= 40);
    let (even, odd): (Vec<_>, Vec<_>) = schemas
        .iter()
        .enumerate()
        .partition(|(index, _)| index % 2 == 0);
    let wrong: Vec<String> = thread::scope(|scope| {
        let halves = [even, odd].map(|half| {
            scope.spawn(move || {
                half.into_iter()
                    .filter_map(|(_, (kind, schema))| failing_object(kind, schema))
                    .collect::<Vec<_>>()
            })
        });
        halves
            .into_iter()
            .flat_map(|half| half.join().unwrap())
            .collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Returns the smallest object of a kind that does not round-trip. The seed reproduces the batch.
fn failing_object(kind: &str, schema: &Value) -> Option<String> {
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
    let failure = outcome.err()?;
    Some(format!(
        "{kind}, KUBE_CODEGEN_PROPERTIES_SEED={SEED}: {failure}\n{schema}"
    ))
}
