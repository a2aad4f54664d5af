//! What the second release breaks in programs that use the generated code of the first one, and what would keep it.
use std::collections::BTreeSet;

use super::{
    Finding,
    api::Api,
    breaks::{Break, Candidate, CrdPart, Keep},
    rules::Rule,
};
use crate::{
    base::{diag::Severity, options::Options, source::Source},
    pipeline::{self, Unfrozen},
};

/// How many ways to keep code compiling are tried at most; each names all types again.
const MOST_TRIES: usize = 60;

/// Tries entries that may keep code compiling with the types of the second release. The rest of the code follows from the types: it is generated
/// once, with all entries that help.
struct Attempts<'a> {
    before: &'a Api,
    new: Unfrozen,
    options: &'a Options,
    /// How many more are made.
    left: usize,
}

impl Attempts<'_> {
    /// Returns what the types are with some candidates, and what is still broken of them.
    fn run(&mut self, candidates: &[&Candidate]) -> Option<(Api, Vec<Break>)> {
        self.left = self.left.checked_sub(1)?;
        let mut options = self.options.clone();
        for candidate in candidates {
            candidate.apply(&mut options);
        }
        let after = self.before.with_types(&self.new.freeze(&options)?);
        let left = self.before.breaks(&after);
        Some((after, left))
    }

    /// Finds what keeps each break: the first candidates of all together, since each attempt takes as long as all of them, then the second ones.
    fn keep(&mut self, breaks: &mut [Break]) {
        let most = breaks.iter().map(|it| it.candidates.len()).max();
        for round in 0..most.unwrap_or_default() {
            let of = |broken: &Break| {
                let candidate = broken.candidates.get(round).cloned();
                candidate.filter(|_| broken.keep.is_none())
            };
            let mut together: Vec<Candidate> = breaks.iter().filter_map(of).collect();
            together.sort_unstable();
            together.dedup();
            // What this one does is not seen beside others.
            together.retain(|it| *it != Candidate::NoReuse);
            let is_known = together.len() > 1 && self.together(&together, round, breaks);
            for index in 0..breaks.len() {
                if let Some(candidate) = of(&breaks[index])
                    && !(is_known && together.contains(&candidate))
                {
                    self.one(&candidate, index, breaks);
                }
            }
        }
    }

    /// Tries these candidates at once; returns whether that shows what each of them does.
    fn together(&mut self, candidates: &[Candidate], round: usize, breaks: &mut [Break]) -> bool {
        let all: Vec<&Candidate> = candidates.iter().collect();
        let Some((after, left)) = self.run(&all) else {
            return false;
        };
        if left
            .iter()
            .any(|it| !breaks.iter().any(|old| same(old, it)))
        {
            return false;
        }
        for broken in breaks.iter_mut().filter(|it| it.keep.is_none()) {
            let candidate = broken.candidates.get(round);
            let Some(candidate) = candidate.filter(|it| candidates.contains(it)) else {
                continue;
            };
            let is_field = matches!(candidate, Candidate::FieldName(..));
            let is_lost = is_field && self.before.loses_types(&after, broken);
            if !is_lost && !left.iter().any(|it| same(it, broken)) {
                broken.keep = Some(candidate.keep());
            }
        }
        true
    }

    /// Tries one candidate of a break.
    fn one(&mut self, candidate: &Candidate, index: usize, breaks: &mut [Break]) {
        let Some((after, left)) = self.run(&[candidate]) else {
            return;
        };
        let is_field = matches!(candidate, Candidate::FieldName(..));
        if is_field && self.before.loses_types(&after, &breaks[index]) {
            return;
        }
        let is_left = |broken: &Break| left.iter().any(|it| same(it, broken));
        // An entry that breaks something else keeps nothing.
        let is_new = |it: &Break| !breaks.iter().any(|old| same(old, it));
        if is_left(&breaks[index]) || left.iter().any(is_new) {
            return;
        }
        for broken in breaks {
            if broken.keep.is_none() && broken.candidates.contains(candidate) && !is_left(broken) {
                broken.keep = Some(candidate.keep());
            }
        }
    }
}

/// Drops entries with which code besides the types breaks in a module where it does not break without them.
fn drop_harmful(before: &Api, breaks: &mut [Break], new: &[Source], options: &Options) {
    let keeps = breaks.iter().filter_map(|it| it.keep.as_ref());
    let keeps: BTreeSet<&Keep> = keeps.collect();
    if keeps.is_empty() {
        return;
    }
    let mut kept = options.clone();
    for keep in keeps {
        keep.candidate.apply(&mut kept);
    }
    let output = pipeline::run(new, &kept);
    let left = before.breaks(&Api::of(&output.model, &kept));
    let is_known = |it: &Break| breaks.iter().any(|old| same(old, it));
    let harmed = left.iter().filter(|it| !is_known(it));
    let harmed: BTreeSet<String> = harmed.map(|it| it.module.clone()).collect();
    let is_failed = output.diagnostics.has_errors();
    for broken in breaks.iter_mut() {
        if is_failed || harmed.contains(&broken.module) {
            broken.keep = None;
        }
    }
}

fn same(a: &Break, b: &Break) -> bool {
    (&a.module, &a.item) == (&b.module, &b.item)
}

/// The breaks between the code of two releases that no finding has yet.
#[derive(Debug, Default)]
pub(crate) struct Releases {
    breaks: Vec<Break>,
    /// Whether code was generated from both, and compared.
    pub(crate) are_compared: bool,
}

impl Releases {
    /// Generates from both releases with the same options and compares.
    ///
    /// # Errors
    /// If a release does not generate.
    pub(crate) fn new(old: &[Source], new: &[Source], options: &Options) -> Result<Self, String> {
        let texts = |sources: &[Source]| -> Vec<String> {
            sources.iter().map(|it| it.text.clone()).collect()
        };
        let before = pipeline::run(old, options);
        if texts(old) == texts(new) && !before.diagnostics.has_errors() {
            return Ok(Self {
                breaks: Vec::new(),
                are_compared: true,
            });
        }
        let after = pipeline::run(new, options);
        for (release, output) in [("old", &before), ("new", &after)] {
            let mut all = output.diagnostics.iter();
            if let Some(error) = all.find(|it| it.severity == Severity::Error) {
                return Err(format!("the {release} release: {}", error.message));
            }
        }
        let before = Api::of(&before.model, options);
        let mut breaks = before.breaks(&Api::of(&after.model, options));
        if breaks.iter().any(|it| !it.candidates.is_empty())
            && let Some(unfrozen) = Unfrozen::new(new)
        {
            let mut attempts = Attempts {
                before: &before,
                new: unfrozen,
                options,
                left: MOST_TRIES,
            };
            attempts.keep(&mut breaks);
            drop_harmful(&before, &mut breaks, new, options);
        }
        Ok(Self {
            breaks,
            are_compared: true,
        })
    }

    /// Gives each break of a kind to the change that causes it: of several, the one nearest to its place.
    pub(super) fn assign(&mut self, group: &str, kind: &str, findings: &mut [Finding]) {
        for broken in self.rest(group, kind) {
            let causes = findings.iter_mut().filter(|it| concerns(it, &broken));
            match causes.max_by_key(|it| (it.path.len(), changes_type(it.rule))) {
                Some(finding) => finding.rust.push(broken),
                None => self.breaks.push(broken),
            }
        }
    }

    /// Takes all other breaks of a kind.
    pub(super) fn rest(&mut self, group: &str, kind: &str) -> Vec<Break> {
        self.take(|it| {
            it.kind.as_deref() == Some(kind) && it.module.split('/').next() == Some(group)
        })
    }

    /// Returns the breaks that concern no kind.
    pub(super) fn into_rest(self) -> Vec<Break> {
        self.breaks
    }

    fn take(&mut self, is_wanted: impl Fn(&Break) -> bool) -> Vec<Break> {
        let all = std::mem::take(&mut self.breaks);
        let (wanted, others) = all.into_iter().partition(is_wanted);
        self.breaks = others;
        wanted
    }
}

/// Returns whether a change is one of a type, more likely than of what it accepts.
fn changes_type(rule: Rule) -> bool {
    !matches!(
        rule,
        Rule::RulesNarrowed
            | Rule::UpdateNarrowed
            | Rule::ListNarrowed
            | Rule::RulesAdded
            | Rule::RulesWidened
            | Rule::RulesChanged
            | Rule::DefaultChanged
            | Rule::FieldOptional
    )
}

fn concerns(finding: &Finding, broken: &Break) -> bool {
    let version = broken.module.split('/').nth(1);
    if finding.version.is_some() && finding.version.as_deref() != version {
        return false;
    }
    let Some(path) = &broken.path else {
        return match finding.rule {
            Rule::CrdRemoved
            | Rule::ScopeChanged
            | Rule::KindChanged
            | Rule::NamesChanged
            | Rule::VersionRemoved
            | Rule::VersionUnserved => true,
            Rule::StatusRemoved => broken.part == Some(CrdPart::Status),
            Rule::ScaleRemoved => broken.part == Some(CrdPart::Scale),
            Rule::ColumnRemoved => broken.part == Some(CrdPart::Columns),
            // The traits and functions that convert are those of the storage version.
            Rule::StorageChanged | Rule::StoragePruned => broken.part == Some(CrdPart::Conversion),
            _ => false,
        };
    };
    let below = |top: &str| {
        let rest = path.strip_prefix(top);
        rest.is_some_and(|rest| rest.starts_with(['.', '[', '{']))
    };
    match finding.rule {
        Rule::CrdRemoved | Rule::VersionRemoved | Rule::VersionUnserved | Rule::KindChanged => true,
        Rule::FieldRemoved
        | Rule::FieldMoved
        | Rule::TypeChanged
        | Rule::Changed
        | Rule::Narrowed
        | Rule::Widened
        | Rule::FieldRequired
        | Rule::FieldOptional
        | Rule::Nullable
        | Rule::NotNullable
        | Rule::Pruned
        | Rule::Preserved
        | Rule::FieldAdded
        | Rule::RulesNarrowed
        | Rule::UpdateNarrowed
        | Rule::ListNarrowed
        | Rule::RulesAdded
        | Rule::DefaultChanged
        | Rule::RulesWidened
        | Rule::RulesChanged => {
            *path == finding.path || (!finding.path.is_empty() && below(&finding.path))
        }
        _ => false,
    }
}
