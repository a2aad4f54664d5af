//! `discovery.k8s.io`.

use crate::kinds::builtin::{
    fields::or_nil,
    strategy::{Group, Strategy},
};

pub(super) const GROUP: Group = Group {
    name: "discovery.k8s.io",
    package: "discovery",
    kinds: &[Strategy {
        kind: "EndpointSlice",
        columns: &[
            ("AddressType", "/addressType"),
            ("Ports", "=slicePorts"),
            ("Endpoints", "=sliceEndpoints"),
        ],
        has_generation: true,
        ..Strategy::PLAIN
    }],
    defaults: |name, it| {
        if name == "EndpointPort" {
            or_nil(it, "name", "");
            or_nil(it, "protocol", "TCP");
        }
    },
};
