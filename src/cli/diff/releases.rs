//! Compares two releases of an API, and prints what changed.
use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Args, markdown, progress::Progress, stored, text};
use crate::{
    api::compat::{
        self, Break, Changes, Comparison, Finding, Level, Meter, Releases, Rule, Witness,
    },
    base::{
        diag::{Code, Diagnostics, Severity},
        options::Options,
        source::{self, Input, Source},
    },
    cli::{CommandError, config, console::Console, count},
    input::crd,
};

/// All CRDs of the cluster.
pub(super) const CLUSTER: &str = "cluster:";

pub(super) fn run(
    args: &Args,
    [old, new]: [&str; 2],
    console: &mut Console,
) -> Result<(), CommandError> {
    if old == "-" && new == "-" {
        return Err("only one of the releases can be standard input"
            .to_owned()
            .into());
    }
    let (options, mut levels) = settings(args)?;
    levels.extend(args.level.iter().copied());
    let kind = args.kind.as_deref();
    let ((old_sources, old_crds), (new_sources, new_crds)) = if is_cluster(old) {
        let new = read(new, kind, None, console)?;
        (read(old, kind, Some(&new.1), console)?, new)
    } else {
        let old = read(old, kind, None, console)?;
        let others = is_cluster(new).then_some(&*old.1);
        let new = read(new, kind, others, console)?;
        (old, new)
    };
    if let Some(kind) = &args.kind
        && old_crds.is_empty()
        && new_crds.is_empty()
    {
        let kind = kind.escape_debug();
        return Err(format!("neither release has a kind `{kind}`").into());
    }
    let rust = Releases::new(&old_sources, &new_sources, &options).unwrap_or_else(|error| {
        console.warning(&format!("generated code is not compared: {error}"));
        Releases::default()
    });
    let progress = Progress::new(console.shows_progress());
    let report = |done, known| progress.draw("changes", done, known);
    let meter = Meter::new(&report);
    let comparison = compat::compare(&old_crds, &new_crds, &levels, rust, &meter);
    let unsearched = meter.unsearched();
    drop(progress);
    if unsearched > 0 {
        console.warning(&format!(
            "{} judged without a full search for proof: other changes used up the search budget",
            count(unsearched, "change")
        ));
    }
    let Comparison { changes, rest, .. } = &comparison;
    let stored = if args.cluster {
        stored::read(&old_crds, &new_crds, args.resume.as_deref(), console)?
    } else {
        Vec::new()
    };
    for change in changes {
        for finding in &change.findings {
            console.object(&object(change, finding));
        }
    }
    for broken in rest {
        console.object(&object_of_rest(broken));
    }
    let denied = changes
        .iter()
        .flat_map(|it| &it.findings)
        .filter(|it| it.worst() >= args.fail_on)
        .count();
    // A break of Rust code is breaking, whatever is denied.
    let denied = denied + rest.len() + stored::denied(&stored, args.fail_on);
    let summary = summary(&comparison);
    if args.markdown {
        console.text(&markdown::render(changes, rest, &stored, &summary));
    } else {
        text::print(changes, rest, console);
        stored::print(&stored, console);
        console.line(&summary);
    }
    stored::objects(&stored, console);
    let failures = stored::failures(&stored);
    console.object(&json!({
        "type": "summary",
        "outcome": match (failures.is_empty(), denied) {
            (false, _) => "incomplete",
            (true, 0) => "accepted",
            _ => "denied",
        },
        "changes": changes.iter().map(|it| it.findings.len()).sum::<usize>() + rest.len(),
        "denied": denied,
    }));
    if !failures.is_empty() {
        return Err(failures.join("\n").into());
    }
    if denied == 0 {
        return Ok(());
    }
    let changes = count(denied, "change");
    let at_least = if args.fail_on == Level::Breaking {
        ""
    } else {
        "at least "
    };
    console.summary_error(&format!("{changes} denied: {at_least}{}", args.fail_on));
    Err(CommandError::Reported)
}

fn settings(args: &Args) -> Result<(Options, BTreeMap<Rule, Level>), CommandError> {
    let file = args.config.as_deref().or(config::default());
    let mut layer = file.map(config::read).transpose()?.unwrap_or_default();
    let levels = layer.diff.take().map(|it| it.levels).unwrap_or_default();
    Ok((layer.or_default().options, levels))
}

/// Reads the CRDs of a release; prints errors alone, since `generate` reports the rest. Of all that a cluster has, those that the other
/// release has: to apply it deletes none.
fn read(
    argument: &str,
    kind: Option<&str>,
    others: Option<&[Value]>,
    console: &mut Console,
) -> Result<(Vec<Source>, Vec<Value>), CommandError> {
    let mut sources = source::load(&[Input::parse(argument)])?;
    if let Some(others) = others {
        let names = others
            .iter()
            .map(|crd| crd["metadata"]["name"].as_str().unwrap_or_default());
        let names: Vec<String> = names.map(|name| format!("{CLUSTER}{name}")).collect();
        sources.retain(|it| names.contains(&it.name));
    }
    let mut diagnostics = Diagnostics::new();
    let crds = crd::parse(&sources, &mut diagnostics);
    // A misread word shows up as a change.
    diagnostics.retain(|it| it.severity == Severity::Error || it.code == Code::YamlSpelling);
    console.diagnostics(&diagnostics, &sources, &[]);
    if diagnostics.has_errors() {
        return Err(CommandError::Reported);
    }
    let crds = crds.into_iter();
    let crds = crds.filter(|crd| kind.is_none_or(|kind| crd.names.kind == kind));
    Ok((sources, crds.map(|crd| crd.definition()).collect()))
}

fn is_cluster(argument: &str) -> bool {
    matches!(Input::parse(argument), Input::Cluster { pattern } if pattern.is_empty())
}

/// Counts the changes by level, and says what follows for Rust code from what was listed.
fn summary(comparison: &Comparison) -> String {
    let changes = &comparison.changes;
    let all = || changes.iter().flat_map(|it| &it.findings);
    let unassigned = comparison.rest.len();
    if all().next().is_none() && unassigned == 0 {
        return "no change".to_owned();
    }
    let of = |level| {
        let of_rest = if level == Level::Breaking {
            unassigned
        } else {
            0
        };
        all().filter(|it| it.worst() == level).count() + of_rest
    };
    let levels = [Level::Breaking, Level::Risk, Level::Compatible];
    let counts = levels.map(|level| (of(level), level));
    let counts: Vec<String> = counts
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, level)| format!("{number} {level}"))
        .collect();
    let breaks = all().map(|it| it.rust.len()).sum::<usize>() + unassigned;
    let left_out = comparison.left_out;
    let rust = match (breaks, left_out) {
        _ if !comparison.is_rust_compared => "Rust code is not compared".to_owned(),
        (0, 0) => {
            "Rust code that compiles with the old release compiles with the new one".to_owned()
        }
        (0, some) => format!(
            "Rust code: {}, which the configured levels permit",
            count(some, "break")
        ),
        (some, _) => format!(
            "Rust code: {}, so it needs a new major version",
            count(some + left_out, "break")
        ),
    };
    format!(
        "{} in {}. {rust}.",
        counts.join(", "),
        count(changes.len(), "kind")
    )
}

/// Returns a break of Rust code that concerns no kind.
fn object_of_rest(broken: &Break) -> Value {
    json!({
        "type": "change",
        "rule": Rule::RustChanged.name(),
        "cluster": Level::Compatible.name(),
        "level": Level::Breaking.name(),
        "rust": [rust(broken)],
    })
}

fn rust(broken: &Break) -> Value {
    json!({
        "module": broken.module,
        "item": broken.item,
        "what": broken.what,
        "keep": broken.keep.as_ref().map(|keep| &keep.line),
    })
}

fn object(changes: &Changes, finding: &Finding) -> Value {
    json!({
        "type": "change",
        "crd": changes.name,
        "kind": changes.kind,
        "version": finding.version,
        "path": finding.path,
        "newPath": finding.to,
        "rule": finding.rule.name(),
        "detail": finding.detail,
        "cluster": finding.level.name(),
        "level": finding.worst().name(),
        "witness": finding.witness.as_ref().map(Witness::json),
        "tries": finding.tries,
        "rust": finding.rust.iter().map(rust).collect::<Vec<_>>(),
    })
}
