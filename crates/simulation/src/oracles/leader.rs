//! Of several replicas, only the one that holds the Lease writes.

use std::collections::HashMap;

use k8s_openapi::api::coordination::v1::Lease;
use kube_codegen_record::clock;

use super::{
    check::{Answer, Check, Run},
    violation::Violation,
};
use crate::point::PointKind;

pub(super) const DEMANDS: &str = "only the holder of the Lease writes";

#[derive(Default)]
pub(super) struct Leader {
    /// The replica of each holder of a Lease.
    holders: HashMap<String, usize>,
}

impl Check for Leader {
    fn answered(&mut self, run: &Run<'_>, answer: &Answer<'_>) -> Vec<Violation> {
        let (point, replica) = (answer.point, answer.point.replica);
        if run.replicas < 2 {
            return Vec::new();
        }
        if point.resource == "leases" && point.kind() != PointKind::Read {
            for lease in run.server.list::<Lease>() {
                if let Some(holder) = lease.spec.and_then(|spec| spec.holder_identity) {
                    self.holders.entry(holder).or_insert(replica);
                }
            }
        }
        if !answer.is_change() {
            return Vec::new();
        }
        let mut found = Vec::new();
        for lease in run.server.list::<Lease>() {
            let Some(spec) = lease.spec else { continue };
            let (Some(holder), Some(renewed), Some(seconds)) = (
                spec.holder_identity,
                spec.renew_time,
                spec.lease_duration_seconds,
            ) else {
                continue;
            };
            let age = clock::now().duration_since(renewed.0).as_secs();
            let held_by = self.holders.get(&holder).copied();
            if age < i64::from(seconds) && held_by.is_some_and(|holder| holder != replica) {
                let what = point.what();
                let message =
                    format!("replica {replica} sent {what} while {holder} held the Lease");
                found.push(Violation::new(message));
            }
        }
        found
    }
}
