//! `kube-codegen policy`: prints the rules and defaults of CRDs as admission policies.
use clap::ValueEnum;

use super::{CommandError, console::Console, crds::CrdArgs};
use crate::{api::policy, output::yaml};

/// Print the validation rules and defaults of CRDs as admission policies
///
/// Rules (x-kubernetes-validations) become a ValidatingAdmissionPolicy with its binding, and defaults a
/// MutatingAdmissionPolicy (Kubernetes 1.36), for each served version. Warnings list what a policy cannot say.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    crds: CrdArgs,

    /// What happens to an object that breaks a rule
    #[arg(long, value_enum, default_value_t)]
    action: Action,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Action {
    /// The request is rejected
    #[default]
    Deny,
    /// The client gets a warning
    Warn,
    /// The audit log gets an annotation
    Audit,
}

pub(super) fn run(args: &Args, console: &mut Console) -> Result<(), CommandError> {
    let crds = args.crds.read(console)?;
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
            let name = &crd.name;
            console.warning(&format!("{name} has no rules and no defaults for a policy"));
        }
        for document in &export.documents {
            texts.push(yaml::document(document));
        }
    }
    console.text(&texts.join("---\n"));
    Ok(())
}
