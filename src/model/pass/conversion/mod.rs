//! Compares the versions of each kind, and finds who decides how their values are converted.
mod declared;
mod names;

use crate::base::diag::{Code, Diagnostics, Place, nearest};
use crate::base::options::{self, Options};
use crate::input::crd::{self, Schema};
use crate::model::evolution::{self, Change, Class, priority};
use crate::model::ir::{
    Conversion, ConversionStep, Decision, Kind, KindId, Model, SchemaPath, Segment, Strategy,
};
use declared::Declared;

pub(super) fn run(model: &mut Model, options: &Options, diagnostics: &mut Diagnostics) {
    let mut matched = vec![false; options.conversions.len()];
    let mut conversions = Vec::new();
    for (hub, spokes) in kinds(model) {
        let Some(kind) = model.kinds.get(hub.0 as usize) else {
            continue;
        };
        let manifest = kind.definition();
        let schema = |kind: &Kind| crd::schema_of(&manifest, &kind.version).unwrap_or_default();
        let hub_schema = schema(kind);
        for spoke in spokes {
            if let Some(other) = model.kinds.get(spoke.0 as usize) {
                let pair = Pair {
                    spoke: other,
                    hub: kind,
                };
                let schemas = (&*schema(other), &*hub_schema);
                let (steps, keyed) = pair.steps(schemas, options, &mut matched, diagnostics);
                let (name, function) = (names::of_trait(other), names::of_function(kind));
                conversions.push(Conversion {
                    spoke,
                    hub,
                    name,
                    function,
                    steps,
                    keyed,
                });
            }
        }
    }
    model.conversions = conversions;
    for (entry, _) in options
        .conversions
        .iter()
        .zip(matched)
        .filter(|(_, matched)| !matched)
    {
        let kinds = model.kinds.iter().map(|kind| kind.kind.as_str());
        let near = nearest(entry.kind.rsplit('/').next().unwrap_or_default(), kinds);
        let what = entry
            .rename
            .as_deref()
            .or(entry.path.as_deref())
            .unwrap_or_default();
        let (place, similar) = unmatched(entry, model);
        let finding = diagnostics.report(
            Code::ConversionUnmatched,
            place,
            format!(
                "the conversion of `{what}` of `{}` matches nothing",
                entry.kind
            ),
        );
        match near.first() {
            Some(near) if *near != entry.kind && !entry.kind.ends_with(&format!("/{near}")) => {
                finding.hint(format!("did you mean the kind `{near}`?"));
            }
            _ => {
                let list =
                    "`kube-codegen versions` lists the paths that differ between the versions";
                finding.hint(match similar {
                    Some(path) => format!("did you mean `{path}`? {list}"),
                    None => list.to_owned(),
                });
            }
        }
    }
}

/// Where a declaration that matches nothing goes astray: the deepest field of its path that a version has. Also a path that differs between
/// the versions and is similar to the one that no version has.
fn unmatched(entry: &options::Conversion, model: &Model) -> (Place, Option<String>) {
    let texts: Vec<&str> = match (&entry.rename, &entry.path) {
        (Some(rename), _) => rename.split("->").map(str::trim).collect(),
        (None, path) => path.iter().map(String::as_str).collect(),
    };
    let of_kind = || {
        model
            .kinds
            .iter()
            .filter(|kind| declared::is_of(entry, kind))
    };
    let is_named = |kind: &&Kind| [&entry.from, &entry.to].contains(&&Some(kind.version.clone()));
    let mut versions: Vec<&Kind> = of_kind().filter(is_named).collect();
    if versions.is_empty() {
        versions = of_kind().collect();
    }
    let schemas = versions.into_iter().map(|kind| {
        let schema = crd::schema_of(&kind.definition(), &kind.version);
        (kind, schema.unwrap_or_default())
    });
    let schemas: Vec<_> = schemas.collect();
    // The path that is wrong is the one of which the versions have the smallest part.
    let known = texts.iter().filter_map(|text| {
        let prefixes = schemas.iter().map(|(kind, schema)| {
            let (path, left) = longest(schema, text);
            (left, path.place(&kind.place, &kind.schema_pointer))
        });
        let (left, place) = prefixes.min_by_key(|(left, _)| *left)?;
        Some((*text, left, place))
    });
    let Some((text, left, place)) = known.max_by_key(|(_, left, _)| *left) else {
        return (Place::nowhere(), None);
    };
    let ids: Vec<KindId> = (0..)
        .map(KindId)
        .zip(&model.kinds)
        .filter(|(_, kind)| declared::is_of(entry, kind))
        .map(|it| it.0)
        .collect();
    let steps = model
        .conversions
        .iter()
        .filter(|it| ids.contains(&it.hub))
        .flat_map(|it| &it.steps);
    let paths = steps
        .flat_map(|step| [&step.change.from, &step.change.to])
        .flatten();
    let paths: Vec<String> = paths.map(SchemaPath::to_string).collect();
    // What the path begins with makes no other one similar, and the other half of a rename is no suggestion.
    let (start, rest) = text.split_at(text.len() - left);
    let others = paths.iter().filter(|it| !texts.contains(&it.as_str()));
    let rests = others.filter_map(|it| it.strip_prefix(start));
    let similar = (left > 0).then(|| nearest(rest, rests));
    let similar = similar.and_then(|it| it.first().map(|it| format!("{start}{it}")));
    (place, similar)
}

/// The longest start of a path that a schema has, and the number of bytes that are left of its text.
fn longest(schema: &Schema, text: &str) -> (SchemaPath, usize) {
    let ends = text
        .char_indices()
        .filter(|(_, c)| ['.', '[', '{'].contains(c));
    let mut ends: Vec<usize> = ends.map(|(at, _)| at).collect();
    ends.push(text.len());
    let found = ends.iter().rev().find_map(|end| {
        let path = evolution::parse_path(schema, &text[..*end])?;
        Some((path, text.len() - end))
    });
    found.unwrap_or_else(|| (SchemaPath::root(), text.len()))
}

/// Returns the hub and the other versions of each kind that has several.
fn kinds(model: &Model) -> Vec<(KindId, Vec<KindId>)> {
    let mut ids: Vec<(KindId, &Kind)> = (0..).map(KindId).zip(&model.kinds).collect();
    // Stable: the order of the versions stays.
    ids.sort_by(|(_, a), (_, b)| (&a.group, &a.kind).cmp(&(&b.group, &b.kind)));
    let kinds = ids.chunk_by(|(_, a), (_, b)| (&a.group, &a.kind) == (&b.group, &b.kind));
    let kinds = kinds
        .filter(|versions| versions.len() > 1)
        .filter_map(|versions| {
            let rank = |kind: &Kind| (!kind.storage, priority::of(&kind.version).0);
            let (hub, _) = versions.iter().min_by_key(|(_, kind)| rank(kind))?;
            let spokes = versions.iter().map(|(id, _)| *id).filter(|id| id != hub);
            Some((*hub, spokes.collect()))
        });
    kinds.collect()
}

/// A version and the hub.
struct Pair<'a> {
    spoke: &'a Kind,
    hub: &'a Kind,
}

impl Pair<'_> {
    fn steps(
        &self,
        (from, to): (&Schema, &Schema),
        options: &Options,
        matched: &mut [bool],
        diagnostics: &mut Diagnostics,
    ) -> (Vec<ConversionStep>, Vec<(SchemaPath, Vec<String>)>) {
        let mut declared = Declared::read(self, from, to, options, matched);
        let changes = evolution::diff(from, to, &declared.pairs);
        let mut steps: Vec<ConversionStep> = changes
            .into_iter()
            .filter(|change| !matches!(change.class, Class::Default | Class::Rules))
            .map(|change| step(change, from, to))
            .collect();
        declared.apply(self, &mut steps, matched, diagnostics);
        names::methods(&mut steps, self);
        let keyed = keyed(&steps, from, to);
        (steps, keyed)
    }
}

fn step(change: Change, from: &Schema, to: &Schema) -> ConversionStep {
    let known = match change.class {
        Class::Pruned => known(to, change.to.as_ref()),
        Class::Preserved => known(from, change.from.as_ref()),
        _ => Vec::new(),
    };
    let decision = if change.class.needs_decision() {
        Decision::Method(names::method(&change))
    } else if change.class == Class::Declared {
        Decision::Declared(Strategy::Copy)
    } else {
        Decision::Automatic
    };
    ConversionStep {
        change,
        decision,
        known,
    }
}

/// Returns the fields that an object declares, and those that the API server keeps in it.
fn known(root: &Schema, path: Option<&SchemaPath>) -> Vec<String> {
    let schema = path.and_then(|path| evolution::at(root, path));
    let fields = schema.into_iter().flat_map(Schema::fields);
    let mut names: Vec<String> = fields.map(|(name, _)| name.clone()).collect();
    let is_root = path.is_none_or(|path| path.last().is_none());
    if is_root || schema.is_some_and(|it| it.kubernetes.embedded_resource) {
        names.extend(["apiVersion", "kind", "metadata"].map(str::to_owned));
        names.sort_unstable();
        names.dedup();
    }
    names
}

/// Returns the lists around the steps whose items have keys.
fn keyed(steps: &[ConversionStep], from: &Schema, to: &Schema) -> Vec<(SchemaPath, Vec<String>)> {
    let mut found: Vec<(SchemaPath, Vec<String>)> = Vec::new();
    for (root, path) in steps
        .iter()
        .flat_map(|step| [(from, &step.change.from), (to, &step.change.to)])
    {
        let mut at = path.as_ref();
        while let Some(path) = at {
            if let (Some(Segment::Items), Some(list)) = (path.last(), path.parent())
                && let Some(schema) = evolution::at(root, list)
                && schema.kubernetes.list_type.as_deref() == Some("map")
                && !found.iter().any(|(other, _)| other == list)
            {
                found.push((list.clone(), schema.kubernetes.list_map_keys.clone()));
            }
            at = path.parent();
        }
    }
    found.sort_unstable();
    found
}
