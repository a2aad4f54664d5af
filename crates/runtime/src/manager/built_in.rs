//! Makes debug builds of this crate contain the code for the children that most operators keep.
//!
//! Rust compiles generic code where its types are known: in the operator's crate, after each change. For a Deployment that is thousands of functions, most
//! of which read and write the Pod template. Without optimisation, a crate links what a dependency has already compiled for the same types, so
//! compiling it here once is enough. With optimisation, each crate compiles its own copy, and the one here would be wasted.

use futures::future::BoxFuture;
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{ConfigMap, Secret, Service},
};

use super::Manager;
use crate::{
    Object,
    children::{ChildError, ChildState, Children},
    record::apply::{Apply, Fields},
};

/// Nothing uses this static, but it is compiled; the linker leaves it out of programs.
static COMPILED: (
    Code<Deployment>,
    Code<Service>,
    Code<ConfigMap>,
    Code<Secret>,
) = (Code::HERE, Code::HERE, Code::HERE, Code::HERE);

/// The entry points from which all the rest is reached.
struct Code<K: Object + Fields> {
    children: fn(&Manager) -> Children<K>,
    apply: for<'a> fn(&'a Children<K>, &'a K, K) -> Applying<'a, K>,
}

type Applying<'a, K> = BoxFuture<'a, Result<ChildState<K>, ChildError>>;

impl<K: Object<DynamicType = ()> + Fields> Code<K> {
    const HERE: Self = Self {
        children: Manager::children::<K>,
        apply: |children, owner, child| Box::pin(children.apply(owner, Apply::from(child))),
    };
}
