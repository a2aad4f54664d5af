//! What a configuration sends.
use k8s_openapi::{
    api::{
        apps::v1::Deployment,
        core::v1::{Container, EmptyDirVolumeSource, PodSpec, Service},
    },
    apimachinery::pkg::apis::meta::v1::{Condition, Time},
};
use kube_codegen_record::{
    Nullable,
    apply::{Apply, Items},
};
use serde_json::{Value, json};

use crate::apply::widget::{Widget, WidgetSpec, WidgetStatus};

fn spec(config: &Apply<Widget>) -> Value {
    config.to_json().unwrap()["spec"].clone()
}

#[test]
fn a_new_configuration_sets_nothing() {
    let header = |version: &str, kind: &str| json!({"apiVersion": version, "kind": kind, "metadata": {"name": "a", "namespace": "b"}});
    let widget = Apply::<Widget>::namespaced("a", "b");
    assert_eq!(
        widget.to_json().unwrap(),
        header("example.com/v1", "Widget")
    );
    let deployment = Apply::<Deployment>::namespaced("a", "b");
    assert_eq!(
        deployment.to_json().unwrap(),
        header("apps/v1", "Deployment")
    );
}

#[test]
fn required_fields_are_sent_only_if_they_have_a_value_or_are_asked_for() {
    let widget = Apply::<Widget>::namespaced("a", "b")
        .with(|widget| widget.spec.color = Some(Nullable::Value(String::new())));
    assert_eq!(
        spec(&widget),
        json!({"color": ""}),
        "an optional blank is set"
    );
    assert_eq!(
        spec(&widget.clone().own(".spec.size")),
        json!({"color": "", "size": 0})
    );
    let set = widget
        .clone()
        .with(|widget| widget.spec.active = true)
        .own(".spec.active");
    assert_eq!(spec(&set), json!({"active": true, "color": ""}));
    let all = Apply::<Widget>::namespaced("a", "b")
        .own(".spec.active")
        .own(".spec.disks")
        .own(".spec");
    assert_eq!(spec(&all), json!({"active": false, "disks": []}));
    let error = widget
        .own(".spec.weight")
        .to_json()
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "the configuration has no field `.spec.weight`; required fields without a value: .spec.active, .spec.disks, .spec.size"
    );
}

#[test]
fn nested_required_structs_and_lists_are_not_sent_blank() {
    let web = Apply::<Deployment>::namespaced("a", "b").with(|web| {
        web.spec.get_or_insert_default().min_ready_seconds = Some(0);
    });
    assert_eq!(
        web.to_json().unwrap()["spec"],
        json!({"minReadySeconds": 0})
    );
    let blank = web.with(|web| {
        web.spec.get_or_insert_default().template.spec = Some(PodSpec::default());
    });
    assert_eq!(
        blank.to_json().unwrap()["spec"],
        json!({"minReadySeconds": 0, "template": {"spec": {}}}),
        "an optional struct is set, even without fields"
    );
}

#[test]
fn items_keep_their_place_and_optional_empty_values_are_set() {
    let config = Apply::<Widget>::namespaced("a", "b").with(|widget| {
        widget.spec.disks.item(("/var", 0)).size = Some(0);
        widget.spec.disks.item(("/tmp", 1));
        widget.spec.tags = Some(Vec::new());
        let sidecar = widget.spec.sidecar.get_or_insert_with(Container::default);
        sidecar.image = Some("i".to_owned());
        sidecar.env.item("A").value = Some(String::new());
    });
    assert_eq!(
        spec(&config),
        json!({
            "disks": [{"path": "/var", "size": 0}, {"index": 1, "path": "/tmp"}],
            "sidecar": {"env": [{"name": "A", "value": ""}], "image": "i"},
            "tags": [],
        })
    );
    let config = config.own(".spec.disks[0].index");
    assert_eq!(
        spec(&config)["disks"][0],
        json!({"index": 0, "path": "/var", "size": 0})
    );
}

#[test]
fn an_explicit_null_is_sent() {
    let config = Apply::<Widget>::namespaced("a", "b")
        .with(|widget| widget.spec.color = Some(Nullable::Null));
    assert_eq!(spec(&config), json!({"color": null}));
}

#[test]
fn what_the_server_sets_is_not_sent() {
    let mut widget = Widget {
        metadata: k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta::default(),
        spec: WidgetSpec {
            size: 3,
            active: false,
            color: None,
            disks: Vec::new(),
            sidecar: None,
            tags: None,
        },
        status: Some(WidgetStatus { ready: false }),
    };
    widget.metadata.name = Some("a".to_owned());
    widget.metadata.uid = Some("u".to_owned());
    widget.metadata.generation = Some(4);
    widget.metadata.managed_fields = Some(Vec::new());
    widget.metadata.creation_timestamp = Some(Time("2026-01-01T00:00:00Z".parse().unwrap()));
    assert_eq!(
        Apply::<Widget>::from(&widget).to_json().unwrap(),
        json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a", "uid": "u"}, "spec": {"size": 3}, "status": {}})
    );
}

#[test]
fn blank_times_and_ports_are_not_sent() {
    let mut conditions: Vec<Condition> = Vec::new();
    conditions.item("Ready").status = "True".to_owned();
    let service = Apply::<Service>::namespaced("a", "b").with(|service| {
        service.spec.get_or_insert_default().ports.item((80, "TCP"));
        service.status.get_or_insert_default().conditions = Some(conditions);
    });
    let json = service.to_json().unwrap();
    assert_eq!(
        json["spec"],
        json!({"ports": [{"port": 80, "protocol": "TCP"}]})
    );
    assert_eq!(
        json["status"],
        json!({"conditions": [{"lastTransitionTime": "1970-01-01T00:00:00Z", "status": "True", "type": "Ready"}]}),
        "a time has no blank value"
    );
}

#[test]
fn volumes_are_found_by_their_name() {
    let mut pod = PodSpec::default();
    pod.volumes.item("tmp").empty_dir = Some(EmptyDirVolumeSource::default());
    pod.containers.item("web").volume_mounts.item("/tmp").name = "tmp".to_owned();
    assert_eq!(
        pod.volumes.item("tmp").empty_dir,
        Some(EmptyDirVolumeSource::default())
    );
    assert_eq!((pod.volumes.unwrap().len(), pod.containers.len()), (1, 1));
}
