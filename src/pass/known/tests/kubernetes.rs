//! What a newer Kubernetes has is reused where that is the oldest one that counts.
use super::{Kubernetes, Run, run_for};
use Kubernetes::{V1_33, V1_34, V1_35, V1_36, V1_37};

/// Where a variable's value comes from: `more` besides a Secret.
fn source(more: &str) -> String {
    format!(
        "env: {{type: array, items: {{type: object, required: [name], properties: {{name: {{type: string}}, value: {{type: string}}, valueFrom: {{type: object, properties: {{{more} configMapKeyRef: {KEY}, secretKeyRef: {KEY}}}}}}}}}}}"
    )
}

const KEY: &str = "{type: object, required: [key, name], properties: {key: {type: string}, name: {type: string}}}";

const FILE: &str = "fileKeyRef: {type: object, required: [key, path, volumeName], properties: {key: {type: string}, optional: {type: boolean}, path: {type: string}, volumeName: {type: string}}},";

/// The one near miss.
#[track_caller]
fn miss(run: &Run) -> (&str, &str) {
    let [(why, hint)] = run.misses.as_slice() else {
        panic!("{:?}", run.misses);
    };
    (why, hint)
}

#[test]
fn a_field_counts_from_the_version_that_has_it() {
    let old = run_for(&source(FILE), V1_33);
    assert!(!old.reused.values().any(|name| name == "EnvVarSource"));
    let (why, hint) = miss(&old);
    assert!(
        why.ends_with("`fileKeyRef`: there is no such field before Kubernetes 1.34"),
        "{why}"
    );
    assert!(hint.contains("`--kubernetes 1.34`"), "{hint}");
    assert_eq!(old.kubernetes, V1_33);

    for at in [V1_34, V1_35, V1_36, V1_37] {
        let new = run_for(&source(FILE), at);
        assert_eq!(new.misses, []);
        assert_eq!(new.reused["env[]"], "EnvVar", "{at}");
        assert_eq!(new.reused["env[].valueFrom.fileKeyRef"], "FileKeySelector");
        assert_eq!(
            new.kubernetes, V1_34,
            "what needs no more is built for 1.34"
        );
    }
}

#[test]
fn what_needs_nothing_new_is_built_for_every_version() {
    for at in Kubernetes::ALL {
        let run = run_for(&source(""), at);
        assert_eq!(run.reused["env[]"], "EnvVar", "{at}");
        assert_eq!(run.kubernetes, V1_33);
    }
}

#[test]
fn a_field_of_no_version_has_no_version_that_helps() {
    for at in Kubernetes::ALL {
        let run = run_for(&source("more: {type: string},"), at);
        let (why, hint) = miss(&run);
        assert!(why.ends_with("`more`: there is no such field"), "{why}");
        assert!(!hint.contains("--kubernetes"), "{hint}");
    }
    // The newer field alone would not do.
    let run = run_for(&source(&format!("{FILE} more: {{type: string}},")), V1_33);
    assert!(!miss(&run).1.contains("--kubernetes"));
}

#[test]
fn a_field_that_newer_versions_may_leave_out_is_no_longer_required() {
    let role = "roleRef: {description: RoleRef contains information that points to the role being used, type: object, required: [kind, name], properties: {apiGroup: {type: string}, kind: {type: string}, name: {type: string}}}";
    let old = run_for(role, V1_35);
    let (why, hint) = miss(&old);
    assert!(
        why.ends_with("`apiGroup`: it may be absent, and is always written before Kubernetes 1.36"),
        "{why}"
    );
    assert!(hint.contains("`--kubernetes 1.36`"), "{hint}");
    let new = run_for(role, V1_36);
    assert_eq!(new.reused["roleRef"], "RoleRef");
    assert_eq!(new.kubernetes, V1_36, "an older one would write it");
}

#[test]
fn a_type_of_newer_versions_alone_is_found_there() {
    let spec = "source: {description: PodCertificateProjection provides a private key and X.509 certificate in the pod filesystem., type: object, required: [keyType, signerName], properties: {keyType: {type: string}, signerName: {type: string}, certificateChainPath: {type: string}}}";
    let old = run_for(spec, V1_33);
    assert!(old.reused.is_empty() && old.misses.is_empty());
    let new = run_for(spec, V1_35);
    assert_eq!(new.reused["source"], "PodCertificateProjection");
    assert_eq!(new.kubernetes, V1_34);
}
