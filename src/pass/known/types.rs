//! What is known of the types of k8s-openapi: the data of the table, and look-up in it.
use crate::options::Kubernetes;
use std::hash::{Hash, Hasher};
use std::ptr;

/// A struct of k8s-openapi, as all versions of Kubernetes have it from one on.
#[derive(Debug)]
pub(super) struct Type {
    /// Its Rust path.
    pub(super) path: &'static str,
    /// The first sentence of its docs.
    pub(super) doc: &'static str,
    /// Whether it implements `Default`.
    pub(super) default: bool,
    /// Whether the runtime reads and writes it field by field; all others go through their own serde code.
    pub(super) record: bool,
    /// The version from which on it may be reused.
    since: Kubernetes,
    /// Its fields in all versions, in byte order of their names on the wire.
    pub(super) fields: &'static [Field],
}

/// A field of it.
#[derive(Debug)]
pub(super) struct Field {
    /// Name on the wire.
    pub(super) wire: &'static str,
    /// The version from which on all have it, where its type is older.
    pub(super) since: Kubernetes,
    /// Whether it is no `Option`: always written.
    required: bool,
    /// The version from which on it is an `Option`, where it is none before.
    pub(super) required_before: Option<Kubernetes>,
    /// What it holds, without `Option`.
    pub(super) ty: Ty,
    /// The first sentence of its docs, where it holds a struct.
    pub(super) doc: &'static str,
}

/// What a field holds.
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
    /// What is never reused: not the same in all versions, or not in the table.
    Other,
    List(&'static Ty),
    Map(&'static Ty),
    Struct(&'static Type),
}

impl Type {
    /// The name of the struct.
    pub(super) fn name(&self) -> &'static str {
        self.path.rsplit("::").next().unwrap_or(self.path)
    }

    /// Whether all versions from this one on have it.
    pub(super) fn is_in(&self, at: Kubernetes) -> bool {
        self.since <= at
    }

    /// Whether it writes a time of this name in whole seconds: its own serde code does.
    pub(super) fn rounds(&self, wire: &str) -> bool {
        let is_time = |field: &Field| matches!(field.ty, Ty::Time);
        !self.record && self.field_of_any(wire).is_some_and(is_time)
    }

    /// The fields that all versions from this one on have.
    pub(super) fn fields(&self, at: Kubernetes) -> impl Iterator<Item = &'static Field> + use<> {
        let fields = self.fields.iter();
        fields.filter(move |field| field.since <= at)
    }

    /// The field of a name on the wire, if all versions from this one on have it.
    pub(super) fn field(&self, wire: &str, at: Kubernetes) -> Option<&'static Field> {
        self.field_of_any(wire).filter(|field| field.since <= at)
    }

    /// The field of a name on the wire, whichever versions have it.
    pub(super) fn field_of_any(&self, wire: &str) -> Option<&'static Field> {
        let at = self.fields.binary_search_by(|it| it.wire.cmp(wire)).ok()?;
        self.fields.get(at)
    }
}

/// Two entries of the table are one only if they stand at one place.
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
    /// What is in it, through lists and maps.
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

    /// The struct in it, through lists.
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

/// An entry for a type that the runtime reads and writes field by field.
pub(super) const fn record(
    path: &'static str,
    doc: &'static str,
    default: bool,
    fields: &'static [Field],
) -> Type {
    Type {
        path,
        doc,
        default,
        record: true,
        since: Kubernetes::ALL[0],
        fields,
    }
}

/// An entry for a type that reads and writes itself.
pub(super) const fn leaf(
    path: &'static str,
    doc: &'static str,
    default: bool,
    fields: &'static [Field],
) -> Type {
    Type {
        record: false,
        ..record(path, doc, default, fields)
    }
}

/// A field that is always written.
pub(super) const fn must(wire: &'static str, ty: Ty) -> Field {
    Field {
        wire,
        since: Kubernetes::ALL[0],
        required: true,
        required_before: None,
        ty,
        doc: "",
    }
}

/// A field that may be absent.
pub(super) const fn may(wire: &'static str, ty: Ty) -> Field {
    Field {
        required: false,
        ..must(wire, ty)
    }
}

impl Type {
    /// The type, which not all versions have.
    pub(super) const fn since(self, since: Kubernetes) -> Self {
        Self { since, ..self }
    }
}

impl Field {
    /// Whether it is always written where this version is the oldest.
    pub(super) fn is_required(&self, at: Kubernetes) -> bool {
        self.required || self.required_before.is_some_and(|since| at < since)
    }

    /// The field, which not all versions have.
    pub(super) const fn since(self, since: Kubernetes) -> Self {
        Self { since, ..self }
    }

    /// The field, which older versions always write.
    pub(super) const fn required_before(self, since: Kubernetes) -> Self {
        Self {
            required_before: Some(since),
            ..self
        }
    }

    /// The field, with its docs.
    pub(super) const fn said(self, doc: &'static str) -> Self {
        Self { doc, ..self }
    }
}
