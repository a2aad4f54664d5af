//! The page of a version of a kind, as templates see it.
use std::collections::{BTreeMap, HashMap};

use kube_codegen_schema::Extent;
use serde::Serialize;
use serde_json::Value;

use super::{
    columns::{self, Column, Path, Present, Use},
    facts::{self, Fact, Rule},
    fields::{Row, Section, Tree},
    kubernetes,
    list::{KindEntry, KindPage, Site, VersionEntry, described, scope},
    places::At,
    shared::Shared,
    versions::{self, Differences, Pair, Side},
};
use crate::{
    api::sample::sample,
    input::crd::{self, Schema},
    model::ir::{Body, Kind, Model, Ty},
    output::render::File,
};

/// A longer sample is a file beside the page, in bytes.
const LONGEST_SAMPLE: usize = 60_000;

/// The page of a version of a kind.
#[derive(Debug, Serialize)]
pub(super) struct Page {
    /// The title of the site.
    site: String,
    /// The way from the page to the root of the site.
    root: &'static str,
    group: String,
    kind: String,
    plural: String,
    singular: String,
    short_names: Vec<String>,
    categories: Vec<String>,
    scope: &'static str,
    version: String,
    is_deprecated: bool,
    /// What the CRD says about that.
    deprecated: String,
    description: Vec<String>,
    /// The kinds of the group.
    kinds: Vec<KindEntry>,
    versions: Vec<VersionEntry>,
    unserved: Vec<String>,
    /// Whether there is more to say about versions than one name.
    several: bool,
    /// How objects are converted: `None` or `Webhook`.
    strategy: String,
    samples: Vec<Sample>,
    pub(super) rows: Vec<Row>,
    facts: Vec<Fact>,
    rules: Vec<Rule>,
    object_meta: Option<String>,
    pub(super) sections: Vec<Section>,
    columns: Vec<Column>,
    status: bool,
    scale: Vec<Use>,
    selectable: Vec<Path>,
    differences: Vec<Differences>,
    #[serde(skip)]
    pub(super) notes: Vec<String>,
}

/// An object that the API server accepts.
#[derive(Debug, Serialize)]
struct Sample {
    name: &'static str,
    /// The object; none if it is too long for a page.
    text: Option<String>,
    /// The file, as a path from the page.
    file: String,
    /// Whether the API server may reject it.
    rejected: bool,
    #[serde(skip)]
    whole: File,
}

impl Page {
    pub(super) fn new(model: &Model, place: &KindPage<'_>, site: &Site) -> Self {
        let kind = place.kind;
        let manifest = kind.definition();
        let schema = &*crd::schema_of(&manifest, &kind.version).unwrap_or_default();
        let all = model.kinds.iter().enumerate();
        let served: Vec<(usize, &Kind)> = all
            .filter(|(_, it)| (&it.group, &it.plural) == (&kind.group, &kind.plural))
            .collect();
        let kinds: Vec<&Kind> = served.iter().map(|(_, it)| *it).collect();
        let (rows, sections) = fields(
            model,
            place.index,
            schema,
            versions::since(kind, &kinds, &manifest),
        );
        let present = present(&rows, &sections);
        let mut notes = Vec::new();
        let samples = samples(&manifest, kind, &mut notes);
        let group = site.groups.iter().find(|group| group.name == kind.group);
        let group_kinds = group.map(|group| group.kinds.clone()).unwrap_or_default();
        let entry = group_kinds.iter().find(|it| it.plural == kind.plural);
        let differences = differences(model, place, &served, &manifest, &present);
        let text = |pointer: &str| manifest.pointer(pointer).and_then(Value::as_str);
        let listed = manifest["spec"]["versions"]
            .as_array()
            .into_iter()
            .flatten();
        let unserved = listed
            .filter(|it| it["served"] == false)
            .filter_map(|it| it["name"].as_str());
        let unserved: Vec<String> = unserved.map(str::to_owned).collect();
        Self {
            site: site.title.clone(),
            root: "../../",
            group: kind.group.clone(),
            kind: kind.kind.clone(),
            plural: kind.plural.clone(),
            singular: kind.singular.clone(),
            short_names: kind.short_names.clone(),
            categories: kind.categories.clone(),
            scope: scope(kind),
            version: kind.version.clone(),
            is_deprecated: kind.deprecated.is_some(),
            deprecated: kind
                .deprecated
                .as_ref()
                .and_then(|it| it.warning.clone())
                .unwrap_or_default(),
            description: described(schema),
            versions: entry.map(|it| it.versions.clone()).unwrap_or_default(),
            kinds: group_kinds,
            several: kinds.len() > 1 || !unserved.is_empty(),
            unserved,
            strategy: text("/spec/conversion/strategy")
                .unwrap_or("None")
                .to_owned(),
            samples,
            facts: facts::facts(schema)
                .into_iter()
                .filter(|fact| !fact.label.is_empty())
                .collect(),
            rules: facts::validations(schema),
            object_meta: kubernetes::link(kubernetes::OBJECT_META),
            columns: columns::columns(kind, &present),
            status: kind.status,
            scale: columns::scale(kind, &present),
            selectable: columns::selectable(kind, &present),
            differences,
            rows,
            sections,
            notes,
        }
    }

    /// Returns the samples as files.
    pub(super) fn sample_files(&self) -> impl Iterator<Item = File> {
        self.samples.iter().map(|sample| sample.whole.clone())
    }
}

/// Returns what differs between a version and the hub of its kind, or for the hub, all others.
fn differences(
    model: &Model,
    place: &KindPage<'_>,
    served: &[(usize, &Kind)],
    manifest: &Value,
    present: &Present,
) -> Vec<Differences> {
    let conversions = model.conversions.iter().filter(|it| {
        [it.spoke, it.hub]
            .iter()
            .any(|id| id.0 as usize == place.index)
    });
    let differences = conversions.filter_map(|conversion| {
        let is_hub = conversion.hub.0 as usize == place.index;
        let other = if is_hub {
            conversion.spoke
        } else {
            conversion.hub
        }
        .0 as usize;
        let (_, there) = served.iter().find(|(index, _)| *index == other)?;
        let other_schema = crd::schema_of(manifest, &there.version)?;
        let (rows, sections) = fields(model, other, &other_schema, BTreeMap::new());
        let there_present = self::present(&rows, &sections);
        let extension = place.path.rsplit('.').next()?;
        let here = Side {
            version: &place.kind.version,
            page: String::new(),
            present,
        };
        let there = Side {
            version: &there.version,
            page: format!("{}.{extension}", there.version),
            present: &there_present,
        };
        let (spoke, hub) = if is_hub { (there, here) } else { (here, there) };
        Some(
            Pair {
                conversion,
                manifest,
                spoke,
                hub,
            }
            .differences(),
        )
    });
    differences.collect()
}

/// Returns the rows of a version, and the sections of its types.
fn fields(
    model: &Model,
    index: usize,
    schema: &Schema,
    since: BTreeMap<String, String>,
) -> (Vec<Row>, Vec<Section>) {
    let reused = reused(model, index);
    let root = At::root(&reused);
    let mut tree = Tree::new(Shared::of(schema, &root), since);
    let rows = tree.object(schema, &root);
    let sections = tree.sections();
    (rows, sections)
}

/// Returns Kubernetes' own types in a kind, by the anchors of their places.
fn reused(model: &Model, index: usize) -> HashMap<String, &'static str> {
    let types = model.types.iter();
    let own = types.filter(|(_, def)| def.origin.kind.0 as usize == index);
    let reused = own.filter_map(|(id, def)| {
        let Body::Alias(Ty::External(path)) = &model.types[model.types.definition(id)].body else {
            return None;
        };
        let path = crate::model::pass::known_path(path)?;
        let names = versions::names(&def.origin.path);
        Some((super::places::anchor(&names), path))
    });
    reused.collect()
}

fn present(rows: &[Row], sections: &[Section]) -> Present {
    let rows = rows
        .iter()
        .chain(sections.iter().flat_map(|section| &section.rows));
    rows.map(|row| row.anchor.clone()).collect()
}

fn samples(manifest: &Value, kind: &Kind, notes: &mut Vec<String>) -> Vec<Sample> {
    let mut versions = manifest["spec"]["versions"]
        .as_array()
        .into_iter()
        .flatten();
    let Some(version) = versions.find(|it| it["name"] == kind.version.as_str()) else {
        return Vec::new();
    };
    let mut samples = Vec::new();
    for (name, extent) in [("minimal", Extent::Minimal), ("full", Extent::Full)] {
        let (text, causes) = match sample(manifest, version, None, extent, false) {
            Ok(made) => made,
            Err(error) => {
                notes.push(format!("no {name} sample: {error}"));
                continue;
            }
        };
        for cause in &causes {
            notes.push(format!("the {name} sample: {cause}"));
        }
        let file = format!("{}-{name}.yaml", kind.version);
        samples.push(Sample {
            name,
            text: (text.len() <= LONGEST_SAMPLE).then(|| text.clone()),
            rejected: !causes.is_empty(),
            whole: File {
                path: format!("{}/{}/{file}", kind.group, kind.plural),
                text: text.into(),
            },
            file,
        });
    }
    samples
}
