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
    let (mut names, mut hashed) = (0, Vec::new());
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
        for (_, def) in output.model.types.iter() {
            let name = def.name().as_str();
            assert!(name.len() <= 96, "{}: {name}", source.name);
            names += 1;
            if ends_in_hash(name) {
                hashed.push(name.to_owned());
            }
        }
    }
    assert!(
        hashed.len() * 100 <= names,
        "{} of {names} names end in a hash: {hashed:#?}",
        hashed.len()
    );
}

/// Returns whether a name ends in the mark that distinguishes two equal names: `H` and four hexadecimal digits.
fn ends_in_hash(name: &str) -> bool {
    let mark = name.len().checked_sub(5).and_then(|at| name.get(at..));
    mark.and_then(|mark| mark.strip_prefix('H'))
        .is_some_and(|digits| digits.bytes().all(|it| it.is_ascii_hexdigit()))
}
