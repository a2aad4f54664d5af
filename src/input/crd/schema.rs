//! A typed structural schema: what the generator and every tool see of a schema. Each schema form consumes its keywords; the rest is reported.
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A node of `openAPIV3Schema` (`JSONSchemaProps` of `apiextensions.k8s.io/v1`).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Schema {
    /// `type`
    #[serde(rename = "type", skip_serializing_if = "is_default")]
    pub type_: Option<SchemaType>,
    /// `format`: any text; known formats count only with their type.
    #[serde(skip_serializing_if = "is_default")]
    pub format: Option<String>,
    /// `title`
    #[serde(skip_serializing_if = "is_default")]
    pub title: Option<String>,
    /// `description`
    #[serde(skip_serializing_if = "is_default")]
    pub description: Option<String>,
    /// `nullable`
    #[serde(skip_serializing_if = "is_default")]
    pub nullable: bool,
    /// `default`
    #[serde(skip_serializing_if = "is_default")]
    pub default: Option<Value>,
    /// `enum`
    #[serde(rename = "enum", skip_serializing_if = "is_default")]
    pub enum_: Option<Vec<Value>>,
    /// `properties`
    #[serde(skip_serializing_if = "is_default")]
    pub properties: Option<BTreeMap<String, Box<Schema>>>,
    /// `required`
    #[serde(skip_serializing_if = "is_default")]
    pub required: Vec<String>,
    /// `items`
    #[serde(skip_serializing_if = "is_default")]
    pub items: Option<Items>,
    /// `additionalProperties`
    #[serde(rename = "additionalProperties", skip_serializing_if = "is_default")]
    pub additional: Option<Additional>,
    /// Bounds and patterns.
    #[serde(flatten)]
    pub constraints: Constraints,
    /// `x-kubernetes-*`
    #[serde(flatten)]
    pub kubernetes: Kubernetes,
    /// `oneOf`, `anyOf`, `allOf`, `not`
    #[serde(flatten)]
    pub logic: Logic,
    /// `example` and `externalDocs`: they are not used.
    #[serde(flatten)]
    pub annotations: Map<String, Value>,
    /// Keywords that structural schemas do not have.
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

impl Schema {
    /// Returns the declared properties, by their names.
    pub fn fields(&self) -> impl Iterator<Item = (&String, &Schema)> {
        let fields = self.properties.iter().flatten();
        fields.map(|(name, schema)| (name, &**schema))
    }

    /// Returns a declared property.
    pub fn field(&self, name: &str) -> Option<&Schema> {
        self.properties.as_ref()?.get(name).map(|it| &**it)
    }

    /// Returns the schema of the items of a list.
    pub fn items(&self) -> Option<&Schema> {
        match &self.items {
            Some(Items::Schema(items)) => Some(items),
            Some(Items::Tuple(_)) | None => None,
        }
    }

    /// Returns the schema of the values of a map.
    pub fn values(&self) -> Option<&Schema> {
        match &self.additional {
            Some(Additional::Schema(values)) => Some(values),
            Some(Additional::Bool(_)) | None => None,
        }
    }

    /// Returns the schema of the items of a list or the values of a map.
    pub fn element(&self) -> Option<&Schema> {
        self.items().or_else(|| self.values())
    }

    /// Returns whether the value has this type.
    pub fn is(&self, type_: SchemaType) -> bool {
        self.type_ == Some(type_)
    }

    /// Returns the value of a bound or pattern.
    pub fn bound(&self, keyword: &str) -> Option<&Value> {
        let mut all = self.constraints.all.iter();
        all.find_map(|(name, value)| (*name == keyword).then_some(value))
    }

    /// Returns whether a bound or pattern that is a flag is set.
    pub fn flag(&self, keyword: &str) -> bool {
        self.bound(keyword) == Some(&Value::Bool(true))
    }

    /// Returns the rules of CEL.
    pub fn rules(&self) -> impl Iterator<Item = Rule<'_>> {
        self.kubernetes.validations.iter().map(Rule::of)
    }

    /// Keeps unknown fields in every object, as `spec.preserveUnknownFields` does.
    pub(crate) fn preserve(&mut self) {
        let is_object = self.properties.is_some() || self.is(SchemaType::Object);
        if is_object && self.values().is_none() && !self.kubernetes.preserve_unknown_fields {
            self.kubernetes.preserve_unknown_fields = true;
            // With the extension, properties without a type accept any JSON.
            self.type_.get_or_insert(SchemaType::Object);
        }
        self.parts_mut().for_each(Self::preserve);
    }

    /// Returns the properties, the items and the values.
    pub fn parts_mut(&mut self) -> impl Iterator<Item = &mut Schema> {
        let fields = self.properties.iter_mut().flat_map(BTreeMap::values_mut);
        let items = match &mut self.items {
            Some(Items::Schema(items)) => Some(items),
            Some(Items::Tuple(_)) | None => None,
        };
        let values = match &mut self.additional {
            Some(Additional::Schema(values)) => Some(values),
            Some(Additional::Bool(_)) | None => None,
        };
        fields.chain(items).chain(values).map(|it| &mut **it)
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// One of `x-kubernetes-validations`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule<'s> {
    /// `rule`
    pub rule: &'s str,
    /// `message`
    pub message: Option<&'s str>,
    /// `messageExpression`
    pub message_expression: Option<&'s str>,
    /// `optionalOldSelf`
    pub optional_old_self: bool,
}

impl<'s> Rule<'s> {
    fn of(validation: &'s Value) -> Self {
        let text = |name: &str| validation[name].as_str();
        Self {
            rule: text("rule").unwrap_or_default(),
            message: text("message"),
            message_expression: text("messageExpression"),
            optional_old_self: validation["optionalOldSelf"] == true,
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

impl Serialize for SchemaType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.name().serialize(serializer)
    }
}

impl SchemaType {
    /// Returns the name in schemas.
    pub fn name(&self) -> &str {
        match self {
            Self::Object => "object",
            Self::Array => "array",
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Unknown(name) => name,
        }
    }
}

/// `items`
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Items {
    /// One schema for all.
    Schema(Box<Schema>),
    /// A list of schemas, which structural schemas do not allow.
    Tuple(Vec<Value>),
}

/// `additionalProperties`
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Additional {
    /// A schema for all values.
    Schema(Box<Schema>),
    /// `true` or `false`
    Bool(bool),
}

/// Bounds and patterns, unchanged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Constraints {
    /// Keyword and value, in the order of [`Constraints::KEYWORDS`].
    pub all: Vec<(&'static str, Value)>,
}

impl Serialize for Constraints {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.all.iter().map(|(keyword, value)| (keyword, value)))
    }
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
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Kubernetes {
    /// `x-kubernetes-preserve-unknown-fields`
    #[serde(
        rename = "x-kubernetes-preserve-unknown-fields",
        skip_serializing_if = "is_default"
    )]
    pub preserve_unknown_fields: bool,
    /// `x-kubernetes-embedded-resource`
    #[serde(
        rename = "x-kubernetes-embedded-resource",
        skip_serializing_if = "is_default"
    )]
    pub embedded_resource: bool,
    /// `x-kubernetes-int-or-string`
    #[serde(
        rename = "x-kubernetes-int-or-string",
        skip_serializing_if = "is_default"
    )]
    pub int_or_string: bool,
    /// `x-kubernetes-list-type`
    #[serde(rename = "x-kubernetes-list-type", skip_serializing_if = "is_default")]
    pub list_type: Option<String>,
    /// `x-kubernetes-list-map-keys`
    #[serde(
        rename = "x-kubernetes-list-map-keys",
        skip_serializing_if = "is_default"
    )]
    pub list_map_keys: Vec<String>,
    /// `x-kubernetes-map-type`
    #[serde(rename = "x-kubernetes-map-type", skip_serializing_if = "is_default")]
    pub map_type: Option<String>,
    /// `x-kubernetes-validations`
    #[serde(
        rename = "x-kubernetes-validations",
        skip_serializing_if = "is_default"
    )]
    pub validations: Vec<Value>,
}

/// Combinators.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Logic {
    /// `oneOf`
    #[serde(skip_serializing_if = "is_default")]
    pub one_of: Vec<Value>,
    /// `anyOf`
    #[serde(skip_serializing_if = "is_default")]
    pub any_of: Vec<Value>,
    /// `allOf`
    #[serde(skip_serializing_if = "is_default")]
    pub all_of: Vec<Value>,
    /// `not`
    #[serde(skip_serializing_if = "is_default")]
    pub not: Option<Value>,
}

impl Logic {
    /// Returns the keywords that have branches, with these.
    pub fn lists(&self) -> [(&'static str, &[Value]); 3] {
        [
            ("allOf", &self.all_of),
            ("anyOf", &self.any_of),
            ("oneOf", &self.one_of),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_is_written_as_it_was_read() {
        let text = serde_json::json!({
            "type": "object",
            "description": "d",
            "nullable": true,
            "default": {},
            "example": 1,
            "x-mine": 2,
            "minProperties": 1,
            "x-kubernetes-map-type": "atomic",
            "x-kubernetes-validations": [{"rule": "true"}],
            "not": {"required": ["a"]},
            "required": ["b"],
            "properties": {"b": {
                "type": "array",
                "x-kubernetes-list-map-keys": ["k"],
                "items": {"type": "string", "format": "date", "enum": ["x"]},
            }},
            "additionalProperties": {"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}]},
        });
        assert_eq!(
            serde_json::to_value(Schema::of(text.clone())).unwrap(),
            text
        );
    }
}
