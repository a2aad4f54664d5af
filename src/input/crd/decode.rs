//! Decodes a manifest as the generated `crd()` will: reports each value of a wrong type, and takes it out, so that all that reads the
//! manifest afterwards finds values of the right type or none.
//!
//! `crd()` decodes the manifest with k8s-openapi's `CustomResourceDefinition`. The generator does not depend on that crate: a
//! library cannot select the Kubernetes version that k8s-openapi is built for. The shapes below are those of its types; the
//! tests compare both on every field.
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use super::reader::{At, CrdReader, closest};
use super::time::is_date_time;
use crate::base::diag::{Code, Place, pointer};

/// What a value must be.
enum Shape {
    Text,
    Flag,
    Int32,
    Int64,
    Number,
    Time,
    Bytes,
    Json,
    List(&'static Self),
    Map(&'static Self),
    /// The fields, sorted by name; others are unknown.
    Object(&'static [(&'static str, &'static Self)]),
    /// A schema, or the other shape where the value is not a map.
    SchemaOr(&'static Self),
}

use Shape::{Bytes, Flag, Int32, Int64, Json, List, Number, Object, SchemaOr, Text, Time};

static TEXTS: Shape = List(&Text);
static TEXT_MAP: Shape = Shape::Map(&Text);

static DEFINITION: Shape = Object(&[
    ("apiVersion", &Text),
    ("kind", &Text),
    ("metadata", &METADATA),
    ("spec", &SPEC),
    ("status", &STATUS),
]);

static METADATA: Shape = Object(&[
    ("annotations", &TEXT_MAP),
    ("creationTimestamp", &Time),
    ("deletionGracePeriodSeconds", &Int64),
    ("deletionTimestamp", &Time),
    ("finalizers", &TEXTS),
    ("generateName", &Text),
    ("generation", &Int64),
    ("labels", &TEXT_MAP),
    ("managedFields", &List(&MANAGED_FIELDS)),
    ("name", &Text),
    ("namespace", &Text),
    ("ownerReferences", &List(&OWNER)),
    ("resourceVersion", &Text),
    ("selfLink", &Text),
    ("uid", &Text),
]);

static MANAGED_FIELDS: Shape = Object(&[
    ("apiVersion", &Text),
    ("fieldsType", &Text),
    ("fieldsV1", &Json),
    ("manager", &Text),
    ("operation", &Text),
    ("subresource", &Text),
    ("time", &Time),
]);

static OWNER: Shape = Object(&[
    ("apiVersion", &Text),
    ("blockOwnerDeletion", &Flag),
    ("controller", &Flag),
    ("kind", &Text),
    ("name", &Text),
    ("uid", &Text),
]);

static SPEC: Shape = Object(&[
    ("conversion", &CONVERSION),
    ("group", &Text),
    ("names", &NAMES),
    ("preserveUnknownFields", &Flag),
    ("scope", &Text),
    ("versions", &List(&VERSION)),
]);

static CONVERSION: Shape = Object(&[
    ("strategy", &Text),
    (
        "webhook",
        &Object(&[
            (
                "clientConfig",
                &Object(&[
                    ("caBundle", &Bytes),
                    (
                        "service",
                        &Object(&[
                            ("name", &Text),
                            ("namespace", &Text),
                            ("path", &Text),
                            ("port", &Int32),
                        ]),
                    ),
                    ("url", &Text),
                ]),
            ),
            ("conversionReviewVersions", &TEXTS),
        ]),
    ),
]);

static NAMES: Shape = Object(&[
    ("categories", &TEXTS),
    ("kind", &Text),
    ("listKind", &Text),
    ("plural", &Text),
    ("shortNames", &TEXTS),
    ("singular", &Text),
]);

static VERSION: Shape = Object(&[
    ("additionalPrinterColumns", &List(&COLUMN)),
    ("deprecated", &Flag),
    ("deprecationWarning", &Text),
    ("name", &Text),
    ("schema", &Object(&[("openAPIV3Schema", &SCHEMA)])),
    ("selectableFields", &List(&Object(&[("jsonPath", &Text)]))),
    ("served", &Flag),
    ("storage", &Flag),
    (
        "subresources",
        &Object(&[
            (
                "scale",
                &Object(&[
                    ("labelSelectorPath", &Text),
                    ("specReplicasPath", &Text),
                    ("statusReplicasPath", &Text),
                ]),
            ),
            ("status", &Object(&[])),
        ]),
    ),
]);

static COLUMN: Shape = Object(&[
    ("description", &Text),
    ("format", &Text),
    ("jsonPath", &Text),
    ("name", &Text),
    ("priority", &Int32),
    ("type", &Text),
]);

static STATUS: Shape = Object(&[
    ("acceptedNames", &NAMES),
    (
        "conditions",
        &List(&Object(&[
            ("lastTransitionTime", &Time),
            ("message", &Text),
            ("reason", &Text),
            ("status", &Text),
            ("type", &Text),
        ])),
    ),
    ("storedVersions", &TEXTS),
]);

static SCHEMAS: Shape = List(&SCHEMA);
static SCHEMA_MAP: Shape = Shape::Map(&SCHEMA);
static SCHEMA_OR_FLAG: Shape = SchemaOr(&Flag);

static SCHEMA: Shape = Object(&[
    ("$ref", &Text),
    ("$schema", &Text),
    ("additionalItems", &SCHEMA_OR_FLAG),
    ("additionalProperties", &SCHEMA_OR_FLAG),
    ("allOf", &SCHEMAS),
    ("anyOf", &SCHEMAS),
    ("default", &Json),
    ("definitions", &SCHEMA_MAP),
    ("dependencies", &Shape::Map(&SchemaOr(&TEXTS))),
    ("description", &Text),
    ("enum", &List(&Json)),
    ("example", &Json),
    ("exclusiveMaximum", &Flag),
    ("exclusiveMinimum", &Flag),
    (
        "externalDocs",
        &Object(&[("description", &Text), ("url", &Text)]),
    ),
    ("format", &Text),
    ("id", &Text),
    ("items", &SchemaOr(&SCHEMAS)),
    ("maxItems", &Int64),
    ("maxLength", &Int64),
    ("maxProperties", &Int64),
    ("maximum", &Number),
    ("minItems", &Int64),
    ("minLength", &Int64),
    ("minProperties", &Int64),
    ("minimum", &Number),
    ("multipleOf", &Number),
    ("not", &SCHEMA),
    ("nullable", &Flag),
    ("oneOf", &SCHEMAS),
    ("pattern", &Text),
    ("patternProperties", &SCHEMA_MAP),
    ("properties", &SCHEMA_MAP),
    ("required", &TEXTS),
    ("title", &Text),
    ("type", &Text),
    ("uniqueItems", &Flag),
    ("x-kubernetes-embedded-resource", &Flag),
    ("x-kubernetes-int-or-string", &Flag),
    ("x-kubernetes-list-map-keys", &TEXTS),
    ("x-kubernetes-list-type", &Text),
    ("x-kubernetes-map-type", &Text),
    ("x-kubernetes-preserve-unknown-fields", &Flag),
    (
        "x-kubernetes-validations",
        &List(&Object(&[
            ("fieldPath", &Text),
            ("message", &Text),
            ("messageExpression", &Text),
            ("optionalOldSelf", &Flag),
            ("reason", &Text),
            ("rule", &Text),
        ])),
    ),
]);

/// Returns whether schemas have a keyword, if only in JSON Schema.
pub(super) fn is_keyword(name: &str) -> bool {
    names(&SCHEMA).any(|known| known == name)
}

/// Returns the fields of `metadata`.
pub(super) fn fields_of_metadata() -> impl Iterator<Item = &'static str> {
    names(&METADATA)
}

fn names(shape: &'static Shape) -> impl Iterator<Item = &'static str> {
    let fields = match shape {
        Object(fields) => *fields,
        _ => &[],
    };
    fields.iter().map(|(name, _)| *name)
}

/// A field that the API does not have; it would drop it without an error.
struct Unknown {
    pointer: String,
    is_in_schema: bool,
    name: String,
    near: Option<&'static str>,
}

/// A value of a wrong type.
struct Failure {
    pointer: String,
    is_in_schema: bool,
    message: String,
    /// Whether it would be right in quotes.
    lacks_quotes: bool,
}

/// Reports unknown fields and the values of a wrong type, and replaces the latter by null, which is absent to the API server.
///
/// A null in a list or a map becomes the zero value of its type, as the API server reads it.
pub(super) fn decode(reader: &mut CrdReader<'_>, manifest: &mut Value) {
    let mut decoding = Decoding::default();
    decoding.value(manifest, &DEFINITION, &At::default());
    for field in decoding.unknown {
        let place = Place {
            key: true,
            ..place(reader, manifest, &field.pointer, field.is_in_schema)
        };
        let message = format!("unknown field {:?}: it has no effect", field.name);
        let finding = reader
            .diagnostics
            .report(Code::UnknownField, place, message);
        if let Some(near) = field.near {
            finding.hint(format!("did you mean `{near}`?"));
        }
    }
    for failure in decoding.failures {
        let code = if failure.is_in_schema {
            Code::KeywordType
        } else {
            Code::WrongType
        };
        let place = place(reader, manifest, &failure.pointer, failure.is_in_schema);
        let finding = reader.diagnostics.report(code, place, failure.message);
        if failure.lacks_quotes {
            finding.hint("put it in quotes");
        }
        reader.mistyped.insert(failure.pointer);
    }
}

/// Returns a place, with its version and its schema.
fn place(reader: &mut CrdReader<'_>, manifest: &Value, pointer: &str, is_in_schema: bool) -> Place {
    let steps: Vec<String> = pointer::steps(pointer).take(3).collect();
    if let [spec, versions, index] = &*steps
        && (&**spec, &**versions) == ("spec", "versions")
    {
        let version = format!("/spec/versions/{index}");
        let name = manifest.pointer(&format!("{version}/name"));
        reader.base.version = name.and_then(Value::as_str).map(str::to_owned);
        reader.schema = is_in_schema.then(|| version + "/schema/openAPIV3Schema");
    }
    let place = reader.place_of(pointer);
    (reader.base.version, reader.schema) = (None, None);
    place
}

#[derive(Default)]
struct Decoding {
    failures: Vec<Failure>,
    unknown: Vec<Unknown>,
}

impl Decoding {
    fn value(&mut self, value: &mut Value, shape: &'static Shape, at: &At<'_>) {
        match (shape, value) {
            (Json, _) | (SchemaOr(Flag), Value::Bool(_)) => {}
            (List(item), Value::Array(items)) => {
                for (index, value) in items.iter_mut().enumerate() {
                    self.element(value, item, &at.index(index));
                }
            }
            (Shape::Map(item), Value::Object(map)) => {
                for (name, value) in map {
                    self.element(value, item, &at.key(name));
                }
            }
            (Object(fields), Value::Object(map)) => {
                for (name, value) in map {
                    let at = at.key(name);
                    match fields.binary_search_by_key(&name.as_str(), |(name, _)| name) {
                        Ok(_) if value.is_null() => {}
                        Ok(index) => self.value(value, fields[index].1, &at),
                        Err(_) => self.unknown(name, fields, &at),
                    }
                }
            }
            (SchemaOr(_), value @ Value::Object(_)) => self.value(value, &SCHEMA, at),
            (SchemaOr(other @ List(_)), value @ Value::Array(_)) => self.value(value, other, at),
            (shape, value) => {
                if !shape.fits(value) {
                    self.failures.push(Failure {
                        pointer: at.pointer(),
                        is_in_schema: at.is_in_schema(),
                        message: at.mistyped(value, shape.wanted()),
                        lacks_quotes: matches!(shape, Text)
                            && !value.is_object()
                            && !value.is_array(),
                    });
                    *value = Value::Null;
                }
            }
        }
    }

    fn unknown(&mut self, name: &str, fields: &[(&'static str, &Shape)], at: &At<'_>) {
        let known: Vec<_> = fields.iter().map(|(name, _)| *name).collect();
        self.unknown.push(Unknown {
            pointer: at.pointer(),
            is_in_schema: at.is_in_schema(),
            name: name.to_owned(),
            near: closest(name, &known),
        });
    }

    fn element(&mut self, value: &mut Value, shape: &'static Shape, at: &At<'_>) {
        if value.is_null() {
            *value = shape.zero();
        }
        self.value(value, shape, at);
    }
}

impl Shape {
    /// Whether a value that is not a list or a map has the shape.
    fn fits(&self, value: &Value) -> bool {
        match self {
            Text => value.is_string(),
            Flag => value.is_boolean(),
            Int32 => value.as_i64().is_some_and(|it| i32::try_from(it).is_ok()),
            Int64 => value.as_i64().is_some(),
            Number => value.is_number(),
            // jiff, which k8s-openapi reads times with, ends at 9999-12-30T22:00:00Z.
            Time => value
                .as_str()
                .is_some_and(|it| is_date_time(it) && it < "9999-12-30"),
            Bytes => value.as_str().is_some_and(|it| STANDARD.decode(it).is_ok()),
            Json => true,
            List(_) | Self::Map(_) | Object(_) | SchemaOr(_) => false,
        }
    }

    fn wanted(&self) -> &'static str {
        match self {
            Text => "a string",
            Flag => "true or false",
            Int32 => "an integer of 32 bits",
            Int64 => "an integer of 64 bits",
            Number => "a number",
            Time => "a time such as 2006-01-02T15:04:05Z",
            Bytes => "Base64 text",
            Json => "any value",
            List(_) => "a list",
            SchemaOr(Flag) => "a schema, true or false",
            SchemaOr(_) => "a schema",
            Object(_) if std::ptr::eq(self, &raw const SCHEMA) => "a schema",
            Self::Map(_) | Object(_) => "a map",
        }
    }

    fn zero(&self) -> Value {
        match self {
            Text => Value::String(String::new()),
            Flag => Value::Bool(false),
            Int32 | Int64 | Number => Value::from(0),
            Json | Time | Bytes => Value::Null,
            List(_) => Value::Array(Vec::new()),
            Self::Map(_) | Object(_) | SchemaOr(_) => Value::Object(Map::new()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{DEFINITION, Object, SCHEMA, Shape};

    /// The search for a field is binary.
    #[test]
    fn fields_are_sorted() {
        fn check(shape: &Shape) {
            let inner = match shape {
                Object(fields) => {
                    assert!(fields.is_sorted_by_key(|(name, _)| name));
                    fields.iter().map(|(_, shape)| *shape).collect()
                }
                Shape::List(inner) | Shape::Map(inner) | Shape::SchemaOr(inner) => vec![*inner],
                _ => Vec::new(),
            };
            // A schema contains itself.
            let others = inner
                .into_iter()
                .filter(|it| !std::ptr::eq(*it, &raw const SCHEMA));
            others.for_each(check);
        }
        check(&DEFINITION);
        check(&SCHEMA);
    }
}
