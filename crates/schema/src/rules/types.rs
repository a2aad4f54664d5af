//! The types of a schema's values, as rules see them.

use std::collections::BTreeMap;

use kube_codegen_cel::{Type, escape};

use crate::node::Node;

/// Returns the type of the value that a rule is for; `None` if rules cannot read it.
pub(super) fn root(schema: &Node, resource: bool) -> Option<Type> {
    if resource {
        schema.type_.as_ref()?;
        Some(object(schema, "object", true))
    } else {
        of(schema, "object")
    }
}

/// Returns the type of a schema's values; `None` if rules cannot read them.
fn of(schema: &Node, name: &str) -> Option<Type> {
    if schema.int_or_string {
        return Some(Type::Dyn);
    }
    let format = schema
        .format
        .as_deref()
        .map(|format| format.replace('-', ""));
    Some(match (schema.type_.as_deref()?, format.as_deref()) {
        ("boolean", _) => Type::BOOL,
        ("integer", _) => Type::INT,
        ("number", _) => Type::DOUBLE,
        ("string", Some("byte")) => Type::BYTES,
        ("string", Some("duration")) => Type::DURATION,
        ("string", Some("date" | "datetime")) => Type::TIMESTAMP,
        ("string", _) => Type::STRING,
        ("array", _) => Type::list(of(schema.items.as_deref()?, &format!("{name}.@idx"))?),
        ("object", _) => match schema.additional() {
            Some(inner) => Type::map(Type::STRING, of(inner, &format!("{name}.@elem"))?),
            None => object(schema, name, schema.embedded_resource),
        },
        _ => return None,
    })
}

/// Returns the type of an object; a resource has a name.
fn object(schema: &Node, name: &str, resource: bool) -> Type {
    let mut fields: BTreeMap<String, Type> = BTreeMap::new();
    for (field, inner) in &schema.properties {
        if let Some(escaped) = escape(field)
            && let Some(inner) = of(inner, &format!("{name}.{field}"))
        {
            fields.insert(escaped, inner);
        }
    }
    let is_complete = ["apiVersion", "kind"]
        .iter()
        .all(|it| fields.get(*it) == Some(&Type::STRING))
        && fields.get("metadata").is_some_and(Type::has_fields);
    if resource && !is_complete {
        let names = ["name", "generateName"].map(|name| (name.to_owned(), Type::STRING));
        let metadata = Type::object(format!("{name}.metadata"), names);
        fields.insert("apiVersion".to_owned(), Type::STRING);
        fields.insert("kind".to_owned(), Type::STRING);
        fields.insert("metadata".to_owned(), metadata);
    }
    Type::object(name, fields)
}
