//! `storage.k8s.io`.

use serde_json::json;

use crate::kinds::builtin::{
    fields::{or, or_nil},
    strategy::{Fields, Group, Strategy},
    warnings,
};

pub(super) const GROUP: Group = Group {
    name: "storage.k8s.io",
    package: "storage",
    kinds: &[
        Strategy {
            kind: "CSIDriver",
            ..VERSIONED
        },
        Strategy {
            kind: "CSINode",
            ..VERSIONED
        },
        Strategy {
            kind: "CSIStorageCapacity",
            returns_deleted: false,
            ..VERSIONED
        },
        Strategy {
            kind: "StorageClass",
            warnings: |_, _, object| warnings::storage_class(object),
            ..CLASS
        },
        Strategy {
            kind: "VolumeAttachment",
            ..VERSIONED
        },
        Strategy {
            kind: "VolumeAttributesClass",
            ..CLASS
        },
    ],
    defaults,
};

const CLASS: Strategy = Strategy {
    returns_deleted: true,
    ..Strategy::PLAIN
};

const VERSIONED: Strategy = Strategy {
    needs_version: true,
    ..CLASS
};

fn defaults(name: &str, it: &mut Fields) {
    match name {
        "StorageClass" => {
            or_nil(it, "reclaimPolicy", "Delete");
            or_nil(it, "volumeBindingMode", "Immediate");
        }
        "CSIDriverSpec" => {
            or_nil(it, "attachRequired", true);
            or_nil(it, "podInfoOnMount", false);
            or_nil(it, "storageCapacity", false);
            or_nil(it, "fsGroupPolicy", "ReadWriteOnceWithFSType");
            or(it, "volumeLifecycleModes", json!(["Persistent"]));
            or_nil(it, "requiresRepublish", false);
            or_nil(it, "seLinuxMount", false);
        }
        _ => {}
    }
}
