//! The rules of the API server for definitions (`validation.go` of apiextensions) and their structural schemas.
//!
//! This is the one place that knows them. Whoever shows a violation maps it: a generator to positions and codes of its own, a server to the
//! server's paths and texts.

mod branches;
mod columns;
mod conversion;
mod defaults;
#[cfg(feature = "cel")]
mod expressions;
mod keywords;
mod lists;
mod metadata;
mod names;
mod path;
mod structure;
mod versions;
mod violation;
mod whole;

use serde_json::{Map, Value};

pub use columns::{COLUMN_FORMATS, COLUMN_TYPES};
pub use violation::{Rule, Violation, Violations};

use path::Path;
use violation::Stage;

use crate::{
    cause::{Cause, Reason},
    schema::Schema,
};

/// Checks a definition, without the schemas of its versions. A field of a wrong type counts as absent.
///
/// ```
/// # use kube_codegen_schema::definition;
/// # use serde_json::json;
/// let names = json!({"plural": "foos", "kind": "Foo"});
/// let version = json!({"name": "v1", "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}});
/// let definition = json!({
///     "metadata": {"name": "foos.example.com"},
///     "spec": {"group": "example.com", "names": names, "scope": "Galaxy", "versions": [version]},
/// });
/// let violations = definition::check(&definition);
/// let violation = &violations.all()[0];
/// assert_eq!(violation.rule, definition::Rule::Scope);
/// assert_eq!(violation.pointer, "/spec/scope");
/// assert_eq!(
///     violations.causes("")[0].to_string(),
///     "spec.scope: Unsupported value: \"Galaxy\": supported values: \"Cluster\", \"Namespaced\""
/// );
/// ```
pub fn check(definition: &Value) -> Violations {
    let mut found = Violations::default();
    if let Value::Object(definition) = definition {
        whole::check(definition, &mut found);
    }
    found
}

/// Returns what the server reports for a definition with its defaults, its schemas included; with feature `cel`, their rules, too.
pub fn causes(definition: &Value) -> Vec<Cause> {
    let located = located_causes(definition).into_iter();
    located.map(|(_, cause)| cause).collect()
}

/// As [`causes`], each after the JSON pointer of its place in the definition. What concerns several versions with the same schema is at the
/// first of them.
pub fn located_causes(definition: &Value) -> Vec<(String, Cause)> {
    let mut all = check(definition).located("");
    for of_version in versions::schemas(definition) {
        let versions::OfVersion {
            node: schema,
            has_status,
            path,
            pointer,
        } = of_version;
        let below = |(inner, cause): (String, Cause)| (format!("{pointer}{inner}"), cause);
        let causes = check_schema(schema, has_status).located(&path);
        if !causes.is_empty() {
            all.extend(causes.into_iter().map(below));
            continue;
        }
        if let Some(inner) = keywords::dialect(schema) {
            let why = "OpenAPIV3Schema 'schema' is not supported";
            let cause = Cause::new(&path, Reason::Invalid, "\"\"", why);
            all.push(below((inner, cause)));
            continue;
        }
        match Schema::new(schema) {
            // A keyword with a value of a wrong type.
            Err(error) => {
                let why = error.to_string();
                let cause = Cause::new(&path, Reason::Invalid, "\"\"", &why);
                all.push((pointer, cause));
            }
            #[cfg(feature = "cel")]
            Ok(rules) => {
                let causes = expressions::causes(&rules, schema, &path);
                all.extend(causes.into_iter().map(below));
            }
            #[cfg(not(feature = "cel"))]
            Ok(_) => {}
        }
    }
    all
}

/// Checks the `openAPIV3Schema` of a version against the rules that need no CEL; `has_status` says whether the version has the status subresource.
///
/// ```
/// # use kube_codegen_schema::definition;
/// # use serde_json::json;
/// let schema = json!({"type": "object", "properties": {"spec": {"type": "array"}}});
/// let violations = definition::check_schema(&schema, false);
/// let violation = &violations.all()[0];
/// assert_eq!(violation.rule, definition::Rule::NoItems);
/// assert_eq!(violation.pointer, "/properties/spec/items");
/// let causes = violations.causes("spec.validation.openAPIV3Schema");
/// assert_eq!(
///     causes[0].to_string(),
///     "spec.validation.openAPIV3Schema.properties[spec].items: Required value: must be specified"
/// );
/// ```
pub fn check_schema(schema: &Value, has_status: bool) -> Violations {
    let mut found = Violations::default();
    if let Value::Object(root) = schema {
        let at = Path::default();
        structure::root(root, has_status, &at, &mut found);
        defaults::node(root, &at, true, &mut found);
        keywords::root(root, &at, &mut found);
    }
    found
}

/// A schema node, or a map of a definition; a keyword of a wrong type counts as absent.
type Node = Map<String, Value>;

const EMBEDDED: &str = "x-kubernetes-embedded-resource";
const INT_OR_STRING: &str = "x-kubernetes-int-or-string";
const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";
const LIST_TYPE: &str = "x-kubernetes-list-type";
const LIST_KEYS: &str = "x-kubernetes-list-map-keys";
const MAP_TYPE: &str = "x-kubernetes-map-type";

/// Returns an entry that is not null: to the API server, null is absent.
fn entry<'n>(node: &'n Node, keyword: &str) -> Option<&'n Value> {
    node.get(keyword).filter(|value| !value.is_null())
}

fn text<'n>(node: &'n Node, keyword: &str) -> Option<&'n str> {
    node.get(keyword).and_then(Value::as_str)
}

fn kind(node: &Node) -> &str {
    text(node, "type").unwrap_or_default()
}

fn flag(node: &Node, keyword: &str) -> bool {
    node.get(keyword) == Some(&Value::Bool(true))
}

fn list<'n>(node: &'n Node, keyword: &str) -> &'n [Value] {
    let list = node.get(keyword).and_then(Value::as_array);
    list.map_or(&[], Vec::as_slice)
}

fn texts<'n>(node: &'n Node, keyword: &str) -> impl Iterator<Item = &'n str> {
    list(node, keyword).iter().filter_map(Value::as_str)
}

fn child<'n>(node: &'n Node, keyword: &str) -> Option<&'n Node> {
    node.get(keyword).and_then(Value::as_object)
}

/// Returns the declared properties that are schemas.
fn properties(node: &Node) -> impl Iterator<Item = (&String, &Node)> {
    children(node, "properties")
}

/// Returns the schemas in a map of schemas.
fn children<'n>(node: &'n Node, keyword: &str) -> impl Iterator<Item = (&'n String, &'n Node)> {
    let all = child(node, keyword).into_iter().flatten();
    all.filter_map(|(name, inner)| Some((name, inner.as_object()?)))
}

/// Whether a keyword has a value other than its zero value.
fn is_set(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Each of these is accepted by kube-apiserver 1.37. What it rejects is recorded in `crates/conformance/scripts/structural.json`.
    #[test]
    fn what_the_server_accepts_breaks_no_rule() {
        for property in [
            json!({"type": "object", "properties": {"b": {"type": "string"}}, "additionalProperties": true}),
            json!({"type": "object", "properties": {}, "additionalProperties": {"type": "string"}}),
            json!({"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]}),
            json!({"type": "array", "x-kubernetes-list-type": "set", "default": ["a", "a"], "items": {"type": "string"}}),
        ] {
            let schema = json!({"type": "object", "properties": {"a": property}});
            assert_eq!(check_schema(&schema, true).causes(""), [], "{schema}");
        }
        let metadata =
            json!({"type": "object", "properties": {"name": {"type": "string", "maxLength": 5}}});
        let schema = json!({"type": "object", "properties": {"metadata": metadata}});
        assert_eq!(check_schema(&schema, true).causes(""), []);
    }

    #[test]
    fn a_place_is_a_pointer_and_a_path_of_the_server() {
        let root = Path::default();
        let (properties, items) = (root.child("properties"), root.child("items"));
        let name = properties.key("a/b~");
        assert_eq!(name.pointer(), "/properties/a~1b~0");
        assert_eq!(name.child("type").field(), ".properties[a/b~].type");
        assert_eq!(items.index(1).field(), ".items[1]");
    }

    /// The texts are those of kube-apiserver 1.37.
    #[test]
    fn a_default_at_the_root_is_a_whole_object() {
        const PATH: &str = "spec.validation.openAPIV3Schema";
        let any = || json!({"type": "object", "properties": {"spec": {"type": "object"}}});
        for (default, expected) in [
            (
                json!({}),
                vec!["apiVersion: Required value", "kind: Required value"],
            ),
            (
                json!({"spec": {}}),
                vec!["apiVersion: Required value", "kind: Required value"],
            ),
            (
                json!({"apiVersion": "v2", "kind": "", "metadata": {}}),
                vec!["kind: Invalid value: \"\": must not be empty"],
            ),
            (
                json!({"apiVersion": "example.com/v1", "kind": "W", "metadata": {"name": "x"}}),
                vec![],
            ),
        ] {
            let mut schema = any();
            schema["default"] = default;
            let causes = check_schema(&schema, false).causes(PATH);
            let found: Vec<_> = causes.iter().map(ToString::to_string).collect();
            let expected = expected.iter().map(|it| format!("{PATH}.default.{it}"));
            assert_eq!(found, expected.collect::<Vec<_>>(), "{schema}");
        }
    }

    /// The texts are those of kube-apiserver 1.37.
    #[test]
    fn a_dialect_is_rejected_at_any_depth() {
        let text = || json!({"type": "string", "$schema": "x"});
        for (property, pointer) in [
            (text(), "/$schema"),
            (json!({"type": "array", "items": text()}), "/items/$schema"),
            (
                json!({"type": "object", "additionalProperties": text()}),
                "/additionalProperties/$schema",
            ),
            (
                json!({"type": "string", "anyOf": [{}, {"$schema": "x"}]}),
                "/anyOf/1/$schema",
            ),
            (
                json!({"type": "string", "not": {"$schema": "x"}}),
                "/not/$schema",
            ),
        ] {
            let schema = json!({"type": "object", "properties": {"a/b": property}});
            let version = json!({"name": "v1", "schema": {"openAPIV3Schema": schema}});
            let found = located_causes(&json!({"spec": {"versions": [version]}}));
            let (at, cause) = found.last().unwrap();
            assert!(at.ends_with(&format!("/properties/a~1b{pointer}")), "{at}");
            assert_eq!(
                cause.to_string(),
                "spec.validation.openAPIV3Schema: Invalid value: \"\": OpenAPIV3Schema 'schema' is not supported"
            );
        }
        let schema = json!({"type": "object", "$schema": ""});
        let version = json!({"name": "v1", "schema": {"openAPIV3Schema": schema}});
        let found = located_causes(&json!({"spec": {"versions": [version]}}));
        assert!(
            found.iter().all(|(_, it)| !it.message.contains("'schema'")),
            "{found:?}"
        );
    }
}
