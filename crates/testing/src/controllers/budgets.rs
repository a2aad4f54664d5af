//! The controller of disruption budgets: how many of the selected Pods may be evicted now.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::{Value, json};

use super::pass::{Pass, number, ready};
use crate::{
    request::selector,
    values::object::{self, at, flag, list, text},
};

pub(super) fn run(pass: &mut Pass<'_>) {
    for budget in pass.list("policy/v1", "PodDisruptionBudget") {
        let mut selected = pass.list("v1", "Pod");
        selected.retain(|pod| {
            object::namespace(pod) == object::namespace(&budget)
                && selector::selects(at(&budget, "/spec/selector"), at(pod, "/metadata/labels"))
        });
        let expected = expected(pass, &selected);
        let healthy = selected.iter().filter(|pod| ready(pod)).count();
        let healthy = i64::try_from(healthy).unwrap_or(i64::MAX);
        let desired = match (
            at(&budget, "/spec/minAvailable"),
            at(&budget, "/spec/maxUnavailable"),
        ) {
            (Value::Null, Value::Null) => 0,
            (Value::Null, most) => (expected - scaled(most, expected)).max(0),
            (least, _) => scaled(least, expected),
        };
        let allowed = if healthy >= desired && expected > 0 {
            healthy - desired
        } else {
            0
        };
        let status = json!({
            "observedGeneration": number(&budget, "/metadata/generation"),
            "expectedPods": expected,
            "currentHealthy": healthy,
            "desiredHealthy": desired,
            "disruptionsAllowed": allowed,
        });
        pass.set_status(&budget, status);
    }
}

/// Returns how many Pods there should be: the replicas of their controllers, and the Pods without one.
fn expected(pass: &Pass<'_>, pods: &[Arc<Value>]) -> i64 {
    let mut controllers = BTreeSet::new();
    let mut expected = 0;
    for pod in pods {
        let owners = list(pod, "/metadata/ownerReferences").iter();
        let mut owner = owners.filter(|it| flag(it, "/controller"));
        let Some(owner) = owner.next() else {
            expected += 1;
            continue;
        };
        let (version, kind) = (text(owner, "/apiVersion"), text(owner, "/kind"));
        let found = pass
            .client
            .get(version, kind, object::namespace(pod), text(owner, "/name"));
        match found.and_then(|it| at(&it, "/spec/replicas").as_i64()) {
            Some(replicas) if controllers.insert(text(owner, "/uid").to_owned()) => {
                expected += replicas;
            }
            Some(_) => {}
            None => expected += 1,
        }
    }
    expected
}

/// Returns a number, or a percentage of the Pods, rounded up.
fn scaled(value: &Value, of: i64) -> i64 {
    match value {
        Value::String(text) => {
            let percent: i64 = text.trim_end_matches('%').parse().unwrap_or_default();
            (of * percent + 99) / 100
        }
        value => value.as_i64().unwrap_or_default(),
    }
}
