//! The runtime's typed client against a real API server.

#[path = "../../../../runtime/tests/client/gadget.rs"]
mod gadget;
mod history;
mod modify;
#[path = "../../../../runtime/tests/client/random.rs"]
mod random;
mod subresources;
mod verbs;

use kube::api::ListParams;
use kube_codegen_runtime::Object;

/// Reads an object from JSON.
fn object<K: Object>(json: serde_json::Value) -> K {
    serde_json::from_value(json).unwrap()
}

fn without_the_published_authority() -> ListParams {
    ListParams::default().fields("metadata.name!=kube-root-ca.crt")
}
