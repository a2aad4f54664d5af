//! Reads CRDs from sources and checks them as the API server does.
mod check;
mod columns;
mod decode;
mod definition;
mod duplicates;
mod legacy;
mod manifest;
mod names;
mod paths;
mod read_schema;
mod reader;
#[cfg(feature = "cli")]
mod rules;
mod schema;
mod subresources;
mod time;
mod version;

pub use columns::{Column, SelectableField};
pub use definition::Scope;
pub use schema::{Additional, Constraints, Items, Kubernetes, Logic, Rule, Schema, SchemaType};
pub use subresources::Scale;
pub use version::Deprecation;
#[cfg(feature = "cli")]
pub(crate) use {manifest::Definition, reader::schema_path, rules::rule_problems};

use crate::base::diag::{Code, Diagnostics, Place};
use crate::base::source::{Source, SourceId};
use crate::{base::threads, input::yaml};
use serde::Deserialize;
use std::sync::Arc;

/// A CustomResourceDefinition (`apiextensions.k8s.io/v1`).
#[derive(Clone, Debug)]
pub struct Crd {
    /// `metadata.name`
    pub name: String,
    /// `spec.group`
    pub group: String,
    /// `spec.names`, with the API server's defaults filled in.
    pub names: Names,
    /// `spec.scope`
    pub scope: Scope,
    /// `spec.versions`, in the order of the manifest.
    pub versions: Vec<Version>,
    /// `spec.preserveUnknownFields`
    pub preserves: bool,
    /// The whole manifest, as indented JSON that ends with a line break.
    pub manifest: Arc<str>,
    /// Where it is defined.
    pub place: Place,
}

impl Crd {
    /// Parses the manifest.
    #[cfg(feature = "cli")]
    pub(crate) fn definition(&self) -> serde_json::Value {
        parse_manifest(&self.manifest)
    }
}

/// Returns the schema of a version of a manifest that was read; none if it has none.
pub(crate) fn schema_of(manifest: &serde_json::Value, version: &str) -> Option<Box<Schema>> {
    let mut versions = manifest["spec"]["versions"].as_array()?.iter();
    let version = versions.find(|it| it["name"] == version)?;
    let schema = version.pointer("/schema/openAPIV3Schema")?;
    Some(Schema::of(schema.clone()))
}

/// Parses a manifest that was serialized from a value.
pub(crate) fn parse_manifest(manifest: &str) -> serde_json::Value {
    let mut manifest = serde_json::Deserializer::from_str(manifest);
    // It is as deep as the document it was read from, whose depth was checked.
    manifest.disable_recursion_limit();
    // The text was serialized from a value, so it parses.
    serde_json::Value::deserialize(&mut manifest).unwrap_or_default()
}

/// `spec.names`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// `plural`
    pub plural: String,
    /// `singular`; lower-case kind where absent.
    pub singular: String,
    /// `kind`
    pub kind: String,
    /// `listKind`; kind and `List` where absent.
    pub list_kind: String,
    /// `shortNames`
    pub short_names: Vec<String>,
    /// `categories`
    pub categories: Vec<String>,
}

/// One of `spec.versions`.
#[derive(Clone, Debug)]
pub struct Version {
    /// `name`
    pub name: String,
    /// `served`
    pub served: bool,
    /// `storage`
    pub storage: bool,
    /// Set if the version is deprecated.
    pub deprecated: Option<Deprecation>,
    /// `schema.openAPIV3Schema`
    pub schema: Option<Box<Schema>>,
    /// Whether `subresources.status` exists.
    pub status: bool,
    /// `subresources.scale`
    pub scale: Option<Scale>,
    /// `additionalPrinterColumns`
    pub columns: Vec<Column>,
    /// `selectableFields`
    pub selectable_fields: Vec<SelectableField>,
    /// Where it is defined.
    pub place: Place,
    /// JSON pointer of its `openAPIV3Schema` below the document's root.
    pub schema_pointer: String,
}

/// Returns all CRDs of some sources as they are written, also those with errors, which [`parse`] reports.
#[cfg(feature = "cli")]
pub(crate) fn definitions(
    sources: &[Source],
    ids: impl Iterator<Item = SourceId>,
) -> Vec<Definition> {
    let sources = ids.filter_map(|id| Some((id, id.of(sources)?)));
    let documents = sources.flat_map(|(id, source)| {
        let documents = yaml::read(source, id, &mut Diagnostics::new());
        documents.into_iter().map(move |document| (id, document))
    });
    documents
        .flat_map(|(id, document)| manifest::definitions(document, id))
        .collect()
}

/// Reads the CRDs of one source.
fn read(id: SourceId, source: &Source) -> (Vec<Crd>, Diagnostics) {
    let mut diagnostics = Diagnostics::new();
    let documents = yaml::read(source, id, &mut diagnostics);
    if documents.is_empty() && diagnostics.iter().len() == 0 {
        let place = Place {
            source: Some(id),
            ..Place::default()
        };
        diagnostics.report(Code::EmptySource, place, "the input contains no document");
    }
    let crds = documents
        .into_iter()
        .flat_map(|document| manifest::read(document, id, source, &mut diagnostics))
        .collect();
    (crds, diagnostics)
}

/// Reads every CRD of the sources; invalid ones are left out and reported.
pub fn parse(sources: &[Source], diagnostics: &mut Diagnostics) -> Vec<Crd> {
    let crds = parse_each(sources, &[], diagnostics, |_, versions| versions);
    crds.into_iter()
        .map(|(crd, versions)| Crd { versions, ..crd })
        .collect()
}

/// Like [`parse`], without some sources, and hands the versions of each CRD over as soon as they are read: the schemas of many CRDs would take
/// several times the memory of their text.
pub(crate) fn parse_each<R: Send>(
    sources: &[Source],
    left_out: &[SourceId],
    diagnostics: &mut Diagnostics,
    with_versions: impl Fn(&Crd, Vec<Version>) -> R + Sync,
) -> Vec<(Crd, R)> {
    let indexed = sources
        .iter()
        .enumerate()
        .map(|(index, it)| (SourceId(index), it));
    let indexed: Vec<(SourceId, &Source)> =
        indexed.filter(|(id, _)| !left_out.contains(id)).collect();
    let mut crds = Vec::new();
    let read = threads::map_largest_first(
        &indexed,
        |(_, source)| source.text.len(),
        |(id, source)| {
            let (crds, findings) = read(*id, source);
            let crds = crds.into_iter().map(|mut crd| {
                let versions = std::mem::take(&mut crd.versions);
                let result = with_versions(&crd, versions);
                (crd, result)
            });
            (crds.collect::<Vec<_>>(), findings)
        },
    );
    for (found, findings) in read {
        crds.extend(found);
        diagnostics.append(findings);
    }
    let crds = duplicates::resolve(crds, sources, diagnostics);
    if crds.is_empty() && !diagnostics.has_errors() {
        diagnostics
            .report(
                Code::NoCrd,
                Place::nowhere(),
                "the input contains no CustomResourceDefinition",
            )
            .hint("pass a file, directory or pattern that contains one");
    }
    crds
}
