//! `apiregistration.k8s.io`.

use kube_codegen_formats::names;
use serde_json::{Value, json};

use crate::{
    kinds::builtin::{
        strategy::{Group, Strategy},
        validate::config,
    },
    values::object::{at, now, put},
};

pub(super) const GROUP: Group = Group {
    name: "apiregistration.k8s.io",
    kinds: &[Strategy {
        kind: "APIService",
        name: names::path_segment,
        convert: set_port,
        create: |object, _| set_status(object),
        validate: |it, _, _, object| config::api_service(it, object),
        needs_version: true,
        kept_metadata: &["labels", "annotations", "finalizers", "ownerReferences"],
        ..Strategy::PLAIN
    }],
    ..Group::EMPTY
};

fn set_port(object: &mut Value) {
    let service = at(object, "/spec/service");
    if service.is_object() && at(service, "/port").is_null() {
        put(object, "/spec/service/port", 443.into());
    }
}

/// An API that no Service serves is one of this server.
fn set_status(object: &mut Value) {
    if at(object, "/spec/service").is_null() {
        let local = json!({"type": "Available", "status": "True", "lastTransitionTime": now(), "reason": "Local", "message": "Local APIServices are always available"});
        put(object, "/status", json!({"conditions": [local]}));
    }
}
