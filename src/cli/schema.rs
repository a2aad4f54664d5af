//! `kube-codegen schema`: writes JSON Schemas of CRDs for editors and other validators.
use std::{collections::BTreeMap, path::PathBuf};

use serde_json::json;

use super::{CommandError, console::Console, count, crds::CrdArgs, lock};
use crate::{
    api::json_schema,
    output::write::{self, Root},
};

/// Write JSON Schemas of CRDs, for editors and for validators such as kubeconform
///
/// Each served version of a kind gets a file `GROUP/KIND_VERSION.json` (JSON Schema 2020-12), and `index.json` applies them by `apiVersion`
/// and `kind`. Fields that the API server would drop are errors. What JSON Schema cannot say, such as rules (CEL) and keys of lists, is
/// left to `kube-codegen validate`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    crds: CrdArgs,

    /// Output directory
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,

    /// Reject undeclared fields even where the API server keeps them in addition to declared ones
    #[arg(long)]
    strict: bool,

    /// Write nothing; the exit code is 1 if a file is missing or differs
    #[arg(long)]
    check: bool,
}

pub(super) fn run(args: &Args, console: &mut Console) -> Result<(), CommandError> {
    let crds = args.crds.read(console)?;
    let exported = crds
        .iter()
        .flat_map(|crd| json_schema::export(crd, args.strict));
    let exported: Vec<_> = exported.collect();
    if exported.is_empty() {
        return Err("no version of the CRDs in the input is served"
            .to_owned()
            .into());
    }
    let mut paths: BTreeMap<&str, &str> = BTreeMap::new();
    for it in &exported {
        if let Some(other) = paths.insert(&it.path, &it.kind) {
            let (path, kind) = (&it.path, &it.kind);
            return Err(format!(
                "{kind} and {other} have the same file, {path}; write them to two directories"
            )
            .into());
        }
    }
    let files = json_schema::files(&exported);
    let root = Root::new(&args.output);
    let _lock = lock([&root], console)?;
    let plan = write::plan_update(&root, &files, &[])?;
    let changed = plan.changes().len();
    let directory = args.output.display();
    if args.check {
        for change in plan.changes() {
            console.line(&change.path);
        }
        if changed > 0 {
            let files = count(changed, "file");
            console.summary_error(&format!(
                "{files} of {directory} would change; run without --check"
            ));
            return Err(CommandError::Reported);
        }
    } else {
        plan.apply()?;
    }
    for it in &exported {
        let file = args.output.join(&it.path);
        console.object(&json!({
            "type": "schema",
            "group": it.group,
            "version": it.version,
            "kind": it.kind,
            "file": file,
        }));
        console.line(&format!(
            "# yaml-language-server: $schema={}",
            file.display()
        ));
    }
    let written = if args.check { 0 } else { changed };
    console.object(&json!({"type": "summary", "schemas": exported.len(), "written": written}));
    let schemas = count(exported.len(), "schema");
    console.line(&format!(
        "{schemas} in {directory}: {} written; put the matching line above at the top of each manifest, or use {} for all of them",
        count(written, "file"),
        json_schema::INDEX
    ));
    Ok(())
}
