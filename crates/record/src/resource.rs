//! Parses the manifest that generated code embeds for `CustomResourceExt::crd`.
use std::thread::Builder;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde::Deserialize;

/// The nesting that the generator accepts.
const MAX_DEPTH: usize = 250;
/// The stack, in bytes, for manifests beyond the recursion limit of `serde_json`: a nested schema takes 20 KiB in a debug build.
const STACK: usize = 32 << 20;

/// Parses the JSON manifest of a CRD.
///
/// # Panics
/// If the text is not such a manifest. (The generator decodes each manifest before it embeds it.)
#[must_use]
#[expect(clippy::panic, reason = "the generator has decoded the manifest")]
pub fn crd(manifest: &str) -> CustomResourceDefinition {
    let read = serde_json::from_str(manifest).or_else(|error| deep(manifest).ok_or(error));
    read.unwrap_or_else(|error| {
        panic!("the manifest is not a CustomResourceDefinition; generate the code again: {error}")
    })
}

/// Parses on a thread with a large stack.
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

/// Returns the depth of nested lists and maps in a JSON text.
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
    fn a_manifest_is_parsed_completely() {
        let manifest = r#"{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"foos.example.com"},"spec":{"group":"example.com","names":{"kind":"Foo","plural":"foos","shortNames":["f"]},"scope":"Namespaced","versions":[{"additionalPrinterColumns":[{"jsonPath":".spec.x","name":"X","type":"string"}],"name":"v1","schema":{"openAPIV3Schema":{"properties":{"spec":{"type":"object","x-kubernetes-validations":[{"rule":"true"}]}},"type":"object"}},"served":true,"storage":true,"subresources":{"status":{}}}]}}"#;
        assert_eq!(
            serde_json::to_value(crd(manifest)).unwrap(),
            serde_json::from_str::<serde_json::Value>(manifest).unwrap()
        );
    }

    #[test]
    fn the_deepest_manifest_is_parsed() {
        let open = r#"{"type":"object","properties":{"a":"#.repeat(120);
        let close = "}}".repeat(120);
        let manifest = format!(
            r#"{{"metadata":{{}},"spec":{{"group":"example.com","names":{{"kind":"Foo","plural":"foos"}},"scope":"Cluster","versions":[{{"name":"v1","schema":{{"openAPIV3Schema":{open}{{}}{close}}},"served":true,"storage":true}}]}}}}"#
        );
        assert_eq!(crd(&manifest).spec.versions.len(), 1);
    }

    #[test]
    #[should_panic(expected = "invalid type: integer `5`, expected a string")]
    fn another_manifest_panics() {
        _ = crd(r#"{"metadata":{},"spec":{"group":5}}"#);
    }

    #[test]
    #[should_panic(expected = "the manifest is not a CustomResourceDefinition")]
    fn a_manifest_deeper_than_the_generator_accepts_panics() {
        _ = crd(&"[".repeat(1_000_000));
    }

    #[test]
    fn brackets_in_strings_do_not_count() {
        assert_eq!(depth(r#"{"a[\"[": [1, {"b": "[["}], "c": []}"#), 3);
    }
}
