//! `api::discovery::v1`. Made by `cargo xtask known-types` from the sources of k8s-openapi.
use super::super::types::{leaf, may, must, Type};
use super::super::types::Ty::{Bool, I32, Str, List, Map, Struct};

pub(super) static ALL: &[&Type] = &[
    &ENDPOINT,
    &ENDPOINT_CONDITIONS,
    &ENDPOINT_HINTS,
    &ENDPOINT_PORT,
    &FOR_NODE,
    &FOR_ZONE,
];

pub(super) static ENDPOINT: Type = leaf(
    "k8s_openapi::api::discovery::v1::Endpoint",
    "Endpoint represents a single logical \"backend\" implementing a service.",
    true,
    &[
        must("addresses", List(&Str)),
        may("conditions", Struct(&super::discovery_v1::ENDPOINT_CONDITIONS)).said("conditions contains information about the current status of the endpoint."),
        may("deprecatedTopology", Map(&Str)),
        may("hints", Struct(&super::discovery_v1::ENDPOINT_HINTS)).said("hints contains information associated with how an endpoint should be consumed."),
        may("hostname", Str),
        may("nodeName", Str),
        may("targetRef", Struct(&super::core_v1::OBJECT_REFERENCE)).said("targetRef is a reference to a Kubernetes object that represents this endpoint."),
        may("zone", Str),
    ],
);

pub(super) static ENDPOINT_CONDITIONS: Type = leaf(
    "k8s_openapi::api::discovery::v1::EndpointConditions",
    "EndpointConditions represents the current condition of an endpoint.",
    true,
    &[
        may("ready", Bool),
        may("serving", Bool),
        may("terminating", Bool),
    ],
);

pub(super) static ENDPOINT_HINTS: Type = leaf(
    "k8s_openapi::api::discovery::v1::EndpointHints",
    "EndpointHints provides hints describing how an endpoint should be consumed.",
    true,
    &[
        may("forNodes", List(&Struct(&super::discovery_v1::FOR_NODE))).said("forNodes indicates the node(s) this endpoint should be consumed by when using topology aware routing."),
        may("forZones", List(&Struct(&super::discovery_v1::FOR_ZONE))).said("forZones indicates the zone(s) this endpoint should be consumed by when using topology aware routing."),
    ],
);

pub(super) static ENDPOINT_PORT: Type = leaf(
    "k8s_openapi::api::discovery::v1::EndpointPort",
    "EndpointPort represents a Port used by an EndpointSlice",
    true,
    &[
        may("appProtocol", Str),
        may("name", Str),
        may("port", I32),
        may("protocol", Str),
    ],
);

pub(super) static FOR_NODE: Type = leaf(
    "k8s_openapi::api::discovery::v1::ForNode",
    "ForNode provides information about which nodes should consume this endpoint.",
    true,
    &[
        must("name", Str),
    ],
);

pub(super) static FOR_ZONE: Type = leaf(
    "k8s_openapi::api::discovery::v1::ForZone",
    "ForZone provides information about which zones should consume this endpoint.",
    true,
    &[
        must("name", Str),
    ],
);
