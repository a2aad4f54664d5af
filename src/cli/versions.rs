//! `kube-codegen versions`: compares the versions of a CRD, path by path.
use serde_json::{Value, json};

use super::{
    CommandError,
    console::Console,
    count,
    crds::{self, CrdArgs},
};
use crate::{
    input::crd::{Crd, Version},
    model::{
        evolution::{self, Change},
        ir::SchemaPath,
    },
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
    let crds = args.crds.read(console)?;
    for crd in crds::of_kind(crds, args.kind.as_deref())? {
        let versions = match (&args.from, &args.to) {
            (Some(from), Some(to)) => vec![crd.version(from)?, crd.version(to)?],
            _ => crd.by_age(),
        };
        if versions.len() == 1 {
            console.line(&format!("{} has one version", crd.names.kind));
        }
        for pair in versions.windows(2) {
            compare(&crd, pair[0], pair[1], console);
        }
    }
    Ok(())
}

fn compare(crd: &Crd, from: &Version, to: &Version, console: &mut Console) {
    let schema = |version: &Version| version.schema.clone().unwrap_or_default();
    let changes = evolution::diff(&schema(from), &schema(to), &[]);
    let (from, to) = (from.name.as_str(), to.name.as_str());
    for change in &changes {
        console.object(&object(crd, from, to, change));
    }
    let decisions = changes
        .iter()
        .filter(|it| it.class.needs_decision())
        .count();
    let summary = match (changes.len(), decisions) {
        (0, _) => "equal".to_owned(),
        (all, 0) => format!("{}, none needs a decision", count(all, "change")),
        (all, 1) => format!("{}, 1 needs a decision", count(all, "change")),
        (all, some) => format!("{}, {some} need a decision", count(all, "change")),
    };
    console.line(&format!("{} {from} -> {to}: {summary}", crd.names.kind));
    for change in &changes {
        let mark = if change.class.needs_decision() {
            '!'
        } else {
            ' '
        };
        console.line(&format!("{mark} {change}"));
    }
}

fn object(crd: &Crd, from: &str, to: &str, change: &Change) -> Value {
    let path = |path: &Option<SchemaPath>| path.as_ref().map(SchemaPath::to_string);
    json!({
        "type": "change",
        "group": crd.group,
        "kind": crd.names.kind,
        "from": { "version": from, "path": path(&change.from) },
        "to": { "version": to, "path": path(&change.to) },
        "class": change.class.name(),
        "needsDecision": change.class.needs_decision(),
        "details": change.details,
    })
}
