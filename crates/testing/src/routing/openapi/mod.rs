//! Serves OpenAPI v3 and, without paths, v2, as far as kubectl needs it: the schemas of built-in kinds, in v3 with descriptions, and those of CRDs.

pub(crate) mod v2;

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::kinds::{
    builtin,
    kind::{Kind, Kinds, Types, Version},
};

/// The fields that every object has, with their descriptions.
const META: [(&str, &str); 3] = [
    (
        "apiVersion",
        "APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources",
    ),
    (
        "kind",
        "Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds",
    ),
    (
        "metadata",
        "Standard object's metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
    ),
];

/// Returns the document at a path, if there is one.
pub(crate) fn document(path: &str, kinds: &Kinds) -> Option<Value> {
    if path == v2::PATH {
        return Some(v2::document(kinds));
    }
    let rest = path.strip_prefix("/openapi/v3")?.trim_matches('/');
    if rest.is_empty() {
        let listed = kinds.iter().filter(|kind| kind.is_listed());
        let paths = listed.flat_map(|kind| {
            let versions = kind.versions.iter();
            versions.map(|version| root(&kind.group, &version.name))
        });
        let paths: BTreeSet<String> = paths.collect();
        let paths: Map<String, Value> = paths
            .into_iter()
            .map(|path| {
                let url = format!("/openapi/v3/{path}");
                (path, json!({"serverRelativeURL": url}))
            })
            .collect();
        return Some(json!({"paths": paths}));
    }
    let mut paths = Map::new();
    let mut schemas = Map::new();
    for kind in kinds.iter().filter(|kind| kind.is_listed()) {
        let served = kind.versions.iter();
        for version in served.filter(|it| root(&kind.group, &it.name) == rest) {
            describe(kind, version, &mut paths, &mut schemas);
        }
    }
    builtin::explain(&mut schemas);
    let info = json!({"title": "Kubernetes", "version": "testing"});
    (!paths.is_empty()).then(|| {
        json!({"openapi": "3.0.0", "info": info, "paths": paths, "components": {"schemas": schemas}})
    })
}

fn root(group: &str, version: &str) -> String {
    if group.is_empty() {
        format!("api/{version}")
    } else {
        format!("apis/{group}/{version}")
    }
}

fn describe(
    kind: &Kind,
    version: &Version,
    paths: &mut Map<String, Value>,
    schemas: &mut Map<String, Value>,
) {
    let id = json!({"group": kind.group, "version": version.name, "kind": kind.kind});
    let name = match &version.types {
        Types::Builtin(name) => {
            builtin::describe(name, schemas);
            (*name).to_owned()
        }
        types => {
            let mut parts: Vec<&str> = kind.group.split('.').collect();
            parts.reverse();
            let name = format!("{}.{}.{}", parts.join("."), version.name, kind.kind);
            let mut schema = match types {
                Types::Custom { schema, .. } => Value::clone(schema),
                _ => json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
            };
            let metadata = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
            builtin::describe(metadata, schemas);
            let reference = json!({"$ref": format!("#/components/schemas/{metadata}")});
            let schema_of = [
                json!({"type": "string"}),
                json!({"type": "string"}),
                json!({"allOf": [reference]}),
            ];
            for ((field, description), mut schema_of) in META.into_iter().zip(schema_of) {
                schema_of["description"] = description.into();
                schema["properties"][field] = schema_of;
            }
            schemas.insert(name.clone(), schema);
            name
        }
    };
    schemas[&name]["x-kubernetes-group-version-kind"] = json!([id]);
    let parameter = |name: &str| json!({"name": name, "in": "query", "schema": {"type": "string"}});
    let parameters = ["dryRun", "fieldManager", "fieldValidation", "force"].map(parameter);
    let operation = |action: &str| {
        json!({
            "x-kubernetes-action": action,
            "x-kubernetes-group-version-kind": id,
            "parameters": parameters,
            "responses": {"200": {"description": "OK", "content": {"application/json": {"schema": {"$ref": format!("#/components/schemas/{name}")}}}}},
        })
    };
    let namespace = if kind.namespaced {
        "namespaces/{namespace}/"
    } else {
        ""
    };
    let root = root(&kind.group, &version.name);
    let collection = format!("/{root}/{namespace}{}", kind.plural);
    let one = json!({"get": operation("get"), "put": operation("put"), "patch": operation("patch"), "delete": operation("delete")});
    paths.insert(format!("{collection}/{{name}}"), one);
    let all = json!({"get": operation("list"), "post": operation("post"), "delete": operation("deletecollection")});
    paths.insert(collection, all);
}
