//! Lowers a served version of a CRD to a kind.
use super::node::{Lowering, SchemaNode};
use super::{embedded, leftovers, object};
use crate::base::diag::Diagnostics;
use crate::input::crd::{Crd, Schema, SchemaType, Version};
use crate::model::ir::{Body, Kind, KindId, Presence, Rules, SchemaPath, Ty, TypeId, Types};

/// A kind of the index 0, its types numbered from 0, and its diagnostics.
pub(crate) struct Lowered {
    pub(super) kind: Kind,
    pub(super) types: Types,
    pub(super) diagnostics: Diagnostics,
}

impl Lowered {
    pub(super) fn order(&self) -> [&str; 4] {
        let kind = &self.kind;
        [&kind.group, &kind.version, &kind.kind, &kind.plural]
    }
}

/// Lowers the served versions of a CRD.
pub(crate) fn versions(crd: &Crd, versions: Vec<Version>) -> Vec<Lowered> {
    let served = versions.into_iter().filter(|version| version.served);
    served.map(|version| lower(crd, version)).collect()
}

fn lower(crd: &Crd, version: Version) -> Lowered {
    let mut types = Types::default();
    let mut diagnostics = Diagnostics::new();
    let mut lowering = Lowering {
        types: &mut types,
        diagnostics: &mut diagnostics,
        kind: KindId(0),
        place: &version.place,
        schema_pointer: &version.schema_pointer,
    };
    let mut schema = version.schema.unwrap_or_else(without_schema);
    if crd.preserves {
        schema.preserve();
    }
    let (root, rules) = root(&mut lowering, schema);
    let kind = Kind {
        group: crd.group.clone(),
        version: version.name,
        kind: crd.names.kind.clone(),
        list_kind: crd.names.list_kind.clone(),
        plural: crd.names.plural.clone(),
        singular: crd.names.singular.clone(),
        short_names: crd.names.short_names.clone(),
        categories: crd.names.categories.clone(),
        scope: crd.scope,
        storage: version.storage,
        deprecated: version.deprecated,
        status: version.status,
        scale: version.scale,
        columns: version.columns,
        selectable_fields: version.selectable_fields,
        root,
        rules,
        names: None,
        manifest: crd.manifest.clone(),
        place: version.place,
        schema_pointer: version.schema_pointer,
    };
    Lowered {
        kind,
        types,
        diagnostics,
    }
}

/// Lowers the root of a schema to the struct of the whole object: its top-level properties and `metadata`.
fn root(lowering: &mut Lowering<'_>, schema: Box<Schema>) -> (TypeId, Rules) {
    let mut node = SchemaNode::new(schema, SchemaPath::root());
    node.schema
        .type_
        .take_if(|kind| *kind == SchemaType::Object);
    node.schema
        .required
        .retain(|name| !matches!(name.as_str(), "apiVersion" | "kind" | "metadata"));
    let mut properties = node.schema.properties.take().unwrap_or_default();
    // The API server validates all three itself, whatever the schema adds; `apiVersion` and `kind` are constants.
    let [_, _, metadata] = ["apiVersion", "kind", "metadata"].map(|name| {
        let declared = properties.remove(name);
        embedded::field(lowering, &node.path, name, Presence::Required, declared)
    });
    let mut body = object::body(lowering, &mut node, properties);
    body.fields.push(metadata);
    body.fields.sort_by(|a, b| a.wire.cmp(&b.wire));
    let root = lowering.define_root(&node, Body::Struct(body));
    node.take_constraints(&Ty::Named(root));
    // A default of the whole object has no effect: the object is always present.
    node.schema.default = node.default.take();
    leftovers::report(lowering, &node.schema, &node.path);
    (root, node.rules)
}

/// Returns the schema of a version without one: every field is kept.
fn without_schema() -> Box<Schema> {
    let mut schema = Box::<Schema>::default();
    schema.kubernetes.preserve_unknown_fields = true;
    schema
}
