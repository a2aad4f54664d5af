//! `kube-codegen explain`: describes codes of diagnostics, and with `-f` the fields of kinds.
mod fields;
mod wrap;

use serde_json::json;

use super::{
    CommandError,
    console::Console,
    crds::{CrdArgs, unknown},
};
use crate::{
    base::diag::{Code, nearest},
    input::crd::{Crd, Version},
};

/// Explain a diagnostic code, or a field of a kind as `kubectl explain` does
///
/// WHAT is a code such as KC0101, or a kind of the CRDs of -f or kube-codegen.toml with the path of a field, such as
/// `Website.spec.replicas`. You can also write the kind as its plural, its singular or a short name. Without WHAT, all codes are listed.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A code, such as KC0301 or 301, or a kind or one of its fields, such as `Website.spec`
    #[arg(value_name = "WHAT")]
    what: Option<String>,

    #[command(flatten)]
    crds: CrdArgs,

    /// Print the names and types of all fields, also of inner ones, without descriptions
    #[arg(long, requires = "what")]
    recursive: bool,

    /// The version, such as `v1` or `example.com/v1` [default: the served version that kubectl prefers]
    #[arg(
        id = "kind_version",
        long = "kind-version",
        visible_alias = "api-version",
        value_name = "VERSION",
        requires = "what"
    )]
    version: Option<String>,
}

pub(super) fn run(args: &Args, console: &mut Console) -> Result<(), CommandError> {
    let Some(what) = &args.what else {
        if args.crds.is_given() {
            let message = "name a kind of the CRDs, such as `Website`, or a field of it";
            return Err(message.to_owned().into());
        }
        for code in Code::ALL {
            let (name, severity) = (code.as_str(), code.severity().as_str());
            object(*code, console);
            console.line(&format!("{name} {severity:<7} {}", code.title()));
        }
        return Ok(());
    };
    let is_code = Code::named(what).is_some() || !may_be_kind(what);
    if args.crds.is_given() || (args.crds.has_input() && !is_code) {
        return field(what, args, console);
    }
    if args.recursive || args.version.is_some() {
        let message =
            "--recursive and --kind-version are for fields of a kind; name its CRD with --file";
        return Err(message.to_owned().into());
    }
    code(what, console)
}

/// Whether a text may name a kind or a field rather than a code, which is a number or starts with KC and a digit.
fn may_be_kind(text: &str) -> bool {
    let rest = text.strip_prefix(['K', 'k']);
    match rest.and_then(|rest| rest.strip_prefix(['C', 'c'])) {
        Some(number) => !number.starts_with(|c: char| c.is_ascii_digit()),
        None => !text.chars().all(|c| c.is_ascii_digit()),
    }
}

fn code(text: &str, console: &mut Console) -> Result<(), CommandError> {
    let Some(code) = Code::named(text) else {
        let codes = Code::ALL.iter().map(|code| code.as_str());
        let shown = text.escape_debug();
        let hint = match nearest(&text.to_uppercase(), codes).first() {
            Some(code) => format!("did you mean {code}?"),
            None if may_be_kind(text) => "a field of a kind needs its CRD: `-f FILE`".to_owned(),
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
    let crds = args.crds.read(console)?;
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
        kind: &crd.names.kind,
        schema: version.schema.as_deref(),
        path: &path,
        recursive: args.recursive,
    })?;
    console.object(&json!({
        "type": "field",
        "group": crd.group,
        "kind": crd.names.kind,
        "version": version.name,
        "path": path.join("."),
        "text": text,
    }));
    // kubectl ends with an empty line, too.
    console.line(text.strip_suffix('\n').unwrap_or(&text));
    Ok(())
}

fn is_named(crd: &Crd, name: &str) -> bool {
    let names = &crd.names;
    let all = [&names.kind, &names.plural, &names.singular].into_iter();
    let mut all = all.chain(&names.short_names);
    all.any(|it| it.eq_ignore_ascii_case(name))
}

/// Returns a version, or the newest served one.
fn choose<'a>(crd: &'a Crd, wanted: Option<&str>) -> Result<&'a Version, CommandError> {
    if let Some(name) = wanted {
        return crd.version(name);
    }
    let mut newest = crd.by_age().into_iter().rev();
    let found = newest.find(|version| version.served);
    found.ok_or_else(|| {
        let (kind, names) = (&crd.names.kind, crd.known());
        format!("no version of {kind} is served; choose one with --kind-version: {names}").into()
    })
}
