//! `kube-codegen sample`: prints an object of a kind that its schema accepts.

use kube_codegen_schema::{Cause, Extent};
use serde_json::Value;

use super::{
    CommandError,
    console::Console,
    crds::{Crd, CrdArgs, unknown},
};
use crate::api::sample::sample;

/// Print an object of a kind that its schema and its validation rules accept
///
/// The object has the required fields; with --full, all fields. Descriptions become comments.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    crds: CrdArgs,

    /// All fields instead of the required ones
    #[arg(long)]
    full: bool,

    /// The kind; needed if the input has several
    #[arg(long)]
    kind: Option<String>,

    /// The version [default: the storage version]
    #[arg(long = "kind-version", value_name = "VERSION")]
    version: Option<String>,

    /// Without descriptions
    #[arg(long)]
    no_comments: bool,
}

pub(super) fn run(args: &Args, console: &mut Console) -> Result<(), CommandError> {
    let crds = args.crds.read(console)?;
    let crd = &select(&crds, args.kind.as_deref())?.manifest;
    let version = version(crd, args.version.as_deref())?;
    let extent = if args.full {
        Extent::Full
    } else {
        Extent::Minimal
    };
    let (out, causes) = sample(crd, version, None, extent, !args.no_comments)?;
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
            let kinds: Vec<&str> = crds.iter().map(|crd| crd.kind.as_str()).collect();
            Err(format!(
                "several kinds in the input; use --kind with one of {}",
                kinds.join(", ")
            )
            .into())
        }
        (_, Some(kind)) => {
            let found = crds.iter().find(|crd| crd.kind == kind);
            found.ok_or_else(|| unknown(kind, crds).into())
        }
    }
}

fn version<'a>(crd: &'a Value, wanted: Option<&str>) -> Result<&'a Value, CommandError> {
    let versions = crd.pointer("/spec/versions").and_then(Value::as_array);
    let versions = versions.map(Vec::as_slice).unwrap_or_default();
    let found = versions.iter().find(|version| match wanted {
        Some(wanted) => version["name"] == wanted,
        None => version["storage"] == true,
    });
    found.ok_or_else(|| {
        let names: Vec<_> = versions
            .iter()
            .filter_map(|version| version["name"].as_str())
            .collect();
        CommandError::Usage(format!("no such version; the CRD has {}", names.join(", ")))
    })
}
