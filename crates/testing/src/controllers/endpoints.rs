//! `EndpointSlices`: the addresses of the Pods that a Service selects.

use std::sync::Arc;

use serde_json::{Value, json};

use super::pass::{Pass, active, controller_of, ready};
use crate::values::object::{self, at, list, put, text};

const SERVICE: &str = "kubernetes.io/service-name";

pub(super) fn run(pass: &mut Pass<'_>) {
    for service in pass.list("v1", "Service") {
        let selector = at(&service, "/spec/selector");
        if selector.as_object().is_none_or(serde_json::Map::is_empty)
            || text(&service, "/spec/type") == "ExternalName"
        {
            continue;
        }
        let mut pods = pass.list("v1", "Pod");
        pods.retain(|pod| {
            active(pod)
                && !text(pod, "/status/podIP").is_empty()
                && selects(&service, selector, pod)
        });
        let (endpoints, ports) = (endpoints(&pods), ports(&service, &pods));
        match pass.owned(&service, "EndpointSlice").first() {
            None => {
                let mut labels = json!({"endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io"});
                labels[SERVICE] = object::name(&service).into();
                pass.create(&json!({
                    "apiVersion": "discovery.k8s.io/v1",
                    "kind": "EndpointSlice",
                    "metadata": {
                        "generateName": format!("{}-", object::name(&service)),
                        "namespace": object::namespace(&service),
                        "labels": labels,
                        "ownerReferences": controller_of(&service),
                    },
                    "addressType": "IPv4",
                    "endpoints": endpoints,
                    "ports": ports,
                }));
            }
            Some(slice)
                if list(slice, "/endpoints") != endpoints || list(slice, "/ports") != ports =>
            {
                let mut changed = Value::clone(slice);
                put(&mut changed, "/endpoints", endpoints.into());
                put(&mut changed, "/ports", ports.into());
                pass.update(&changed);
            }
            Some(_) => {}
        }
    }
}

fn selects(service: &Value, selector: &Value, pod: &Value) -> bool {
    object::namespace(service) == object::namespace(pod)
        && selector
            .as_object()
            .into_iter()
            .flatten()
            .all(|(key, value)| at(pod, "/metadata/labels").get(key) == Some(value))
}

fn endpoints(pods: &[Arc<Value>]) -> Vec<Value> {
    let endpoint = |pod: &Arc<Value>| {
        json!({
            "addresses": [at(pod, "/status/podIP")],
            "conditions": {"ready": ready(pod), "serving": ready(pod), "terminating": false},
            "nodeName": at(pod, "/spec/nodeName"),
            "targetRef": {
                "kind": "Pod",
                "name": object::name(pod),
                "namespace": object::namespace(pod),
                "uid": object::uid(pod),
            },
        })
    };
    pods.iter().map(endpoint).collect()
}

/// Returns the ports of the endpoints, of which there are none without Pods; a named target port has the number that the first
/// Pod gives it.
fn ports(service: &Value, pods: &[Arc<Value>]) -> Vec<Value> {
    if pods.is_empty() {
        return Vec::new();
    }
    let number = |name: &str| {
        let containers = list(pods.first()?, "/spec/containers").iter();
        let mut ports = containers.flat_map(|container| list(container, "/ports"));
        let port = ports.find(|port| text(port, "/name") == name)?;
        Some(at(port, "/containerPort").clone())
    };
    let port = |port: &Value| {
        let target = match at(port, "/targetPort") {
            Value::String(name) => number(name)?,
            Value::Null => at(port, "/port").clone(),
            target => target.clone(),
        };
        let protocol = at(port, "/protocol");
        Some(json!({"name": text(port, "/name"), "port": target, "protocol": protocol}))
    };
    list(service, "/spec/ports")
        .iter()
        .filter_map(port)
        .collect()
}
