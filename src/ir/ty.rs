//! Types: structs, enums, and what a field can hold.
use super::{Origin, Rules, Segment, TypeId};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// What stands at a place that asks for a type of its own; the place, and so the name, stays its own even where the type is another's.
#[derive(Clone, Debug)]
pub struct TypeDef {
    /// The place.
    pub origin: Origin,
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
    /// A set of strings, numbers and booleans; values of a newer server are kept.
    Enum(Enum),
    /// A value of one of several types, told apart by what comes.
    Union(Union),
    /// Another type: that of another place of its module, one of somebody else, or one that another version of its group
    /// defines. Only the last is referred to, so that what is said in a module names places of that module alone; of the
    /// others the name is kept.
    Alias(Ty),
}

impl Body {
    /// What the fields of it hold, or what it is an alias of.
    pub fn types(&self) -> impl DoubleEndedIterator<Item = &Ty> {
        let (fields, alias): (&[Field], _) = match self {
            Self::Struct(body) => (&body.fields, None),
            // The arms of a union hold no type of the model.
            Self::Enum(_) | Self::Union(_) => (&[], None),
            Self::Alias(ty) => (&[], Some(ty)),
        };
        fields.iter().map(|field| &field.ty).chain(alias)
    }

    /// The same, to be changed.
    pub fn types_mut(&mut self) -> impl Iterator<Item = &mut Ty> {
        let (fields, alias): (&mut [Field], _) = match self {
            Self::Struct(body) => (&mut body.fields, None),
            Self::Enum(_) | Self::Union(_) => (&mut [], None),
            Self::Alias(ty) => (&mut [], Some(ty)),
        };
        fields.iter_mut().map(|field| &mut field.ty).chain(alias)
    }
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

/// The body of an enum.
#[derive(Clone, Debug, Default)]
pub struct Enum {
    /// What the values are.
    pub base: EnumBase,
    /// The declared values, in the order of the schema, each once.
    pub variants: Vec<Variant>,
    /// Rust name of the variant that keeps any other value; empty until the naming pass.
    pub other_ident: String,
    /// Index of the value that the API server fills in, if the schema has a default.
    pub default: Option<usize>,
}

/// The body of an enum of types.
#[derive(Clone, Debug, Default)]
pub struct Union {
    /// The types, each of another kind of JSON: scalars, or lists and maps of such or of raw JSON.
    pub arms: Vec<Arm>,
    /// Rust name of the variant that keeps any other JSON; empty until the naming pass.
    pub other_ident: String,
}

/// One type of a union.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arm {
    /// The type.
    pub ty: Ty,
    /// Its Rust name; empty until the naming pass.
    pub ident: String,
}

/// What the values of an enum are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EnumBase {
    /// Strings.
    #[default]
    Text,
    /// Integers of this width.
    Int(IntWidth),
    /// Strings, numbers and booleans.
    Mixed,
}

/// One value of an enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The value on the wire: a string, a number or a boolean.
    pub value: Value,
    /// Its Rust name; empty until the naming pass.
    pub ident: String,
}

impl Variant {
    /// The value as a text without quotes.
    pub fn text(&self) -> Cow<'_, str> {
        match &self.value {
            Value::String(text) => text.into(),
            other => other.to_string().into(),
        }
    }
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
    /// Whether it is behind a `Box`; decided by the boxing pass where no override did.
    pub boxed: Option<bool>,
    /// The description of the schema.
    pub doc: Option<String>,
    /// The default that the API server fills in.
    pub default: Option<Value>,
    /// Constraints.
    pub rules: Rules,
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
    /// `number`: an integer of 64 bits or a float, as it is on the wire
    Number,
    /// `string`
    Str,
    /// `string` of format `byte`: base64 on the wire
    Bytes,
    /// `string` of format `date-time`: its text, as it is on the wire
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
    /// An item or a map value that may be null; a field says so by its [`Presence`].
    Nullable(Box<Ty>),
    /// A type of the model.
    Named(TypeId),
    /// A type of somebody else, by its Rust path: one of `k8s-openapi`, or an override.
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

/// The traits a type derives beside `Clone`, `Debug` and `PartialEq`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Derives {
    /// `Eq`: every part has it.
    pub eq: bool,
    /// `Default`: every required part has one.
    pub default: bool,
    /// More, by override.
    pub more: BTreeSet<String>,
}

impl Ty {
    /// The type of the model in it, through lists, maps and null.
    pub fn named(&self) -> Option<TypeId> {
        match self {
            Self::Named(id) => Some(*id),
            Self::List(inner) | Self::Map(inner) | Self::Nullable(inner) => inner.named(),
            Self::Bool
            | Self::Int(_)
            | Self::Number
            | Self::Str
            | Self::Bytes
            | Self::Time
            | Self::IntOrString
            | Self::Json
            | Self::ObjectMeta
            | Self::External(_) => None,
        }
    }

    /// The same, to be changed: the place of the reference itself.
    pub fn named_mut(&mut self) -> Option<&mut Self> {
        match self {
            Self::Named(_) => Some(self),
            Self::List(inner) | Self::Map(inner) | Self::Nullable(inner) => inner.named_mut(),
            Self::Bool
            | Self::Int(_)
            | Self::Number
            | Self::Str
            | Self::Bytes
            | Self::Time
            | Self::IntOrString
            | Self::Json
            | Self::ObjectMeta
            | Self::External(_) => None,
        }
    }
}

impl Ty {
    /// What a list or a map holds, and the step of a path to it.
    pub fn element(&self) -> Option<(Segment, &Self)> {
        match self {
            Self::List(inner) => Some((Segment::Items, inner)),
            Self::Map(inner) => Some((Segment::Values, inner)),
            Self::Bool
            | Self::Int(_)
            | Self::Number
            | Self::Str
            | Self::Bytes
            | Self::Time
            | Self::IntOrString
            | Self::Json
            | Self::ObjectMeta
            | Self::Nullable(_)
            | Self::Named(_)
            | Self::External(_) => None,
        }
    }

    /// The type without null.
    pub fn not_null(&self) -> &Self {
        if let Self::Nullable(inner) = self {
            inner.not_null()
        } else {
            self
        }
    }

    /// The type without null, to be changed.
    pub fn not_null_mut(&mut self) -> &mut Self {
        if let Self::Nullable(inner) = self {
            inner.not_null_mut()
        } else {
            self
        }
    }
}

impl Presence {
    /// The presence of a property, from `required` and `nullable`.
    pub fn of(required: bool, nullable: bool) -> Self {
        match (required, nullable) {
            (true, false) => Self::Required,
            (false, false) => Self::Optional,
            (true, true) => Self::Nullable,
            (false, true) => Self::OptionalNullable,
        }
    }

    /// Whether the field may be absent.
    pub fn may_be_absent(self) -> bool {
        matches!(self, Self::Optional | Self::OptionalNullable)
    }
}

impl IntWidth {
    /// The least and the greatest integer of this width.
    pub fn range(self) -> RangeInclusive<i128> {
        match self {
            Self::I8 => i8::MIN.into()..=i8::MAX.into(),
            Self::I16 => i16::MIN.into()..=i16::MAX.into(),
            Self::I32 => i32::MIN.into()..=i32::MAX.into(),
            Self::I64 => i64::MIN.into()..=i64::MAX.into(),
            Self::U8 => 0..=u8::MAX.into(),
            Self::U16 => 0..=u16::MAX.into(),
            Self::U32 => 0..=u32::MAX.into(),
            Self::U64 => 0..=u64::MAX.into(),
        }
    }

    /// Whether a value of this width can be this integer.
    pub fn holds(self, value: &Value) -> bool {
        integer(value).is_some_and(|it| self.range().contains(&it))
    }
}

/// The integer that a JSON value is.
pub(super) fn integer(value: &Value) -> Option<i128> {
    let signed = value.as_i64().map(i128::from);
    signed.or_else(|| value.as_u64().map(i128::from))
}
