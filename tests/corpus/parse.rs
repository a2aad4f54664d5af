//! Parses the CRDs of the corpus: real ones have no errors, hostile ones cause no panic.
#![allow(clippy::expect_used, clippy::panic, reason = "helpers of tests")]

use kube_codegen::diag::{Diagnostics, Severity};
use kube_codegen::private::crd;
use kube_codegen::source::{self, Input, Source};

/// Test files of a patching tool, which lack required fields; an API server rejects them too.
const INCOMPLETE: [&str; 2] = [
    "examples.kubebuilder.schemapatcher.controller-tools.sigs.k8s.io.yaml",
    "unchangeds.kubebuilder.schemapatcher.controller-tools.sigs.k8s.io.yaml",
];

fn corpus(name: &str) -> Option<Vec<Source>> {
    let folder = crate::common::corpus(name)?;
    Some(source::load(&[Input::Directory(folder)]).expect("readable"))
}

#[test]
fn real_crds_have_no_errors() {
    let Some(sources) = corpus("crds") else {
        return;
    };
    let mut crds = 0;
    let mut errors = Vec::new();
    for source in &sources {
        let mut diagnostics = Diagnostics::new();
        let sources = std::slice::from_ref(source);
        let parsed = crd::parse(sources, &mut diagnostics).len();
        if INCOMPLETE.iter().any(|name| source.name.ends_with(name)) {
            assert!(diagnostics.has_errors(), "{}", source.name);
            continue;
        }
        crds += parsed;
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
        crds >= sources.len() - INCOMPLETE.len(),
        "{crds} CRDs in {} files",
        sources.len()
    );
}

#[test]
fn hostile_crds_are_parsed_or_rejected() {
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
            "{}: neither parsed nor rejected",
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
