//! Runs the generator over every real CRD of the corpus.
#![allow(clippy::expect_used, reason = "helpers of tests fail by panicking")]

use kube_codegen::{
    options::Options,
    pipeline,
    source::{self, Input},
};

#[test]
fn every_real_crd_generates() {
    let Some(folder) = crate::common::corpus("crds") else {
        return;
    };
    let sources = source::load(&[Input::Directory(folder)]).expect("readable CRDs");
    assert!(!sources.is_empty());
    for source in &sources {
        let sources = std::slice::from_ref(source);
        let output = pipeline::run(sources, &Options::default());
        // Two test files of one project are invalid on purpose.
        assert_eq!(
            output.files.is_empty(),
            output.diagnostics.has_errors(),
            "{}",
            source.name
        );
        let generator_errors = output
            .diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.code.as_str() >= "KC0500");
        assert_eq!(
            generator_errors.count(),
            0,
            "{}: {:#?}",
            source.name,
            output.diagnostics
        );
        let longest = output
            .model
            .types
            .iter()
            .map(|(_, def)| def.name().as_str().len());
        assert!(longest.max().unwrap_or(0) <= 60, "{}", source.name);
    }
}
