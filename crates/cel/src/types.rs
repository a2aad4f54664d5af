//! Types of expressions, declared for variables or read from the signatures of functions.

use std::{collections::BTreeMap, fmt, sync::Arc};

use crate::syntax::reserved;

/// The type of an expression.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Type {
    /// A value of any type, such as an int-or-string.
    Dyn,
    /// A type with a name and no parts, such as `int`.
    Plain(&'static str),
    List(Arc<Type>),
    Map(Arc<Type>, Arc<Type>),
    Optional(Arc<Type>),
    /// The type of a type, as `type(x)` returns it.
    Meta(Arc<Type>),
    Object(Arc<Object>),
    /// What a literal such as `Object.spec{…}` creates. Only the expressions of mutations have such literals.
    Struct(Arc<str>),
    /// What is in an empty list or map: it takes the type of what it is joined with.
    Open,
    /// A type parameter of a signature.
    Any(&'static str),
}

/// An object with declared fields.
#[derive(Debug)]
pub struct Object {
    pub(crate) name: String,
    pub(crate) fields: BTreeMap<String, Type>,
}

impl Object {
    /// Returns a field by its identifier; the server also takes a reserved word by its own name.
    pub(crate) fn field(&self, name: &str) -> Option<&Type> {
        let reserved = || self.fields.get(&reserved(name)?);
        self.fields.get(name).or_else(reserved)
    }
}

impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// The types that have a name in signatures and expressions.
const PLAIN: &[&str] = &[
    "bool",
    "bytes",
    "double",
    "duration",
    "int",
    "null",
    "string",
    "timestamp",
    "uint",
    "net.CIDR",
    "net.IP",
    "kubernetes.NamedFormat",
    "kubernetes.Quantity",
    "kubernetes.Semver",
    "kubernetes.URL",
];

impl Type {
    pub const BOOL: Self = Self::Plain("bool");
    pub const BYTES: Self = Self::Plain("bytes");
    pub const DOUBLE: Self = Self::Plain("double");
    pub const DURATION: Self = Self::Plain("duration");
    pub const INT: Self = Self::Plain("int");
    pub const NULL: Self = Self::Plain("null");
    pub const STRING: Self = Self::Plain("string");
    pub const TIMESTAMP: Self = Self::Plain("timestamp");
    pub const UINT: Self = Self::Plain("uint");

    /// A list of items of a type.
    pub fn list(items: Self) -> Self {
        Self::List(Arc::new(items))
    }

    /// A map.
    pub fn map(keys: Self, values: Self) -> Self {
        Self::Map(Arc::new(keys), Arc::new(values))
    }

    /// An optional value of this type.
    #[must_use]
    pub fn optional(self) -> Self {
        Self::Optional(Arc::new(self))
    }

    /// An object with fields by their [identifiers](crate::escape). Objects of the same name have the same type.
    pub fn object(
        name: impl Into<String>,
        fields: impl IntoIterator<Item = (String, Self)>,
    ) -> Self {
        Self::Object(Arc::new(Object {
            name: name.into(),
            fields: fields.into_iter().collect(),
        }))
    }

    /// What the literal of this name creates, for example `JSONPatch`.
    pub fn literal(name: &str) -> Self {
        Self::Struct(name.into())
    }

    /// Returns whether the type is an object with fields.
    pub fn has_fields(&self) -> bool {
        matches!(self, Self::Object(object) if !object.fields.is_empty())
    }

    /// Returns a type without parts by its name.
    pub(crate) fn plain(name: &str) -> Option<Self> {
        let known = PLAIN.iter().find(|known| **known == name)?;
        Some(Self::Plain(known))
    }

    /// Returns the type of the name of a type.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let inner = match name {
            "google.protobuf.Duration" => Self::Plain("duration"),
            "google.protobuf.Timestamp" => Self::Plain("timestamp"),
            "null_type" => Self::NULL,
            "list" => Self::list(Self::Dyn),
            "map" => Self::map(Self::Dyn, Self::Dyn),
            "optional_type" => Self::Dyn.optional(),
            "type" => Self::Meta(Arc::new(Self::Dyn)),
            "dyn" => Self::Dyn,
            name => Self::plain(name)?,
        };
        Some(Self::Meta(Arc::new(inner)))
    }

    /// Returns whether a value of type `given` can stand where this type is expected, and binds what the signature leaves open.
    pub(crate) fn accepts(&self, given: &Self, bound: &mut BTreeMap<&'static str, Self>) -> bool {
        match (self, given) {
            (Self::Any(name), given) => match bound.get(name).cloned() {
                None | Some(Self::Open) => {
                    bound.insert(name, given.clone());
                    true
                }
                Some(Self::Dyn) => true,
                Some(_) if *given == Self::Dyn => {
                    bound.insert(name, Self::Dyn);
                    true
                }
                Some(known) => {
                    known.accepts(given, bound) || {
                        // `[]` is a list of anything.
                        let is_wider = given.accepts(&known, bound);
                        if is_wider {
                            bound.insert(name, given.clone());
                        }
                        is_wider
                    }
                }
            },
            (
                Self::Plain("bool" | "bytes" | "double" | "int" | "string" | "uint"),
                Self::Plain("null"),
            ) => false,
            (Self::Dyn | Self::Open, _)
            | (_, Self::Dyn | Self::Open | Self::Any(_))
            | (Self::Meta(_), Self::Meta(_))
            | (
                Self::Object(_) | Self::Optional(_) | Self::Plain(_) | Self::Struct(_),
                Self::Plain("null"),
            ) => true,
            (Self::List(expected), Self::List(given))
            | (Self::Optional(expected), Self::Optional(given)) => expected.accepts(given, bound),
            (Self::Map(key, value), Self::Map(given_key, given_value)) => {
                key.accepts(given_key, bound) && value.accepts(given_value, bound)
            }
            (expected, given) => expected == given,
        }
    }

    /// Returns the type of values of both types; nothing if they differ.
    pub(crate) fn joined(&self, other: &Self) -> Option<Self> {
        Some(match (self, other) {
            (Self::Open, known) | (known, Self::Open) => known.clone(),
            (Self::List(one), Self::List(two)) => Self::list(one.joined(two)?),
            (Self::Optional(one), Self::Optional(two)) => one.joined(two)?.optional(),
            (Self::Map(key, value), Self::Map(other_key, other_value)) => {
                Self::map(key.joined(other_key)?, value.joined(other_value)?)
            }
            (one, two) if one == two => one.clone(),
            _ => return None,
        })
    }

    /// Returns the type with what a call has bound.
    pub(crate) fn bind(&self, bound: &BTreeMap<&'static str, Self>) -> Self {
        match self {
            Self::Any(name) => bound.get(name).cloned().unwrap_or(Self::Open),
            Self::List(items) => Self::list(items.bind(bound)),
            Self::Map(keys, values) => Self::map(keys.bind(bound), values.bind(bound)),
            Self::Optional(inner) => inner.bind(bound).optional(),
            Self::Meta(inner) => Self::Meta(Arc::new(inner.bind(bound))),
            Self::Dyn | Self::Open | Self::Plain(_) | Self::Object(_) | Self::Struct(_) => {
                self.clone()
            }
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dyn | Self::Open => f.write_str("dyn"),
            Self::Plain(name) | Self::Any(name) => f.write_str(name),
            Self::List(items) => write!(f, "list({items})"),
            Self::Map(keys, values) => write!(f, "map({keys}, {values})"),
            Self::Optional(inner) => write!(f, "optional_type({inner})"),
            Self::Meta(inner) => write!(f, "type({inner})"),
            Self::Object(object) => f.write_str(&object.name),
            Self::Struct(name) => f.write_str(name),
        }
    }
}
