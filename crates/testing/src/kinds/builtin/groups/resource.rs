//! `resource.k8s.io`: dynamic resource allocation.

use crate::kinds::builtin::{
    fields::{get, or},
    strategy::{Group, Strategy},
};

pub(super) const GROUP: Group = Group {
    name: "resource.k8s.io",
    package: "resource",
    kinds: &[
        Strategy {
            kind: "DeviceClass",
            has_generation: true,
            ..DELETED
        },
        Strategy {
            kind: "DeviceTaintRule",
            has_generation: true,
            ..DELETED
        },
        Strategy {
            kind: "ResourceClaim",
            ..DELETED
        },
        Strategy {
            kind: "ResourceClaimTemplate",
            ..DELETED
        },
        Strategy {
            kind: "ResourceSlice",
            has_generation: true,
            ..DELETED
        },
    ],
    defaults: |name, it| {
        if matches!(name, "ExactDeviceRequest" | "DeviceSubRequest") {
            or(it, "allocationMode", "ExactCount");
            if get(it, "allocationMode") == "ExactCount" {
                or(it, "count", 1);
            }
        }
    },
};

const DELETED: Strategy = Strategy {
    returns_deleted: true,
    ..Strategy::PLAIN
};
