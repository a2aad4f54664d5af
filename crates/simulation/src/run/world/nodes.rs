//! The nodes of the cluster: whether Pods get ready, and which are lost.

use std::collections::BTreeSet;

use super::World;
use crate::state::text;

/// How the Pods of a workload are, or one Pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pods {
    Ready,
    /// One was on a node that is lost.
    Lost,
    /// None gets ready.
    Failing,
}

/// What decides how Pods are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nodes {
    /// Whether no Pod gets ready.
    pub(super) is_failing: bool,
    /// The uids of what was there when a node was lost. A new Pod gets another node.
    pub(super) lost: BTreeSet<String>,
}

impl Nodes {
    /// Returns how the Pods of the object with this uid are.
    pub(crate) fn pods_of(&self, uid: &str) -> Pods {
        if self.is_failing {
            Pods::Failing
        } else if self.lost.contains(uid) {
            Pods::Lost
        } else {
            Pods::Ready
        }
    }
}

impl World {
    pub(crate) fn nodes(&self) -> Nodes {
        self.around().nodes.clone()
    }

    /// Loses a node, with a Pod of each workload; or replaces these Pods.
    pub(super) fn lose_node(&self, is_lost: bool) {
        let mut lost = BTreeSet::new();
        if is_lost {
            let uids = self
                .server
                .filter_map(|object| Some(text(object, "/metadata/uid").to_owned()));
            lost.extend(uids);
        }
        self.around().nodes.lost = lost;
        self.nodes_change.notify_one();
    }
}
