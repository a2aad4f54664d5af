//! `type: object` with `additionalProperties` becomes a map.
use super::node::{Lowering, Node};
use crate::crd::{Additional, SchemaType};
use crate::ir::{Segment, Ty};

pub(super) fn lower(lowering: &mut Lowering<'_>, node: &mut Node) -> Option<Ty> {
    if !matches!(node.schema.type_, None | Some(SchemaType::Object)) {
        return None;
    }
    let values = match node.schema.additional.take()? {
        Additional::Schema(values) => {
            lowering.element(values, node.path.join(Segment::Values), &mut node.rules)
        }
        Additional::Bool(_) => Ty::Json,
    };
    node.schema.type_ = None;
    Some(Ty::Map(Box::new(values)))
}
