//! What says nothing of its inside: an object becomes a map of JSON, all else raw JSON; for the nodes that no form takes.
use super::node::{Lowering, Node};
use crate::crd::SchemaType;
use crate::diag::Code;
use crate::ir::Ty;

pub(super) fn lower(lowering: &mut Lowering<'_>, node: &mut Node) -> Ty {
    let preserved = node.schema.kubernetes.preserve_unknown_fields;
    match node.schema.type_.take() {
        Some(SchemaType::Object) => {
            node.rules.pruned = !preserved;
            Ty::Map(Box::new(Ty::Json))
        }
        None if preserved => Ty::Json,
        None => {
            lowering
                .report(
                    Code::RawJson,
                    &node.path,
                    None,
                    "no `type` says what this holds: it is raw JSON".into(),
                )
                .hint("add a `type`, or `x-kubernetes-preserve-unknown-fields: true` if any JSON is meant");
            Ty::Json
        }
        // An unknown type was told when the CRD was read; every other type has its form.
        Some(_) => Ty::Json,
    }
}
