//! Size, nesting depth and `Default` of the k8s-openapi types in the table, for the passes that follow.
use super::table::ALL;
use super::types::{Ty, Type};
use crate::ir::{IntWidth, Scalar};
use crate::options::Kubernetes;
use crate::pass::cost::{CONTAINER_STEPS, LEAF_STEPS, OWNED_BYTES, STEP, bytes};
use foldhash::{HashMap, HashMapExt};
use std::sync::LazyLock;

/// The layout of a type with the fields of all Kubernetes versions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::pass) struct Layout {
    /// Size in bytes.
    pub(in crate::pass) size: usize,
    /// Steps from the struct to its deepest part.
    pub(in crate::pass) depth: usize,
    /// Whether it implements `Default`.
    pub(in crate::pass) default: bool,
}

static ALL_LAYOUTS: LazyLock<HashMap<&str, Layout>> = LazyLock::new(|| {
    let mut layouts = HashMap::new();
    for known in ALL.iter().flat_map(|types| types.iter()) {
        of(known, &mut layouts);
    }
    layouts
});

/// Returns the layout of a type in the table, by its path.
pub(in crate::pass) fn layout(path: &str) -> Option<Layout> {
    ALL_LAYOUTS.get(path).copied()
}

fn of(known: &Type, layouts: &mut HashMap<&'static str, Layout>) -> Layout {
    if let Some(layout) = layouts.get(known.path) {
        return *layout;
    }
    let mut layout = Layout {
        default: known.default,
        ..Layout::default()
    };
    for field in known.fields {
        let optional = !field.is_required(Kubernetes::default());
        let (size, depth) = measure(field.ty, layouts);
        let tag = match field.ty {
            Ty::I32 | Ty::I64 if optional => size,
            _ => 0,
        };
        layout.size += size + tag;
        let steps = STEP + depth + usize::from(optional) * STEP;
        layout.depth = layout.depth.max(steps);
    }
    layouts.insert(known.path, layout);
    layout
}

/// Returns the size and the steps to the deepest part.
fn measure(ty: Ty, layouts: &mut HashMap<&'static str, Layout>) -> (usize, usize) {
    let size = match ty {
        Ty::Bool => bytes(Scalar::Bool),
        Ty::I32 => bytes(Scalar::Int(IntWidth::I32)),
        Ty::I64 => bytes(Scalar::Int(IntWidth::I64)),
        Ty::Time => 16,
        Ty::Json => bytes(Scalar::Json),
        Ty::Str | Ty::Bytes | Ty::IntOrString | Ty::Quantity | Ty::Other => OWNED_BYTES,
        Ty::List(inner) | Ty::Map(inner) => {
            return (OWNED_BYTES, CONTAINER_STEPS + measure(*inner, layouts).1);
        }
        Ty::Struct(known) => {
            let layout = of(known, layouts);
            return (layout.size, layout.depth);
        }
    };
    (size, LEAF_STEPS)
}
