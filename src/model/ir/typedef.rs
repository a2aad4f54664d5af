//! What types consist of: structs, enums and unions, with their fields.
use super::{Ident, IntWidth, Origin, Rules, Ty, given};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The type of a schema location.
///
/// A field refers to the type of its own location, and so keeps its text whatever that type is: one of its own, or an alias of
/// another one.
#[derive(Clone, Debug)]
pub struct TypeDef {
    /// The schema location.
    pub origin: Origin,
    /// Its Rust name, given by an override or by the naming pass.
    pub name: Option<Ident>,
    /// The name of the type itself if several locations of its module have it. Each of them is then an alias of it.
    pub shared: Option<Ident>,
    /// The `title` of the schema.
    pub title: Option<String>,
    /// The description of the schema.
    pub doc: Option<String>,
    /// What the type consists of.
    pub body: Body,
    /// The traits it derives, set by the derives pass.
    pub derives: Derives,
    /// The names of the views of its choices, given by the naming pass.
    pub views: Vec<Ident>,
    /// The names under which the views are defined if the type is shared.
    pub shared_views: Vec<Ident>,
}

impl TypeDef {
    /// Returns the Rust name.
    ///
    /// # Panics
    /// Before the naming pass.
    pub fn name(&self) -> &Ident {
        given(self.name.as_ref())
    }

    /// Returns the name under which the type itself is defined.
    ///
    /// # Panics
    /// Before the naming pass.
    pub fn defined_name(&self) -> &Ident {
        self.shared.as_ref().unwrap_or_else(|| self.name())
    }

    /// Returns the names under which the views of its choices are defined.
    pub fn defined_views(&self) -> &[Ident] {
        if self.shared.is_some() {
            &self.shared_views
        } else {
            &self.views
        }
    }

    /// Returns whether the name of the location is an alias.
    pub fn is_alias(&self) -> bool {
        self.shared.is_some() || matches!(self.body, Body::Alias(_))
    }
}

/// What a type consists of.
#[derive(Clone, Debug)]
pub enum Body {
    /// An object with declared properties.
    Struct(Struct),
    /// A set of strings, numbers and booleans; values that the schema does not declare are kept.
    Enum(Enum),
    /// A value of one of several types, chosen by its kind of JSON.
    Union(Union),
    /// Another type: that of the first equal location in the same module, that of another version of the group, or a reused type.
    Alias(Ty),
}

impl Body {
    /// Returns the types of the fields, or the target of an alias.
    pub fn types(&self) -> impl DoubleEndedIterator<Item = &Ty> {
        let (fields, alias): (&[Field], _) = match self {
            Self::Struct(body) => (&body.fields, None),
            // The arms of a union refer to no type of the model.
            Self::Enum(_) | Self::Union(_) => (&[], None),
            Self::Alias(ty) => (&[], Some(ty)),
        };
        fields.iter().map(|field| &field.ty).chain(alias)
    }

    /// Returns the types of the fields, or the target of an alias, mutably.
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
    /// The field that keeps unknown fields (`x-kubernetes-preserve-unknown-fields` beside properties). The naming pass makes its
    /// name unique.
    pub rest: Option<Ident>,
    /// Fields of which the schema permits one at most.
    pub choices: Vec<Choice>,
}

/// Fields of which the schema permits one at most.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Choice {
    /// The fields, sorted by wire name.
    pub members: Vec<Member>,
    /// Whether the schema requires one of them.
    pub is_required: bool,
    /// The field that the view is named by; none for the first of a struct.
    pub named_by: Option<String>,
    /// The name of the method that returns the view, given by the naming pass.
    pub method: Option<Ident>,
}

impl Choice {
    /// Returns the name of the method.
    ///
    /// # Panics
    /// Before the naming pass.
    pub fn method(&self) -> &Ident {
        given(self.method.as_ref())
    }
}

/// One field of a choice.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Member {
    /// The field, by its name on the wire.
    pub wire: String,
    /// The texts that other fields must have beside this one.
    pub sets: Vec<(String, String)>,
    /// The variant of the view, named by the naming pass.
    pub variant: Option<Ident>,
    /// The function that creates a struct with this field, named by the naming pass. The root of a kind has none.
    pub constructor: Option<Ident>,
}

impl Member {
    /// Returns the name of the variant.
    ///
    /// # Panics
    /// Before the naming pass.
    pub fn variant(&self) -> &Ident {
        given(self.variant.as_ref())
    }
}

/// The body of an enum.
#[derive(Clone, Debug)]
pub struct Enum {
    /// The type of the values.
    pub base: EnumBase,
    /// The declared values in the order of the schema, each once.
    pub variants: Vec<Variant>,
    /// The variant that keeps any other value. The naming pass makes its name unique.
    pub other: Ident,
    /// Index of the default value.
    pub default: Option<usize>,
    /// Whether it is a text with a constant for each value, since rustc takes too long for an enum of this size.
    pub constants: bool,
}

impl Enum {
    /// Returns whether its values are copied: numbers are, texts are not.
    pub fn is_copy(&self) -> bool {
        matches!(self.base, EnumBase::Int(_)) && !self.constants
    }

    /// Returns the index of the variant that a missing value is read as, if it is declared: empty text, zero or null.
    pub fn blank(&self) -> Option<usize> {
        let is_blank = |value: &Value| match self.base {
            EnumBase::Text => value == "",
            EnumBase::Int(_) => *value == 0,
            EnumBase::Mixed => value.is_null(),
        };
        let mut variants = self.variants.iter();
        variants.position(|variant| is_blank(&variant.value))
    }
}

/// The body of a union.
#[derive(Clone, Debug)]
pub struct Union {
    /// The types, each of another kind of JSON: scalars, or lists and maps of scalars or of raw JSON.
    pub arms: Vec<Arm>,
    /// The variant that keeps any other JSON.
    pub other: Ident,
}

/// One type of a union.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arm {
    /// The type.
    pub ty: Ty,
    /// Its Rust name: the kind of JSON.
    pub ident: Ident,
}

/// The type of an enum's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EnumBase {
    /// Strings.
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
    /// Its Rust name, given by the naming pass.
    pub ident: Option<Ident>,
}

impl Variant {
    /// Returns the Rust name.
    ///
    /// # Panics
    /// Before the naming pass.
    pub fn ident(&self) -> &Ident {
        given(self.ident.as_ref())
    }

    /// Returns the value as text, without quotes.
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
    /// Its Rust name, given by an override or by the naming pass.
    pub ident: Option<Ident>,
    /// The type of its value.
    pub ty: Ty,
    /// Whether it may be absent or null.
    pub presence: Presence,
    /// Whether an override puts it into a `Box`.
    pub boxed: bool,
    /// The description of the schema.
    pub doc: Option<String>,
    /// The default that the API server fills in.
    pub default: Option<Value>,
    /// Constraints.
    pub rules: Rules,
}

impl Field {
    /// Returns the Rust name.
    ///
    /// # Panics
    /// Before the naming pass.
    pub fn ident(&self) -> &Ident {
        given(self.ident.as_ref())
    }
}

/// Whether a field may be absent, and whether it may be null.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Presence {
    /// Always present, never null.
    Required,
    /// May be absent.
    Optional,
    /// Always present, may be null.
    Nullable,
    /// May be absent, may be null.
    OptionalNullable,
}

/// The traits a type derives besides `Clone`, `Debug` and `PartialEq`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Derives {
    /// `Default`.
    pub default: DefaultImpl,
    /// Traits that overrides add.
    pub more: BTreeSet<String>,
}

/// How a type implements `Default`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DefaultImpl {
    /// By a derive: every required part implements it.
    #[default]
    Derived,
    /// By an impl of its own, since a required part is of another crate, which may not implement it.
    Blank,
    /// Not at all: a required part is an enum to which the schema gives no default, and none of its values is a better guess than another.
    Missing,
}

impl Presence {
    /// Returns the presence of a property, from `required` and `nullable`.
    pub fn of(required: bool, nullable: bool) -> Self {
        match (required, nullable) {
            (true, false) => Self::Required,
            (false, false) => Self::Optional,
            (true, true) => Self::Nullable,
            (false, true) => Self::OptionalNullable,
        }
    }

    /// Returns whether the field may be absent.
    pub fn may_be_absent(self) -> bool {
        matches!(self, Self::Optional | Self::OptionalNullable)
    }
}
