//! The embedded manifest of a CRD in, the typed CRD out; never fails on what the generator has embedded.
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde::Deserialize;
use std::thread::Builder;

/// How deep lists and maps may lie in one another: as deep as the generator takes them.
const MAX_DEPTH: usize = 250;
/// Bytes of stack for what is deeper than `serde_json` reads by itself: a schema within a schema costs 20 KiB in a build
/// without optimisation.
const STACK: usize = 32 << 20;

/// The `CustomResourceDefinition` of a manifest in JSON, whole as the generator read it.
///
/// Generated code implements `kube::CustomResourceExt::crd` by it. The generator embeds only manifests that it has itself
/// decoded; text from elsewhere that is no CRD gives the empty definition.
#[must_use]
pub fn crd(manifest: &str) -> CustomResourceDefinition {
    serde_json::from_str(manifest).unwrap_or_else(|_| deep(manifest).unwrap_or_default())
}

/// Reads on a stack that has room for the depth.
fn deep(manifest: &str) -> Option<CustomResourceDefinition> {
    if depth(manifest) > MAX_DEPTH {
        return None;
    }
    let read = || {
        let mut deserializer = serde_json::Deserializer::from_str(manifest);
        deserializer.disable_recursion_limit();
        CustomResourceDefinition::deserialize(&mut deserializer).ok()
    };
    std::thread::scope(|scope| {
        let reader = Builder::new().stack_size(STACK).spawn_scoped(scope, read);
        reader.ok()?.join().ok()?
    })
}

/// How deep lists and maps of a JSON text lie in one another.
fn depth(json: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut in_text, mut escaped) = (false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_text,
            b'"' => in_text = !in_text,
            b'{' | b'[' if !in_text => depth += 1,
            b'}' | b']' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::{crd, depth};

    #[test]
    fn the_manifest_is_kept_whole() {
        let manifest = r#"{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"foos.example.com"},"spec":{"group":"example.com","names":{"kind":"Foo","plural":"foos","shortNames":["f"]},"scope":"Namespaced","versions":[{"additionalPrinterColumns":[{"jsonPath":".spec.x","name":"X","type":"string"}],"name":"v1","schema":{"openAPIV3Schema":{"properties":{"spec":{"type":"object","x-kubernetes-validations":[{"rule":"true"}]}},"type":"object"}},"served":true,"storage":true,"subresources":{"status":{}}}]}}"#;
        assert_eq!(
            serde_json::to_value(crd(manifest)).unwrap(),
            serde_json::from_str::<serde_json::Value>(manifest).unwrap()
        );
    }

    #[test]
    fn the_deepest_manifest_is_read_too() {
        let open = r#"{"type":"object","properties":{"a":"#.repeat(120);
        let close = "}}".repeat(120);
        let manifest = format!(
            r#"{{"metadata":{{}},"spec":{{"group":"example.com","names":{{"kind":"Foo","plural":"foos"}},"scope":"Cluster","versions":[{{"name":"v1","schema":{{"openAPIV3Schema":{open}{{}}{close}}},"served":true,"storage":true}}]}}}}"#
        );
        assert_eq!(crd(&manifest).spec.versions.len(), 1);
    }

    #[test]
    fn what_is_no_crd_is_empty() {
        assert_eq!(crd("{").spec.group, "");
        assert_eq!(crd(&"[".repeat(1_000_000)).spec.group, "");
    }

    #[test]
    fn depth_counts_no_brackets_in_texts() {
        assert_eq!(depth(r#"{"a[\"[": [1, {"b": "[["}], "c": []}"#), 3);
    }
}
