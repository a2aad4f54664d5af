//! `kube-codegen explain`: describes codes of diagnostics, and with `-f` the fields of kinds.
mod fields;
mod meta;
mod wrap;

use serde_json::json;

use super::{
    CommandError,
    console::Console,
    crds::{self, Crd},
};
use crate::{
    base::diag::{Code, nearest},
    input::crd::Version,
};

/// Explain a diagnostic code such as KC0101, or a field of a kind as `kubectl explain` does, without a cluster
///
/// Without -f, WHAT is a code; all codes are listed if it is missing. With -f, it is a kind of these CRDs with the path of a field, such as
/// `Website.spec.replicas`. The kind can also be written as its plural, its singular or a short name.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A code, such as KC0301 or 301; with -f, a kind or one of its fields, such as `Website.spec`
    #[arg(value_name = "WHAT")]
    what: Option<String>,

    /// Files, directories or glob patterns of CustomResourceDefinitions, or `-` for standard input; can be repeated
    #[arg(short, long, value_name = "FILE|DIR|GLOB|-", requires = "what")]
    file: Vec<String>,

    /// Print the names and types of all fields, also of inner ones, without descriptions
    #[arg(long, requires = "file")]
    recursive: bool,

    /// The version, such as `v1` or `example.com/v1` [default: the served version that kubectl prefers]
    #[arg(
        long = "kind-version",
        visible_alias = "api-version",
        value_name = "VERSION",
        requires = "file"
    )]
    version: Option<String>,
}

pub(super) fn run(args: &Args, console: &mut Console) -> Result<(), CommandError> {
    match &args.what {
        Some(what) if !args.file.is_empty() => field(what, args, console),
        Some(what) => code(what, console),
        None => {
            for code in Code::ALL {
                let (name, severity) = (code.as_str(), code.severity().as_str());
                object(*code, console);
                console.line(&format!("{name} {severity:<7} {}", code.title()));
            }
            Ok(())
        }
    }
}

fn code(text: &str, console: &mut Console) -> Result<(), CommandError> {
    let Some(code) = Code::named(text) else {
        let codes = Code::ALL.iter().map(|code| code.as_str());
        let shown = text.escape_debug();
        let is_kind = text.starts_with(|c: char| c.is_ascii_alphabetic())
            && !text.chars().any(|c| c.is_ascii_digit());
        let hint = match nearest(&text.to_uppercase(), codes).first() {
            Some(code) => format!("did you mean {code}?"),
            None if is_kind || text.contains('.') => {
                "a field of a kind needs its CRD: `-f FILE`".to_owned()
            }
            None => "`kube-codegen explain` lists all codes".to_owned(),
        };
        return Err(format!("unknown code `{shown}`; {hint}").into());
    };
    object(code, console);
    console.line(&format!(
        "{} ({}): {}\n\n{}",
        code.as_str(),
        code.severity().as_str(),
        code.title(),
        code.explain().trim_end()
    ));
    Ok(())
}

fn object(code: Code, console: &mut Console) {
    console.object(&json!({
        "type": "code",
        "code": code.as_str(),
        "severity": code.severity().as_str(),
        "title": code.title(),
        "explanation": code.explain(),
    }));
}

fn field(what: &str, args: &Args, console: &mut Console) -> Result<(), CommandError> {
    let crds = crds::read(&args.file, console)?;
    let mut path: Vec<&str> = what.split('.').collect();
    let wanted = path.remove(0);
    let (group, version) = match args.version.as_deref() {
        Some(version) => match version.rsplit_once('/') {
            Some((group, version)) => (Some(group), Some(version)),
            None => (None, Some(version)),
        },
        None => (None, None),
    };
    let is_wanted =
        |crd: &&Crd| is_named(crd, wanted) && group.is_none_or(|group| crd.group == group);
    let found: Vec<&Crd> = crds.iter().filter(is_wanted).collect();
    let crd = match found.as_slice() {
        [crd] => *crd,
        [] => return Err(unknown(wanted, &crds).into()),
        several => {
            let groups = several.iter().map(|crd| crd.group.as_str());
            let groups: Vec<&str> = groups.collect();
            return Err(format!(
                "several groups have the kind `{}`: {}; choose one with --kind-version GROUP/VERSION",
                wanted.escape_debug(),
                groups.join(", ")
            )
            .into());
        }
    };
    let version = choose(crd, version)?;
    let text = fields::describe(&fields::Request {
        group: &crd.group,
        version: &version.name,
        kind: &crd.kind,
        schema: version.schema.as_deref(),
        path: &path,
        recursive: args.recursive,
    })?;
    console.object(&json!({
        "type": "field",
        "group": crd.group,
        "kind": crd.kind,
        "version": version.name,
        "path": path.join("."),
        "text": text,
    }));
    // kubectl ends with an empty line, too.
    console.line(text.strip_suffix('\n').unwrap_or(&text));
    Ok(())
}

fn is_named(crd: &Crd, name: &str) -> bool {
    let names = &crd.typed.names;
    let all = [&names.kind, &names.plural, &names.singular].into_iter();
    let mut all = all.chain(&names.short_names);
    all.any(|it| it.eq_ignore_ascii_case(name))
}

fn unknown(name: &str, crds: &[Crd]) -> String {
    let kinds = || crds.iter().map(|crd| crd.kind.as_str());
    let hint = match nearest(name, kinds()).first() {
        Some(near) => format!("did you mean {near}?"),
        None => format!("the input has {}", kinds().collect::<Vec<_>>().join(", ")),
    };
    format!("no kind `{}` in the input; {hint}", name.escape_debug())
}

/// Returns a version, or the newest served one.
fn choose<'a>(crd: &'a Crd, wanted: Option<&str>) -> Result<&'a Version, String> {
    let find = |name: &str| {
        let mut versions = crd.typed.versions.iter();
        versions.find(|version| version.name == name)
    };
    let mut newest = crd.versions.iter().rev().filter_map(|name| find(name));
    let found = match wanted {
        Some(name) => find(name),
        None => newest.find(|version| version.served),
    };
    found.ok_or_else(|| {
        let names = crd.versions.join(", ");
        match wanted {
            Some(wanted) => format!(
                "{} has no version `{}`; it has {names}",
                crd.kind,
                wanted.escape_debug()
            ),
            None => format!(
                "no version of {} is served; choose one with --kind-version: {names}",
                crd.kind
            ),
        }
    })
}
