//! Runs the fuzz targets on a stable compiler, with every fixture and a fixed number of mutations of each.
#![allow(
    clippy::expect_used,
    clippy::missing_panics_doc,
    unreachable_pub,
    reason = "a crate of its own, outside the workspace"
)]
#[path = "../fuzz/src/lib.rs"]
mod targets;

use std::fs;
use std::path::Path;

/// Mutations of each fixture, each applied to the one before.
const ROUNDS: u64 = 3;
/// Longer fixtures take too long.
const LONGEST: usize = 30_000;

fn seeds() -> Vec<String> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut seeds = Vec::new();
    for folder in [fixtures.clone(), fixtures.join("invalid")] {
        let mut paths: Vec<_> = fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.is_file())
            .collect();
        paths.sort();
        let texts = paths
            .iter()
            .filter_map(|path| fs::read_to_string(path).ok());
        seeds.extend(texts.filter(|text| text.len() < LONGEST));
    }
    assert!(seeds.len() > 60, "{} seeds", seeds.len());
    seeds
}

#[test]
fn any_text_is_parsed_or_rejected() {
    for (index, seed) in seeds().iter().enumerate() {
        targets::parse(seed);
        // A prefix, with brackets and quotes left open.
        let cut = seed.chars().count() * (index % 7) / 7;
        targets::parse(&seed.chars().take(cut).collect::<String>());
    }
}

#[test]
fn any_crd_is_generated_or_rejected() {
    for seed in seeds() {
        let mut text = seed;
        for round in 0..ROUNDS {
            match targets::mutate(&text, round) {
                Some(changed) => text = changed,
                None => break,
            }
            targets::parse(&text);
            targets::generate(&text);
        }
    }
}
