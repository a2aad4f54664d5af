//! Types that stand in several places, by any of their names.
use kube_codegen_goldens::shared_types::example_com::v1;
use serde_json::json;
use v1::{
    PipelineSpec, PipelineSpecSource, PipelineSpecSourceCredentials,
    PipelineSpecSourceCredentialsMode, PipelineSpecTarget, TaskSpecSteps, TaskSpecStepsCredentials,
    TaskSpecStepsCredentialsMode,
};

#[test]
fn every_name_of_a_place_builds_and_matches() {
    let steps = TaskSpecSteps {
        bucket: "files".to_owned(),
        credentials: Some(TaskSpecStepsCredentials {
            mode: Some(TaskSpecStepsCredentialsMode::Rotating),
            secret: "key".to_owned(),
        }),
    };
    let target: PipelineSpecTarget = steps.clone();
    let spec = PipelineSpec {
        source: PipelineSpecSource {
            credentials: Some(PipelineSpecSourceCredentials {
                mode: Some(PipelineSpecSourceCredentialsMode::Static),
                secret: "key".to_owned(),
            }),
            ..steps
        },
        target: Some(target),
        ..PipelineSpec::default()
    };
    assert!(matches!(
        spec.target.as_ref().and_then(|it| it.credentials.as_ref()),
        Some(TaskSpecStepsCredentials {
            mode: Some(PipelineSpecSourceCredentialsMode::Rotating),
            ..
        })
    ));
    assert_eq!(
        serde_json::to_value(&spec).unwrap(),
        json!({
            "source": { "bucket": "files", "credentials": { "mode": "Static", "secret": "key" } },
            "target": { "bucket": "files", "credentials": { "mode": "Rotating", "secret": "key" } },
        })
    );
}

#[test]
fn one_impl_serves_all_places() {
    trait Address {
        fn address(&self) -> String;
    }
    impl Address for PipelineSpecTarget {
        fn address(&self) -> String {
            format!("s3://{}", self.bucket)
        }
    }
    let step: TaskSpecSteps = serde_json::from_value(json!({ "bucket": "files" })).unwrap();
    assert_eq!(step.address(), "s3://files");
}

#[test]
fn what_differs_is_another_type() {
    use std::any::TypeId;
    let types = [
        TypeId::of::<v1::PipelineSpecSource>(),
        TypeId::of::<v1::PipelineSpecSourceOptional>(),
        TypeId::of::<v1::PipelineSpecSourcePattern>(),
        TypeId::of::<v1::PipelineSpecSourceDefault>(),
        TypeId::of::<v1::PipelineSpecSourceDescribed>(),
    ];
    for (index, one) in types.iter().enumerate() {
        assert!(!types[index + 1..].contains(one), "{index}");
    }
    assert_eq!(v1::PipelineSpecModeDefault::default().as_str(), "Static");
    assert_eq!(
        TypeId::of::<v1::PipelineSpecMode>(),
        TypeId::of::<v1::TaskSpecStepsCredentialsMode>()
    );
}
