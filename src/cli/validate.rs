//! `kube-codegen validate`: validates objects by the schemas of their CRDs, without a cluster.
use std::collections::BTreeMap;

use kube_codegen_schema::{Cause, Reason, Schema, definition, pointer};
use serde_json::Value;

use super::{
    CommandError,
    console::Console,
    count,
    crds::{self, CrdArgs},
    report::report,
};
use crate::{
    base::{
        diag::{Code, Diagnostic, Diagnostics, Place, Severity, nearest},
        options::{Allow, Settings},
        source::{self, Input, Source, SourceId},
    },
    input::{
        crd::{self, Definition},
        list,
        yaml::{self, Lines},
    },
};

/// Validate objects against the schemas of their CRDs, as the API server does
///
/// Reports unknown and duplicate fields, and what the API server rejects: wrong types and formats, values out of bounds, missing
/// fields, duplicate items, and validation rules (CEL) that do not hold. Without objects, validates the CRDs alone. Needs no cluster.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files, directories or glob patterns of objects, or `-` for standard input; without any, the CRDs are validated
    #[arg(value_name = "FILE|DIR|GLOB|-")]
    objects: Vec<String>,

    #[command(flatten)]
    crds: CrdArgs,
}

/// A served version of a kind.
struct Version<'a> {
    crd: String,
    /// The schema as it is written.
    declared: &'a Value,
    schema: Result<Schema, String>,
    /// Whether unknown fields are preserved everywhere.
    preserves: bool,
    /// Whether its objects belong to no namespace.
    is_cluster: bool,
}

/// Versions by group, kind and name.
type Kinds<'a> = BTreeMap<(String, String), BTreeMap<String, Version<'a>>>;

pub(super) fn run(args: &Args, console: &mut Console) -> Result<(), CommandError> {
    if !args.crds.has_input() {
        let message = "no CRDs: name their files with `-f`; without objects, `validate -f FILE` checks the CRDs alone";
        return Err(message.to_owned().into());
    }
    let settings = args.crds.options(console)?.settings()?;
    validate(&args.objects, &settings, console)
}

/// Validates objects, or without any the CRDs of the settings.
pub(super) fn validate(
    objects: &[String],
    settings: &Settings,
    console: &mut Console,
) -> Result<(), CommandError> {
    let inputs: Vec<Input> = objects.iter().map(|it| Input::parse(it)).collect();
    if inputs.contains(&Input::Stdin) && settings.inputs().contains(&Input::Stdin) {
        let message = "standard input is either the objects or the CRDs";
        return Err(message.to_owned().into());
    }
    let crds = crds::load(settings, console)?;
    let mut sources = source::load(&inputs)?;
    // The objects come first, so that their diagnostics do.
    let first = sources.len();
    sources.extend(crds);
    let is_alone = inputs.is_empty();
    let mut diagnostics = Diagnostics::new();
    let objects = objects_of(&sources[..first], &mut diagnostics);
    // kubectl rejects what it would otherwise drop.
    diagnostics.raise(Code::DuplicateKey, Severity::Error);
    diagnostics.append(rejections(&sources, first, is_alone));
    Allow::apply(&settings.allow, &sources, &mut diagnostics);
    let definitions = crd::definitions(&sources, (first..sources.len()).map(SourceId));
    if is_alone {
        for definition in definitions.iter().filter(|it| !it.is_legacy()) {
            remaining(definition, &mut diagnostics);
        }
        let crds = count(definitions.len(), "CRD");
        return report(&diagnostics, &sources, &settings.deny, &crds, None, console);
    }
    let kinds = kinds(&definitions);
    let mut checked = 0;
    for (place, object) in objects {
        checked += usize::from(check(&kinds, &object, &place, &mut diagnostics));
    }
    let objects = count(checked, "object");
    report(
        &diagnostics,
        &sources,
        &settings.deny,
        &objects,
        Some(checked),
        console,
    )
}

/// Reads objects.
fn objects_of(sources: &[Source], diagnostics: &mut Diagnostics) -> Vec<(Place, Value)> {
    let mut objects = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        let id = SourceId(index);
        for document in yaml::read(source, id, diagnostics) {
            let place = Place {
                source: Some(id),
                document: document.index,
                ..Place::default()
            };
            if !document.spellings.is_empty() {
                let lines = Lines::new(&source.text);
                for spelling in document.spellings {
                    spelling.report(&lines, &place, diagnostics);
                }
            }
            let found = list::objects(document.root.into_value()).into_iter();
            objects.extend(found.map(|(pointer, object)| {
                let place = Place {
                    pointer,
                    ..place.clone()
                };
                (place, object)
            }));
        }
    }
    objects
}

/// Returns the errors of the CRDs, also those that the generator only warns about: the API server rejects these CRDs. The sources from
/// `first` on have the CRDs. If they are checked alone, fields that it does not know are errors, too: kubectl rejects them. Paths that lead nowhere
/// stay warnings.
fn rejections(sources: &[Source], first: usize, is_alone: bool) -> Diagnostics {
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
    if is_alone {
        found.raise(Code::UnknownField, Severity::Error);
        found.raise(Code::LegacyApi, Severity::Error);
        found.raise(Code::DuplicateKey, Severity::Error);
    }
    found.retain(|it| {
        let is_of_text = it.code < Code::MissingField && it.code != Code::OtherKind
            || it.code == Code::LegacyApi;
        // The API server accepts a path that leads nowhere, which nobody wants.
        let is_path = is_alone && it.code == Code::InvalidPath;
        // Two CRDs of one kind concern the generator alone.
        let is_pair = matches!(it.code, Code::DuplicateCrd | Code::KindClash);
        (it.severity == Severity::Error || is_of_text || is_path) && !is_pair
    });
    found
}

/// Reports what the API server says about a CRD at places where nothing is reported yet: some of it the generator tolerates.
fn remaining(crd: &Definition, diagnostics: &mut Diagnostics) {
    let place = &crd.place;
    let is_here = |it: &&Place| it.source == place.source && it.document == place.document;
    // The server says nothing more about what it cannot decode.
    let is_undecodable = |it: &&Diagnostic| {
        matches!(it.code, Code::WrongType | Code::KeywordType)
            && is_here(&&it.place)
            && it.place.pointer.starts_with(&place.pointer)
    };
    if diagnostics.iter().any(|it| is_undecodable(&it)) {
        return;
    }
    let reported: Vec<String> = diagnostics
        .iter()
        .filter(|it| it.severity == Severity::Error)
        .map(|it| &it.place)
        .filter(is_here)
        .filter_map(|it| it.pointer.strip_prefix(&place.pointer).map(str::to_owned))
        .collect();
    for (pointer, cause) in definition::located_causes(&crd.manifest) {
        let parent = pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
        let is_reported = reported
            .iter()
            .any(|it| it == parent || it.starts_with(&pointer));
        if !is_reported {
            let place = Place {
                pointer: format!("{}{pointer}", place.pointer),
                ..place.clone()
            };
            diagnostics.report(Code::InvalidObject, place, cause.to_string());
        }
    }
}

/// Reads the schemas of all CRDs.
fn kinds(definitions: &[Definition]) -> Kinds<'_> {
    let mut kinds = Kinds::new();
    for Definition { manifest: crd, .. } in definitions {
        let preserves = crd["spec"]["preserveUnknownFields"] == true;
        let is_cluster = crd["spec"]["scope"] == "Cluster";
        let text = |pointer: &str| {
            crd.pointer(pointer)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        let key = (
            text("/spec/group").to_owned(),
            text("/spec/names/kind").to_owned(),
        );
        let versions = crd.pointer("/spec/versions").and_then(Value::as_array);
        for version in versions.into_iter().flatten() {
            let declared = version
                .pointer("/schema/openAPIV3Schema")
                .unwrap_or(&Value::Null);
            let scale = &version["subresources"]["scale"];
            let version = version["name"].as_str().unwrap_or_default().to_owned();
            let schema = compile(declared, scale);
            let crd = text("/metadata/name").to_owned();
            kinds.entry(key.clone()).or_default().insert(
                version,
                Version {
                    crd,
                    declared,
                    schema,
                    preserves,
                    is_cluster,
                },
            );
        }
    }
    kinds
}

/// Compiles a schema, without the rules that the API server would reject.
fn compile(declared: &Value, scale: &Value) -> Result<Schema, String> {
    let compile = |schema: &Value| {
        let schema = Schema::new(schema).and_then(|schema| schema.with_scale(scale));
        schema.map_err(|error| error.to_string())
    };
    let schema = compile(declared)?;
    // A rule that costs too much can be evaluated.
    let problems = schema.rule_problems().into_iter();
    let unusable: Vec<_> = problems.filter(|it| it.reason == Reason::Invalid).collect();
    if unusable.is_empty() {
        return Ok(schema);
    }
    let mut declared = declared.clone();
    for problem in unusable {
        let is_rule = problem.pointer.ends_with("/rule");
        if let Some(field) = declared.pointer_mut(&problem.pointer) {
            *field = if is_rule { "true".into() } else { Value::Null };
        }
    }
    compile(&declared)
}

/// Validates one object; returns whether there is a CRD for it.
fn check(kinds: &Kinds<'_>, object: &Value, place: &Place, diagnostics: &mut Diagnostics) -> bool {
    let text = |name: &str| object[name].as_str().unwrap_or_default();
    for name in ["kind", "apiVersion"] {
        if text(name).is_empty() {
            let message = format!("an object needs `{name}`");
            diagnostics.report(Code::InvalidObject, place.clone(), message);
            return false;
        }
    }
    check_object(kinds, object, place, diagnostics)
}

fn check_object(
    kinds: &Kinds<'_>,
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
        let message =
            format!("{kind} of {api_version} is not checked: --file contains no CRD for it");
        let known = kinds.keys().map(|(_, kind)| kind.as_str());
        let hint = match nearest(kind, known).first() {
            Some(near) if *near != kind => format!("did you mean {near}?"),
            _ => "add its CRD to --file".to_owned(),
        };
        let diagnostic = diagnostics.report(Code::OtherKind, within("/kind"), message);
        diagnostic.hint(hint);
        // In a group of the CRDs, such a name is a typo, and the object is not one of another operator.
        let is_typo = |known: &str| known != kind && strsim::osa_distance(known, kind) <= 2;
        let mut in_group = kinds.keys().filter(|(of, _)| of == group);
        if in_group.any(|(_, known)| is_typo(known)) {
            diagnostic.severity = Severity::Error;
        }
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
        let pointer = pointer(&field, object);
        let similar = similar(version.declared, &pointer);
        let diagnostic = diagnostics.report(Code::UnknownField, within(&pointer, true), message);
        diagnostic.severity = Severity::Error;
        if let Some(similar) = similar {
            diagnostic.hint(format!("did you mean `{similar}`?"));
        }
    }
    schema.apply_defaults(&mut pruned);
    let metadata = pruned["metadata"]
        .as_object_mut()
        .filter(|_| version.is_cluster);
    let namespace = metadata.and_then(|it| it.remove("namespace"));
    if namespace.is_some_and(|it| it.as_str().is_some_and(|it| !it.is_empty())) {
        let message = format!("the namespace has no effect: {kind} is cluster-scoped");
        let place = within("/metadata/namespace", true);
        let diagnostic = diagnostics.report(Code::InvalidObject, place, message);
        diagnostic.hint("remove it").severity = Severity::Warning;
    }
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

/// The declared field whose name is most like the one at this place of an object.
fn similar<'a>(declared: &'a Value, pointer: &str) -> Option<&'a str> {
    let (parent, name) = pointer.rsplit_once('/')?;
    let inner = |schema: &'a Value, step: &str| {
        let property = schema["properties"].get(step);
        property.or_else(|| {
            schema
                .get("items")
                .or_else(|| schema.get("additionalProperties"))
        })
    };
    let parent = parent.split('/').skip(1).try_fold(declared, inner)?;
    let names = parent["properties"].as_object()?.keys().map(String::as_str);
    nearest(name, names).first().copied()
}
