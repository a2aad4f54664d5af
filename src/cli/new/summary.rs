//! What `kube-codegen new` prints at the end.
use std::fs;

use serde_json::json;

use super::{Args, Wanted};
use crate::{
    cli::{changes::Totals, console::Console},
    operator::scaffold,
    output::{render::File, write::Plan},
};

/// Prints what was created and what the user has to do by hand.
pub(super) fn summary(
    args: &Args,
    wanted: &Wanted,
    totals: Totals,
    [own, generated]: [&Plan; 2],
    files: &[File],
    controllers: &[String],
    console: &mut Console,
) {
    let root = own.root().display();
    let missing = missing_dependencies(own, files);
    console.object(&json!({
        "type": "summary",
        "outcome": if args.dry_run { "dry-run" } else { "created" },
        "name": wanted.name.as_str(),
        "path": root.to_string(),
        "written": own.changes().len(),
        "generated": generated.changes().len(),
        "kept": own.kept(),
        "missingDependencies": missing,
    }));
    for path in own.kept() {
        console.line(&format!("kept     {}", own.root().join(path).display()));
    }
    let mut steps = Vec::new();
    if !missing.is_empty() {
        let path = own.root().join(scaffold::MANIFEST);
        let (path, missing) = (path.display(), missing.trim_end());
        steps.push(format!("add to {path}, which was kept:\n{missing}"));
    }
    if has_other_program(wanted, own) {
        let path = own.root().join(scaffold::PROGRAM);
        let path = path.display();
        steps.push(format!(
            "{path} was kept, and does not start the operator: call `{}::register` with a manager there and run the manager, or delete the file and run this command again",
            wanted.name.ident()
        ));
    }
    let totals = totals.text();
    let name = &wanted.name;
    if args.dry_run {
        console.line(&format!("{name} in {root}: {totals}"));
    } else if steps.is_empty() {
        // An operator that takes over has to be prepared first.
        let next = if takes_over(args) {
            format!("read {root}/{}", scaffold::TAKEOVER)
        } else {
            let files: Vec<_> = controllers
                .iter()
                .map(|it| format!("src/{it}.rs"))
                .collect();
            let files = files.join(", ");
            format!("cd {root}, edit reconcile in {files}, then run kube-codegen dev")
        };
        console.line(&format!("{name} in {root}: {totals}; next: {next}"));
    } else {
        console.line(&format!("{name} in {root}: {totals}"));
    }
    for step in steps {
        console.line(&format!("\n{step}"));
    }
}

/// Whether the crate replaces an operator that may be running.
const fn takes_over(args: &Args) -> bool {
    args.from_kubebuilder.is_some() || args.from_kube_derive.is_some()
}

/// Returns the dependencies that the user's manifest lacks, as TOML.
fn missing_dependencies(own: &Plan, files: &[File]) -> String {
    let is_kept = own.kept().iter().any(|path| path == scaffold::MANIFEST);
    let wanted = files.iter().find(|file| file.path == scaffold::MANIFEST);
    let Some(wanted) = wanted.filter(|_| is_kept) else {
        return String::new();
    };
    let existing = fs::read_to_string(own.root().join(scaffold::MANIFEST)).unwrap_or_default();
    scaffold::missing_dependencies(&existing, &wanted.text)
}

/// Returns whether the user's program is another one, such as that of `cargo init`.
fn has_other_program(wanted: &Wanted, own: &Plan) -> bool {
    let is_kept = own.kept().iter().any(|path| path == scaffold::PROGRAM);
    let text = fs::read_to_string(own.root().join(scaffold::PROGRAM)).unwrap_or_default();
    is_kept && !text.contains(&wanted.name.ident())
}
