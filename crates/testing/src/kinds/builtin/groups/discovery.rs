//! `discovery.k8s.io`.

use crate::kinds::builtin::{
    cells,
    fields::or_nil,
    strategy::{Cell, Group, Strategy},
};

pub(super) const GROUP: Group = Group {
    name: "discovery.k8s.io",
    package: "discovery",
    kinds: &[Strategy {
        kind: "EndpointSlice",
        columns: &[
            ("AddressType", Cell::Field("/addressType")),
            ("Ports", Cell::Computed(cells::slice_ports)),
            ("Endpoints", Cell::Computed(cells::slice_endpoints)),
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
