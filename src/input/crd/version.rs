//! Reads one of `spec.versions`.
use super::reader::{At, CrdReader, entry, flag_of, text_of};
use super::{Schema, SchemaType, Version, check, columns, paths, read_schema, subresources};
use crate::base::diag::Code;
use serde_json::{Map, Value};

/// The deprecation of a version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deprecation {
    /// `deprecationWarning`
    pub warning: Option<String>,
}

/// Reads a version and moves its schema out of it; none if its name is missing.
pub(super) fn read(reader: &mut CrdReader<'_>, value: &mut Value, at: &At<'_>) -> Option<Version> {
    let map = value.as_object_mut()?;
    let name = text_of(map, "name");
    reader.base.version.clone_from(&name);
    let served = required_flag(reader, map, "served", at);
    let storage = required_flag(reader, map, "storage", at);
    let warning = map.get("deprecationWarning").and_then(Value::as_str);
    let deprecated = flag_of(map, "deprecated").then(|| Deprecation {
        warning: warning.map(str::to_owned),
    });
    let schema = schema(reader, map, at);
    let subresources = subresources::read(reader, map, at);
    let columns = columns::read(reader, map, at);
    let selectable_fields = columns::selectable(map);
    if let (Some(schema), false) = (&schema, reader.is_legacy || reader.preserves) {
        paths::check(reader, map, schema, at);
    }
    let schema_at = at.key("schema");
    let schema_pointer = reader.place(&schema_at.key("openAPIV3Schema")).pointer;
    Some(Version {
        name: name?,
        served,
        storage,
        deprecated,
        schema,
        status: subresources.status,
        scale: subresources.scale,
        columns,
        selectable_fields,
        place: reader.place(at),
        schema_pointer,
    })
}

fn required_flag(
    reader: &mut CrdReader<'_>,
    map: &Map<String, Value>,
    key: &str,
    at: &At<'_>,
) -> bool {
    if entry(map, key).is_none() {
        reader.missing(&at.key(key), &format!("the version's `{key}`"));
    }
    flag_of(map, key)
}

fn schema(
    reader: &mut CrdReader<'_>,
    map: &mut Map<String, Value>,
    at: &At<'_>,
) -> Option<Box<Schema>> {
    let at = at.key("schema");
    let has_status = entry(map, "subresources").is_some_and(|it| !it["status"].is_null());
    let inner = match map.get_mut("schema").filter(|schema| !schema.is_null()) {
        Some(schema) => {
            let inner = schema.as_object_mut()?.get_mut("openAPIV3Schema");
            let inner = inner.map(Value::take);
            inner.filter(|inner| !inner.is_null())
        }
        None => None,
    };
    let at = at.key("openAPIV3Schema");
    let inner = inner?;
    reader.schema = Some(at.pointer());
    let is_object = inner.is_object();
    if !reader.is_legacy {
        check::schema(reader, &inner, has_status, &at);
        #[cfg(feature = "cli")]
        super::rules::report(reader, &inner, &at);
    }
    let schema = read_schema::read(reader, inner, &at);
    // As the API server has it; one of v1beta1 may be without.
    let may_be_untyped = schema.kubernetes.preserve_unknown_fields
        || schema.kubernetes.int_or_string
        || reader.is_legacy;
    let is_accepted = match schema.type_ {
        // An unknown type is reported itself.
        Some(SchemaType::Object | SchemaType::Unknown(_)) => true,
        Some(_) => false,
        None => may_be_untyped,
    };
    if is_object && !is_accepted {
        reader
            .report(
                Code::RootType,
                &at.key("type"),
                "the root of a schema must have `type: object`",
            )
            .hint("a custom resource is an object");
    }
    reader.schema = None;
    Some(schema)
}
