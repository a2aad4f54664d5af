//! Types: structs, enums, and what a field can hold.
use super::{Origin, TypeId};
use serde_json::Value;
use std::collections::BTreeSet;

/// A struct or an enum that is to be emitted.
#[derive(Clone, Debug)]
pub struct TypeDef {
    /// Where it comes from; more than one after dedup.
    pub origins: Vec<Origin>,
    /// Its Rust name; empty until the naming pass.
    pub name: String,
    /// The description of the schema.
    pub doc: Option<String>,
    /// What it is made of.
    pub body: Body,
    /// The traits it derives; set by the derives pass.
    pub derives: Derives,
}

/// What a type is made of.
#[derive(Clone, Debug)]
pub enum Body {
    /// An object with declared properties.
    Struct(Struct),
    /// A closed set of strings; values of a newer server are kept as text.
    Enum(Vec<Variant>),
}

/// The body of a struct.
#[derive(Clone, Debug, Default)]
pub struct Struct {
    /// Fields, sorted by wire name. A root has neither `apiVersion` nor `kind` here.
    pub fields: Vec<Field>,
    /// Whether unknown fields are kept (`x-kubernetes-preserve-unknown-fields` beside properties).
    pub rest: bool,
    /// Rust name of the field that keeps them; empty until the naming pass.
    pub rest_ident: String,
}

/// One value of an enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The text on the wire.
    pub value: String,
    /// Its Rust name; empty until the naming pass.
    pub ident: String,
}

/// A property of an object.
#[derive(Clone, Debug)]
pub struct Field {
    /// The name on the wire.
    pub wire: String,
    /// Its Rust name, raw identifiers included; empty until the naming pass.
    pub ident: String,
    /// What it holds.
    pub ty: Ty,
    /// Whether it can be absent or null.
    pub presence: Presence,
    /// Whether it is behind a `Box`; set by the boxing pass.
    pub boxed: bool,
    /// The description of the schema.
    pub doc: Option<String>,
    /// The default that the API server fills in.
    pub default: Option<Value>,
    /// Constraints, told in the docs.
    pub rules: Rules,
    /// Whether the schema deprecates the field.
    pub deprecated: bool,
}

/// Absent and null are two things.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Presence {
    /// Always there, never null.
    Required,
    /// May be absent.
    Optional,
    /// Always there, may be null.
    Nullable,
    /// May be absent, may be null.
    OptionalNullable,
}

/// What a field, an item or a map value holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    /// `boolean`
    Bool,
    /// `integer`
    Int(IntWidth),
    /// `number`
    Float(FloatWidth),
    /// `string`
    Str,
    /// `string` of format `byte`: base64 on the wire
    Bytes,
    /// `string` of format `date-time`
    Time,
    /// `x-kubernetes-int-or-string`
    IntOrString,
    /// Any JSON.
    Json,
    /// `ObjectMeta` of Kubernetes.
    ObjectMeta,
    /// `array`
    List(Box<Ty>),
    /// `object` of `additionalProperties`
    Map(Box<Ty>),
    /// A type of the model.
    Named(TypeId),
    /// A type of somebody else, by its Rust path (an override).
    External(String),
}

/// Width of an integer, from its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntWidth {
    /// `int8`
    I8,
    /// `int16`
    I16,
    /// `int32`
    I32,
    /// `int64`, or no format
    I64,
    /// `uint8`
    U8,
    /// `uint16`
    U16,
    /// `uint32`
    U32,
    /// `uint64`
    U64,
}

/// Width of a number, from its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatWidth {
    /// `float`
    F32,
    /// `double`, or no format
    F64,
}

/// Constraints of a schema node, as keyword and value in the order of the keywords.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rules(pub Vec<(&'static str, Value)>);

/// The traits a type derives beside `Clone`, `Debug` and `PartialEq`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Derives {
    /// `Eq`: nothing in it is a float.
    pub eq: bool,
    /// `Default`: every required part has one that means "not set".
    pub default: bool,
    /// More, by override.
    pub more: BTreeSet<String>,
}
