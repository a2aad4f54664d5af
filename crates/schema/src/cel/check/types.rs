//! Types of expressions, from schemas and from the signatures of functions.

use std::{collections::BTreeMap, fmt, rc::Rc};

use crate::{cel::names::escape, node::Node};

#[derive(Clone, Debug, PartialEq)]
pub(in crate::cel) enum Type {
    /// A value of any type, such as an int-or-string.
    Dyn,
    /// A type with a name and no parts, such as `int`.
    Plain(&'static str),
    List(Rc<Type>),
    Map(Rc<Type>, Rc<Type>),
    Optional(Rc<Type>),
    /// The type of a type, as `type(x)` returns it.
    Meta(Rc<Type>),
    Object(Rc<Object>),
    /// A type parameter of a signature.
    Any(&'static str),
}

/// An object of a schema.
#[derive(Debug)]
pub(in crate::cel) struct Object {
    pub(super) name: String,
    pub(super) fields: BTreeMap<String, Type>,
}

impl Object {
    /// Returns a field by its identifier; the server takes its own name too.
    pub(super) fn field(&self, name: &str) -> Option<&Type> {
        let escaped = || self.fields.get(&escape(name)?);
        self.fields.get(name).or_else(escaped)
    }
}

impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

pub(super) const BOOL: Type = Type::Plain("bool");
pub(super) const INT: Type = Type::Plain("int");
pub(in crate::cel) const STRING: Type = Type::Plain("string");
pub(super) const NULL: Type = Type::Plain("null");

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
    pub(super) fn list(items: Self) -> Self {
        Self::List(Rc::new(items))
    }

    pub(super) fn map(keys: Self, values: Self) -> Self {
        Self::Map(Rc::new(keys), Rc::new(values))
    }

    pub(super) fn optional(self) -> Self {
        Self::Optional(Rc::new(self))
    }

    /// Returns the type of a schema's values; `None` if rules cannot read them.
    pub(super) fn of(schema: &Node, name: &str) -> Option<Self> {
        if schema.int_or_string {
            return Some(Self::Dyn);
        }
        let format = schema
            .format
            .as_deref()
            .map(|format| format.replace('-', ""));
        Some(match (schema.type_.as_deref()?, format.as_deref()) {
            ("boolean", _) => BOOL,
            ("integer", _) => INT,
            ("number", _) => Self::Plain("double"),
            ("string", Some("byte")) => Self::Plain("bytes"),
            ("string", Some("duration")) => Self::Plain("duration"),
            ("string", Some("date" | "datetime")) => Self::Plain("timestamp"),
            ("string", _) => STRING,
            ("array", _) => {
                Self::list(Self::of(schema.items.as_deref()?, &format!("{name}.@idx"))?)
            }
            ("object", _) => match schema.additional() {
                Some(inner) => Self::map(STRING, Self::of(inner, &format!("{name}.@elem"))?),
                None => Self::object(schema, name, schema.embedded_resource),
            },
            _ => return None,
        })
    }

    /// Returns the type of an object; a resource has a name.
    pub(super) fn object(schema: &Node, name: &str, resource: bool) -> Self {
        let mut fields: BTreeMap<String, Self> = BTreeMap::new();
        for (field, inner) in &schema.properties {
            if let Some(escaped) = escape(field)
                && let Some(inner) = Self::of(inner, &format!("{name}.{field}"))
            {
                fields.insert(escaped, inner);
            }
        }
        let is_complete = ["apiVersion", "kind"]
            .iter()
            .all(|it| fields.get(*it) == Some(&STRING))
            && matches!(fields.get("metadata"), Some(Self::Object(it)) if !it.fields.is_empty());
        if resource && !is_complete {
            let names = ["name", "generateName"].map(|name| (name.to_owned(), STRING));
            let metadata = Object {
                name: format!("{name}.metadata"),
                fields: names.into(),
            };
            fields.insert("apiVersion".to_owned(), STRING);
            fields.insert("kind".to_owned(), STRING);
            fields.insert("metadata".to_owned(), Self::Object(Rc::new(metadata)));
        }
        let name = name.to_owned();
        Self::Object(Rc::new(Object { name, fields }))
    }

    /// Reads a type of a signature, such as `list(A)`.
    pub(super) fn parse(text: &'static str) -> Self {
        let inner = |text: &'static str| text.strip_suffix(')');
        if let Some(item) = text.strip_prefix("list(").and_then(inner) {
            return Self::list(Self::parse(item));
        }
        if let Some(item) = text.strip_prefix("optional(").and_then(inner) {
            return Self::parse(item).optional();
        }
        if let Some(item) = text.strip_prefix("type(").and_then(inner) {
            return Self::Meta(Rc::new(Self::parse(item)));
        }
        if let Some((key, value)) = text
            .strip_prefix("map(")
            .and_then(inner)
            .and_then(|it| it.split_once(' '))
        {
            return Self::map(Self::parse(key), Self::parse(value));
        }
        match PLAIN.iter().find(|name| **name == text) {
            Some(name) => Self::Plain(name),
            None if text == "dyn" => Self::Dyn,
            None => Self::Any(text),
        }
    }

    /// Returns the type of the name of a type.
    pub(super) fn named(name: &str) -> Option<Self> {
        let inner = match name {
            "google.protobuf.Duration" => Self::Plain("duration"),
            "google.protobuf.Timestamp" => Self::Plain("timestamp"),
            "null_type" => NULL,
            "list" => Self::list(Self::Dyn),
            "map" => Self::map(Self::Dyn, Self::Dyn),
            "optional_type" => Self::Dyn.optional(),
            "type" => Self::Meta(Rc::new(Self::Dyn)),
            "dyn" => Self::Dyn,
            name => Self::Plain(PLAIN.iter().find(|known| **known == name)?),
        };
        Some(Self::Meta(Rc::new(inner)))
    }

    /// Returns whether a value of type `given` can stand where this type is expected, and binds what the signature leaves open.
    pub(super) fn accepts(&self, given: &Self, bound: &mut BTreeMap<&'static str, Self>) -> bool {
        match (self, given) {
            (Self::Any(name), given) => match bound.get(name).cloned() {
                None | Some(Self::Dyn) => {
                    bound.insert(name, given.clone());
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
            (Self::Dyn, _)
            | (_, Self::Dyn | Self::Any(_))
            | (Self::Meta(_), Self::Meta(_))
            | (Self::Object(_) | Self::Optional(_) | Self::Plain(_), Self::Plain("null")) => true,
            (Self::List(expected), Self::List(given))
            | (Self::Optional(expected), Self::Optional(given)) => expected.accepts(given, bound),
            (Self::Map(key, value), Self::Map(given_key, given_value)) => {
                key.accepts(given_key, bound) && value.accepts(given_value, bound)
            }
            (expected, given) => expected == given,
        }
    }

    /// Returns the type with what a call has bound; what is still open is dynamic.
    pub(super) fn bind(&self, bound: &BTreeMap<&'static str, Self>) -> Self {
        match self {
            Self::Any(name) => bound.get(name).cloned().unwrap_or(Self::Dyn),
            Self::List(items) => Self::list(items.bind(bound)),
            Self::Map(keys, values) => Self::map(keys.bind(bound), values.bind(bound)),
            Self::Optional(inner) => inner.bind(bound).optional(),
            Self::Meta(inner) => Self::Meta(Rc::new(inner.bind(bound))),
            Self::Dyn | Self::Plain(_) | Self::Object(_) => self.clone(),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dyn => f.write_str("dyn"),
            Self::Plain(name) | Self::Any(name) => f.write_str(name),
            Self::List(items) => write!(f, "list({items})"),
            Self::Map(keys, values) => write!(f, "map({keys}, {values})"),
            Self::Optional(inner) => write!(f, "optional_type({inner})"),
            Self::Meta(inner) => write!(f, "type({inner})"),
            Self::Object(object) => f.write_str(&object.name),
        }
    }
}
