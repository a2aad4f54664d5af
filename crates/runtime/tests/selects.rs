//! Without `biased`, `tokio::select!` chooses at random which of several futures that are ready comes first, so that a simulated run cannot be repeated.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::{fs, path::Path};

/// Adds the places of `select!` without a fixed order, and returns how many there are with one.
fn random(folder: &Path, found: &mut Vec<String>) -> usize {
    let mut ordered = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            ordered += random(&path, found);
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for (at, _) in text.match_indices("select!") {
            // Comments may come first.
            let rest = text[at..].lines().map(str::trim).enumerate();
            let mut code = rest.filter(|(line, it)| {
                let it = it.trim_start_matches("///").trim();
                *line == 0 || !it.starts_with("//")
            });
            if code.by_ref().take(2).any(|(_, it)| it.contains("biased;")) {
                ordered += 1;
            } else {
                let line = text[..at].matches('\n').count() + 1;
                found.push(format!("{}:{line}", path.display()));
            }
        }
    }
    ordered
}

#[test]
fn each_select_has_an_order() {
    let mut found = Vec::new();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
    let ordered = random(Path::new(folder), &mut found);
    assert!(found.is_empty(), "without `biased`: {found:#?}");
    assert!(ordered > 10, "{ordered}");
}
