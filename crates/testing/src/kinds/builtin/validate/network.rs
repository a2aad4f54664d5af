//! Validates Ingresses and network policies.

use serde_json::{Value, json};

use super::{Causes, container};
use crate::values::object::{at, list, text};

pub(crate) fn ingress(it: &mut Causes, object: &Value) {
    let spec = at(object, "/spec");
    let rules = list(spec, "/rules");
    let backend = at(spec, "/defaultBackend");
    if rules.is_empty() && !backend.is_object() {
        it.invalid(
            "spec",
            "null",
            "either `defaultBackend` or `rules` must be specified",
        );
    }
    if backend.is_object() {
        self::backend(it, "spec.defaultBackend", backend);
    }
    for (index, rule) in rules.iter().enumerate() {
        let path = format!("spec.rules[{index}]");
        let host = text(rule, "/host");
        let plain = host.strip_prefix("*.").unwrap_or(host);
        if !host.is_empty() && !plain.contains('*') {
            it.subdomain(&format!("{path}.host"), &json!(plain));
        }
        let http = at(rule, "/http");
        if !http.is_object() {
            continue;
        }
        if list(http, "/paths").is_empty() {
            it.required(format!("{path}.http.paths"), "");
        }
        for (number, entry) in list(http, "/paths").iter().enumerate() {
            let path = format!("{path}.http.paths[{number}]");
            let (kind, value) = (at(entry, "/pathType"), at(entry, "/path"));
            let is_absolute = text(entry, "/path").starts_with('/');
            match kind.as_str() {
                None => {
                    it.required(format!("{path}.pathType"), "pathType must be specified");
                    continue;
                }
                Some("Exact" | "Prefix") if !is_absolute => {
                    it.invalid(
                        format!("{path}.path"),
                        json!(value.as_str().unwrap_or_default()),
                        "must be an absolute path",
                    );
                }
                Some("ImplementationSpecific")
                    if !is_absolute && !text(entry, "/path").is_empty() =>
                {
                    it.invalid(format!("{path}.path"), value, "must be an absolute path");
                }
                Some("Exact" | "Prefix" | "ImplementationSpecific") => {}
                Some(_) => it.unsupported(
                    format!("{path}.pathType"),
                    kind,
                    &["Exact", "ImplementationSpecific", "Prefix"],
                ),
            }
            self::backend(it, &format!("{path}.backend"), at(entry, "/backend"));
        }
    }
    let class = at(spec, "/ingressClassName");
    if class.is_string() {
        it.subdomain("spec.ingressClassName", class);
    }
}

fn backend(it: &mut Causes, path: &str, backend: &Value) {
    let (service, resource) = (at(backend, "/service"), at(backend, "/resource"));
    match (service.is_object(), resource.is_object()) {
        (true, true) => it.invalid(
            path,
            "\"\"",
            "cannot set both resource and service backends",
        ),
        (false, true) => {
            for name in ["kind", "name"] {
                if text(resource, &format!("/{name}")).is_empty() {
                    it.required(format!("{path}.resource.{name}"), "");
                }
            }
        }
        (false, false) => it.invalid(path, "\"\"", "resource or service backend is required"),
        (true, false) => {
            if text(service, "/name").is_empty() {
                it.required(format!("{path}.service.name"), "");
            } else {
                it.label(&format!("{path}.service.name"), at(service, "/name"));
            }
            let (name, number) = (at(service, "/port/name"), at(service, "/port/number"));
            let has_name = name.as_str().is_some_and(|it| !it.is_empty());
            let has_number = number.as_i64().is_some_and(|it| it != 0);
            match (has_name, has_number) {
                (true, true) => it.invalid(path, "\"\"", "cannot set both port name & port number"),
                (true, false) => drop(it.port_name(&format!("{path}.service.port.name"), name)),
                (false, true) => it.port(format!("{path}.service.port.number"), number),
                (false, false) => it.required(path, "port name or number is required"),
            }
        }
    }
}

pub(crate) fn network_policy(it: &mut Causes, object: &Value) {
    let spec = at(object, "/spec");
    it.selector("spec.podSelector", at(spec, "/podSelector"));
    for (direction, peers) in [("ingress", "from"), ("egress", "to")] {
        for (index, rule) in list(spec, &format!("/{direction}")).iter().enumerate() {
            let path = format!("spec.{direction}[{index}]");
            for (number, port) in list(rule, "/ports").iter().enumerate() {
                let path = format!("{path}.ports[{number}]");
                it.one_of(
                    format!("{path}.protocol"),
                    at(port, "/protocol"),
                    &["TCP", "UDP", "SCTP"],
                );
                network_port(it, &path, port);
            }
            for (number, peer) in list(rule, &format!("/{peers}")).iter().enumerate() {
                let path = format!("{path}.{peers}[{number}]");
                let has = |name: &str| peer.get(name).is_some_and(Value::is_object);
                for name in ["podSelector", "namespaceSelector"] {
                    it.selector(&format!("{path}.{name}"), at(peer, &format!("/{name}")));
                }
                if has("ipBlock") && text(peer, "/ipBlock/cidr").is_empty() {
                    it.required(format!("{path}.ipBlock.cidr"), "");
                }
                let others = has("podSelector") || has("namespaceSelector");
                if !others && !has("ipBlock") {
                    it.required(path, "must specify a peer");
                } else if others && has("ipBlock") {
                    it.forbidden(path, "may not specify both ipBlock and another peer");
                }
            }
        }
    }
    for (index, kind) in list(spec, "/policyTypes").iter().enumerate() {
        it.one_of(
            format!("spec.policyTypes[{index}]"),
            kind,
            &["Ingress", "Egress"],
        );
    }
}

fn network_port(it: &mut Causes, path: &str, port: &Value) {
    let (number, end) = (at(port, "/port"), at(port, "/endPort"));
    let path_end = format!("{path}.endPort");
    if !number.is_null() {
        container::port_or_name(it, &format!("{path}.port"), number);
    }
    let Some(last) = end.as_i64() else { return };
    match number {
        Value::Number(first) => {
            if first.as_i64().is_some_and(|first| last < first) {
                it.invalid(
                    path_end.as_str(),
                    end,
                    "must be greater than or equal to `port`",
                );
            }
            it.port(path_end, end);
        }
        Value::Null => it.invalid(
            path_end,
            end,
            "may not be specified when `port` is not specified",
        ),
        _ => it.invalid(
            path_end,
            end,
            "may not be specified when `port` is non-numeric",
        ),
    }
}
