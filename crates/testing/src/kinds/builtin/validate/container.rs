//! Validates containers.

use std::collections::BTreeSet;

use kube_codegen_quantity::ParsedQuantity;
use serde_json::{Map, Value, json};

use super::{super::scalar::quantity, Causes};
use crate::values::object::{at, list, text};

const PROTOCOLS: &[&str] = &["SCTP", "TCP", "UDP"];

pub(super) fn container(it: &mut Causes, path: &str, container: &Value, volumes: &BTreeSet<&str>) {
    if text(container, "/name").is_empty() {
        it.required(format!("{path}.name"), "");
    } else {
        it.label(&format!("{path}.name"), at(container, "/name"));
    }
    if text(container, "/image").is_empty() {
        it.required(format!("{path}.image"), "");
    }
    it.one_of(
        format!("{path}.terminationMessagePolicy"),
        at(container, "/terminationMessagePolicy"),
        &["File", "FallbackToLogsOnError"],
    );
    ports(it, &format!("{path}.ports"), list(container, "/ports"));
    environment(it, path, container);
    mounts(
        it,
        &format!("{path}.volumeMounts"),
        list(container, "/volumeMounts"),
        volumes,
    );
    it.one_of(
        format!("{path}.imagePullPolicy"),
        at(container, "/imagePullPolicy"),
        &["Always", "IfNotPresent", "Never"],
    );
    resources(
        it,
        &format!("{path}.resources"),
        at(container, "/resources"),
    );
}

fn ports(it: &mut Causes, path: &str, ports: &[Value]) {
    let mut names = BTreeSet::new();
    for (index, port) in ports.iter().enumerate() {
        let path = format!("{path}[{index}]");
        let name = text(port, "/name");
        if !name.is_empty()
            && it.port_name(&format!("{path}.name"), at(port, "/name"))
            && !names.insert(name)
        {
            it.duplicate(format!("{path}.name"), at(port, "/name"));
        }
        match at(port, "/containerPort").as_i64() {
            None | Some(0) => it.required(format!("{path}.containerPort"), ""),
            Some(_) => it.port(format!("{path}.containerPort"), at(port, "/containerPort")),
        }
        if at(port, "/hostPort").as_i64().is_some_and(|it| it != 0) {
            it.port(format!("{path}.hostPort"), at(port, "/hostPort"));
        }
        it.one_of(format!("{path}.protocol"), at(port, "/protocol"), PROTOCOLS);
    }
}

pub(super) fn host_ports(it: &mut Causes, path: &str, containers: &[Value]) {
    let mut seen = BTreeSet::new();
    for (index, container) in containers.iter().enumerate() {
        for (number, port) in list(container, "/ports").iter().enumerate() {
            let host = at(port, "/hostPort").as_i64().unwrap_or_default();
            let key = format!(
                "{}/{}/{host}",
                text(port, "/protocol"),
                text(port, "/hostIP")
            );
            if host != 0 && !seen.insert(key.clone()) {
                it.duplicate(
                    format!("{path}[{index}].ports[{number}].hostPort"),
                    json!(key),
                );
            }
        }
    }
}

fn environment(it: &mut Causes, path: &str, container: &Value) {
    let container_path = path;
    for (index, variable) in list(container, "/env").iter().enumerate() {
        let path = format!("{path}.env[{index}]");
        let name = text(variable, "/name");
        if name.is_empty() {
            it.required(format!("{path}.name"), "");
        } else if !name.chars().all(|c| (' '..='~').contains(&c) && c != '=') {
            it.invalid(format!("{path}.name"), at(variable, "/name"), "a valid environment variable name must consist only of printable ASCII characters other than '=' (e.g. 'my-variable-name', regex used for validation is '^[ -<>-~]+$')");
        }
        let from = at(variable, "/valueFrom");
        let Some(sources) = from.as_object() else {
            continue;
        };
        let path = format!("{path}.valueFrom");
        for name in ["configMapKeyRef", "secretKeyRef"] {
            let source = at(from, &format!("/{name}"));
            if source.is_object() {
                for field in ["name", "key"] {
                    if text(source, &format!("/{field}")).is_empty() {
                        it.required(format!("{path}.{name}.{field}"), "");
                    }
                }
            }
        }
        let field = at(from, "/fieldRef");
        if field.is_object() && text(field, "/fieldPath").is_empty() {
            it.required(format!("{path}.fieldRef.fieldPath"), "");
        }
        if sources.is_empty() {
            it.invalid(path, "\"\"", "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`");
        } else if !text(variable, "/value").is_empty() {
            it.invalid(
                path,
                "\"\"",
                "may not be specified when `value` is not empty",
            );
        } else if sources.len() > 1 {
            it.invalid(
                path,
                "\"\"",
                "may not have more than one field specified at a time",
            );
        }
    }
    for (index, source) in list(container, "/envFrom").iter().enumerate() {
        let path = format!("{path}.envFrom[{index}]");
        for name in ["configMapRef", "secretRef"] {
            let reference = at(source, &format!("/{name}"));
            if reference.is_object() && text(reference, "/name").is_empty() {
                it.required(format!("{path}.{name}.name"), "");
            }
        }
        let all = format!("{container_path}.envFrom");
        let sources = ["configMapRef", "secretRef"].map(|name| source.get(name).is_some());
        match sources {
            [false, false] => it.invalid(
                all,
                "\"\"",
                "must specify one of: `configMapRef` or `secretRef`",
            ),
            [true, true] => it.invalid(
                all,
                "\"\"",
                "may not have more than one field specified at a time",
            ),
            _ => {}
        }
    }
}

fn mounts(it: &mut Causes, path: &str, mounts: &[Value], volumes: &BTreeSet<&str>) {
    let mut seen = BTreeSet::new();
    for (index, mount) in mounts.iter().enumerate() {
        let path = format!("{path}[{index}]");
        let name = text(mount, "/name");
        if name.is_empty() {
            it.required(format!("{path}.name"), "");
        }
        if !volumes.contains(name) {
            it.not_found(format!("{path}.name"), at(mount, "/name"));
        }
        if text(mount, "/mountPath").is_empty() {
            it.required(format!("{path}.mountPath"), "");
        }
        if !seen.insert(text(mount, "/mountPath")) {
            it.invalid(
                format!("{path}.mountPath"),
                at(mount, "/mountPath"),
                "must be unique",
            );
        }
    }
}

fn resources(it: &mut Causes, path: &str, resources: &Value) {
    for part in ["limits", "requests"] {
        let values = at(resources, &format!("/{part}")).as_object();
        for (name, value) in values.into_iter().flatten() {
            let path = format!("{path}.{part}[{name}]");
            let is_standard = matches!(name.as_str(), "cpu" | "memory" | "ephemeral-storage")
                || name.starts_with("hugepages-");
            if !name.contains('/') && !is_standard {
                it.invalid(
                    &path,
                    json!(name),
                    "must be a standard resource type or fully qualified",
                );
                it.invalid(
                    &path,
                    json!(name),
                    "must be a standard resource for containers",
                );
            }
            let Some(quantity) = quantity(value) else {
                continue;
            };
            if quantity < ParsedQuantity::ZERO {
                it.invalid(&path, value, "must be greater than or equal to 0");
            }
            let is_whole = name.contains('/');
            if is_whole && quantity.integer().map(ParsedQuantity::from) != Some(quantity) {
                it.invalid(&path, value, "must be an integer");
            }
        }
    }
    let limits: Map<String, Value> = at(resources, "/limits")
        .as_object()
        .cloned()
        .unwrap_or_default();
    for (name, value) in at(resources, "/requests").as_object().into_iter().flatten() {
        let Some(limit) = limits.get(name) else {
            continue;
        };
        if let (Some(request), Some(most)) = (quantity(value), quantity(limit))
            && request > most
        {
            let limit = limit.as_str().unwrap_or_default();
            it.invalid(
                format!("{path}.requests"),
                value,
                format!("must be less than or equal to {name} limit of {limit}"),
            );
        }
    }
}

pub(super) fn lifecycle(it: &mut Causes, path: &str, container: &Value) {
    for name in ["postStart", "preStop"] {
        let hook = at(container, &format!("/lifecycle/{name}"));
        if hook.is_object() {
            handler(it, &format!("{path}.lifecycle.{name}"), hook);
        }
    }
}

pub(super) fn probe(it: &mut Causes, path: &str, probe: &Value, name: &str) {
    if !probe.is_object() {
        return;
    }
    handler(it, path, probe);
    it.not_negative(
        path,
        probe,
        &[
            "initialDelaySeconds",
            "timeoutSeconds",
            "periodSeconds",
            "successThreshold",
            "failureThreshold",
        ],
    );
    if name != "readinessProbe" && at(probe, "/successThreshold").as_i64() != Some(1) {
        it.invalid(
            format!("{path}.successThreshold"),
            at(probe, "/successThreshold"),
            "must be 1",
        );
    }
}

fn handler(it: &mut Causes, path: &str, handler: &Value) {
    let kinds = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"];
    let chosen = kinds
        .iter()
        .filter(|kind| handler.get(**kind).is_some_and(Value::is_object));
    let mut count = 0;
    for kind in chosen {
        let path = format!("{path}.{kind}");
        count += 1;
        if count > 1 {
            it.forbidden(path, "may not specify more than 1 handler type");
            continue;
        }
        let action = at(handler, &format!("/{kind}"));
        match *kind {
            "exec" if list(action, "/command").is_empty() => {
                it.required(format!("{path}.command"), "");
            }
            "httpGet" => {
                if text(action, "/path").is_empty() {
                    it.required(format!("{path}.path"), "");
                }
                port_or_name(it, &format!("{path}.port"), at(action, "/port"));
                it.one_of(
                    format!("{path}.scheme"),
                    at(action, "/scheme"),
                    &["HTTP", "HTTPS"],
                );
            }
            "tcpSocket" => port_or_name(it, &format!("{path}.port"), at(action, "/port")),
            "grpc" => it.port(format!("{path}.port"), at(action, "/port")),
            _ => {}
        }
    }
    if count == 0 {
        it.required(path, "must specify a handler type");
    }
}

/// Validates a port that may be named.
pub(super) fn port_or_name(it: &mut Causes, path: &str, value: &Value) {
    if value.is_string() {
        it.port_name(path, value);
    } else {
        it.port(path, value);
    }
}
