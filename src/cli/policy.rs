//! `kube-codegen policy`: prints the rules and defaults of CRDs as admission policies.
use clap::ValueEnum;
use serde_json::Value;

use super::{CommandError, console::Console};
use crate::{
    api::policy,
    base::{
        diag::Diagnostics,
        source::{self, Input, SourceId},
    },
    input,
    output::yaml,
};

/// Print the validation rules and defaults of CRDs as admission policies
///
/// Rules (x-kubernetes-validations) become a ValidatingAdmissionPolicy with its binding, and defaults a
/// MutatingAdmissionPolicy (Kubernetes 1.36), for each served version. Warnings list what a policy cannot say.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files, directories or glob patterns of CustomResourceDefinitions, or `-` for standard input; can be repeated
    #[arg(short, long, required = true, value_name = "FILE|DIR|GLOB|-")]
    file: Vec<String>,

    /// What happens to an object that breaks a rule
    #[arg(long, value_enum, default_value_t)]
    action: Action,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Action {
    /// The request is refused
    #[default]
    Deny,
    /// The client gets a warning
    Warn,
    /// The audit log has an annotation
    Audit,
}

pub(super) fn run(args: &Args, console: &mut Console) -> Result<(), CommandError> {
    let inputs: Vec<_> = args.file.iter().map(|file| Input::parse(file)).collect();
    let sources = source::load(&inputs)?;
    let mut diagnostics = Diagnostics::new();
    let ids = (0..sources.len()).map(SourceId);
    let documents: Vec<_> = ids
        .filter_map(|id| Some((id, id.of(&sources)?)))
        .flat_map(|(id, source)| input::yaml::read(source, id, &mut diagnostics))
        .collect();
    diagnostics.locate(&sources);
    console.diagnostics(&diagnostics, &sources, &[]);
    if diagnostics.has_errors() {
        return Err(CommandError::Reported);
    }
    let crds = documents
        .into_iter()
        .map(|document| document.root.into_value());
    let crds: Vec<Value> = crds
        .filter(|crd| crd["kind"] == "CustomResourceDefinition")
        .collect();
    if crds.is_empty() {
        return Err("no CustomResourceDefinition in the input".to_owned().into());
    }
    let action = match args.action {
        Action::Deny => "Deny",
        Action::Warn => "Warn",
        Action::Audit => "Audit",
    };
    let mut texts = Vec::new();
    for crd in &crds {
        let export = policy::export(crd, action);
        for note in &export.notes {
            let (name, version) = (&note.crd, &note.version);
            console.warning(&format!("{name} {version} {}: {}", note.at, note.reason));
        }
        if export.documents.is_empty() {
            let name = crd["metadata"]["name"].as_str().unwrap_or_default();
            console.warning(&format!("{name} has no rules and no defaults for a policy"));
        }
        for document in &export.documents {
            texts.push(yaml::document(document));
        }
    }
    console.text(&texts.join("---\n"));
    Ok(())
}
