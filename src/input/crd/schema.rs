//! A typed structural schema. Each schema form consumes its keywords; the rest is reported.
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A node of `openAPIV3Schema` (`JSONSchemaProps` of `apiextensions.k8s.io/v1`).
#[derive(Clone, Debug, Default)]
pub struct Schema {
    /// `type`
    pub type_: Option<SchemaType>,
    /// `format`: any text; known formats count only with their type.
    pub format: Option<String>,
    /// `title`
    pub title: Option<String>,
    /// `description`
    pub description: Option<String>,
    /// `nullable`
    pub nullable: bool,
    /// `default`
    pub default: Option<Value>,
    /// `enum`
    pub enum_: Option<Vec<Value>>,
    /// `properties`
    pub properties: Option<BTreeMap<String, Box<Schema>>>,
    /// `required`
    pub required: Vec<String>,
    /// `items`
    pub items: Option<Items>,
    /// `additionalProperties`
    pub additional: Option<Additional>,
    /// Bounds and patterns.
    pub constraints: Constraints,
    /// `x-kubernetes-*`
    pub kubernetes: Kubernetes,
    /// `oneOf`, `anyOf`, `allOf`, `not`
    pub logic: Logic,
    /// `example` and `externalDocs`: they are not used.
    pub annotations: Map<String, Value>,
    /// Keywords that structural schemas do not have.
    pub unknown: Map<String, Value>,
}

impl Schema {
    /// Keeps unknown fields in every object, as `spec.preserveUnknownFields` does.
    pub(super) fn preserve(&mut self) {
        if self.properties.is_some() && !self.kubernetes.preserve_unknown_fields {
            self.kubernetes.preserve_unknown_fields = true;
            // Beside the extension, properties without a type accept any JSON.
            self.type_.get_or_insert(SchemaType::Object);
        }
        let properties = self.properties.iter_mut().flat_map(BTreeMap::values_mut);
        properties.for_each(|property| property.preserve());
        if let Some(Items::Schema(items)) = &mut self.items {
            items.preserve();
        }
        if let Some(Additional::Schema(values)) = &mut self.additional {
            values.preserve();
        }
    }
}

/// `type`
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SchemaType {
    /// `object`
    Object,
    /// `array`
    Array,
    /// `string`
    String,
    /// `integer`
    Integer,
    /// `number`
    Number,
    /// `boolean`
    Boolean,
    /// Anything else: reported, and lowered to raw JSON.
    Unknown(String),
}

/// `items`
#[derive(Clone, Debug)]
pub enum Items {
    /// One schema for all.
    Schema(Box<Schema>),
    /// A list of schemas, which structural schemas do not allow.
    Tuple(Vec<Value>),
}

/// `additionalProperties`
#[derive(Clone, Debug)]
pub enum Additional {
    /// A schema for all values.
    Schema(Box<Schema>),
    /// `true` or `false`
    Bool(bool),
}

/// Bounds and patterns, unchanged.
#[derive(Clone, Debug, Default)]
pub struct Constraints {
    /// Keyword and value, in the order of [`Constraints::KEYWORDS`].
    pub all: Vec<(&'static str, Value)>,
}

impl Constraints {
    /// The keywords that are constraints.
    pub const KEYWORDS: &'static [&'static str] = &[
        "minimum",
        "exclusiveMinimum",
        "maximum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "pattern",
        "minItems",
        "maxItems",
        "uniqueItems",
        "minProperties",
        "maxProperties",
    ];
}

/// The extensions of Kubernetes.
#[derive(Clone, Debug, Default)]
pub struct Kubernetes {
    /// `x-kubernetes-preserve-unknown-fields`
    pub preserve_unknown_fields: bool,
    /// `x-kubernetes-embedded-resource`
    pub embedded_resource: bool,
    /// `x-kubernetes-int-or-string`
    pub int_or_string: bool,
    /// `x-kubernetes-list-type`
    pub list_type: Option<String>,
    /// `x-kubernetes-list-map-keys`
    pub list_map_keys: Vec<String>,
    /// `x-kubernetes-map-type`
    pub map_type: Option<String>,
    /// `x-kubernetes-validations`
    pub validations: Vec<Value>,
}

/// Combinators.
#[derive(Clone, Debug, Default)]
pub struct Logic {
    /// `oneOf`
    pub one_of: Vec<Value>,
    /// `anyOf`
    pub any_of: Vec<Value>,
    /// `allOf`
    pub all_of: Vec<Value>,
    /// `not`
    pub not: Option<Value>,
}
