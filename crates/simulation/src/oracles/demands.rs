//! What the author of a simulation demands.

use std::{collections::BTreeSet, sync::Arc};

use kube_codegen_testing::ApiServer;
use serde_json::Value;

use super::Oracle;
use crate::state::text;

type Invariant = (
    String,
    Arc<dyn Fn(&ApiServer) -> Result<(), String> + Send + Sync>,
);

type Expected = Arc<dyn Fn(&ApiServer, &Value) -> Value + Send + Sync>;

/// A field of the status, and what it must be.
#[derive(Clone)]
pub(crate) struct Truth {
    pub(crate) kind: String,
    /// A JSON pointer.
    pub(crate) field: String,
    pub(crate) expected: Expected,
}

/// A kind whose objects are the user's.
#[derive(Clone, Debug)]
pub(crate) struct UserKind {
    pub(crate) group: String,
    pub(crate) plural: String,
    pub(crate) kind: String,
}

/// What the author of a simulation demands.
#[derive(Clone, Default)]
pub(crate) struct Demands {
    /// The oracles that are switched off.
    pub(crate) without: BTreeSet<Oracle>,
    pub(crate) kinds: Vec<UserKind>,
    pub(crate) truths: Vec<Truth>,
    pub(crate) always: Vec<Invariant>,
    pub(crate) eventually: Vec<Invariant>,
}

impl Demands {
    /// Whether a resource is one whose objects users make.
    pub(crate) fn is_of_user(&self, group: &str, plural: &str) -> bool {
        let mut kinds = self.kinds.iter();
        kinds.any(|it| it.group == group && it.plural == plural)
    }

    /// Whether users make objects of the kind of this one.
    pub(crate) fn is_object_of_user(&self, object: &Value) -> bool {
        let version = text(object, "/apiVersion");
        let group = version.rsplit_once('/').map_or("", |(group, _)| group);
        let kind = text(object, "/kind");
        let mut kinds = self.kinds.iter();
        kinds.any(|it| it.group == group && it.kind == kind)
    }
}
