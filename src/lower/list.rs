//! `type: array` becomes a list.
use super::node::{Lowering, Node};
use crate::crd::{Items, SchemaType};
use crate::diag::Code;
use crate::ir::{Segment, Ty};

pub(super) fn lower(lowering: &mut Lowering<'_>, node: &mut Node) -> Option<Ty> {
    node.schema
        .type_
        .take_if(|kind| *kind == SchemaType::Array)?;
    let items = match node.schema.items.take() {
        Some(Items::Schema(items)) => {
            lowering.element(items, node.path.join(Segment::Items), &mut node.rules)
        }
        Some(Items::Tuple(_)) => {
            lowering
                .report(
                    Code::RawJson,
                    &node.path,
                    Some("items"),
                    "a list of schemas in `items` is not structural: the items are raw JSON".into(),
                )
                .hint("give one schema that holds for every item");
            Ty::Json
        }
        None => {
            lowering
                .report(
                    Code::RawJson,
                    &node.path,
                    None,
                    "an array without `items`: the items are raw JSON".into(),
                )
                .hint("say in `items` what the array holds");
            Ty::Json
        }
    };
    Some(Ty::List(Box::new(items)))
}
