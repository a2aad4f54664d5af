//! `kube-codegen sample`: prints an object of a kind that its schema accepts.

use kube_codegen_schema::Extent;
use serde_json::Value;

use super::{
    CommandError,
    console::Console,
    crds::{self, Crd},
};
use crate::{api::sample::sample, base::diag::nearest};

/// Print an object of a kind that its schema and its validation rules accept
///
/// The object has the required fields; with --full, all fields. Descriptions become comments.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files, directories or glob patterns of CustomResourceDefinitions, or `-` for standard input; can be repeated
    #[arg(short, long, required = true, value_name = "FILE|DIR|GLOB|-")]
    file: Vec<String>,

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
    let crds = crds::read(&args.file, console)?;
    let crd = &select(&crds, args.kind.as_deref())?.manifest;
    let version = version(crd, args.version.as_deref())?;
    let extent = if args.full {
        Extent::Full
    } else {
        Extent::Minimal
    };
    let (out, causes) = sample(crd, version, None, extent, !args.no_comments)?;
    console.text(&out);
    if causes.is_empty() {
        return Ok(());
    }
    for cause in &causes {
        console.warning(&cause.to_string());
    }
    console.error("no sample was found that the API server accepts; change the fields above");
    Err(CommandError::Reported)
}

/// Returns the only CRD, or that of a kind.
fn select<'a>(crds: &'a [Crd], kind: Option<&str>) -> Result<&'a Crd, CommandError> {
    let names = || crds.iter().map(|crd| crd.kind.as_str());
    let all = || names().collect::<Vec<_>>().join(", ");
    match (crds, kind) {
        ([only], None) => Ok(only),
        (_, None) => Err(format!(
            "several kinds in the input; use --kind with one of {}",
            all()
        )
        .into()),
        (_, Some(kind)) => crds.iter().find(|crd| crd.kind == kind).ok_or_else(|| {
            let hint = match nearest(kind, names()).first() {
                Some(near) => format!("did you mean {near}?"),
                None => format!("the input has {}", all()),
            };
            CommandError::Usage(format!(
                "no kind `{}` in the input; {hint}",
                kind.escape_debug()
            ))
        }),
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
