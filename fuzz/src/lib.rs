//! Fuzz targets: run the generator on a text and assert the invariants that hold for every text.
mod mutate;
mod rules;
mod values;
mod words;

pub use mutate::mutate;
pub use rules::rules;

use kube_codegen::diag::{Code, Diagnostics, human, json};
use kube_codegen::options::Options;
use kube_codegen::source::Source;
use kube_codegen::{pipeline, private::crd};
use std::collections::BTreeSet;

/// Reads a text as YAML and as JSON; every diagnostic must have a position in the text.
///
/// # Panics
/// If an invariant is violated.
pub fn parse(text: &str) {
    for name in ["fuzz.yaml", "fuzz.json"] {
        let sources = [source(name, text)];
        let mut findings = Diagnostics::new();
        let crds = crd::parse(&sources, &mut findings);
        assert!(
            !crds.is_empty() || findings.iter().len() > 0,
            "nothing read, nothing reported"
        );
        render(&mut findings, &sources);
    }
}

/// Generates from a text; the output must be deterministic, and no diagnostic may report a bug in the generator.
///
/// # Panics
/// If an invariant is violated.
pub fn generate(text: &str) {
    let sources = [source("fuzz.yaml", text)];
    let options = Options::default();
    let mut output = pipeline::run(&sources, &options);
    for finding in output.diagnostics.iter() {
        assert!(
            !matches!(finding.code, Code::Unsound | Code::Unrenderable),
            "{finding:?}"
        );
    }
    assert_eq!(
        output.files.is_empty(),
        output.diagnostics.has_errors(),
        "files, or errors"
    );
    let mut paths = BTreeSet::new();
    for file in &output.files {
        assert!(
            paths.insert(file.path.to_lowercase()),
            "{} twice",
            file.path
        );
        let plain = |part: &str| {
            !part.is_empty()
                && !part.starts_with('.')
                && part
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
        };
        assert!(file.path.split('/').all(plain), "{:?}", file.path);
    }
    render(&mut output.diagnostics, &sources);
    let again = pipeline::run(&sources, &options);
    assert_eq!(output.files, again.files, "twice the same");
}

fn source(name: &str, text: &str) -> Source {
    Source::file(name, text.trim_start_matches('\u{feff}'))
}

/// Locates and renders the diagnostics; the output must not contain control characters.
fn render(findings: &mut Diagnostics, sources: &[Source; 1]) {
    findings.locate(sources);
    let lines = sources[0].text.split(['\n', '\r']).count();
    for finding in findings.iter() {
        if let Some(at) = finding.place.position {
            assert!(
                at.line >= 1 && at.line <= lines + 1,
                "{finding:?} in {lines} lines"
            );
        }
    }
    let text = human::render(&*findings, sources, human::Style::default());
    assert!(
        !text.contains(|c: char| c.is_control() && c != '\n'),
        "{text:?}"
    );
    let lines = json::render(findings, sources);
    assert_eq!(lines.lines().count(), findings.iter().len());
}
