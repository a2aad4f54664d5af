//! `networking.k8s.io`.

use serde_json::{Value, json};

use crate::kinds::builtin::{
    cells,
    fields::{is_blank, or, or_nil},
    strategy::{Cell, Fields, Group, Strategy},
    validate::network,
};

pub(super) const GROUP: Group = Group {
    name: "networking.k8s.io",
    package: "networking",
    kinds: &[
        Strategy {
            kind: "IngressClass",
            has_generation: true,
            ..Strategy::PLAIN
        },
        Strategy {
            kind: "Ingress",
            columns: &[
                ("Class", Cell::Computed(cells::ingress_class)),
                ("Hosts", Cell::Computed(cells::ingress_hosts)),
                ("Address", Cell::Computed(cells::ingress_address)),
                ("Ports", Cell::Computed(cells::ingress_ports)),
            ],
            has_generation: true,
            validate: |it, _, _, object| network::ingress(it, object),
            ..Strategy::PLAIN
        },
        Strategy {
            kind: "IPAddress",
            ..Strategy::PLAIN
        },
        Strategy {
            kind: "NetworkPolicy",
            columns: &[("Pod-Selector", Cell::Computed(cells::pod_selector))],
            has_generation: true,
            validate: |it, _, _, object| network::network_policy(it, object),
            blanks: "spec",
            ..Strategy::PLAIN
        },
        Strategy {
            kind: "ServiceCIDR",
            ..Strategy::PLAIN
        },
    ],
    defaults,
};

fn defaults(name: &str, it: &mut Fields) {
    match name {
        "NetworkPolicyPort" => or_nil(it, "protocol", "TCP"),
        "NetworkPolicySpec" => {
            let types = if is_blank(it.get("egress")) {
                json!(["Ingress"])
            } else {
                json!(["Ingress", "Egress"])
            };
            or(it, "policyTypes", types);
        }
        "IngressClassSpec" => {
            if let Some(Value::Object(parameters)) = it.get_mut("parameters") {
                or_nil(parameters, "scope", "Cluster");
            }
        }
        _ => {}
    }
}
