//! Types of a newer Kubernetes keep the fields that it has; compiled where `K8S_OPENAPI_ENABLED_VERSION` says 1.35 or newer.
k8s_openapi::k8s_if_ge_1_35! {
    use k8s_openapi::api::core::v1::EnvVar;
    use kube_codegen_goldens::newer_kubernetes::example_com::v1::Job;
    use serde_json::json;

    #[test]
    fn a_field_of_a_newer_kubernetes_is_kept() {
        let object = json!({
            "apiVersion": "example.com/v1",
            "kind": "Job",
            "metadata": { "name": "a" },
            "spec": { "env": [{
                "name": "A",
                "valueFrom": { "fileKeyRef": { "key": "A", "path": "a.env", "volumeName": "files" } },
            }] },
        });
        let job: Job = serde_json::from_value(object.clone()).unwrap();
        let env: &[EnvVar] = job.spec.as_ref().unwrap().env.as_ref().unwrap();
        let file = env[0].value_from.as_ref().unwrap().file_key_ref.as_ref();
        assert_eq!(file.unwrap().path, "a.env");
        assert_eq!(serde_json::to_value(&job).unwrap(), object);
    }
}
