//! `kube-codegen sample`: prints an object of a kind that its schema accepts.

use kube_codegen_schema::Extent;
use serde_json::Value;

use super::{CommandError, console::Console};
use crate::{
    api::sample::sample,
    base::{
        diag::{Diagnostics, nearest},
        source::{self, Input, SourceId},
    },
    input::{crd, yaml},
};

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
    let inputs: Vec<_> = args.file.iter().map(|file| Input::parse(file)).collect();
    let sources = source::load(&inputs)?;
    let mut diagnostics = Diagnostics::new();
    let crds = (0..sources.len()).map(SourceId).flat_map(|id| {
        let read = id
            .of(&sources)
            .map(|source| yaml::read(source, id, &mut diagnostics));
        read.into_iter().flatten()
    });
    let crds = crds.map(|document| crd::upgraded(document.root.into_value()));
    let crds: Vec<_> = crds
        .filter(|crd| crd["kind"] == "CustomResourceDefinition")
        .collect();
    diagnostics.locate(&sources);
    console.diagnostics(&diagnostics, &sources, &[]);
    if diagnostics.has_errors() {
        return Err(CommandError::Reported);
    }
    let crd = select(&crds, args.kind.as_deref())?;
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
fn select<'a>(crds: &'a [Value], kind: Option<&str>) -> Result<&'a Value, CommandError> {
    let name = |crd: &'a Value| {
        crd.pointer("/spec/names/kind")
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let names = || {
        let names: Vec<_> = crds.iter().map(name).collect();
        names.join(", ")
    };
    match (crds, kind) {
        ([], _) => Err("no CustomResourceDefinition in the input".to_owned().into()),
        ([only], None) => Ok(only),
        (_, None) => Err(format!(
            "several kinds in the input; use --kind with one of {}",
            names()
        )
        .into()),
        (_, Some(kind)) => crds.iter().find(|crd| name(crd) == kind).ok_or_else(|| {
            let hint = match nearest(kind, crds.iter().map(name)).first() {
                Some(near) => format!("did you mean {near}?"),
                None => format!("the input has {}", names()),
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
