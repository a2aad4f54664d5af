//! Runs the generator over every real CRD of the corpus, and tries to disprove the choices that it finds.
#![allow(clippy::expect_used, reason = "helpers of tests fail by panicking")]

use std::collections::BTreeSet;

use kube_codegen::{
    options::Options,
    pipeline::{self, Output},
    private::ir::Decision,
    source::{self, Input},
};

use super::choices::Found;

#[test]
fn every_real_crd_generates() {
    let Some(folder) = crate::common::corpus("crds") else {
        return;
    };
    let sources = source::load(&[Input::Directory(folder)]).expect("readable CRDs");
    assert!(!sources.is_empty());
    let (mut names, mut hashed) = (0, Vec::new());
    let mut methods = 0;
    let mut choices = Found::default();
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
        choices.look(source, &output.model);
        methods += methods_of_conversions(&output);
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
    assert!(methods > 0);
    choices.judge(100);
}

/// Checks that the traits of conversions have one method for each decision, under a name of its own, and returns their number.
fn methods_of_conversions(output: &Output) -> usize {
    let files = output.files.iter();
    let files = files.filter(|file| file.path.ends_with("/conversion.rs"));
    let text: String = files.map(|file| &*file.text).collect();
    let mut count = 0;
    for conversion in &output.model.conversions {
        let decisions = conversion.steps.iter().map(|step| &step.decision);
        let names: Vec<_> = decisions
            .filter_map(|decision| match decision {
                Decision::Method(name) => Some(name.to_string()),
                _ => None,
            })
            .collect();
        let body = text.split_once(&format!("pub trait {} {{\n", conversion.name));
        let body = body.and_then(|(_, rest)| rest.split_once("\n}\n"));
        let declared = body.map_or(0, |(body, _)| body.matches("fn ").count());
        assert_eq!(declared, names.len(), "{}", conversion.name);
        for name in &names {
            assert!(text.contains(&format!("fn {name}(")), "{name}");
        }
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
        count += names.len();
    }
    count
}

/// Returns whether a name ends in the mark that distinguishes two equal names: `H` and four hexadecimal digits.
fn ends_in_hash(name: &str) -> bool {
    let mark = name.len().checked_sub(5).and_then(|at| name.get(at..));
    mark.and_then(|mark| mark.strip_prefix('H'))
        .is_some_and(|digits| digits.bytes().all(|it| it.is_ascii_hexdigit()))
}
