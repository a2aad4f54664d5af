//! `kube-codegen lint`: reports what the conventions of Kubernetes advise against in CRDs.
use serde_json::json;

use super::{
    CommandError, config,
    console::Console,
    count,
    crds::{self, CrdArgs},
    layer::{Layer, denied},
    levels,
};
use crate::{
    api::lint::{self, Level, Rule},
    base::{
        diag::{Code, Diagnostic, Diagnostics, Severity},
        options::{Allow, Deny},
    },
    input::crd,
};

/// Report what the API conventions of Kubernetes advise against
///
/// Finds fields without descriptions, lists without keys, rules over unbounded lists, statuses without conditions, and more. Each finding
/// names its source. The exit code is 1 if a finding has the level `error`, or --deny names it.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    crds: CrdArgs,

    /// Findings that make the run fail: codes, or `warnings` for all warnings
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "LIST",
        value_parser = denied(),
        hide_possible_values = true
    )]
    deny: Option<Vec<Deny>>,

    /// Change the level of a rule, such as `boolean=off`; can be repeated. In the config file: `[lint.levels]`
    #[arg(long, value_name = "RULE=LEVEL", value_parser = level)]
    level: Vec<(Rule, Level)>,
}

fn level(text: &str) -> Result<(Rule, Level), String> {
    levels::parse(text, "boolean=off", "`off`, `note`, `warning` or `error`")
}

pub(super) fn run(args: &Args, console: &mut Console) -> Result<(), CommandError> {
    let flags = Layer {
        deny: args.deny.clone(),
        ..Layer::default()
    };
    if args.crds.ignores_config() && config::default().is_some() {
        config::warn_ignored(console);
    }
    let mut options = flags.over(args.crds.options(console)?);
    let mut levels = options.lint.take().map(|it| it.levels).unwrap_or_default();
    levels.extend(args.level.iter().copied());
    let settings = options.settings()?;
    let sources = crds::load(&settings, console)?;
    let mut diagnostics = Diagnostics::new();
    let read = crd::parse_each(&sources, &[], &mut diagnostics, |_, versions| versions);
    // Other kinds have conventions of their own.
    diagnostics.retain(|it| it.code != Code::OtherKind);
    let crds = read.len();
    for (_, versions) in read {
        lint::lint(&versions, &levels, &mut diagnostics);
    }
    Allow::apply(&settings.allow, &sources, &mut diagnostics);
    console.diagnostics(&diagnostics, &sources, &settings.deny);
    let is_finding = |it: &&Diagnostic| it.code == Code::Practice;
    let findings = diagnostics.iter().filter(is_finding).count();
    let is_problem = |it: &&Diagnostic| it.severity == Severity::Error && !is_finding(it);
    let problems = diagnostics.iter().filter(is_problem).count();
    let fails = |it: &&Diagnostic| Deny::fails(&settings.deny, it);
    let denied = diagnostics.iter().filter(fails).count() - problems;
    console.object(&json!({
        "type": "summary",
        "crds": crds,
        "findings": findings,
        "denied": denied,
        "problems": problems,
    }));
    let crds = count(crds, "CRD");
    if problems > 0 {
        console.summary_error(&format!("{} in the input", count(problems, "problem")));
        return Err(CommandError::Reported);
    }
    if denied > 0 {
        console.summary_error(&format!("{} denied in {crds}", count(denied, "finding")));
        return Err(CommandError::Reported);
    }
    console.line(&format!("{crds}: {}", count(findings, "finding")));
    Ok(())
}
