//! Definitions in use are read without an error, in little more than the time that their YAML takes; hostile ones never
//! end in a panic. Both are skipped where the corpus is not beside the repository.
#![allow(clippy::expect_used, clippy::panic, reason = "helpers of tests")]
mod common;

use kube_codegen::diag::{Diagnostics, Severity};
use kube_codegen::private::crd;
use kube_codegen::source::{self, Input, Source};

/// Inputs of a patching tool's own tests, with half of a CRD's fields: an API server refuses them too.
const INCOMPLETE: [&str; 2] = [
    "examples.kubebuilder.schemapatcher.controller-tools.sigs.k8s.io.yaml",
    "unchangeds.kubebuilder.schemapatcher.controller-tools.sigs.k8s.io.yaml",
];

fn corpus(name: &str) -> Option<Vec<Source>> {
    let folder = common::corpus(name)?;
    Some(source::load(&[Input::Directory(folder)]).expect("readable"))
}

#[test]
fn definitions_in_use_have_no_error() {
    let Some(sources) = corpus("crds") else {
        return;
    };
    let mut crds = 0;
    let mut errors = Vec::new();
    for source in &sources {
        let mut diagnostics = Diagnostics::new();
        let sources = std::slice::from_ref(source);
        crds += crd::parse(sources, &mut diagnostics).len();
        if INCOMPLETE.iter().any(|name| source.name.ends_with(name)) {
            assert!(diagnostics.has_errors(), "{}", source.name);
            continue;
        }
        errors.extend(
            diagnostics
                .iter()
                .filter(|finding| finding.severity == Severity::Error)
                .map(|finding| {
                    format!(
                        "{}: {} {:?}",
                        source.name, finding.message, finding.place.pointer
                    )
                }),
        );
    }
    assert!(errors.is_empty(), "{}", errors.join("\n"));
    assert!(
        crds >= sources.len(),
        "{crds} CRDs in {} files",
        sources.len()
    );
}

#[test]
fn hostile_definitions_are_read_or_refused() {
    let Some(sources) = corpus("adversarial") else {
        return;
    };
    for source in &sources {
        let mut diagnostics = Diagnostics::new();
        let sources = std::slice::from_ref(source);
        let crds = crd::parse(sources, &mut diagnostics);
        diagnostics.locate(sources);
        assert!(
            diagnostics.has_errors() || !crds.is_empty(),
            "{}: neither read nor refused",
            source.name
        );
        for finding in diagnostics.iter() {
            assert!(
                finding.place.position.is_some(),
                "{}: {finding:?}",
                source.name
            );
            eprintln!(
                "{} {}: {} {:?}",
                source.name,
                finding.code.as_str(),
                finding.message,
                finding.place.position
            );
        }
    }
}
