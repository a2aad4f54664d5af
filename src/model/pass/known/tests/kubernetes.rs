//! Tests of types and fields that only newer Kubernetes versions have.
use super::{Kubernetes, Run, run_for};
use Kubernetes::{V1_33, V1_34, V1_35, V1_36, V1_37};

/// Returns an environment variable with `more` sources of its value.
fn source(more: &str) -> String {
    format!(
        "env: {{type: array, items: {{type: object, required: [name], properties: {{name: {{type: string}}, value: {{type: string}}, valueFrom: {{type: object, properties: {{{more} configMapKeyRef: {KEY}, secretKeyRef: {KEY}}}}}}}}}}}"
    )
}

const KEY: &str = "{type: object, required: [key, name], properties: {key: {type: string}, name: {type: string}}}";

const FILE: &str = "fileKeyRef: {type: object, required: [key, path, volumeName], properties: {key: {type: string}, optional: {type: boolean}, path: {type: string}, volumeName: {type: string}}},";

/// Returns the only near miss.
#[track_caller]
fn miss(run: &Run) -> (&str, &str) {
    let [(why, hint)] = run.misses.as_slice() else {
        panic!("{:?}", run.misses);
    };
    (why, hint)
}

#[test]
fn a_field_is_used_from_its_first_version() {
    let old = run_for(&source(FILE), V1_33);
    assert!(!old.reused.values().any(|name| name == "EnvVarSource"));
    let (why, hint) = miss(&old);
    assert!(
        why.ends_with("`fileKeyRef`: k8s-openapi has no such field before Kubernetes 1.34"),
        "{why}"
    );
    assert!(hint.contains("`--kubernetes 1.34`"), "{hint}");
    assert_eq!(old.kubernetes, V1_33);

    for at in [V1_34, V1_35, V1_36, V1_37] {
        let new = run_for(&source(FILE), at);
        assert_eq!(new.misses, []);
        assert_eq!(new.reused["env[]"], "EnvVar", "{at}");
        assert_eq!(new.reused["env[].valueFrom.fileKeyRef"], "FileKeySelector");
        assert_eq!(new.kubernetes, V1_34, "1.34 suffices");
    }
}

#[test]
fn old_types_need_no_newer_version() {
    for at in Kubernetes::ALL {
        let run = run_for(&source(""), at);
        assert_eq!(run.reused["env[]"], "EnvVar", "{at}");
        assert_eq!(run.kubernetes, V1_33);
    }
}

#[test]
fn an_unknown_field_has_no_hint_of_a_version() {
    for at in Kubernetes::ALL {
        let run = run_for(&source("more: {type: string},"), at);
        let (why, hint) = miss(&run);
        assert!(
            why.ends_with("`more`: k8s-openapi has no such field"),
            "{why}"
        );
        assert!(!hint.contains("--kubernetes"), "{hint}");
    }
    // The newer field alone does not suffice.
    let run = run_for(&source(&format!("{FILE} more: {{type: string}},")), V1_33);
    assert!(!miss(&run).1.contains("--kubernetes"));
}

#[test]
fn a_field_that_becomes_optional_is_required_before() {
    let role = "roleRef: {description: RoleRef contains information that points to the role being used, type: object, required: [kind, name], properties: {apiGroup: {type: string}, kind: {type: string}, name: {type: string}}}";
    let old = run_for(role, V1_35);
    let (why, hint) = miss(&old);
    assert!(
        why.ends_with(
            "`apiGroup`: it may be absent, but k8s-openapi always writes it before Kubernetes 1.36"
        ),
        "{why}"
    );
    assert!(hint.contains("`--kubernetes 1.36`"), "{hint}");
    let new = run_for(role, V1_36);
    assert_eq!(new.reused["roleRef"], "RoleRef");
    assert_eq!(new.kubernetes, V1_36, "older versions always write it");
}

#[test]
fn a_type_is_reused_from_its_first_version() {
    let spec = "source: {description: PodCertificateProjection provides a private key and X.509 certificate in the pod filesystem., type: object, required: [keyType, signerName], properties: {keyType: {type: string}, signerName: {type: string}, certificateChainPath: {type: string}}}";
    let old = run_for(spec, V1_33);
    assert!(old.reused.is_empty() && old.misses.is_empty());
    let new = run_for(spec, V1_35);
    assert_eq!(new.reused["source"], "PodCertificateProjection");
    assert_eq!(new.kubernetes, V1_34);
}
