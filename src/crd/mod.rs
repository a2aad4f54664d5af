//! Documents of the sources come in, typed CRDs go out; nothing is lowered, named or guessed here.
mod columns;
mod duplicates;
mod envelope;
mod legacy;
mod manifest;
mod names;
mod place;
mod read_schema;
mod reader;
mod schema;
mod subresources;
mod version;

pub use schema::{Additional, Constraints, Items, Kubernetes, Logic, Schema, SchemaType};

use crate::diag::{Code, Diagnostics, Place};
use crate::ir::{Column, Scale, Scope, SelectableField};
use crate::source::{Source, SourceId};
use crate::{threads, yaml};
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
    /// The manifest, whole, as JSON that people can read too.
    pub manifest: Arc<str>,
    /// Where it stands.
    pub place: Place,
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
    /// Whether the version is deprecated.
    pub deprecated: bool,
    /// `deprecationWarning` of a deprecated version.
    pub deprecation_warning: Option<String>,
    /// `schema.openAPIV3Schema`
    pub schema: Option<Box<Schema>>,
    /// Whether `subresources.status` is there.
    pub status: bool,
    /// `subresources.scale`
    pub scale: Option<Scale>,
    /// `additionalPrinterColumns`
    pub columns: Vec<Column>,
    /// `selectableFields`
    pub selectable_fields: Vec<SelectableField>,
    /// Where it stands.
    pub place: Place,
    /// JSON pointer of its `openAPIV3Schema` below the document's root.
    pub schema_pointer: String,
}

/// Reads the CRDs of one source, with its findings.
fn read(id: SourceId, source: &Source) -> (Vec<Crd>, Diagnostics) {
    let mut diagnostics = Diagnostics::new();
    let documents = yaml::read(source, id, &mut diagnostics);
    if documents.is_empty() && diagnostics.iter().len() == 0 {
        let place = Place {
            source: Some(id),
            ..Place::default()
        };
        diagnostics.report(
            Code::EmptySource,
            place,
            "there is no document in this input",
        );
    }
    let crds = documents
        .into_iter()
        .flat_map(|document| manifest::read(document, id, source, &mut diagnostics))
        .collect();
    (crds, diagnostics)
}

/// Reads every CRD of the sources; what cannot be read is left out, and told.
pub fn parse(sources: &[Source], diagnostics: &mut Diagnostics) -> Vec<Crd> {
    let indexed: Vec<(usize, &Source)> = sources.iter().enumerate().collect();
    let mut crds = Vec::new();
    let read = threads::map_largest_first(
        &indexed,
        |(_, source)| source.text.len(),
        |(index, source)| read(SourceId(*index), source),
    );
    for (found, findings) in read {
        crds.extend(found);
        diagnostics.append(findings);
    }
    duplicates::resolve(&mut crds, sources, diagnostics);
    if crds.is_empty() && !diagnostics.has_errors() {
        diagnostics
            .report(
                Code::NoCrd,
                Place::nowhere(),
                "the input has no CustomResourceDefinition",
            )
            .hint("name a file, a folder or a pattern that holds one");
    }
    crds
}
