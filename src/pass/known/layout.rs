//! The path of a type of k8s-openapi comes in, what later passes ask of it goes out: size and depth as they count them, with the fields of all versions, and whether it has a default.
use super::super::depth::{CONTAINER, LEAF, PLAIN};
use super::table::ALL;
use super::types::{Ty, Type};
use crate::options::Kubernetes;
use foldhash::{HashMap, HashMapExt};
use std::sync::LazyLock;

/// What a value of a type takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Layout {
    /// Bytes, as a struct by itself.
    pub(in super::super) size: usize,
    /// Steps from the struct to the ground.
    pub(in super::super) depth: usize,
    /// Whether it implements `Default`.
    pub(in super::super) default: bool,
}

static ALL_LAYOUTS: LazyLock<HashMap<&str, Layout>> = LazyLock::new(|| {
    let mut layouts = HashMap::new();
    for known in ALL.iter().flat_map(|types| types.iter()) {
        of(known, &mut layouts);
    }
    layouts
});

/// The layout of a type of the table, by its path.
pub(in super::super) fn layout(path: &str) -> Option<Layout> {
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
        layout.depth = layout
            .depth
            .max(PLAIN + depth + usize::from(optional) * PLAIN);
    }
    layouts.insert(known.path, layout);
    layout
}

/// Bytes, and steps to the ground.
fn measure(ty: Ty, layouts: &mut HashMap<&'static str, Layout>) -> (usize, usize) {
    match ty {
        Ty::Bool => (1, LEAF),
        Ty::I32 => (4, LEAF),
        Ty::I64 => (8, LEAF),
        Ty::Time => (16, LEAF),
        Ty::Json => (32, LEAF),
        Ty::Str | Ty::Bytes | Ty::IntOrString | Ty::Quantity | Ty::Other => (24, LEAF),
        Ty::List(inner) | Ty::Map(inner) => (24, CONTAINER + measure(*inner, layouts).1),
        Ty::Struct(known) => {
            let layout = of(known, layouts);
            (layout.size, layout.depth)
        }
    }
}
