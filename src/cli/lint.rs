//! `kube-codegen lint`: reports what the conventions of Kubernetes advise against in CRDs.
use std::{collections::BTreeMap, path::PathBuf};

use serde_json::json;

use super::{CommandError, config, console::Console, count, levels};
use crate::{
    api::lint::{self, Level, Rule},
    base::{
        diag::{Code, Diagnostics, Severity},
        options::Deny,
        source::{self, Input},
    },
    input::crd,
};

/// Report what the API server accepts and the conventions of Kubernetes advise against
///
/// Looks for fields without descriptions, lists without keys, rules over unbounded lists, statuses without conditions and more; each finding
/// says who asks for it. The exit code is 1 if a finding is as bad as --deny.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files, directories or glob patterns of CustomResourceDefinitions, or `-` for standard input; can be repeated
    #[arg(short, long, required = true, value_name = "FILE|DIR|GLOB|-")]
    file: Vec<String>,

    /// Least level of a finding that makes the exit code 1: `note`, `warning`, `error`
    #[arg(
        long,
        value_name = "LEVEL",
        default_value = "error",
        hide_possible_values = true
    )]
    deny: Level,

    /// Another level for a rule, such as `boolean=off`; can be repeated. The config file has them in `[lint.levels]`
    #[arg(long, value_name = "RULE=LEVEL", value_parser = level)]
    level: Vec<(Rule, Level)>,

    /// Levels of the rules [default: kube-codegen.toml, if it exists]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

fn level(text: &str) -> Result<(Rule, Level), String> {
    levels::parse(text, "boolean=off", "`off`, `note`, `warning` or `error`")
}

pub(super) fn run(args: &Args, console: &mut Console) -> Result<(), CommandError> {
    let mut levels = configured(args)?;
    levels.extend(args.level.iter().copied());
    let inputs: Vec<_> = args.file.iter().map(|file| Input::parse(file)).collect();
    let sources = source::load(&inputs)?;
    let mut diagnostics = Diagnostics::new();
    let read = crd::parse_all(&sources, &[], &mut diagnostics, |_, versions| versions);
    // Other kinds have conventions of their own.
    diagnostics.retain(|it| it.code != Code::OtherKind);
    let crds = read.len();
    for (_, versions) in read {
        lint::lint(&versions, &levels, &mut diagnostics);
    }
    if crds == 0 && !diagnostics.has_errors() {
        return Err("no CustomResourceDefinition in the input".to_owned().into());
    }
    diagnostics.locate(&sources);
    let shown: &[Deny] = if args.deny == Level::Note {
        &[Deny::Code(Code::Practice)]
    } else {
        &[]
    };
    console.diagnostics(&diagnostics, &sources, shown);
    let denied = diagnostics
        .iter()
        .filter(|it| is_denied(it.severity, args.deny))
        .count();
    let findings = diagnostics
        .iter()
        .filter(|it| it.code == Code::Practice)
        .count();
    console
        .object(&json!({"type": "summary", "crds": crds, "findings": findings, "denied": denied}));
    let crds = count(crds, "CRD");
    if denied > 0 {
        console.summary_error(&format!(
            "{} of level {} or worse in {crds}",
            count(denied, "finding"),
            args.deny.name()
        ));
        return Err(CommandError::Reported);
    }
    console.line(&format!("{crds}: {}", count(findings, "finding")));
    Ok(())
}

fn is_denied(severity: Severity, deny: Level) -> bool {
    let level = match severity {
        Severity::Error => Level::Error,
        Severity::Warning => Level::Warning,
        Severity::Note => Level::Note,
    };
    deny != Level::Off && level >= deny
}

fn configured(args: &Args) -> Result<BTreeMap<Rule, Level>, CommandError> {
    let Some(file) = levels::file(args.config.as_deref()) else {
        return Ok(BTreeMap::new());
    };
    let layer = config::read(&file)?;
    Ok(levels::configured(
        layer.lint_levels(),
        "lint.levels",
        &file,
    )?)
}
