//! Lowers `x-kubernetes-embedded-resource` to a struct with `apiVersion`, `kind`, `metadata` and the declared properties.
use super::node::{Lowering, SchemaNode};
use super::{leftovers, object};
use crate::base::diag::Code;
use crate::input::crd::{Schema, SchemaType};
use crate::model::ir::{Body, Field, Presence, Rules, SchemaPath, Ty};

pub(super) fn lower(lowering: &mut Lowering<'_>, node: &mut SchemaNode) -> Option<Ty> {
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
    schema
        .required
        .retain(|name| !matches!(name.as_str(), "apiVersion" | "kind" | "metadata"));
    let [api_version, kind, metadata] = declared;
    let mut body = object::body(lowering, node, properties);
    let path = &node.path;
    for (wire, mut declared) in [("apiVersion", api_version), ("kind", kind)] {
        let default = declared
            .as_mut()
            .and_then(|schema| schema.default.take_if(|default| default.is_string()));
        // A client may omit what the API server fills in.
        let presence = Presence::of(default.is_none(), false);
        let field = field(lowering, path, wire, presence, declared);
        body.fields.push(Field { default, ..field });
    }
    let metadata = field(lowering, path, "metadata", Presence::Optional, metadata);
    body.fields.push(metadata);
    body.fields.sort_by(|a, b| a.wire.cmp(&b.wire));
    Some(lowering.define(node, Body::Struct(body)))
}

/// Lowers a field that every Kubernetes object has: the API server validates it itself, and the schema can only describe it.
pub(super) fn field(
    lowering: &mut Lowering<'_>,
    object: &SchemaPath,
    wire: &str,
    presence: Presence,
    declared: Option<Box<Schema>>,
) -> Field {
    let (ty, kind) = match wire {
        "metadata" => (Ty::OBJECT_META, SchemaType::Object),
        _ => (Ty::STR, SchemaType::String),
    };
    let doc = declared.and_then(|mut schema| {
        schema.type_.take_if(|declared| *declared == kind);
        schema.annotations.clear();
        let description = schema.description.take();
        let title = schema.title.take();
        let ignored = leftovers::keywords(&schema);
        if !ignored.is_empty() {
            lowering
                .report(
                    Code::ServerRules,
                    &object.property(wire),
                    None,
                    format!(
                        "the type of `{wire}` is fixed; `{}` is ignored",
                        ignored.join("`, `")
                    ),
                )
                .hint("the API server validates this field itself; no change is needed");
        }
        description.or(title)
    });
    Field {
        wire: wire.into(),
        ident: None,
        ty,
        presence,
        boxed: false,
        doc,
        default: None,
        rules: Rules::default(),
    }
}
