//! Why a child cannot be kept.
use crate::Object;
use crate::controller::controller_of;
use crate::record::apply::Fields;

/// The reason why a child could not be created, corrected or deleted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChildError {
    /// The API server rejected a request or could not be reached.
    #[error(transparent)]
    Api(#[from] kube::Error),
    /// An object with the child's name exists, but the owner does not control it. The object was not changed.
    #[error("{kind} {name:?} already exists and is not controlled by this object{}", by(.controller.as_deref()))]
    Foreign {
        /// The kind of the object.
        kind: &'static str,
        /// The name of the object.
        name: String,
        /// Kind and name of the object's controller, such as `Deployment web`; `None` if it has none.
        controller: Option<String>,
    },
    /// Owner and child are in different namespaces. The garbage collector does not recognize owners in another namespace, or namespaced
    /// owners of cluster-scoped objects, so the owner reference would be invalid.
    #[error(
        "{kind} {name:?} cannot be a child: it is in {}, the owner in {}",
        place(.namespace.as_deref()),
        place(.owner.as_deref())
    )]
    Namespace {
        /// The kind of the child.
        kind: &'static str,
        /// The name of the child.
        name: String,
        /// The namespace of the child; `None` if it has none.
        namespace: Option<String>,
        /// The namespace of the owner; `None` if it is cluster-scoped.
        owner: Option<String>,
    },
    /// The owner has no uid because the server has not stored it yet.
    #[error("the owner is not stored yet: it has no uid")]
    NoOwner,
    /// Other clients keep deleting and creating objects with the child's name.
    #[error("{kind} {name:?} is deleted and created by other clients at the same time")]
    Busy {
        /// The kind of the child.
        kind: &'static str,
        /// The name of the child.
        name: String,
    },
}

impl ChildError {
    pub(super) fn foreign<K: Object<DynamicType = ()> + Fields>(object: &K) -> Self {
        Self::Foreign {
            kind: K::KIND,
            name: object.meta().name.clone().unwrap_or_default(),
            controller: controller_of(object).map(|owner| format!("{} {}", owner.kind, owner.name)),
        }
    }
}

fn by(controller: Option<&str>) -> String {
    controller.map_or_else(String::new, |controller| format!(", but by {controller}"))
}

fn place(namespace: Option<&str>) -> String {
    namespace.map_or_else(
        || "no namespace".to_owned(),
        |namespace| format!("namespace {namespace:?}"),
    )
}
