//! Runs the fuzz target of generated types on a stable compiler: with samples of each, and a fixed number of mutations of them.
#![allow(clippy::expect_used, clippy::panic, unreachable_pub)]
#[path = "../../../fuzz/src/records.rs"]
mod records;
#[path = "../../../fuzz/src/values.rs"]
mod values;
#[path = "../../../fuzz/src/words.rs"]
mod words;

use kube_codegen_schema::{Extent, Schema};
use serde_json::json;
use std::env;

/// Mutations of each sample, each applied to the one before.
const ROUNDS: u64 = 45;

fn variable(name: &str, default: u64) -> u64 {
    let given = env::var(name).ok();
    given.and_then(|it| it.parse().ok()).unwrap_or(default)
}

/// Objects that the definitions allow, small and with all fields.
fn samples() -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let mut samples = Vec::new();
    for kind in records::KINDS {
        let definition = json!((kind.definition)());
        let (group, kind) = (
            &definition["spec"]["group"],
            &definition["spec"]["names"]["kind"],
        );
        for version in definition["spec"]["versions"]
            .as_array()
            .into_iter()
            .flatten()
        {
            let schema = Schema::new(&version["schema"]["openAPIV3Schema"])?;
            let api_version = format!(
                "{}/{}",
                group.as_str().unwrap_or_default(),
                version["name"].as_str().unwrap_or_default()
            );
            let object = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": "a", "labels": {"a": "b"}}});
            for extent in [Extent::Minimal, Extent::Full] {
                samples.push(schema.sample(extent, &object).0.to_string());
            }
        }
    }
    Ok(samples)
}

/// `KUBE_CODEGEN_FUZZ_SEED` selects other mutations, `KUBE_CODEGEN_FUZZ_ROUNDS` their number.
#[test]
fn any_text_is_read_or_rejected() -> Result<(), Box<dyn std::error::Error>> {
    let seed = variable("KUBE_CODEGEN_FUZZ_SEED", 0) << 32;
    let rounds = variable("KUBE_CODEGEN_FUZZ_ROUNDS", ROUNDS);
    let (mut all, mut read) = (0, 0);
    for (index, sample) in (0..).zip(samples()?) {
        assert!(records::records(&sample) > 0, "{sample}");
        let mut text = sample.clone();
        for round in 0..rounds {
            // What has lost its form begins again.
            if round % 3 == 0 {
                text.clone_from(&sample);
            }
            text = records::mutate(&text, seed | index << 16 | round);
            all += 1;
            read += usize::from(records::records(&text) > 0);
        }
    }
    eprintln!("{all} texts, {read} read by a type");
    assert!(read > 200 && read < all, "{read} of {all}");
    Ok(())
}
