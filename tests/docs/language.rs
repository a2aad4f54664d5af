//! Rejects idioms that are not plain English.
use std::{ffi::OsStr, fs, path::Path};

use crate::docs::read;

/// Words and phrases that this project does not use, in text and in identifiers.
const IDIOMS: &[&str] = &[
    "anew",
    "are meant",
    "come in",
    "comes in",
    "go out",
    "goes out",
    "grave",
    "house",
    "is meant",
    "is no",
    "lie beside",
    "lies",
    "mend",
    "mended",
    "mends",
    "nobody",
    "one may not",
    "ought",
    "room",
    "rooms",
    "so many",
    "somebody",
    "spared",
    "stands",
    "tells",
    "to be had",
    "told",
];

/// Phrases that contain one of these but are plain English.
const ALLOWED: &[&str] = &[
    "come in pairs",
    "goes out of",
    "is no longer",
    "stands for",
    "there is no",
];

#[test]
fn text_is_plain_english() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let mut pending = vec![root.to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            let below = path.strip_prefix(root).unwrap().to_str().unwrap();
            let extension = path.extension().and_then(OsStr::to_str);
            if path.is_dir() {
                if !is_exempt(below) {
                    pending.push(path);
                }
            } else if matches!(extension, Some("rs" | "md" | "j2"))
                && below != "tests/docs/language.rs"
            {
                for (index, line) in read(below).lines().enumerate() {
                    if let Some(idiom) = idiom(line) {
                        found.push(format!("{below}:{}: \"{idiom}\"", index + 1));
                    }
                }
            }
        }
    }
    found.sort();
    assert!(found.is_empty(), "not plain English:\n{}", found.join("\n"));
}

/// Whether a directory contains inputs, output or text from elsewhere.
fn is_exempt(directory: &str) -> bool {
    let name = directory.rsplit('/').next().unwrap_or_default();
    name.starts_with('.')
        || ["fixtures", "generated", "goldens", "target"].contains(&name)
        || directory == "fuzz/corpus"
}

/// The first idiom in a line.
fn idiom(line: &str) -> Option<&'static str> {
    let words = line
        .to_lowercase()
        .replace(|c: char| !c.is_alphanumeric(), " ");
    let mut text = format!(
        " {} ",
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    );
    for allowed in ALLOWED {
        text = text.replace(&format!(" {allowed} "), " ");
    }
    (IDIOMS.iter().copied()).find(|idiom| text.contains(&format!(" {idiom} ")))
}
