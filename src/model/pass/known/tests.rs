//! Tests of reuse and of near misses.
mod kubernetes;

use crate::base::diag::{Code, Diagnostics};
use crate::base::options::{Kubernetes, Options};
use crate::base::source::Source;
use crate::model::ir::{Body, Ty};
use std::collections::BTreeMap;

/// The result for a schema.
struct Run {
    /// The name of the type that replaces each schema location.
    reused: BTreeMap<String, String>,
    /// The near misses, with their hints.
    misses: Vec<(String, String)>,
    /// The oldest Kubernetes that the module can be built for.
    kubernetes: Kubernetes,
}

/// Returns the reused types and the near misses for the oldest Kubernetes.
fn run(node: &str) -> (BTreeMap<String, String>, Vec<String>) {
    let Run { reused, misses, .. } = run_for(node, Kubernetes::default());
    (reused, misses.into_iter().map(|(why, _)| why).collect())
}

fn run_for(node: &str, kubernetes: Kubernetes) -> Run {
    let text = format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: foos.example.com}}\nspec:\n  group: example.com\n  scope: Namespaced\n  names: {{kind: Foo, plural: foos}}\n  versions:\n    - name: v1\n      served: true\n      storage: true\n      schema: {{openAPIV3Schema: {{type: object, properties: {{{node}}}}}}}\n"
    );
    let source = Source::new("test", text);
    let mut diagnostics = Diagnostics::new();
    let crds = crate::input::crd::parse(&[source], &mut diagnostics);
    let mut model = crate::model::lower::lower(crds, &mut diagnostics);
    let options = Options {
        kubernetes,
        ..Options::default()
    };
    super::super::run(&mut model, &options, &mut diagnostics);
    assert!(!diagnostics.has_errors(), "{diagnostics:#?}");
    let reused = model.types.iter().filter_map(|(_, def)| match &def.body {
        Body::Alias(Ty::External(path)) => {
            let name = path.rsplit("::").next().unwrap_or(path);
            Some((def.origin.path.to_string(), name.to_owned()))
        }
        Body::Alias(Ty::Scalar(scalar)) => {
            Some((def.origin.path.to_string(), format!("{scalar:?}")))
        }
        Body::Alias(ty) => Some((def.origin.path.to_string(), format!("{ty:?}"))),
        Body::Struct(_) | Body::Enum(_) | Body::Union(_) => None,
    });
    let misses = diagnostics.iter().filter(|it| it.code == Code::NearMiss);
    let misses = misses.map(|it| (it.message.clone(), it.hint.clone().unwrap_or_default()));
    Run {
        reused: reused.collect(),
        misses: misses.collect(),
        kubernetes: model.modules[0].kubernetes,
    }
}

#[track_caller]
fn is(node: &str, name: &str) {
    let (reused, misses) = run(node);
    assert_eq!(
        reused.values().next().map(String::as_str),
        Some(name),
        "{node}: {misses:?}"
    );
    assert_eq!(misses, Vec::<String>::new());
}

#[track_caller]
fn is_left_alone(node: &str) {
    let (reused, misses) = run(node);
    assert_eq!(reused, BTreeMap::new(), "{node}");
    assert_eq!(misses, Vec::<String>::new(), "{node}");
}

#[track_caller]
fn misses(node: &str, why: &str) {
    let (reused, misses) = run(node);
    assert_eq!(reused, BTreeMap::new(), "{node}");
    assert!(
        misses.len() == 1 && misses[0].ends_with(why),
        "{node}: {misses:?}"
    );
}

/// Returns a toleration with another property instead of `value`.
fn toleration(value: &str) -> String {
    format!(
        "tolerations: {{type: array, items: {{type: object, properties: {{effect: {{type: string}}, key: {{type: string}}, operator: {{type: string, enum: [Exists, Equal]}}, tolerationSeconds: {{type: integer}}, {value}}}}}}}"
    )
}

#[test]
fn a_type_is_reused_whole() {
    let (reused, misses) = run(&toleration("value: {type: string}"));
    assert_eq!(misses, Vec::<String>::new());
    // Nothing has a name below a reused type.
    let place = ("tolerations[]".to_owned(), "Toleration".to_owned());
    assert_eq!(reused, BTreeMap::from([place]));
}

#[test]
fn a_lossy_conversion_is_a_near_miss() {
    for (value, why) in [
        (
            "value: {type: string, nullable: true}",
            "`value`: it may be null",
        ),
        ("value: {type: integer}", "`value`: its type differs"),
        (
            "value: {type: string, format: date-time}",
            "`value`: its type differs",
        ),
        (
            "value: {type: array, items: {type: string}}",
            "`value`: its type differs",
        ),
        (
            "more: {type: string}",
            "`more`: k8s-openapi has no such field",
        ),
        (
            "value: {x-kubernetes-preserve-unknown-fields: true}",
            "`value`: its type differs",
        ),
    ] {
        misses(&toleration(value), why);
    }
    let open = toleration("value: {type: string}").replace(
        "type: object, ",
        "type: object, x-kubernetes-preserve-unknown-fields: true, ",
    );
    misses(&open, "it keeps unknown fields");
}

/// Returns the port of a container with its description.
fn port(port: &str) -> String {
    format!(
        "ports: {{type: array, items: {{description: ContainerPort represents a network port in a single container., type: object, {port}}}}}"
    )
}

#[test]
fn a_required_field_is_required_or_filled_in() {
    is(
        &port(
            "required: [containerPort], properties: {containerPort: {type: integer, format: int32}}",
        ),
        "ContainerPort",
    );
    is(
        &port("properties: {containerPort: {type: integer, format: int32, default: 0}}"),
        "ContainerPort",
    );
    for properties in [
        "properties: {containerPort: {type: integer, format: int32}}",
        "properties: {containerPort: {type: integer, format: int32, default: 80}}",
    ] {
        misses(
            &port(properties),
            "`containerPort`: it may be absent, but k8s-openapi always writes it",
        );
    }
    misses(
        &port("properties: {hostPort: {type: integer, format: int32}}"),
        "`containerPort`: it is not declared, but k8s-openapi always writes it",
    );
}

#[test]
fn every_integer_is_in_range() {
    for (bounds, fits) in [
        ("format: int32", true),
        ("format: uint16, minimum: 0, maximum: 65535", true),
        ("minimum: 1, maximum: 65535", true),
        (
            "format: int64, minimum: -2147483648, maximum: 2147483647",
            true,
        ),
        ("format: int64", false),
        ("format: uint16", false),
        ("minimum: 1", false),
        ("minimum: 0, maximum: 2147483648", false),
        ("minimum: 0.5, maximum: 10.5", false),
    ] {
        let node = port(&format!(
            "required: [containerPort], properties: {{containerPort: {{type: integer, {bounds}}}}}"
        ));
        if fits {
            is(&node, "ContainerPort");
        } else {
            misses(&node, "`containerPort`: an integer may be out of range");
        }
    }
}

#[test]
fn a_time_keeps_its_fraction() {
    let condition = |doc: &str| {
        format!(
            "conditions: {{type: array, items: {{description: '{doc}', type: object, required: [lastTransitionTime, message, reason, status, type], properties: {{lastTransitionTime: {{type: string, format: date-time}}, message: {{type: string}}, reason: {{type: string}}, status: {{type: string}}, type: {{type: string}}}}}}}}"
        )
    };
    is(&condition(""), "Condition");
    misses(
        &condition("PodCondition contains details for the current condition of this pod."),
        "`lastTransitionTime`: a fraction of a second would be lost",
    );
}

#[test]
fn an_object_without_fields_matches_a_struct_without_required_fields() {
    let volume = |dir: &str| {
        format!(
            "volumes: {{type: array, items: {{description: Volume represents a named volume in a pod that may be accessed by any container in the pod., type: object, required: [name], properties: {{name: {{type: string}}, emptyDir: {dir}}}}}}}"
        )
    };
    is(&volume("{type: object}"), "Volume");
    misses(
        &volume("{type: object, x-kubernetes-preserve-unknown-fields: true}"),
        "`emptyDir`: its type differs",
    );
    misses(
        &volume("{type: object, additionalProperties: {type: string}}"),
        "`emptyDir`: its type differs",
    );
}

#[test]
fn lookalikes_are_distinguished_by_name_or_description() {
    let selector = |name: &str, doc: &str| {
        format!(
            "{name}: {{type: object, description: '{doc}', required: [key, name], properties: {{key: {{type: string}}, name: {{type: string}}, optional: {{type: boolean}}}}}}"
        )
    };
    is(&selector("caSecret", ""), "SecretKeySelector");
    is(&selector("caConfigMap", ""), "ConfigMapKeySelector");
    is(
        &selector("ca", "The key of a ConfigMap."),
        "ConfigMapKeySelector",
    );
    is(&selector("secretKeyRef", ""), "SecretKeySelector");
    is_left_alone(&selector("ca", ""));
    is_left_alone(&selector("ca", "A key of a Secret or a ConfigMap."));
    is_left_alone(&selector("secretOrConfigMap", ""));
}

#[test]
fn other_properties_of_the_parent_identify_a_type() {
    let resources = |siblings: &str| {
        format!(
            "x: {{type: object, properties: {{resources: {{type: object, properties: {{limits: {{type: object, additionalProperties: {{x-kubernetes-int-or-string: true}}}}, requests: {{type: object, additionalProperties: {{x-kubernetes-int-or-string: true}}}}}}}}, {siblings}}}}}"
        )
    };
    is(
        &resources(
            "image: {type: string}, nodeSelector: {type: object, additionalProperties: {type: string}}",
        ),
        "ResourceRequirements",
    );
    is(
        &resources("storageClassName: {type: string}, volumeName: {type: string}"),
        "VolumeResourceRequirements",
    );
}

#[test]
fn an_equal_shape_is_not_enough() {
    for node in [
        "owner: {type: object, properties: {name: {type: string}}}",
        "service: {type: object, required: [name, namespace], properties: {name: {type: string}, namespace: {type: string}}}",
        "parameters: {type: object, required: [kind, name], properties: {apiGroup: {type: string}, kind: {type: string}, name: {type: string}}}",
        "place: {type: object, properties: {nodeSelector: {type: object, additionalProperties: {type: string}}}}",
        "secretRef: {type: object, additionalProperties: {type: object, properties: {name: {type: string}}}}",
    ] {
        is_left_alone(node);
    }
}

#[test]
fn a_part_of_what_misses_is_looked_at_by_itself() {
    let (reused, misses) = run(
        "env: {type: array, items: {type: object, required: [name], properties: {name: {type: string}, value: {type: string}, valueFrom: {type: object, properties: {more: {type: string}, secretKeyRef: {type: object, required: [key, name], properties: {key: {type: string}, name: {type: string}}}, configMapKeyRef: {type: object, required: [key, name], properties: {key: {type: string}, name: {type: string}}}}}}}}",
    );
    assert_eq!(
        reused.into_values().collect::<Vec<_>>(),
        ["ConfigMapKeySelector", "SecretKeySelector"]
    );
    assert!(
        misses.len() == 1 && misses[0].contains("`EnvVarSource`"),
        "{misses:?}"
    );
}

#[test]
fn layouts_are_computed_from_the_table() {
    let of = |name: &str| super::layout(&format!("k8s_openapi::api::core::v1::{name}")).unwrap();
    assert!(of("PodTemplateSpec").depth > of("Container").depth);
    assert!(of("PodTemplateSpec").depth < 96);
    assert!(of("Container").default);
    assert_eq!(super::layout("k8s_openapi::api::core::v1::Pod"), None);
}
