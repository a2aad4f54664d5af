//! Describes a kind to the server; reads it from a CRD.

use std::{collections::BTreeMap, sync::Arc};

use kube_codegen_schema::Schema;
use serde_json::Value;

use crate::{
    values::object::{at, flag, list, strings, text},
    webhooks,
};

/// A resource of the server. All versions share one collection of objects.
#[derive(Clone, Debug)]
#[allow(clippy::struct_field_names)] // The API's names.
pub(crate) struct Kind {
    pub(crate) group: String,
    pub(crate) kind: String,
    pub(crate) list_kind: String,
    pub(crate) plural: String,
    pub(crate) singular: String,
    pub(crate) short_names: Vec<String>,
    pub(crate) categories: Vec<String>,
    pub(crate) namespaced: bool,
    /// Defined by a CRD: it has a schema and no strategic merge patch.
    pub(crate) custom: bool,
    /// Whether `metadata.generation` is maintained.
    pub(crate) generation: bool,
    /// Served versions.
    pub(crate) versions: Vec<Version>,
    /// How the objects of a CRD are stored; built-in kinds have one version.
    pub(crate) storage: Option<Storage>,
}

/// How the objects of a CRD are stored.
#[derive(Clone, Debug)]
pub(crate) struct Storage {
    /// The storage version.
    pub(crate) version: String,
    /// The schemas of all versions.
    rules: Vec<(String, Arc<Schema>)>,
    pub(crate) conversion: Conversion,
    /// Whether discovery and OpenAPI describe the kind. A real server serves one whose webhook has an invalid `caBundle`, but does not list it.
    pub(crate) is_listed: bool,
    /// The revision from which on objects are stored under this definition.
    pub(crate) since: u64,
}

/// How objects are converted between versions.
#[derive(Clone, Debug)]
pub(crate) enum Conversion {
    /// Their `apiVersion` changes.
    None,
    /// By the webhook with this `clientConfig`.
    Webhook(Value),
}

/// One served version of a [`Kind`].
#[derive(Clone, Debug)]
pub(crate) struct Version {
    pub(crate) name: String,
    pub(crate) status: bool,
    pub(crate) scale: Option<Scale>,
    pub(crate) types: Types,
    /// `additionalPrinterColumns` of a CRD.
    pub(crate) columns: Vec<Value>,
    /// Field selectors besides `metadata.name` and `metadata.namespace`, such as `spec.choice`.
    pub(crate) fields: Vec<String>,
    /// The warning of a deprecated version.
    pub(crate) warning: Option<String>,
}

/// The types of a version's fields.
#[derive(Clone, Debug)]
pub(crate) enum Types {
    /// A CRD without a schema.
    None,
    /// The schema of a CRD, as it is and for validation.
    Custom {
        schema: Arc<Value>,
        rules: Arc<Schema>,
    },
    /// The name of a recorded type.
    Builtin(&'static str),
}

/// The version of a scale.
pub(crate) const SCALE_VERSION: &str = "autoscaling/v1";

/// JSON pointers of the scale subresource.
#[derive(Clone, Debug)]
pub(crate) struct Scale {
    pub(crate) spec: String,
    pub(crate) status: String,
    pub(crate) selector: Option<String>,
}

impl Kind {
    /// Returns `plural.group`, or the plural in the core group, for messages.
    pub(crate) fn qualified(&self) -> String {
        join(&self.plural, &self.group)
    }

    /// Returns `Kind.group`, for messages about invalid objects.
    pub(crate) fn qualified_kind(&self) -> String {
        join(&self.kind, &self.group)
    }

    /// Returns whether discovery and OpenAPI describe the kind.
    pub(crate) fn is_listed(&self) -> bool {
        self.storage
            .as_ref()
            .is_none_or(|storage| storage.is_listed)
    }

    pub(crate) fn is_pod(&self) -> bool {
        self.group.is_empty() && self.kind == "Pod"
    }

    pub(crate) fn is_namespace(&self) -> bool {
        self.group.is_empty() && self.kind == "Namespace"
    }

    pub(crate) fn version(&self, name: &str) -> Option<&Version> {
        self.versions.iter().find(|version| version.name == name)
    }

    /// Returns the schema of a version, which need not be served.
    pub(crate) fn rules(&self, version: &str) -> Option<&Arc<Schema>> {
        let mut rules = self.storage.as_ref()?.rules.iter();
        rules.find(|(name, _)| name == version).map(|(_, it)| it)
    }

    pub(crate) fn api_version(&self, version: &str) -> String {
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

/// The kinds that the server serves, by group and plural.
#[derive(Clone, Debug)]
pub(crate) struct Kinds(Arc<BTreeMap<(String, String), Arc<Kind>>>);

impl FromIterator<Kind> for Kinds {
    fn from_iter<I: IntoIterator<Item = Kind>>(kinds: I) -> Self {
        let key = |kind: &Kind| (kind.group.clone(), kind.plural.clone());
        let kinds = kinds.into_iter().map(|kind| (key(&kind), Arc::new(kind)));
        Self(Arc::new(kinds.collect()))
    }
}

impl Kinds {
    pub(crate) fn get(&self, group: &str, plural: &str) -> Option<&Arc<Kind>> {
        self.0.get(&(group.to_owned(), plural.to_owned()))
    }

    /// Returns the kind with this `apiVersion` and `kind`.
    pub(crate) fn named(&self, api_version: &str, kind: &str) -> Option<&Arc<Kind>> {
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        self.iter()
            .find(|known| known.group == group && known.kind == kind)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<Kind>> {
        self.0.values()
    }

    pub(crate) fn insert(&mut self, kind: Kind) {
        Arc::make_mut(&mut self.0)
            .insert((kind.group.clone(), kind.plural.clone()), Arc::new(kind));
    }

    pub(crate) fn remove(&mut self, group: &str, plural: &str) {
        Arc::make_mut(&mut self.0).remove(&(group.to_owned(), plural.to_owned()));
    }
}

/// Reads a `CustomResourceDefinition` (`apiextensions.k8s.io/v1`). The error names the invalid field.
pub(crate) fn from_crd(crd: &Value) -> Result<Kind, String> {
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
    let versions = list(crd, "/spec/versions");
    let stored = versions.iter().filter(|version| flag(version, "/storage"));
    if stored.count() != 1 {
        return Err(
            "spec.versions: Invalid value: must have exactly one version marked as storage version"
                .to_owned(),
        );
    }
    let storage = storage(crd)?;
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
            .map(|version| read_version(crd, version, &storage))
            .collect(),
        storage: Some(storage),
        group,
        kind,
        plural,
    })
}

fn storage(crd: &Value) -> Result<Storage, String> {
    let mut storage = Storage {
        version: String::new(),
        rules: Vec::new(),
        conversion: match text(crd, "/spec/conversion/strategy") {
            "Webhook" => {
                Conversion::Webhook(at(crd, "/spec/conversion/webhook/clientConfig").clone())
            }
            _ => Conversion::None,
        },
        is_listed: webhooks::conversion_flaw(crd).is_none(),
        since: 0,
    };
    for version in list(crd, "/spec/versions") {
        let name = text(version, "/name");
        if flag(version, "/storage") {
            name.clone_into(&mut storage.version);
        }
        if let Some(schema) = version.pointer("/schema/openAPIV3Schema") {
            let scale = at(version, "/subresources/scale");
            let rules = Schema::new(schema)
                .and_then(|schema| schema.with_scale(scale))
                .map_err(|error| format!("spec.versions: Invalid value: {name:?}: {error}"))?;
            storage.rules.push((name.to_owned(), Arc::new(rules)));
        }
    }
    Ok(storage)
}

fn read_version(crd: &Value, version: &Value, storage: &Storage) -> Version {
    let (group, kind) = (text(crd, "/spec/group"), text(crd, "/spec/names/kind"));
    let name = text(version, "/name").to_owned();
    // The version to use in place of a deprecated one.
    let others = list(crd, "/spec/versions").iter();
    let others = others.filter(|other| flag(other, "/served") && !flag(other, "/deprecated"));
    let priority = |name: &str| kube::core::Version::parse(name).priority();
    let newer = others
        .map(|other| text(other, "/name"))
        .filter(|other| priority(other) > priority(&name));
    let newest = newer.max_by_key(|other| priority(other));
    let scale = at(version, "/subresources/scale");
    let pointer = |field: &str| text(scale, field).replace('.', "/");
    let warning =
        flag(version, "/deprecated").then(|| match text(version, "/deprecationWarning") {
            "" => match newest {
                Some(newest) => {
                    format!("{group}/{name} {kind} is deprecated; use {group}/{newest} {kind}")
                }
                None => format!("{group}/{name} {kind} is deprecated"),
            },
            warning => warning.to_owned(),
        });
    let schema = version.pointer("/schema/openAPIV3Schema");
    let rules = storage.rules.iter().find(|(known, _)| *known == name);
    Version {
        status: at(version, "/subresources/status").is_object(),
        scale: scale.is_object().then(|| Scale {
            spec: pointer("/specReplicasPath"),
            status: pointer("/statusReplicasPath"),
            selector: Some(pointer("/labelSelectorPath")).filter(|path| !path.is_empty()),
        }),
        types: match (schema, rules) {
            (Some(schema), Some((_, rules))) => Types::Custom {
                schema: Arc::new(schema.clone()),
                rules: rules.clone(),
            },
            _ => Types::None,
        },
        columns: list(version, "/additionalPrinterColumns").to_vec(),
        fields: list(version, "/selectableFields")
            .iter()
            .map(|field| text(field, "/jsonPath").trim_start_matches('.').to_owned())
            .collect(),
        warning,
        name,
    }
}
