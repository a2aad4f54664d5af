//! The hostile definitions beside the repository, each generated or refused as it should be; skipped where they are not there.
#![allow(clippy::expect_used, reason = "helpers of tests fail by panicking")]

use kube_codegen::diag::{Severity, human};
use kube_codegen::options::Options;
use kube_codegen::pipeline;
use kube_codegen::source::Source;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Those that no API server takes, or that are deeper than anything in use: code and line of each error.
const REFUSED: &[(&str, &[(&str, usize)])] = &[
    // 130 objects in one another.
    ("09-deep-130", &[("KC0103", 387)]),
    // A version without a schema.
    ("11c-no-schema", &[("KC0304", 14)]),
    // `required: [y]` is `[true]` for Kubernetes' reader of YAML.
    ("26a-map-nested", &[("KC0302", 42)]),
    ("48-list-type-map", &[("KC0302", 28), ("KC0302", 35)]),
];

#[test]
fn hostile_definitions_are_generated_or_refused() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/adversarial");
    if !folder.is_dir() {
        eprintln!(
            "skipped: there are no hostile definitions at {}",
            folder.display()
        );
        return;
    }
    let mut refused = BTreeMap::new();
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let text = fs::read_to_string(&path).expect("a definition");
        let sources = [Source {
            name: name.clone(),
            path: None,
            text,
        }];
        let output = pipeline::run(&sources, &Options::default());
        let told = human::render(&output.diagnostics, &sources, human::Style::default());
        assert_eq!(
            output.files.is_empty(),
            output.diagnostics.has_errors(),
            "{name}:\n{told}"
        );
        let errors: Vec<(&str, usize)> = output
            .diagnostics
            .iter()
            .filter(|finding| finding.severity == Severity::Error)
            .map(|finding| {
                let line = finding.place.position.map_or(0, |at| at.line);
                (finding.code.as_str(), line)
            })
            .collect();
        if errors.is_empty() {
            let kind = &output.model.kinds[0].kind;
            let types = output
                .files
                .iter()
                .find(|file| file.path.ends_with("/types.rs"));
            let types = &types.expect("types").text;
            assert!(
                !kind.is_empty() && types.contains("pub struct "),
                "{name}:\n{types}"
            );
        } else {
            refused.insert(name, errors);
        }
        count += 1;
    }
    assert_eq!(count, 72);
    let expected: BTreeMap<String, Vec<(&str, usize)>> = REFUSED
        .iter()
        .map(|(name, errors)| ((*name).to_owned(), errors.to_vec()))
        .collect();
    assert_eq!(refused, expected);
}
