//! Runs the generator over the hostile CRDs of the corpus: each is either generated or rejected.
#![allow(clippy::expect_used, reason = "helpers of tests fail by panicking")]

use std::{collections::BTreeMap, fs};

use kube_codegen::{
    diag::{Severity, human},
    options::Options,
    pipeline,
    source::Source,
};

/// CRDs that no API server accepts, or that are nested deeper than any in use: code and line of each error.
const REJECTED: &[(&str, &[(&str, usize)])] = &[
    // 130 nested objects.
    ("09-deep-130", &[("KC0103", 387)]),
    // A version without a schema.
    ("11c-no-schema", &[("KC0304", 14)]),
    // Kubernetes' YAML reader takes `required: [y]` as `[true]`.
    ("26a-map-nested", &[("KC0302", 42)]),
    ("48-list-type-map", &[("KC0302", 28), ("KC0302", 35)]),
];

#[test]
fn hostile_crds_are_generated_or_rejected() {
    let Some(folder) = crate::common::corpus("adversarial") else {
        return;
    };
    let mut rejected = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let text = fs::read_to_string(&path).expect("a CRD");
        let sources = [Source::new(name.clone(), text)];
        let output = pipeline::run(&sources, &Options::default());
        let rendered = human::render(&output.diagnostics, &sources, human::Style::default());
        assert_eq!(
            output.files.is_empty(),
            output.diagnostics.has_errors(),
            "{name}:\n{rendered}"
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
            rejected.insert(name, errors);
        }
    }
    let expected: BTreeMap<String, Vec<(&str, usize)>> = REJECTED
        .iter()
        .map(|(name, errors)| ((*name).to_owned(), errors.to_vec()))
        .collect();
    assert_eq!(rejected, expected);
}
