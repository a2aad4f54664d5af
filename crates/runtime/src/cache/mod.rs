//! The cache of an informer: objects by namespace and name, and the indexes over them.
mod codec;
mod hot;
mod index;
mod keyed_set;
mod lengths;
mod object;
mod packed;
mod skip;
mod store;

pub(crate) use codec::{Form, Slot};
pub(crate) use keyed_set::KeyedSet;
pub use object::ObjectKey;
pub(crate) use object::{
    AnyObject, ObjectKind, Read, Shared, names, same_state, typed, typed_all, typed_mut, typed_ref,
    unique,
};
pub(crate) use skip::read;
pub(crate) use store::{Delta, SWEEP, Store};
pub use store::{IndexError, NAMESPACE_INDEX};
