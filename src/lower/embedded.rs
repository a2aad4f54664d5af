//! `x-kubernetes-embedded-resource` becomes a struct of `apiVersion`, `kind`, `metadata`, what is declared, and what is preserved.
use super::node::{Lowering, Node};
use super::{leftovers, object};
use crate::crd::{Schema, SchemaType};
use crate::diag::Code;
use crate::ir::{Body, Field, Presence, Rules, SchemaPath, Ty};

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
    let path = &node.path;
    body.fields.extend([
        field(lowering, path, "apiVersion", Presence::Required, api_version),
        field(lowering, path, "kind", Presence::Required, kind),
        field(lowering, path, "metadata", Presence::Optional, metadata),
    ]);
    body.fields.sort_by(|a, b| a.wire.cmp(&b.wire));
    Some(Ty::Named(lowering.define(node, Body::Struct(body))))
}

/// A field that every object of Kubernetes has: the API server checks it itself, the schema can only describe it.
pub(super) fn field(
    lowering: &mut Lowering<'_>,
    object: &SchemaPath,
    wire: &str,
    presence: Presence,
    declared: Option<Schema>,
) -> Field {
    let (ty, kind) = match wire {
        "metadata" => (Ty::ObjectMeta, SchemaType::Object),
        _ => (Ty::Str, SchemaType::String),
    };
    let doc = declared.and_then(|mut schema| {
        schema.type_.take_if(|said| *said == kind);
        schema.annotations.clear();
        let description = schema.description.take();
        let title = schema.title.take();
        let more = leftovers::keywords(&schema);
        if !more.is_empty() {
            lowering
                .report(
                    Code::ServerRules,
                    &object.property(wire),
                    None,
                    format!("`{wire}` has its own type: `{}` is not used", more.join("`, `")),
                )
                .hint("the API server checks it; there is nothing to do");
        }
        description.or(title)
    });
    Field {
        wire: wire.into(),
        ident: String::new(),
        ty,
        presence,
        boxed: None,
        doc,
        default: None,
        rules: Rules::default(),
    }
}
