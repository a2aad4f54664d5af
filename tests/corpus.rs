//! Every CRD of the corpus beside the repository generates code that parses; skipped where there is no corpus.
#![allow(clippy::expect_used, reason = "helpers of tests fail by panicking")]

use kube_codegen::options::Options;
use kube_codegen::pipeline;
use kube_codegen::source::Source;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn every_real_crd_generates() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/crds");
    if !corpus.is_dir() {
        eprintln!("skipped: there is no corpus at {}", corpus.display());
        return;
    }
    let mut files = Vec::new();
    collect(&corpus, &mut files);
    files.sort();
    assert!(!files.is_empty());
    for path in files {
        let source = Source {
            name: path.display().to_string(),
            path: None,
            text: fs::read_to_string(&path).expect("a CRD"),
        };
        let output = pipeline::run(&[source], &Options::default());
        // Two files of one project's tests are broken on purpose; findings say how.
        assert_eq!(
            output.files.is_empty(),
            output.diagnostics.has_errors(),
            "{}",
            path.display()
        );
        let own_faults = output
            .diagnostics
            .iter()
            .filter(|finding| finding.code.as_str() >= "KC0500");
        assert_eq!(
            own_faults.count(),
            0,
            "{}: {:#?}",
            path.display(),
            output.diagnostics
        );
        let longest = output
            .model
            .types
            .iter()
            .map(|(_, def)| def.name().as_str().len());
        assert!(longest.max().unwrap_or(0) <= 60, "{}", path.display());
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("corpus") {
        let path = entry.expect("entry").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|it| it == "yaml") {
            files.push(path);
        }
    }
}
