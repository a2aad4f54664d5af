//! What is checked after each write of the operator.

use k8s_openapi::api::coordination::v1::Lease;
use kube_codegen_record::clock;
use serde_json::Value;

use super::{Child, World};
use crate::{
    faults::drifts,
    oracle::{Failure, Oracle, Variety},
    request::Seen,
    schedule::{Point, PointKind},
    state::{Mask, State, comparable, differences, id, text},
    timeline::Happening,
};

/// How often a child of an owner that is deleted may be created: until the cache shows the deletion.
const COLLECTED: usize = 20;

/// How often the server may refuse writes, without a change in between, until this is why an operator goes on.
const REFUSED: u32 = 10;

/// Whether an owner reference of an object in a namespace is one to `owner`, whose uid it has.
fn refers(reference: &Value, owner: &Value, namespace: &str) -> bool {
    let group = |object: &Value| {
        let version = text(object, "/apiVersion");
        version
            .rsplit_once('/')
            .map_or("", |(group, _)| group)
            .to_owned()
    };
    let place = text(owner, "/metadata/namespace");
    group(reference) == group(owner)
        && text(reference, "/kind") == text(owner, "/kind")
        && text(reference, "/name") == text(owner, "/metadata/name")
        && (place.is_empty() || place == namespace)
}

fn owner_name(reference: &Value) -> String {
    format!("{} {}", text(reference, "/kind"), text(reference, "/name"))
}

impl World {
    fn key(&self, seen: &Seen) -> String {
        let place = seen.place();
        let place = self.lock().generated.get(&place).cloned().unwrap_or(place);
        let place = self.names.general(&place).unwrap_or(place);
        let slash = if seen.group.is_empty() { "" } else { "/" };
        format!("{}{slash}{} {place}", seen.group, seen.resource)
    }

    /// Returns whether the object was collected at once.
    pub(super) fn created(
        &self,
        point: &Point,
        seen: &Seen,
        object: &Value,
        is_free: bool,
    ) -> bool {
        let key = self.key(seen);
        let owners = object
            .pointer("/metadata/ownerReferences")
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let owned = !owners.is_empty();
        let is_named = |other: &Value| {
            let uid = text(other, "/metadata/uid");
            let reference = owners.iter().find(|owner| text(owner, "/uid") == uid)?;
            Some(
                (!refers(reference, other, &seen.namespace))
                    .then(|| (reference.clone(), id(other))),
            )
        };
        let living = self.server.filter_map(is_named);
        if let Some((reference, other)) = living.iter().flatten().next() {
            let named = owner_name(reference);
            let message = format!(
                "{key} was created with an owner reference to {named}, with the uid of {other}: for the garbage collector, that owner does not exist"
            );
            self.fail(Failure::new(Oracle::OwnerReferences, message).of(Variety::UidOfAnother));
        }
        let mut inner = self.lock();
        if seen.name.ends_with('*') {
            let name = format!("{}/{}", seen.namespace, text(object, "/metadata/name"));
            inner.generated.insert(name, seen.place());
        }
        // A cache that shows the owner a little longer makes operators create a child of a deleted one. It is collected at once.
        let is_collected = owned && living.is_empty();
        if is_collected {
            let named = owners.first().map(owner_name).unwrap_or_default();
            let collected = inner.collected.entry(key.clone()).or_default();
            *collected = (collected.0 + 1, named);
        } else if !is_free {
            inner.counts.entry(key.clone()).or_default().0 += 1;
        }
        if !is_free && !is_collected {
            let mut newest = inner.passed.iter_mut().rev();
            if let Some(passed) = newest.find(|passed| passed.point == *point) {
                let ttl = object.pointer("/spec/ttlSecondsAfterFinished");
                passed.child = seen.object_path().map(|path| Child {
                    path: self.general_path(path),
                    drifts: drifts(&seen.sent()),
                    is_owned: owned,
                    expires: ttl.is_some(),
                });
            }
        }
        drop(inner);
        self.replaces(seen, object);
        if is_collected {
            self.log(|| Happening::Cluster {
                object: key.clone(),
                what: "is collected: no object has the uid of its owner reference",
            });
        }
        if owned || self.setup.is_primary(&seen.group, &seen.resource) {
            return is_collected;
        }
        let possible_owners = self.server.filter_map(|other| {
            let namespace = text(other, "/metadata/namespace");
            let near = namespace.is_empty() || namespace == seen.namespace;
            (near && self.setup.is_primary_object(other)).then_some(())
        });
        if !possible_owners.is_empty() {
            let message = format!("{key} was created without an owner reference");
            self.fail(Failure::new(Oracle::OwnerReferences, message));
        }
        is_collected
    }

    pub(super) fn deleted(&self, seen: &Seen) {
        let key = self.key(seen);
        self.lock().counts.entry(key.clone()).or_default().1 += 1;
        let options = seen.sent();
        let has = |pointer: &str| !text(&options, pointer).is_empty();
        if !has("/preconditions/uid") && !has("/preconditions/resourceVersion") {
            let message = format!("{key} was deleted by its name alone");
            self.fail(Failure::new(Oracle::Preconditions, message));
        }
    }

    pub(super) fn remember(&self, object: &Value) {
        // The answer to a delete.
        if text(object, "/kind") == "Status" {
            return;
        }
        let mut inner = self.lock();
        let (count, versions) = inner.versions.entry(id(object)).or_default();
        *count += 1;
        versions.push(comparable(object));
        if versions.len() > 3 {
            versions.remove(0);
        }
    }

    /// Returns a failure of an operator that goes on writing, with the difference of the last two writes to the object that was written most.
    pub(crate) fn endless(&self, message: &str) -> Failure {
        let inner = self.lock();
        let most = inner.collected.iter().max_by_key(|(_, (count, _))| *count);
        if let Some((key, (count, owner))) = most.filter(|(_, (count, _))| *count > COLLECTED) {
            let message = format!(
                "{message}: {key} was created {count} times, and collected each time, since its owner reference names {owner} with a uid that no object has"
            );
            return Failure::new(Oracle::Rest, message).of(Variety::UnknownUid);
        }
        let (count, last) = &inner.refused;
        if *count > REFUSED {
            let message = format!(
                "{message}, or tries to: the server has refused the last {count} writes, such as {last}"
            );
            return Failure::new(Oracle::Rest, message).of(Variety::Refused);
        }
        let most = inner.versions.iter().max_by_key(|(_, (count, _))| *count);
        let Some((id, (count, versions))) = most else {
            return Failure::new(Oracle::Rest, message);
        };
        let [.., before, last] = versions.as_slice() else {
            return Failure::new(Oracle::Rest, message);
        };
        let of = |object: &Value| State::from([(id.clone(), object.clone())]);
        let found = differences(&of(before), &of(last), &Mask::new());
        let alternates = versions.len() == 3 && versions.first() == Some(last) && before != last;
        let (variety, how) = if alternates {
            let how = ", and goes back and forth between two states";
            (Variety::TwoStates, how)
        } else {
            (Variety::Usual, "")
        };
        let message = format!("{message}: {id} was written {count} times{how}");
        Failure::new(Oracle::Rest, message).of(variety).with(found)
    }

    pub(super) fn count_warning(&self, event: &[u8]) {
        let event: Value = serde_json::from_slice(event).unwrap_or_default();
        if text(&event, "/type") == "Warning" {
            self.lock().warnings += 1;
        }
    }

    /// Learns which replica a holder of a Lease is.
    pub(super) fn follow_lease(&self, replica: usize, seen: &Seen) {
        if self.setup.replicas < 2 || seen.resource != "leases" || seen.kind() == PointKind::Read {
            return;
        }
        for lease in self.server.list::<Lease>() {
            if let Some(holder) = lease.spec.and_then(|spec| spec.holder_identity) {
                self.lock().holders.entry(holder).or_insert(replica);
            }
        }
    }

    /// Checks that a replica that writes holds each Lease that is held.
    pub(super) fn leads(&self, replica: usize, what: &str) {
        if self.setup.replicas < 2 {
            return;
        }
        for lease in self.server.list::<Lease>() {
            let Some(spec) = lease.spec else { continue };
            let (Some(holder), Some(renewed), Some(seconds)) = (
                spec.holder_identity,
                spec.renew_time,
                spec.lease_duration_seconds,
            ) else {
                continue;
            };
            let age = clock::now().duration_since(renewed.0).as_secs();
            let held_by = self.lock().holders.get(&holder).copied();
            if age < i64::from(seconds) && held_by.is_some_and(|holder| holder != replica) {
                let message =
                    format!("replica {replica} sent {what} while {holder:?} held the Lease");
                self.fail(Failure::new(Oracle::Leader, message));
            }
        }
    }

    pub(super) fn count_conditions(&self, object: &Value) {
        let conditions = object
            .pointer("/status/conditions")
            .and_then(Value::as_array);
        let uid = text(object, "/metadata/uid");
        for condition in conditions.into_iter().flatten() {
            let (kind, status) = (text(condition, "/type"), text(condition, "/status"));
            let key = (uid.to_owned(), kind.to_owned());
            let mut inner = self.lock();
            let last = inner
                .conditions
                .entry(key)
                .or_insert_with(|| (status.to_owned(), 0));
            if last.0 != status {
                *last = (status.to_owned(), last.1 + 1);
            }
            let flaps = last.1 > 4;
            drop(inner);
            if flaps {
                let message = format!(
                    "the status of condition {kind:?} of {} changed five times without a change of the user",
                    id(object)
                );
                self.fail(Failure::new(Oracle::Conditions, message));
            }
        }
    }
}
