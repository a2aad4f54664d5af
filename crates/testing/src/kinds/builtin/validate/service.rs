//! Validates Services.

use std::{collections::BTreeSet, net::IpAddr};

use serde_json::{Value, json};

use super::{Causes, container};
use crate::values::object::{at, list, text};

/// Validates what a load balancer reports.
fn balancer(it: &mut Causes, kind: &str, ingress: &[Value]) {
    const PATH: &str = "status.loadBalancer.ingress";
    if !ingress.is_empty() && kind != "LoadBalancer" {
        it.forbidden(PATH, "may only be used when `spec.type` is 'LoadBalancer'");
        return;
    }
    for (index, point) in ingress.iter().enumerate() {
        let (ip, name) = (text(point, "/ip"), text(point, "/hostname"));
        if !ip.is_empty() && ip.parse::<IpAddr>().is_err() {
            let why = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
            it.invalid(format!("{PATH}[{index}].ip"), json!(ip), why);
        }
        let path = format!("{PATH}[{index}].hostname");
        if name.parse::<IpAddr>().is_ok() {
            let why = "must be a DNS name, not an IP address";
            it.invalid(path, json!(name), why);
        } else if !name.is_empty() {
            it.subdomain(&path, at(point, "/hostname"));
        }
    }
}

pub(crate) fn validate(it: &mut Causes, old: Option<&Value>, object: &Value) {
    let spec = at(object, "/spec");
    let kind = text(spec, "/type");
    let is_headless = text(spec, "/clusterIP") == "None";
    let ports = list(spec, "/ports");
    if ports.is_empty() && !is_headless && kind != "ExternalName" {
        it.required("spec.ports", "");
    }
    if is_headless && matches!(kind, "LoadBalancer" | "NodePort") {
        it.invalid(
            "spec.clusterIPs[0]",
            "\"None\"",
            format!("may not be set to 'None' for {kind} services"),
        );
    }
    let has_address = !text(spec, "/clusterIP").is_empty();
    if kind != "ExternalName" && has_address && list(spec, "/clusterIPs").is_empty() {
        it.required("spec.clusterIPs", "");
    }
    if kind == "ExternalName" {
        if has_address {
            it.forbidden(
                "spec.clusterIPs",
                "may not be set for ExternalName services",
            );
        }
        let name = text(spec, "/externalName").trim_end_matches('.');
        if name.is_empty() {
            it.required("spec.externalName", "");
        } else {
            it.subdomain("spec.externalName", &json!(name));
        }
    }
    self::ports(it, ports);
    it.labels("spec.selector", at(spec, "/selector"));
    it.one_of(
        "spec.sessionAffinity",
        at(spec, "/sessionAffinity"),
        &["ClientIP", "None"],
    );
    it.one_of(
        "spec.type",
        at(spec, "/type"),
        &["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"],
    );
    let (mut numbers, mut pairs) = (BTreeSet::new(), BTreeSet::new());
    for (index, port) in ports.iter().enumerate() {
        let path = format!("spec.ports[{index}]");
        let number = at(port, "/nodePort").as_i64().unwrap_or_default();
        if number != 0 && kind == "ClusterIP" {
            it.forbidden(
                format!("{path}.nodePort"),
                "may not be used when `type` is 'ClusterIP'",
            );
        }
        if number != 0 && !numbers.insert((text(port, "/protocol"), number)) {
            it.duplicate(format!("{path}.nodePort"), number);
        }
    }
    for (index, port) in ports.iter().enumerate() {
        let number = at(port, "/port");
        if !pairs.insert((text(port, "/protocol"), number.as_i64())) {
            let shown = json!({"protocol": at(port, "/protocol"), "port": number});
            it.duplicate(format!("spec.ports[{index}]"), shown);
        }
    }
    balancer(it, kind, list(object, "/status/loadBalancer/ingress"));
    if !list(spec, "/loadBalancerSourceRanges").is_empty() && kind != "LoadBalancer" {
        it.forbidden(
            "spec.LoadBalancerSourceRanges",
            "may only be used when `type` is 'LoadBalancer'",
        );
    }
    if !at(spec, "/allocateLoadBalancerNodePorts").is_null() && kind != "LoadBalancer" {
        it.forbidden(
            "spec.allocateLoadBalancerNodePorts",
            "may only be used when `type` is 'LoadBalancer'",
        );
    }
    let is_external = matches!(kind, "NodePort" | "LoadBalancer")
        || kind == "ClusterIP" && !list(spec, "/externalIPs").is_empty();
    let policy = at(spec, "/externalTrafficPolicy");
    if !is_external && policy.is_string() {
        it.invalid(
            "spec.externalTrafficPolicy",
            policy,
            "may only be set for externally-accessible services",
        );
    } else if is_external {
        it.one_of("spec.externalTrafficPolicy", policy, &["Cluster", "Local"]);
    }
    it.one_of(
        "spec.internalTrafficPolicy",
        at(spec, "/internalTrafficPolicy"),
        &["Cluster", "Local"],
    );
    update(it, old, object);
}

/// The cluster IP of a Service stays as long as its type has one.
fn update(it: &mut Causes, old: Option<&Value>, object: &Value) {
    let Some(old) = old else { return };
    let (before, after) = (
        text(old, "/spec/clusterIP"),
        text(object, "/spec/clusterIP"),
    );
    let has_address = |object: &Value| text(object, "/spec/type") != "ExternalName";
    if !before.is_empty()
        && before != after
        && has_address(old)
        && has_address(object)
        && !after.is_empty()
    {
        it.invalid(
            "spec.clusterIPs[0]",
            json!([after]),
            "may not change once set",
        );
    }
}

fn ports(it: &mut Causes, ports: &[Value]) {
    let mut names = BTreeSet::new();
    for (index, port) in ports.iter().enumerate() {
        let path = format!("spec.ports[{index}]");
        let name = text(port, "/name");
        if !name.is_empty() {
            it.label(&format!("{path}.name"), at(port, "/name"));
            if !names.insert(name) {
                it.duplicate(format!("{path}.name"), at(port, "/name"));
            }
        } else if ports.len() > 1 {
            it.required(format!("{path}.name"), "");
        }
        it.port(format!("{path}.port"), at(port, "/port"));
        it.one_of(
            format!("{path}.protocol"),
            at(port, "/protocol"),
            &["SCTP", "TCP", "UDP"],
        );
        container::port_or_name(it, &format!("{path}.targetPort"), at(port, "/targetPort"));
    }
}
