//! Compiles programs that use the code of the first state of a pair with the code of the second one, and compares with the verdict.
use super::Result;
use crate::target;
use crate::trial::{Failure, Subject, Variant, compile, program, workspace};
use kube_codegen::options::{Emitter, Options};
use kube_codegen::pipeline;
use kube_codegen::private::compat::rust_verdict;
use kube_codegen::source::Source;
use serde_json::Value;

/// How many pairs that compile share a crate. Of those that do not, each has its own: after some errors, rustc looks for no others.
const BATCH: usize = 12;

/// Pairs to compile.
#[derive(Default)]
pub(super) struct Pairs {
    /// With the first state; with the second one, if that breaks nothing; and with the second one and the entries of the config file
    /// that keep what it breaks.
    compiling: Vec<Subject>,
    /// With the second state, which breaks something, and what.
    breaking: Vec<(Subject, Vec<String>)>,
}

impl Pairs {
    pub(super) fn len(&self) -> usize {
        self.compiling.len()
    }

    /// Adds a pair, unless a state does not generate.
    pub(super) fn add(&mut self, old: &Value, new: &Value, what: &str) {
        let mut options = Options::default();
        options.emit = vec![Emitter::Types];
        let Ok((breaks, kept)) = rust_verdict(old, new, &options) else {
            return;
        };
        let run = |crd: &Value, options: &Options| {
            pipeline::run(&[Source::new("crd.yaml", crd.to_string())], options)
        };
        let (before, after) = (run(old, &options), run(new, &options));
        let program = program::of(&before.model, &after.model, true);
        let variant = |change, module, files| Variant {
            change,
            module,
            what: what.to_owned(),
            files,
            program: program.clone(),
        };
        let name = old["metadata"]["name"].as_str().unwrap_or_default();
        let name = format!("{name} ({})", self.len());
        let mut first = vec![variant("the first state", "old", before.files)];
        let second = variant("the second state", "new", after.files);
        if breaks.is_empty() {
            first.push(second);
        } else {
            if let Some(kept) = kept {
                let files = run(new, &kept).files;
                first.push(variant("the second state, kept", "kept", files));
            }
            let subject = Subject {
                crd: name.clone(),
                variants: vec![second],
            };
            self.breaking.push((subject, breaks));
        }
        self.compiling.push(Subject {
            crd: name,
            variants: first,
        });
    }

    /// Compiles all, and returns how many verdicts are wrong.
    pub(super) fn check(self) -> Result<usize> {
        let out = target().join("evolve");
        let (known, kept) = (self.compiling.len(), self.compiling.iter());
        let kept = kept.filter(|it| it.variants.iter().any(|it| it.module == "kept"));
        println!("{:<40} {known:>8}", "pairs compiled");
        println!("{:<40} {:>8}", "break programs", self.breaking.len());
        println!(
            "{:<40} {:>8}",
            "of these kept by the config file",
            kept.count()
        );
        let mut failures = compiled(&out, &self.compiling, BATCH)?;
        let (subjects, breaks): (Vec<_>, Vec<_>) = self.breaking.into_iter().unzip();
        let broken = compiled(&out, &subjects, 1)?;
        // One for each variant.
        failures.dedup_by(|a, b| (&a.crd, a.change) == (&b.crd, b.change));
        for failure in &failures {
            println!(
                "{}: {} does not compile: {}\n{}",
                failure.crd, failure.change, failure.what, failure.message
            );
        }
        let mut wrong = failures.len();
        for (subject, breaks) in subjects.iter().zip(breaks) {
            if broken.iter().any(|it| it.crd == subject.crd) {
                continue;
            }
            wrong += 1;
            let what = subject.variants.iter().map(|it| it.what.as_str());
            let what: Vec<&str> = what.collect();
            let breaks = breaks.join("\n  ");
            println!(
                "{}: compiles, called breaking: {}\n  {breaks}",
                subject.crd,
                what.join("; ")
            );
        }
        println!("{:<40} {wrong:>8}", "wrong verdicts about Rust");
        Ok(wrong)
    }
}

fn compiled(out: &std::path::Path, subjects: &[Subject], batch: usize) -> Result<Vec<Failure>> {
    let mut failures = Vec::new();
    if subjects.is_empty() {
        return Ok(failures);
    }
    let crates: Vec<&[Subject]> = subjects.chunks(batch).collect();
    let places = workspace::write(out, &crates)?;
    compile::check(out, subjects, &places, &mut failures)?;
    Ok(failures)
}
