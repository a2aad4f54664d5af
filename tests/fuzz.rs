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

/// Texts at the limits of what numbers, formats and clauses take.
const TEXTS: &[&str] = &[
    "",
    "0e119",
    "0e30",
    "1e2147483647",
    "-1e-2147483648",
    "295147905179352825856Ei",
    "9223372036854775808Ki",
    "1e9223372036854775807",
    "%.65536f",
    "%.99999999f",
    "%s%d%f%e%b%o%x%X%%",
    "%.4294967296e",
    "%",
    "1.2.3-rc.1+b",
    "v1",
    "99999999999999999999.0.0",
    "::ffff:1.2.3.4",
    "fe80::1%eth0",
    "10.0.0.0/33",
    "::/129",
    "2026-13-01T00:00:00Z",
    "9999-12-31T23:59:59.999999999+24:60",
    "-2562047h47m16.854775808s",
    "1e400",
    "-0",
    "0x7fffffffffffffff",
    "9223372036854775808",
    "(a{31}){31}",
    "[",
    "\\101",
    "^\\u{10ffff}$",
    "https://[::1]:99999999999/%zz?a=%",
    "\u{feff}é\u{0}",
    "{\"name\": 7, \"labels\": {\"a\": []}}",
    "{\"type\": \"array\", \"minItems\": 9223372036854775807, \"items\": {\"type\": \"integer\", \"maximum\": -1e300, \"multipleOf\": 0}}",
    "self.all(x, x.all(y, true))",
    "quantity('1e30').add(1) == t",
];

#[test]
fn any_text_is_evaluated_or_rejected() {
    for (index, text) in TEXTS.iter().enumerate() {
        targets::rules(text);

        let other = TEXTS[(index * 7 + 3) % TEXTS.len()];
        let half: String = text.chars().take(text.chars().count() / 2).collect();
        targets::rules(&format!("{half}{other}"));
    }
    for part in [
        "(",
        "[",
        "{1:",
        "!",
        "-",
        "self.",
        "1+",
        "x?",
        "'a'.trim()",
        "[1].map(x,",
    ] {
        targets::rules(&part.repeat(1_000));
    }
    for text in seeds().iter().step_by(9) {
        targets::rules(&text.chars().take(200).collect::<String>());
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
