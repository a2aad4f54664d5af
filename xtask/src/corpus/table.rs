//! Formats the results of all stages as a table.
use super::compile::{Faulty, Step};
use super::generate::{Corpus, Tree};
use kube_codegen::private::ir::Counts;
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::path::Path;
use std::time::Duration;

/// The figures of a run.
pub(super) struct Table<'a> {
    corpus: &'a Corpus,
    samples: usize,
    equal: BTreeMap<String, bool>,
    compiled: Vec<(&'static str, usize, Duration)>,
    generating: Duration,
    running: Option<Duration>,
}

impl<'a> Table<'a> {
    pub(super) fn new(corpus: &'a Corpus, samples: usize, generating: Duration) -> Self {
        Self {
            corpus,
            samples,
            equal: BTreeMap::new(),
            compiled: Vec::new(),
            generating,
            running: None,
        }
    }

    /// Counts the CRDs without a failure in any of their versions.
    pub(super) fn compiled(&mut self, step: &Step, faulty: &Faulty, time: Duration) {
        let clean = |tree: &Tree| {
            let all = tree.crds.values();
            all.filter(|modules| {
                modules
                    .iter()
                    .all(|module| faulty.is_clean(&format!("{}/{module}", tree.module)))
            })
            .count()
        };
        let count = self.corpus.trees.iter().map(clean).sum();
        self.compiled.push((step.name, count, time));
    }

    /// Adds samples; a sample with several types is equal if it is for all of them.
    pub(super) fn equal(&mut self, more: BTreeMap<String, bool>) {
        for (file, equal) in more {
            *self.equal.entry(file).or_insert(true) &= equal;
        }
    }

    /// Records the time of the round trips.
    pub(super) fn ran(&mut self, time: Duration) {
        self.running = Some(time);
    }
}

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let corpus = self.corpus;
        let sum = |of: fn(&Tree) -> usize| corpus.trees.iter().map(of).sum::<usize>();
        let mut row = |name: &str, value: String| writeln!(f, "{name:<32} {value:>12}");
        row("files", corpus.files.to_string())?;
        row("CRDs", corpus.crds.to_string())?;
        row("versions", sum(|tree| tree.roots.len()).to_string())?;
        let generated = sum(|tree| tree.crds.len());
        row("rejected", corpus.rejected.to_string())?;
        row("generated", of(generated, corpus.crds - corpus.rejected))?;
        for (name, count, _) in &self.compiled {
            row(name, of(*count, generated))?;
        }
        if self.running.is_some() {
            let equal = self.equal.values().filter(|equal| **equal).count();
            row("samples equal", of(equal, self.samples))?;
        }
        let inline = sum(|tree| tree.inline);
        row("inline objects", inline.to_string())?;
        let structs = sum(|tree| tree.counts.structs);
        row("structs emitted", share(structs, inline))?;
        row("enums emitted", sum(|tree| tree.counts.enums).to_string())?;
        row("types reused", sum(|tree| tree.counts.reused).to_string())?;
        let shared = sum(|tree| tree.counts.shared);
        row("types deduplicated", shared.to_string())?;
        row("lines of Rust", sum(lines).to_string())?;
        row("seconds, generating", seconds(self.generating))?;
        for (name, _, time) in &self.compiled {
            row(&format!("seconds, {name}"), seconds(*time))?;
        }
        if let Some(time) = self.running {
            row("seconds, samples", seconds(time))?;
        }
        if let Some(peak) = peak_memory() {
            row("peak memory, MiB", (peak >> 10).to_string())?;
        }
        for (code, count) in &corpus.diagnostics {
            let severity = code.severity().as_str();
            row(&format!("{} {severity}", code.as_str()), count.to_string())?;
        }
        Ok(())
    }
}

fn of(part: usize, whole: usize) -> String {
    format!("{part} of {whole}")
}

/// Formats a part and its percentage of the whole.
fn share(part: usize, whole: usize) -> String {
    let tenths = (part * 1000).checked_div(whole).unwrap_or_default();
    format!("{part} ({}.{} %)", tenths / 10, tenths % 10)
}

/// Formats the counts of each tree as tab-separated values.
pub(super) fn types(corpus: &Corpus) -> String {
    let mut text = "repository\tinline objects\tstructs\tenums\treused\tdeduplicated\n".to_owned();
    for tree in &corpus.trees {
        let Counts {
            structs,
            enums,
            reused,
            shared,
        } = tree.counts;
        let (repository, inline) = (&tree.repository, tree.inline);
        // Writing to a String cannot fail.
        _ = writeln!(
            text,
            "{repository}\t{inline}\t{structs}\t{enums}\t{reused}\t{shared}"
        );
    }
    text
}

fn seconds(time: Duration) -> String {
    format!("{:.1}", time.as_secs_f64())
}

fn lines(tree: &Tree) -> usize {
    let is_rust = |path: &str| Path::new(path).extension().is_some_and(|it| it == "rs");
    let rust = tree.files.iter().filter(|file| is_rust(&file.path));
    rust.map(|file| file.text.lines().count()).sum()
}

/// Returns the peak memory of this process in KiB, where the system reports it.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}
