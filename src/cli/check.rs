//! `kube-codegen check`: validates objects by the schemas of their CRDs, without a cluster.

use std::collections::BTreeMap;

use kube_codegen_schema::{Cause, Reason, RuleProblem, Schema, pointer};
use serde_json::Value;

use super::{CommandError, console::Console, count, deploy::report};
use crate::{
    base::{
        diag::{Code, Diagnostics, Place, Severity, nearest},
        source::{self, Input, Source, SourceId},
    },
    input::{
        crd,
        yaml::{self, Document},
    },
};

/// Check objects against the schemas of their CRDs, as the API server does
///
/// Reports unknown and duplicate fields, and what the API server refuses: wrong types and formats, values out of bounds, missing
/// fields, duplicate items, and validation rules (CEL) that do not hold. Needs no cluster.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files, directories or glob patterns of objects, or `-` for standard input
    #[arg(required = true, value_name = "FILE|DIR|GLOB|-")]
    pub(super) objects: Vec<String>,

    /// Files, directories or glob patterns of CustomResourceDefinitions; can be repeated
    #[arg(short, long, required = true, value_name = "FILE|DIR|GLOB")]
    pub(super) file: Vec<String>,
}

/// A served version of a kind.
struct Version {
    crd: String,
    schema: Result<Schema, String>,
    /// Whether unknown fields are preserved everywhere.
    preserves: bool,
}

/// Versions by group, kind and name.
type Kinds = BTreeMap<(String, String), BTreeMap<String, Version>>;

pub(super) fn run(args: &Args, console: &mut Console) -> Result<(), CommandError> {
    let inputs = |arguments: &[String]| {
        arguments
            .iter()
            .map(|it| Input::parse(it))
            .collect::<Vec<_>>()
    };
    let crds = source::load(&inputs(&args.file))?;
    let mut sources = source::load(&inputs(&args.objects))?;
    // The objects come first, so that their diagnostics do.
    let first = sources.len();
    sources.extend(crds);
    let mut diagnostics = Diagnostics::new();
    let documents = |range: std::ops::Range<usize>, diagnostics: &mut Diagnostics| {
        let ids = range.map(SourceId);
        let read = ids.flat_map(|id| {
            let documents = id
                .of(&sources)
                .map(|source| yaml::read(source, id, diagnostics));
            documents
                .into_iter()
                .flatten()
                .map(move |document| (id, document))
        });
        read.collect::<Vec<_>>()
    };
    let objects = documents(0..first, &mut diagnostics);
    // kubectl refuses what it would otherwise drop.
    diagnostics.raise(Code::DuplicateKey, Severity::Error);
    let kinds = kinds(
        documents(first..sources.len(), &mut diagnostics),
        &mut diagnostics,
    );
    diagnostics.append(refusals(&sources, first));
    let mut checked = 0;
    for (id, document) in objects {
        checked += usize::from(check(&kinds, id, document, &mut diagnostics));
    }
    let objects = count(checked, "object");
    report(diagnostics, &sources, &objects, Some(checked), console)
}

/// Returns the errors of the CRDs, also those that the generator only warns about: the API server refuses these CRDs. The sources from
/// `first` on have the CRDs.
fn refusals(sources: &[Source], first: usize) -> Diagnostics {
    let objects: Vec<_> = (0..first).map(SourceId).collect();
    let mut found = Diagnostics::new();
    crd::parse_each(sources, &objects, &mut found, |_, _| ());
    for code in [
        Code::PreservedFields,
        Code::InvalidMetadata,
        Code::InvalidConversion,
        Code::InvalidDeprecation,
        Code::NotStructural,
        Code::InvalidExtension,
        Code::InvalidDefault,
        Code::InvalidPattern,
        Code::InvalidRule,
    ] {
        found.raise(code, Severity::Error);
    }
    found.retain(|it| {
        // The text is read, and its problems are reported, for the schemas too. Two CRDs of one kind concern the generator alone.
        let is_known = it.code < Code::MissingField;
        let is_pair = matches!(it.code, Code::DuplicateCrd | Code::KindClash);
        it.severity == Severity::Error && !is_known && !is_pair
    });
    found
}

/// Reads the schemas of all CRDs.
fn kinds(documents: Vec<(SourceId, Document)>, diagnostics: &mut Diagnostics) -> Kinds {
    let mut kinds = Kinds::new();
    for (id, document) in documents {
        let place = Place {
            source: Some(id),
            document: document.index,
            ..Place::default()
        };
        let crd = document.root.into_value();
        // In v1beta1, unknown fields are preserved by default.
        let unknown = &crd["spec"]["preserveUnknownFields"];
        let preserves = match crd["apiVersion"].as_str() {
            Some("apiextensions.k8s.io/v1beta1") => unknown != false,
            _ => unknown == true,
        };
        let crd = crd::upgraded(crd);
        let text = |pointer: &str| {
            crd.pointer(pointer)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        if text("/kind") != "CustomResourceDefinition" {
            continue;
        }
        let key = (
            text("/spec/group").to_owned(),
            text("/spec/names/kind").to_owned(),
        );
        let versions = crd.pointer("/spec/versions").and_then(Value::as_array);
        for (index, version) in versions.into_iter().flatten().enumerate() {
            let schema = version
                .pointer("/schema/openAPIV3Schema")
                .unwrap_or(&Value::Null);
            let scale = &version["subresources"]["scale"];
            let version = version["name"].as_str().unwrap_or_default().to_owned();
            let (schema, problems) = compile(schema, scale);
            let crd = text("/metadata/name").to_owned();
            for problem in problems {
                let place = Place {
                    pointer: format!(
                        "/spec/versions/{index}/schema/openAPIV3Schema{}",
                        problem.pointer
                    ),
                    crd: Some(crd.clone()),
                    version: Some(version.clone()),
                    ..place.clone()
                };
                // The other lines repeat the rule.
                let message = problem.message.lines().next().unwrap_or_default();
                let diagnostic = diagnostics.report(Code::InvalidRule, place, message);
                diagnostic.severity = Severity::Error;
            }
            kinds.entry(key.clone()).or_default().insert(
                version,
                Version {
                    crd,
                    schema,
                    preserves,
                },
            );
        }
    }
    if kinds.is_empty() {
        let message = "no CustomResourceDefinition with versions in the input of --file";
        diagnostics.report(Code::NoCrd, Place::nowhere(), message);
    }
    kinds
}

/// Compiles a schema, without the rules that the API server would refuse.
fn compile(declared: &Value, scale: &Value) -> (Result<Schema, String>, Vec<RuleProblem>) {
    let compile = |schema: &Value| {
        let schema = Schema::new(schema).and_then(|schema| schema.with_scale(scale));
        schema.map_err(|error| error.to_string())
    };
    let schema = compile(declared);
    let problems: Vec<_> = schema.iter().flat_map(crd::rule_problems).collect();
    if problems.is_empty() {
        return (schema, problems);
    }
    let mut declared = declared.clone();
    // A rule that costs too much can be evaluated.
    let unusable = problems.iter().filter(|it| it.reason == Reason::Invalid);
    for problem in unusable {
        let is_rule = problem.pointer.ends_with("/rule");
        if let Some(field) = declared.pointer_mut(&problem.pointer) {
            *field = if is_rule { "true".into() } else { Value::Null };
        }
    }
    (compile(&declared), problems)
}

/// Checks one object, or the items of a list; returns whether there is a CRD for it.
fn check(kinds: &Kinds, id: SourceId, document: Document, diagnostics: &mut Diagnostics) -> bool {
    let place = Place {
        source: Some(id),
        document: document.index,
        ..Place::default()
    };
    let object = document.root.into_value();
    let text = |name: &str| object[name].as_str().unwrap_or_default();
    let (kind, api_version) = (text("kind"), text("apiVersion"));
    if let (true, Some(items)) = (kind.ends_with("List"), object["items"].as_array()) {
        let items = items.iter().enumerate().map(|(index, item)| {
            let place = Place {
                pointer: format!("/items/{index}"),
                ..place.clone()
            };
            check_object(kinds, item, &place, diagnostics)
        });
        return items.filter(|is_known| *is_known).count() > 0;
    }
    if api_version.is_empty() || kind.is_empty() {
        let missing = if kind.is_empty() {
            "kind"
        } else {
            "apiVersion"
        };
        let message = format!("an object needs `{missing}`");
        diagnostics.report(Code::InvalidObject, place, message);
        return false;
    }
    check_object(kinds, &object, &place, diagnostics)
}

fn check_object(
    kinds: &Kinds,
    object: &Value,
    place: &Place,
    diagnostics: &mut Diagnostics,
) -> bool {
    let text = |name: &str| object[name].as_str().unwrap_or_default();
    let (kind, api_version) = (text("kind"), text("apiVersion"));
    let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
    let within = |inner: &str| Place {
        pointer: format!("{}{inner}", place.pointer),
        ..place.clone()
    };
    let Some(versions) = kinds.get(&(group.to_owned(), kind.to_owned())) else {
        let message = format!(
            "{kind} of {api_version} is not checked: the input of --file has no CRD for it"
        );
        let known = kinds.keys().map(|(_, kind)| kind.as_str());
        let hint = match nearest(kind, known).first() {
            Some(near) if *near != kind => format!("did you mean {near}?"),
            _ => "add its CRD to --file".to_owned(),
        };
        diagnostics
            .report(Code::OtherKind, within("/kind"), message)
            .hint(hint);
        return false;
    };
    let Some(version) = versions.get(version) else {
        let known: Vec<_> = versions.keys().map(String::as_str).collect();
        let message = format!("{kind} has no version {version}");
        let hint = format!("its versions are {}", known.join(", "));
        diagnostics
            .report(Code::InvalidObject, within("/apiVersion"), message)
            .hint(hint);
        return true;
    };
    let within = |inner: &str, key: bool| Place {
        crd: Some(version.crd.clone()),
        key,
        ..within(inner)
    };
    let schema = match &version.schema {
        Ok(schema) => schema,
        Err(why) => {
            diagnostics.report(
                Code::KeywordType,
                within("", false),
                format!("{}: {why}", version.crd),
            );
            return true;
        }
    };
    let mut pruned = object.clone();
    let unknown = if version.preserves {
        Vec::new()
    } else {
        schema.prune(&mut pruned)
    };
    for field in unknown {
        let message = format!("unknown field `{field}`");
        let place = within(&pointer(&field, object), true);
        let diagnostic = diagnostics.report(Code::UnknownField, place, message);
        diagnostic.severity = Severity::Error;
    }
    schema.apply_defaults(&mut pruned);
    let mut causes = kube_codegen_schema::validate_metadata(&pruned);
    causes.extend(schema.validate(&pruned));
    for cause in causes {
        let place = within(&cause.pointer(&pruned), false);
        let message = match &cause {
            Cause { field, message, .. } if field == "<nil>" => message.clone(),
            cause => cause.to_string(),
        };
        let diagnostic = diagnostics.report(Code::InvalidObject, place, message);
        if !cause.is_violation() {
            diagnostic.severity = Severity::Warning;
        }
    }
    true
}
