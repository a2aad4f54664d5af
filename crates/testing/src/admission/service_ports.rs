//! Allocates cluster IPs and node ports of Services, as the API server does.

use std::{collections::BTreeSet, ops::RangeInclusive};

use kube::core::response::StatusCause;
use serde_json::{Value, json};

use crate::{
    kinds::{kind::Kind, store::Store},
    values::{
        object::{self, at, list, put, text},
        status::cause,
    },
};

/// The server's default `--service-node-port-range`.
const NODE_PORTS: RangeInclusive<u64> = 30000..=32767;

/// Allocates the cluster IP and the node ports; returns the conflicts.
pub(crate) fn allocate(
    store: &mut Store,
    kind: &Kind,
    old: Option<&Value>,
    object: &mut Value,
) -> Vec<StatusCause> {
    cluster_ip(store, old, object);
    for index in 0..list(object, "/spec/ports").len() {
        let port = format!("/spec/ports/{index}");
        if at(object, &format!("{port}/targetPort")).is_null()
            && let Some(number) = object.pointer(&format!("{port}/port")).cloned()
            && let Some(fields) = object.pointer_mut(&port).and_then(Value::as_object_mut)
        {
            fields.insert("targetPort".to_owned(), number);
        }
    }
    if matches!(text(object, "/spec/type"), "NodePort" | "LoadBalancer") {
        node_ports(store, kind, old, object)
    } else {
        Vec::new()
    }
}

fn cluster_ip(store: &mut Store, old: Option<&Value>, object: &mut Value) {
    if text(object, "/spec/type") == "ExternalName" || !text(object, "/spec/clusterIP").is_empty() {
        return;
    }
    // An update that omits the allocated address keeps it.
    let kept = old.map_or("", |old| text(old, "/spec/clusterIP"));
    let had_address = old.is_some_and(|old| text(old, "/spec/type") != "ExternalName");
    if kept.is_empty() && had_address {
        // An update of its status has created it.
        return;
    }
    let address = if kept.is_empty() {
        // The first address is that of the API server.
        let number = store.unique();
        format!("10.96.{}.{}", number / 250 % 250, number % 250 + 2)
    } else {
        kept.to_owned()
    };
    put(object, "/spec/clusterIPs", json!([address]));
    put(object, "/spec/clusterIP", address.into());
}

fn node_ports(
    store: &Store,
    kind: &Kind,
    old: Option<&Value>,
    object: &mut Value,
) -> Vec<StatusCause> {
    let (namespace, name) = (
        object::namespace(object).to_owned(),
        object::name(object).to_owned(),
    );
    let others = store.list(kind, "");
    let others = others
        .iter()
        .filter(|other| object::namespace(other) != namespace || object::name(other) != name);
    let mut taken: BTreeSet<u64> = others.flat_map(|other| node_ports_of(other)).collect();
    let mut causes = Vec::new();
    for (index, number) in list(object, "/spec/ports")
        .iter()
        .map(|port| at(port, "/nodePort").as_u64().unwrap_or_default())
        .enumerate()
    {
        if number != 0 && !taken.insert(number) {
            let message = format!("Invalid value: {number}: provided port is already allocated");
            causes.push(cause(
                format!("spec.ports[{index}].nodePort"),
                "FieldValueInvalid",
                message,
            ));
        }
    }
    let before = old
        .map(|old| list(old, "/spec/ports").to_vec())
        .unwrap_or_default();
    for index in 0..list(object, "/spec/ports").len() {
        let Some(port) = object.pointer_mut(&format!("/spec/ports/{index}")) else {
            continue;
        };
        if at(port, "/nodePort").as_u64().unwrap_or_default() != 0 {
            continue;
        }
        let same = |other: &&Value| {
            at(other, "/port") == at(port, "/port")
                && at(other, "/protocol") == at(port, "/protocol")
        };
        let kept = before
            .iter()
            .find(same)
            .and_then(|other| at(other, "/nodePort").as_u64())
            .filter(|number| !taken.contains(number));
        if let Some(number) = kept.or_else(|| {
            NODE_PORTS
                .into_iter()
                .find(|number| !taken.contains(number))
        }) {
            taken.insert(number);
            put(port, "/nodePort", number.into());
        }
    }
    causes
}

fn node_ports_of(service: &Value) -> Vec<u64> {
    list(service, "/spec/ports")
        .iter()
        .filter_map(|port| at(port, "/nodePort").as_u64())
        .collect()
}
