//! Nesting depth and `Default` of the k8s-openapi types in the table, for the passes that follow.
use super::table::ALL;
use super::types::{Ty, Type};
use crate::base::options::Kubernetes;
use crate::model::pass::{CONTAINER_STEPS, LEAF_STEPS, STEP};
use foldhash::{HashMap, HashMapExt};
use std::sync::LazyLock;

/// The layout of a type with the fields of all Kubernetes versions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::model::pass) struct Layout {
    /// Steps from the struct to its deepest part.
    pub(in crate::model::pass) depth: usize,
    /// Whether it implements `Default`.
    pub(in crate::model::pass) default: bool,
}

static ALL_LAYOUTS: LazyLock<HashMap<&str, Layout>> = LazyLock::new(|| {
    let mut layouts = HashMap::new();
    for known in ALL.iter() {
        of(known, &mut layouts);
    }
    layouts
});

/// Returns the layout of a type in the table, by its path.
pub(in crate::model::pass) fn layout(path: &str) -> Option<Layout> {
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
        let steps = STEP + depth(field.ty, layouts) + usize::from(optional) * STEP;
        layout.depth = layout.depth.max(steps);
    }
    layouts.insert(known.path, layout);
    layout
}

/// Returns the steps to the deepest part of a type.
fn depth(ty: Ty, layouts: &mut HashMap<&'static str, Layout>) -> usize {
    match ty {
        Ty::Bool
        | Ty::I32
        | Ty::I64
        | Ty::Str
        | Ty::Bytes
        | Ty::Time
        | Ty::IntOrString
        | Ty::Quantity
        | Ty::Json
        | Ty::Other => LEAF_STEPS,
        Ty::List(inner) | Ty::Map(inner) => CONTAINER_STEPS + depth(*inner, layouts),
        Ty::Struct(known) => of(known, layouts).depth,
    }
}
