//! The traits by which clients know a kind, and the manifest that generated code embeds for one of them.
use std::thread::Builder;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde::Deserialize;

/// The nesting that the generator accepts.
const MAX_DEPTH: usize = 250;
/// The stack, in bytes, for manifests beyond the recursion limit of `serde_json`: a nested schema takes 20 KiB in a debug build.
const STACK: usize = 32 << 20;

/// Implements the traits by which kube's clients know a kind: `Resource`, `ListableResource` and `Metadata` of k8s-openapi, from which
/// follows `kube::Resource`, and `CustomResourceExt` of kube.
///
/// The type has a field `metadata`, and its names as constants: `API_VERSION`, `GROUP`, `KIND`, `VERSION` and `PLURAL`. Its scope is
/// `Namespaced` or `Cluster`. `short_names` can be left out. `crd` is the name of its definition, and the definition as JSON.
///
/// ```ignore
/// kube_codegen_record::resource! {
///     Foo: Namespaced {
///         list_kind: "FooList",
///         short_names: Foo::SHORT_NAMES,
///         crd: "foos.example.com" = include_str!("../foos.json"),
///     }
/// }
/// ```
#[macro_export]
macro_rules! resource {
    ($type:ident: $scope:ident {
        list_kind: $list_kind:literal,
        $(short_names: $short_names:expr,)?
        crd: $name:literal = $manifest:expr $(,)?
    }) => {
        impl $crate::private::k8s_openapi::Resource for $type {
            const API_VERSION: &'static str = Self::API_VERSION;
            const GROUP: &'static str = Self::GROUP;
            const KIND: &'static str = Self::KIND;
            const VERSION: &'static str = Self::VERSION;
            const URL_PATH_SEGMENT: &'static str = Self::PLURAL;
            type Scope = $crate::__scope!($scope);
        }
        impl $crate::private::k8s_openapi::ListableResource for $type {
            const LIST_KIND: &'static str = $list_kind;
        }
        impl $crate::private::k8s_openapi::Metadata for $type {
            type Ty = $crate::private::ObjectMeta;
            fn metadata(&self) -> &$crate::private::ObjectMeta {
                &self.metadata
            }
            fn metadata_mut(&mut self) -> &mut $crate::private::ObjectMeta {
                &mut self.metadata
            }
        }
        impl ::kube::core::CustomResourceExt for $type {
            fn crd() -> $crate::private::CustomResourceDefinition {
                $crate::private::crd($manifest)
            }
            fn crd_name() -> &'static str {
                $name
            }
            fn api_resource() -> ::kube::core::ApiResource {
                ::kube::core::ApiResource::erase::<Self>(&())
            }
            fn shortnames() -> &'static [&'static str] {
                $crate::__or!($($short_names)?, &[])
            }
        }
    };
}

/// The scope of a kind, as k8s-openapi has it.
#[doc(hidden)]
#[macro_export]
macro_rules! __scope {
    (Namespaced) => {
        $crate::private::k8s_openapi::NamespaceResourceScope
    };
    (Cluster) => {
        $crate::private::k8s_openapi::ClusterResourceScope
    };
}

/// The first expression, or the second one without the first.
#[doc(hidden)]
#[macro_export]
macro_rules! __or {
    (, $default:expr) => {
        $default
    };
    ($value:expr, $default:expr) => {
        $value
    };
}

/// Parses the JSON manifest of a CRD.
///
/// # Panics
/// If the text is not such a manifest. The generator decodes each manifest before it embeds it.
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
