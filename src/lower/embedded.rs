//! `x-kubernetes-embedded-resource` becomes a struct of `apiVersion`, `kind`, `metadata`, what is declared, and what is preserved.
use super::node::{Lowering, Node};
use super::object;
use crate::crd::{Schema, SchemaType};
use crate::ir::{Body, Field, Presence, Rules, Ty};

pub(super) fn lower(lowering: &mut Lowering<'_>, node: &mut Node) -> Option<Ty> {
    let schema = &mut node.schema;
    if !schema.kubernetes.embedded_resource
        || !matches!(schema.type_, None | Some(SchemaType::Object))
    {
        return None;
    }
    schema.kubernetes.embedded_resource = false;
    schema.type_ = None;
    let mut properties = schema.properties.take().unwrap_or_default();
    let declared = ["apiVersion", "kind", "metadata"].map(|name| properties.remove(name));
    schema.required.retain(|name| {
        !matches!(name.as_str(), "apiVersion" | "kind" | "metadata")
    });
    let [api_version, kind, metadata] = declared;
    let mut body = object::body(lowering, node, properties);
    body.fields.extend([
        field("apiVersion", Ty::Str, Presence::Required, api_version),
        field("kind", Ty::Str, Presence::Required, kind),
        field("metadata", Ty::ObjectMeta, Presence::Optional, metadata),
    ]);
    body.fields.sort_by(|a, b| a.wire.cmp(&b.wire));
    Some(Ty::Named(lowering.define(node, Body::Struct(body))))
}

/// A field that every object of Kubernetes has: the API server checks it itself, the schema can only describe it.
pub(super) fn field(
    wire: &str,
    ty: Ty,
    presence: Presence,
    declared: Option<Schema>,
) -> Field {
    Field {
        wire: wire.into(),
        ident: String::new(),
        ty,
        presence,
        boxed: None,
        doc: declared.and_then(|schema| schema.description),
        default: None,
        rules: Rules::default(),
    }
}
