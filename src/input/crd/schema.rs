//! A typed structural schema: what the generator and every tool see of a schema. Each schema form consumes its keywords; the rest is reported.
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A node of `openAPIV3Schema` (`JSONSchemaProps` of `apiextensions.k8s.io/v1`).
#[derive(Clone, Debug, Default, PartialEq)]
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
        if self.properties.is_some() && !self.kubernetes.preserve_unknown_fields {
            self.kubernetes.preserve_unknown_fields = true;
            // Beside the extension, properties without a type accept any JSON.
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
#[derive(Clone, Debug, PartialEq)]
pub enum Items {
    /// One schema for all.
    Schema(Box<Schema>),
    /// A list of schemas, which structural schemas do not allow.
    Tuple(Vec<Value>),
}

/// `additionalProperties`
#[derive(Clone, Debug, PartialEq)]
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
#[derive(Clone, Debug, Default, PartialEq)]
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
#[derive(Clone, Debug, Default, PartialEq)]
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
