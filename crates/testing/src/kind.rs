//! What a kind is to the server: built-in table and definitions of custom resources in, [`Kind`]s out; it never holds objects.
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::object::{at, flag, strings, text};

/// A resource of the server: all its versions share one collection of objects.
#[derive(Clone, Debug)]
#[allow(clippy::struct_field_names)] // The API's own names.
pub(super) struct Kind {
    pub(super) group: String,
    pub(super) kind: String,
    pub(super) list_kind: String,
    pub(super) plural: String,
    pub(super) singular: String,
    pub(super) short_names: Vec<String>,
    pub(super) categories: Vec<String>,
    pub(super) namespaced: bool,
    /// Declared by a `CustomResourceDefinition`, so without strategic merge and with a schema.
    pub(super) custom: bool,
    /// `metadata.generation` is kept.
    pub(super) generation: bool,
    /// Served versions.
    pub(super) versions: Vec<Version>,
}

/// One served version of a [`Kind`].
#[derive(Clone, Debug)]
pub(super) struct Version {
    pub(super) name: String,
    pub(super) status: bool,
    pub(super) scale: Option<Scale>,
    pub(super) schema: Option<Value>,
    /// Field selectors beside `metadata.name` and `metadata.namespace`, as `spec.choice`.
    pub(super) fields: Vec<String>,
    /// The warning of a deprecated version.
    pub(super) warning: Option<String>,
}

/// JSON pointers of the scale subresource.
#[derive(Clone, Debug)]
pub(super) struct Scale {
    pub(super) spec: String,
    pub(super) status: String,
    pub(super) selector: Option<String>,
}

impl Kind {
    /// `plural.group`, or the plural alone in the core group: how the server names a resource in messages.
    pub(super) fn qualified(&self) -> String {
        join(&self.plural, &self.group)
    }

    /// `Kind.group`, as in messages about invalid objects.
    pub(super) fn qualified_kind(&self) -> String {
        join(&self.kind, &self.group)
    }

    pub(super) fn version(&self, name: &str) -> Option<&Version> {
        self.versions.iter().find(|version| version.name == name)
    }

    pub(super) fn api_version(&self, version: &str) -> String {
        if self.group.is_empty() {
            version.to_owned()
        } else {
            format!("{}/{version}", self.group)
        }
    }
}

fn join(name: &str, group: &str) -> String {
    if group.is_empty() {
        name.to_owned()
    } else {
        format!("{name}.{group}")
    }
}

/// The kinds that the server knows, by group and plural.
#[derive(Debug)]
pub(super) struct Kinds(BTreeMap<(String, String), Arc<Kind>>);

impl Kinds {
    pub(super) fn builtin() -> Self {
        let kinds = super::builtin::kinds()
            .map(|kind| ((kind.group.clone(), kind.plural.clone()), Arc::new(kind)));
        Self(kinds.collect())
    }

    pub(super) fn get(&self, group: &str, plural: &str) -> Option<&Arc<Kind>> {
        self.0.get(&(group.to_owned(), plural.to_owned()))
    }

    /// The kind of an object that names itself by `apiVersion` and `kind`.
    pub(super) fn named(&self, api_version: &str, kind: &str) -> Option<&Arc<Kind>> {
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        self.iter()
            .find(|known| known.group == group && known.kind == kind)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<Kind>> {
        self.0.values()
    }

    pub(super) fn insert(&mut self, kind: Kind) {
        self.0
            .insert((kind.group.clone(), kind.plural.clone()), Arc::new(kind));
    }

    pub(super) fn remove(&mut self, group: &str, plural: &str) {
        self.0.remove(&(group.to_owned(), plural.to_owned()));
    }
}

/// Reads a `CustomResourceDefinition` (`apiextensions.k8s.io/v1`); the error says which field it lacks.
pub(super) fn from_crd(crd: &Value) -> Result<Kind, String> {
    let name = |pointer: &str| match text(crd, pointer) {
        "" => Err(format!(
            "spec{}: Required value",
            pointer.trim_start_matches("/spec").replace('/', ".")
        )),
        found => Ok(found.to_owned()),
    };
    let (group, plural, kind) = (
        name("/spec/group")?,
        name("/spec/names/plural")?,
        name("/spec/names/kind")?,
    );
    let expected = format!("{plural}.{group}");
    if text(crd, "/metadata/name") != expected {
        return Err(format!(
            "metadata.name: Invalid value: {:?}: must be spec.names.plural+\".\"+spec.group",
            text(crd, "/metadata/name")
        ));
    }
    let versions = at(crd, "/spec/versions")
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let storage = versions.iter().filter(|version| flag(version, "/storage"));
    if storage.count() != 1 {
        return Err(
            "spec.versions: Invalid value: must have exactly one version marked as storage version"
                .to_owned(),
        );
    }
    let or = |pointer: &str, default: String| match text(crd, pointer) {
        "" => default,
        found => found.to_owned(),
    };
    Ok(Kind {
        list_kind: or("/spec/names/listKind", format!("{kind}List")),
        singular: or("/spec/names/singular", kind.to_lowercase()),
        short_names: strings(crd, "/spec/names/shortNames"),
        categories: strings(crd, "/spec/names/categories"),
        namespaced: text(crd, "/spec/scope") == "Namespaced",
        custom: true,
        generation: true,
        versions: versions
            .iter()
            .filter(|version| flag(version, "/served"))
            .map(|version| read_version(version, &group, &kind))
            .collect(),
        group,
        kind,
        plural,
    })
}

fn read_version(version: &Value, group: &str, kind: &str) -> Version {
    let name = text(version, "/name").to_owned();
    let scale = at(version, "/subresources/scale");
    let pointer = |field: &str| text(scale, field).replace('.', "/");
    let selectable = at(version, "/selectableFields")
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let warning =
        flag(version, "/deprecated").then(|| match text(version, "/deprecationWarning") {
            "" => format!("{group}/{name} {kind} is deprecated"),
            told => told.to_owned(),
        });
    Version {
        status: at(version, "/subresources/status").is_object(),
        scale: scale.is_object().then(|| Scale {
            spec: pointer("/specReplicasPath"),
            status: pointer("/statusReplicasPath"),
            selector: Some(pointer("/labelSelectorPath")).filter(|path| !path.is_empty()),
        }),
        schema: version.pointer("/schema/openAPIV3Schema").cloned(),
        fields: selectable
            .iter()
            .map(|field| text(field, "/jsonPath").trim_start_matches('.').to_owned())
            .collect(),
        warning,
        name,
    }
}
