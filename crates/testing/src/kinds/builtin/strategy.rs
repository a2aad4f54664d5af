//! What the server does with the objects of one built-in kind, as the registries of kube-apiserver have a strategy for each.

use kube_codegen_formats::names;
use serde_json::{Map, Value};

use super::validate::Causes;

/// The fields of an object.
pub(crate) type Fields = Map<String, Value>;

/// The strategy of a kind. Its names, its scope and the types of its fields are recorded (`resources.json`, `types.json.gz`).
#[derive(Clone, Copy)]
#[allow(clippy::struct_excessive_bools)] // They are independent.
pub(crate) struct Strategy {
    pub(crate) kind: &'static str,

    // What clients may ask for.
    /// The warning that each request for a deprecated kind gets.
    pub(crate) deprecation: Option<&'static str>,
    /// Returns the violations of a name.
    pub(crate) name: fn(&str) -> Vec<String>,
    /// Field selectors besides name and namespace.
    pub(crate) selectors: &'static [&'static str],
    /// Columns besides `Name` and `Age`.
    pub(crate) columns: &'static [(&'static str, Cell)],
    /// Whether the first column is the name.
    pub(crate) shows_name: bool,
    /// Subresources besides the status and the scale.
    pub(crate) subresources: &'static [&'static str],
    /// Subresources that need a kubelet, and are never served.
    pub(crate) connections: &'static [&'static str],

    // The new state.
    /// Whether `metadata.generation` is maintained.
    pub(crate) has_generation: bool,
    /// Sets what the conversion between versions sets, after defaults that are recorded.
    pub(crate) convert: fn(&mut Value),
    /// Converts an object to a version, if the kind has several.
    pub(crate) to_version: Option<fn(Value, &str) -> Value>,
    /// Sets who creates an object, given the user.
    pub(crate) identify: fn(&mut Value, &mut Value),
    /// Sets what the server decides about a new object.
    pub(crate) create: fn(&mut Value, &Creation<'_>),
    /// Sets what the server decides about a new state, given a subresource and the old state.
    pub(crate) update: fn(&mut Value, &str, &Value),
    /// Adds the violations of a complete object, given a subresource and the old state.
    pub(crate) validate: fn(&mut Causes, &str, Option<&Value>, &Value),
    /// Returns the warnings about an accepted object, given the old state.
    pub(crate) warnings: fn(&Self, Option<&Value>, &Value) -> Vec<String>,
    /// A pointer to the template of its Pods, or to the Pod itself.
    pub(crate) template: Option<&'static str>,
    /// Whether the server allocates addresses and ports.
    pub(crate) is_allocated: bool,
    /// Whether an update of an absent object creates it.
    pub(crate) creates_on_update: bool,
    /// Whether an update of the status of an absent object creates it.
    pub(crate) creates_on_status: bool,
    /// Whether an update must name the resource version that it replaces.
    pub(crate) needs_version: bool,

    // Its parts.
    /// Whether an object may be created with its status.
    pub(crate) keeps_status: bool,
    /// Metadata that a write of the status cannot change, besides what no write can.
    pub(crate) kept_metadata: &'static [&'static str],
    /// Restores what a write through a subresource cannot change, given the old state.
    pub(crate) restore: fn(&mut Value, &str, &Value),
    /// The fields that a write through a subresource cannot change, if they differ from those of other kinds.
    pub(crate) unwritten: fn(&str) -> Option<&'static [&'static str]>,
    /// The field of the specification that is stored, but read through the status alone.
    pub(crate) hidden: fn(&Value) -> Option<&'static str>,

    // How it compares with the old one.
    /// The part in which an empty map or list differs from none.
    pub(crate) blanks: &'static str,
    /// Whether a new generation begins though the specification is equal, given the old and the new state.
    pub(crate) is_regenerated: fn(&Value, &Value) -> bool,
    /// Whether the first write after the creation, and each patch, is stored even if it changes nothing.
    pub(crate) is_stored_again: bool,

    // Its end.
    pub(crate) deletion: Deletion,
    /// Whether a deletion answers the deleted object.
    pub(crate) returns_deleted: bool,
    /// The warning for a client that names no propagation policy. The dependents stay then; without such a warning, they are deleted.
    pub(crate) orphans: Option<&'static str>,
}

/// The content of a cell in the table of a kind.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cell {
    /// The value of the field at a pointer.
    Field(&'static str),
    /// A function of several fields.
    Computed(fn(&Value) -> String),
}

/// How an object is created.
pub(crate) struct Creation<'a> {
    pub(crate) subresource: &'a str,
    /// Whether its client gave it labels.
    pub(crate) is_labelled: bool,
}

/// What happens between the deletion of an object and its removal, besides what finalizers demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deletion {
    Immediate,
    /// A grace period, which ends at once for an object without a node.
    Graceful,
    /// The objects inside a namespace are removed.
    Contents,
    /// The instances of a definition are removed.
    Instances,
}

impl Strategy {
    /// The strategy of a kind about which nothing is special.
    pub(crate) const PLAIN: Self = Self {
        kind: "",
        deprecation: None,
        name: names::dns_1123_subdomain,
        selectors: &[],
        columns: &[],
        shows_name: true,
        subresources: &[],
        connections: &[],
        has_generation: false,
        convert: |_| {},
        to_version: None,
        identify: |_, _| {},
        create: |_, _| {},
        update: |_, _, _| {},
        validate: |_, _, _, _| {},
        warnings: |_, _, _| Vec::new(),
        template: None,
        is_allocated: false,
        creates_on_update: false,
        creates_on_status: false,
        needs_version: false,
        keeps_status: false,
        kept_metadata: &[],
        restore: |_, _, _| {},
        unwritten: |_| None,
        hidden: |_| None,
        blanks: "",
        is_regenerated: |_, _| false,
        is_stored_again: false,
        deletion: Deletion::Immediate,
        returns_deleted: false,
        orphans: None,
    };

    /// The strategy of custom resources, besides what their definition says.
    pub(crate) const CUSTOM: Self = Self {
        has_generation: true,
        needs_version: true,
        kept_metadata: &["labels", "annotations", "finalizers", "ownerReferences"],
        ..Self::PLAIN
    };

    /// Returns whether an update of an absent object creates it, through a subresource or without one.
    pub(crate) fn creates(&self, subresource: &str) -> bool {
        match subresource {
            "" => self.creates_on_update,
            "status" => self.creates_on_status,
            _ => false,
        }
    }

    /// Metadata that a write of the status changes.
    pub(crate) fn status_metadata(&self) -> impl Iterator<Item = &'static str> {
        const FIELDS: &[&str] = &[
            "managedFields",
            "labels",
            "annotations",
            "finalizers",
            "ownerReferences",
        ];
        let kept = self.kept_metadata;
        FIELDS.iter().copied().filter(move |it| !kept.contains(it))
    }
}

/// An API group: the strategies of its kinds, and the defaults of its types.
pub(crate) struct Group {
    pub(crate) name: &'static str,
    /// The package of its types, such as `core`.
    pub(crate) package: &'static str,
    pub(crate) kinds: &'static [Strategy],
    /// Fills in the defaults of a type, such as `PodSpec`.
    pub(crate) defaults: fn(&str, &mut Fields),
}

impl Group {
    pub(crate) const EMPTY: Self = Self {
        name: "",
        package: "",
        kinds: &[],
        defaults: |_, _| {},
    };
}
