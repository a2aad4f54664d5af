//! The entries of the table of k8s-openapi types.
use crate::base::options::Kubernetes;
use std::hash::{Hash, Hasher};
use std::ptr;

/// A struct of k8s-openapi.
#[derive(Debug)]
pub(super) struct Type {
    /// Its Rust path.
    pub(super) path: &'static str,
    /// The first sentence of its docs.
    pub(super) doc: &'static str,
    /// Whether it implements `Default`.
    pub(super) default: bool,
    /// Whether the runtime reads and writes it field by field; otherwise it is read and written by its own serde code.
    pub(super) record: bool,
    /// The first version in which it may be reused.
    pub(super) since: Kubernetes,
    /// Its fields of all versions, in byte order of their names on the wire.
    pub(super) fields: &'static [Field],
}

/// A field of a struct of k8s-openapi.
#[derive(Debug)]
pub(super) struct Field {
    /// Name on the wire.
    pub(super) wire: &'static str,
    /// The first version that has it.
    pub(super) since: Kubernetes,
    /// Whether it is always written, not an `Option`.
    pub(super) required: bool,
    /// The first version in which it is an `Option`, if older versions always write it.
    pub(super) required_before: Option<Kubernetes>,
    /// Its type, without `Option`.
    pub(super) ty: Ty,
    /// The first sentence of its docs, if it holds a struct.
    pub(super) doc: &'static str,
}

/// The type of a field.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ty {
    Bool,
    I32,
    I64,
    Str,
    Bytes,
    Time,
    IntOrString,
    Quantity,
    Json,
    /// A type that is never reused: it differs between versions or is not in the table.
    Other,
    List(&'static Ty),
    Map(&'static Ty),
    Struct(&'static Type),
}

impl Type {
    /// Returns the name of the struct.
    pub(super) fn name(&self) -> &'static str {
        self.path.rsplit("::").next().unwrap_or(self.path)
    }

    /// Returns whether all versions from this one on have it.
    pub(super) fn is_in(&self, at: Kubernetes) -> bool {
        self.since <= at
    }

    /// Returns whether a field of this name is a time that is written in whole seconds, as k8s-openapi's own serde code does.
    pub(super) fn rounds(&self, wire: &str) -> bool {
        let is_time = |field: &Field| matches!(field.ty, Ty::Time);
        !self.record && self.field_of_any(wire).is_some_and(is_time)
    }

    /// Returns the fields that all versions from this one on have.
    pub(super) fn fields(&self, at: Kubernetes) -> impl Iterator<Item = &'static Field> + use<> {
        let fields = self.fields.iter();
        fields.filter(move |field| field.since <= at)
    }

    /// Returns the field of a name on the wire, if all versions from this one on have it.
    pub(super) fn field(&self, wire: &str, at: Kubernetes) -> Option<&'static Field> {
        self.field_of_any(wire).filter(|field| field.since <= at)
    }

    /// Returns the field of a name on the wire in any version.
    pub(super) fn field_of_any(&self, wire: &str) -> Option<&'static Field> {
        let at = self.fields.binary_search_by(|it| it.wire.cmp(wire)).ok()?;
        self.fields.get(at)
    }
}

// Entries of the table are equal if they are the same entry.
impl PartialEq for Type {
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self, other)
    }
}

impl Eq for Type {}

impl Hash for Type {
    fn hash<H: Hasher>(&self, state: &mut H) {
        ptr::hash(self, state);
    }
}

impl Ty {
    /// Returns the type inside lists and maps.
    pub(super) fn inner(self) -> Self {
        match self {
            Self::List(inner) | Self::Map(inner) => inner.inner(),
            ty @ (Self::Bool
            | Self::I32
            | Self::I64
            | Self::Str
            | Self::Bytes
            | Self::Time
            | Self::IntOrString
            | Self::Quantity
            | Self::Json
            | Self::Other
            | Self::Struct(_)) => ty,
        }
    }

    /// Returns the struct inside lists.
    pub(super) fn holds(&self) -> Option<&'static Type> {
        match self {
            Self::List(inner) => inner.holds(),
            Self::Struct(body) => Some(body),
            Self::Bool
            | Self::I32
            | Self::I64
            | Self::Str
            | Self::Bytes
            | Self::Time
            | Self::IntOrString
            | Self::Quantity
            | Self::Json
            | Self::Other
            | Self::Map(_) => None,
        }
    }
}

impl Field {
    /// Returns whether it is always written if this version is the oldest one in use.
    pub(super) fn is_required(&self, at: Kubernetes) -> bool {
        self.required || self.required_before.is_some_and(|since| at < since)
    }
}
