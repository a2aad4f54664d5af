//! What the server decides about Services.

use serde_json::{Map, Value, json};

use crate::values::object::{at, map, section, text};

pub(super) fn update(object: &mut Value, old: &Value) {
    let kind = text(object, "/spec/type").to_owned();
    if text(old, "/spec/type") == "LoadBalancer" && kind != "LoadBalancer" {
        section(object, "status").insert("loadBalancer".to_owned(), json!({}));
    }
    retype(at(old, "/spec"), section(object, "spec"));
    create(object);
}

/// Sets the families of the addresses.
pub(super) fn create(object: &mut Value) {
    if text(object, "/spec/type") == "ExternalName" {
        return;
    }
    let spec = section(object, "spec");
    let is_dual = selects_nothing(spec);
    let policy = spec.entry("ipFamilyPolicy").or_insert_with(|| {
        json!(if is_dual {
            "RequireDualStack"
        } else {
            "SingleStack"
        })
    });
    let families = if policy == "RequireDualStack" {
        json!(["IPv4", "IPv6"])
    } else {
        json!(["IPv4"])
    };
    spec.entry("ipFamilies").or_insert(families);
    let address = spec.get("clusterIP").and_then(Value::as_str);
    if let Some(address) = address.filter(|it| !it.is_empty()) {
        let addresses = json!([address]);
        spec.entry("clusterIPs").or_insert(addresses);
    }
}

/// Returns whether a Service has neither an address nor a selector: it then has both families.
fn selects_nothing(spec: &Map<String, Value>) -> bool {
    let selector = spec.get("selector").and_then(Value::as_object);
    spec.get("clusterIP").is_some_and(|it| it == "None") && selector.is_none_or(Map::is_empty)
}

/// Drops what the former type needed and the new one does not, unless the client changed it, and keeps what was allocated.
fn retype(old: &Value, spec: &mut Map<String, Value>) {
    let kind = |spec: Option<&Value>| spec.and_then(Value::as_str).unwrap_or_default().to_owned();
    let (before, after) = (kind(old.get("type")), kind(spec.get("type")));
    let has_address = |kind: &str| kind != "ExternalName";
    let has_node_ports = |kind: &str| matches!(kind, "NodePort" | "LoadBalancer");
    let drop_same = |spec: &mut Map<String, Value>, name: &str| {
        if spec.get(name) == old.get(name) {
            spec.remove(name);
        }
    };
    if has_address(&before) && !has_address(&after) {
        for name in ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"] {
            drop_same(spec, name);
        }
    }
    if has_address(&before) && has_address(&after) {
        for name in ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"] {
            let is_unset = spec.get(name).is_none_or(|it| it.is_null() || it == "");
            let was_headless = old.get("clusterIP").is_some_and(|it| it == "None");
            if name.starts_with("ip") && selects_nothing(spec) && !was_headless {
                continue;
            }
            if let (true, Some(value)) = (is_unset, old.get(name)) {
                spec.insert(name.to_owned(), value.clone());
            }
        }
    }
    if has_node_ports(&before) && !has_node_ports(&after) {
        let numbers = |ports: Option<&Value>| -> Vec<Value> {
            let ports = ports.and_then(Value::as_array).into_iter().flatten();
            ports.map(|it| at(it, "/nodePort").clone()).collect()
        };
        if numbers(old.get("ports")) == numbers(spec.get("ports")) {
            let ports = spec.get_mut("ports").and_then(Value::as_array_mut);
            for port in ports.into_iter().flatten() {
                map(port).remove("nodePort");
            }
        }
        drop_same(spec, "externalTrafficPolicy");
    }
    if before == "LoadBalancer" && after != "LoadBalancer" {
        drop_same(spec, "allocateLoadBalancerNodePorts");
        drop_same(spec, "loadBalancerClass");
    }
}
