//! `kube-codegen sample`: prints an object of a kind that its schema accepts.

use kube_codegen_schema::{Cause, Extent};

use super::{
    CommandError,
    console::Console,
    crds::{CrdArgs, unknown},
};
use crate::{api::sample::sample, input::crd::Crd};

/// Print a sample object that the schema and the validation rules accept
///
/// Prints the required fields, or all fields with --full. Descriptions become comments.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    crds: CrdArgs,

    /// Print all fields, not only the required ones
    #[arg(long)]
    full: bool,

    /// The kind; needed if the input has several
    #[arg(long)]
    kind: Option<String>,

    /// The version [default: the storage version]
    #[arg(id = "kind_version", long = "kind-version", value_name = "VERSION")]
    version: Option<String>,

    /// Leave out the descriptions
    #[arg(long)]
    no_comments: bool,
}

pub(super) fn run(args: &Args, console: &mut Console) -> Result<(), CommandError> {
    let crds = args.crds.read(console)?;
    let crd = select(&crds, args.kind.as_deref())?;
    let name = match &args.version {
        Some(name) => Some(&crd.version(name)?.name),
        None => None,
    };
    let crd = crd.definition();
    let versions = crd["spec"]["versions"].as_array();
    let version = versions.into_iter().flatten().find(|it| match name {
        Some(name) => it["name"] == *name,
        None => it["storage"] == true,
    });
    let version = version.ok_or_else(|| "no version has `storage: true`".to_owned())?;
    let extent = if args.full {
        Extent::Full
    } else {
        Extent::Minimal
    };
    let (out, causes) = sample(&crd, version, None, extent, !args.no_comments)?;
    console.text(&out);
    for cause in &causes {
        console.warning(&cause.to_string());
    }
    if !causes.iter().any(Cause::is_violation) {
        return Ok(());
    }
    console.error("no sample was found that the API server accepts; change the fields above");
    Err(CommandError::Reported)
}

/// Returns the only CRD, or that of a kind.
fn select<'a>(crds: &'a [Crd], kind: Option<&str>) -> Result<&'a Crd, CommandError> {
    match (crds, kind) {
        ([only], None) => Ok(only),
        (_, None) => {
            let kinds: Vec<&str> = crds.iter().map(|crd| crd.names.kind.as_str()).collect();
            Err(format!(
                "several kinds in the input; use --kind with one of {}",
                kinds.join(", ")
            )
            .into())
        }
        (_, Some(kind)) => {
            let found = crds.iter().find(|crd| crd.names.kind == kind);
            found.ok_or_else(|| unknown(kind, crds).into())
        }
    }
}
