//! The embedded manifest of a CRD in, the typed CRD out; never fails on what the generator has embedded.
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

/// The `CustomResourceDefinition` of a manifest in JSON, whole as the generator read it.
///
/// Generated code implements `kube::CustomResourceExt::crd` by it. The generator embeds only manifests that it has itself
/// decoded; text from elsewhere that is no CRD gives the empty definition.
#[must_use]
pub fn crd(manifest: &str) -> CustomResourceDefinition {
    serde_json::from_str(manifest).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::crd;

    #[test]
    fn the_manifest_is_kept_whole() {
        let manifest = r#"{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"foos.example.com"},"spec":{"group":"example.com","names":{"kind":"Foo","plural":"foos","shortNames":["f"]},"scope":"Namespaced","versions":[{"additionalPrinterColumns":[{"jsonPath":".spec.x","name":"X","type":"string"}],"name":"v1","schema":{"openAPIV3Schema":{"properties":{"spec":{"type":"object","x-kubernetes-validations":[{"rule":"true"}]}},"type":"object"}},"served":true,"storage":true,"subresources":{"status":{}}}]}}"#;
        assert_eq!(
            serde_json::to_value(crd(manifest)).unwrap(),
            serde_json::from_str::<serde_json::Value>(manifest).unwrap()
        );
    }

    #[test]
    fn what_is_no_crd_is_empty() {
        assert_eq!(crd("{").spec.group, "");
    }
}
