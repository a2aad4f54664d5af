//! Types of `k8s-openapi` as fields, each read and written by its own serde code.
use k8s_openapi::api::core::v1::{Container, PodTemplateSpec, ResourceRequirements};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, PartialEq)]
struct Workload {
    by_name: Option<BTreeMap<String, ResourceRequirements>>,
    containers: Option<Vec<Container>>,
    template: PodTemplateSpec,
}

kube_codegen_record::records! {
    Workload { 0 by_name "byName", 1 containers "containers", 2 template "template" }
}

fn template() -> Value {
    json!({
        "metadata": {"labels": {"app": "a"}},
        "spec": {
            "automountServiceAccountToken": false,
            "containers": [{
                "args": [],
                "env": [{"name": "A", "value": "007"}, {"name": "B", "valueFrom": {"secretKeyRef": {"key": "k", "name": "n"}}}],
                "image": "01",
                "livenessProbe": {"httpGet": {"path": "/", "port": "http"}, "periodSeconds": 0},
                "name": "a",
                "ports": [{"containerPort": 80}],
                "readinessProbe": {"tcpSocket": {"port": 8080}},
                "resources": {
                    "limits": {"cpu": 1, "gpu": -1, "memory": "1Gi", "share": 0.5, "odd": "01", "odder": "-001m", "zero": 0},
                    "requests": {}
                },
                "startupProbe": {"tcpSocket": {"port": 3_000_000_000_i64}, "grpc": {"port": 1, "service": "00"}}
            }],
            "securityContext": {},
            "volumes": [{"emptyDir": {"sizeLimit": 1_000_000}, "name": "v"}, {"emptyDir": {}, "name": "w"}]
        }
    })
}

fn read(value: &Value) -> Workload {
    serde_json::from_value(value.clone()).unwrap()
}

#[test]
fn nothing_of_an_object_is_lost() {
    let object = json!({
        "byName": {"a": {"limits": {"cpu": 2}}, "b": {}},
        "containers": [{"name": "c", "resources": {"requests": {"cpu": "0.5", "memory": 1e3}}}],
        "template": template(),
    });
    let workload = read(&object);
    assert_eq!(serde_json::to_value(&workload).unwrap(), object);
    let text = serde_json::to_string(&workload).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), object);
    let yaml = serde_yaml::to_string(&workload).unwrap();
    assert_eq!(serde_yaml::from_str::<Workload>(&yaml).unwrap(), workload);
}

#[test]
fn numbers_as_text_have_a_zero_more() {
    let workload = read(&json!({"template": template()}));
    let container = &workload.template.spec.unwrap().containers[0];
    let limits = container
        .resources
        .as_ref()
        .unwrap()
        .limits
        .as_ref()
        .unwrap();
    let held: Vec<&str> = limits.values().map(|it| it.0.as_str()).collect();
    assert_eq!(held, ["01", "-01", "1Gi", "001", "-0001m", "00.5", "00"]);
    let probe = container.startup_probe.as_ref().unwrap();
    assert_eq!(
        probe.tcp_socket.as_ref().unwrap().port,
        IntOrString::String("03000000000".into())
    );
    // Text elsewhere is what it is.
    assert_eq!(container.image.as_deref(), Some("01"));
    assert_eq!(probe.grpc.as_ref().unwrap().service.as_deref(), Some("00"));
}

#[test]
fn integral_floats_are_integers() {
    let workload = read(
        &json!({"template": {"spec": {"terminationGracePeriodSeconds": 3.0, "containers": [
            {"name": "a", "ports": [{"containerPort": 80.0}], "readinessProbe": {"tcpSocket": {"port": 8080.0}}}
        ]}}}),
    );
    let spec = workload.template.spec.unwrap();
    let container = &spec.containers[0];
    assert_eq!(spec.termination_grace_period_seconds, Some(3));
    assert_eq!(container.ports.as_ref().unwrap()[0].container_port, 80);
    let probe = container.readiness_probe.as_ref().unwrap();
    assert_eq!(
        probe.tcp_socket.as_ref().unwrap().port,
        IntOrString::Int(8080)
    );
}

#[test]
fn what_is_missing_is_blank_and_what_does_not_fit_is_told_with_its_path() {
    let workload = read(&json!({"containers": [{}]}));
    assert_eq!(workload.containers.unwrap()[0].name, "");
    assert_eq!(workload.template, PodTemplateSpec::default());
    let told = serde_json::from_value::<Workload>(json!({
        "byName": {"a.b": {"limits": {"cpu": []}}},
        "containers": [{"name": "a"}, {"name": "b", "ports": [{"containerPort": "80"}]}],
        "template": {"spec": {"hostNetwork": 1}},
    }));
    assert_eq!(
        told.unwrap_err().to_string(),
        "byName[\"a.b\"].limits.cpu: invalid type: sequence, expected Quantity; \
         containers[1].ports[0].containerPort: invalid type: string \"80\", expected i32; \
         template.spec.hostNetwork: invalid type: integer `1`, expected a boolean"
    );
}
