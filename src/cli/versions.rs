//! `kube-codegen versions`: compares the versions of a CRD, path by path.
use serde_json::{Value, json};

use super::{
    CommandError,
    console::Console,
    count,
    crds::{self, CrdArgs},
};
use crate::{
    base::diag::Diagnostics,
    input::crd::{self, Crd, Version},
    model::{
        evolution::{self, Change},
        ir::{Decision, KindId, Model, SchemaPath},
    },
    pipeline,
};

/// Compare the versions of a kind, path by path
///
/// Prints what moved, has a new name, accepts more or fewer values, or exists in one version only. A line that starts with `!` needs a
/// decision before objects can be converted: a declaration in kube-codegen.toml, or a method of the generated trait.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    crds: CrdArgs,

    /// The kind [default: all]
    #[arg(long)]
    kind: Option<String>,

    /// The version to compare from [default: each version with the next newer one]
    #[arg(long, value_name = "VERSION", requires = "to")]
    from: Option<String>,

    /// The version to compare to
    #[arg(long, value_name = "VERSION", requires = "from")]
    to: Option<String>,
}

pub(super) fn run(args: &Args, console: &mut Console) -> Result<(), CommandError> {
    let settings = args.crds.options(console)?.settings()?;
    let sources = crds::load(&settings, console)?;
    let mut diagnostics = Diagnostics::new();
    let crds = crd::parse(&sources, &mut diagnostics);
    let mut model = Model::default();
    if !settings.options.conversions.is_empty() {
        let output = pipeline::run(&sources, &settings.options);
        (model, diagnostics) = (output.model, output.diagnostics);
    }
    crds::show(diagnostics, &sources, &settings, console)?;
    for crd in crds::of_kind(crds, args.kind.as_deref())? {
        let versions = match (&args.from, &args.to) {
            (Some(from), Some(to)) => vec![crd.version(from)?, crd.version(to)?],
            _ => crd.by_age(),
        };
        if versions.len() == 1 {
            console.line(&format!("{} has one version", crd.names.kind));
        }
        for pair in versions.windows(2) {
            compare(
                &crd,
                pair[0],
                pair[1],
                &declared(&model, &crd, pair),
                console,
            );
        }
    }
    Ok(())
}

/// The paths of a change in the older and in the newer version.
type Paths = (Option<SchemaPath>, Option<SchemaPath>);

/// Where kube-codegen.toml has declared how two versions are converted.
fn declared(model: &Model, crd: &Crd, pair: &[&Version]) -> Vec<Paths> {
    let is = |kind: KindId, version: &Version| {
        let kind = &model.kinds[kind.0 as usize];
        kind.crd_name() == crd.name && kind.version == version.name
    };
    let mut declared = Vec::new();
    for it in &model.conversions {
        let is_reverse = is(it.hub, pair[0]) && is(it.spoke, pair[1]);
        if !is_reverse && !(is(it.spoke, pair[0]) && is(it.hub, pair[1])) {
            continue;
        }
        for step in &it.steps {
            if let Decision::Declared(_) = step.decision {
                let (from, to) = (step.change.from.clone(), step.change.to.clone());
                declared.push(if is_reverse { (to, from) } else { (from, to) });
            }
        }
    }
    declared
}

fn compare(crd: &Crd, from: &Version, to: &Version, declared: &[Paths], console: &mut Console) {
    let schema = |version: &Version| version.schema.clone().unwrap_or_default();
    let pairs = declared.iter().cloned();
    let pairs: Vec<_> = pairs.filter_map(|(from, to)| from.zip(to)).collect();
    let changes = evolution::diff(&schema(from), &schema(to), &pairs);
    let needs_decision = |it: &Change| {
        let paths = (it.from.clone(), it.to.clone());
        it.class.needs_decision() && !declared.contains(&paths)
    };
    let (from, to) = (from.name.as_str(), to.name.as_str());
    for change in &changes {
        console.object(&object(crd, (from, to), change, needs_decision(change)));
    }
    let decisions = changes.iter().filter(|it| needs_decision(it)).count();
    let summary = match (changes.len(), decisions) {
        (0, _) => "equal".to_owned(),
        (all, 0) => format!("{}, none needs a decision", count(all, "change")),
        (all, 1) => format!("{}, 1 needs a decision", count(all, "change")),
        (all, some) => format!("{}, {some} need a decision", count(all, "change")),
    };
    console.line(&format!("{} {from} -> {to}: {summary}", crd.names.kind));
    for change in &changes {
        let mark = if needs_decision(change) { '!' } else { ' ' };
        console.line(&format!("{mark} {change}"));
    }
}

fn object(crd: &Crd, (from, to): (&str, &str), change: &Change, needs_decision: bool) -> Value {
    let path = |path: &Option<SchemaPath>| path.as_ref().map(SchemaPath::to_string);
    json!({
        "type": "change",
        "group": crd.group,
        "kind": crd.names.kind,
        "from": { "version": from, "path": path(&change.from) },
        "to": { "version": to, "path": path(&change.to) },
        "class": change.class.name(),
        "needsDecision": needs_decision,
        "details": change.details,
    })
}
