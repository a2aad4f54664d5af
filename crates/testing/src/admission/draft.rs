//! A write on its way from what its client sent to what is stored.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::{
    kinds::target::{Target, whole},
    request::Sent,
};

/// An object before and after a write. The steps of admission change it; then it is stored.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draft {
    /// `None` if the write creates the object.
    pub(crate) old: Option<Arc<Value>>,
    pub(crate) object: Value,
    pub(crate) sent: Sent,
    /// The object as it was sent, if it has numbers such as `1.0`: its validation sees them.
    pub(super) unrounded: Option<Value>,
    /// Whether the client gave it labels.
    pub(super) is_labelled: bool,
    /// Whether a webhook or a policy has changed it.
    pub(super) is_mutated: bool,
    /// An apply that changes nothing: it is neither admitted nor stored, unless a webhook that is called over HTTP changes the object.
    pub(crate) is_same: bool,
    /// The policies that have changed it and ask to be invoked again after the webhooks, by what identifies their invocations.
    pub(super) invoked: Vec<String>,
    pub(crate) comparison: Comparison,
}

/// How the new state is compared with the old one: Go compares what it has decoded, which the stored form does not show.
#[derive(Clone, Debug, Default)]
pub(crate) struct Comparison {
    /// The new state has blank metadata that is stored until the next write.
    pub(crate) is_blank: bool,
    /// Times of `managedFields` count.
    pub(crate) is_timed: bool,
    /// The specification has empty maps or lists where the old one has none, and its kind tells them apart.
    pub(crate) has_new_blanks: bool,
    /// The blank metadata of an applied custom resource.
    pub(crate) blanks: Option<Map<String, Value>>,
    /// An applied custom resource, before it is completed.
    pub(crate) applied: Option<Value>,
}

impl Draft {
    /// Returns the draft of a creation.
    pub(crate) fn creation(object: Value, sent: Sent) -> Self {
        Self {
            object,
            sent,
            ..Self::default()
        }
    }

    /// Returns the draft of an update.
    pub(crate) fn update(old: Arc<Value>, object: Value, sent: Sent) -> Self {
        Self {
            old: Some(old),
            ..Self::creation(object, sent)
        }
    }

    /// Returns the draft of an apply that changes nothing.
    pub(crate) fn same(old: Arc<Value>, target: &Target) -> Self {
        let object = whole(&old, target);
        Self {
            is_same: true,
            ..Self::update(old, object, Sent::default())
        }
    }

    /// The name of the operation in admission reviews.
    pub(super) fn operation(&self) -> &'static str {
        if self.old.is_some() {
            "UPDATE"
        } else {
            "CREATE"
        }
    }
}
