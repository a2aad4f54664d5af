//! Fields with types of `k8s-openapi`.
use std::collections::BTreeMap;

use k8s_openapi::{
    api::core::v1::{Container, PodTemplateSpec, ResourceRequirements},
    apimachinery::pkg::util::intstr::IntOrString,
};
use serde_json::{Value, json};

#[derive(Clone, Debug, Default, PartialEq)]
struct Workload {
    by_name: Option<BTreeMap<String, ResourceRequirements>>,
    containers: Option<Vec<Container>>,
    template: PodTemplateSpec,
}

kube_codegen_record::records! {
    Workload { by_name = "byName", containers, template }
}

fn template(limits: &Value, size_limit: &Value) -> Value {
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
                    "limits": limits,
                    "requests": {}
                },
                "startupProbe": {"tcpSocket": {"port": "3000000000"}, "grpc": {"port": 1, "service": "00"}}
            }],
            "securityContext": {},
            "volumes": [{"emptyDir": {"sizeLimit": size_limit}, "name": "v"}, {"emptyDir": {}, "name": "w"}]
        }
    })
}

fn read(value: &Value) -> Workload {
    serde_json::from_value(value.clone()).unwrap()
}

#[test]
fn an_object_survives_a_round_trip() {
    let object = json!({
        "byName": {"a": {"limits": {"cpu": "2"}}, "b": {}},
        "containers": [{"name": "c", "resources": {"requests": {"cpu": "0.5", "memory": "1e3"}}}],
        "template": template(&json!({"cpu": "1", "memory": "1Gi", "odd": "01", "odder": "-001m"}), &json!("1M")),
    });
    let workload = read(&object);
    assert_eq!(serde_json::to_value(&workload).unwrap(), object);
    let own = serde_json::to_value(&workload.template).unwrap();
    assert_eq!(own, object["template"], "as their own serde code writes it");
    let text = serde_json::to_string(&workload).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), object);
    let yaml = serde_yaml::to_string(&workload).unwrap();
    assert_eq!(serde_yaml::from_str::<Workload>(&yaml).unwrap(), workload);
}

#[test]
fn a_bare_number_in_a_quantity_is_its_digits() {
    let numbers = json!({"cpu": 1, "gpu": -1, "memory": 1e3, "odd": "01", "share": 0.5, "wide": u64::MAX, "zero": 0});
    let texts = json!({"cpu": "1", "gpu": "-1", "memory": "1000", "odd": "01", "share": "0.5", "wide": u64::MAX.to_string(), "zero": "0"});
    let read = |limits, size_limit| read(&json!({"template": template(limits, &size_limit)}));
    let workload = read(&numbers, 1_000_000.into());
    assert_eq!(workload, read(&texts, "1000000".into()));
    let written = serde_json::to_value(&workload).unwrap();
    assert_eq!(written["template"], template(&texts, &json!("1000000")));
}

#[test]
fn an_integer_beyond_32_bits_in_an_int_or_string_is_text() {
    let probe = |port| {
        let object = json!({"containers": [
            {"image": "01", "name": "a", "livenessProbe": {"initialDelaySeconds": 3.0, "tcpSocket": {"port": port}}}
        ]});
        serde_json::from_value::<Workload>(object).map(|read| {
            let probe = read.containers.unwrap()[0].liveness_probe.take().unwrap();
            assert_eq!(probe.initial_delay_seconds, Some(3));
            probe.tcp_socket.unwrap().port
        })
    };
    for (port, text) in [
        (json!(3_000_000_000_i64), "3000000000"),
        (json!(-3e9), "-3000000000"),
        (json!(u64::MAX), "18446744073709551615"),
    ] {
        assert_eq!(probe(port).unwrap(), IntOrString::String(text.into()));
    }
    assert_eq!(
        probe(json!(0.5)).unwrap_err().to_string(),
        "containers[0].livenessProbe.tcpSocket.port: invalid type: number, expected an integer or a string"
    );
    let wide_name = json!({"containers": [{"name": 3_000_000_000_i64, "livenessProbe": {"tcpSocket": {"port": 3_000_000_000_i64}}}]});
    assert_eq!(
        serde_json::from_value::<Workload>(wide_name)
            .unwrap_err()
            .to_string(),
        "containers[0].name: invalid type: integer, expected a string"
    );
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
fn missing_fields_are_blank_and_errors_have_paths() {
    let workload = read(&json!({"containers": [{}]}));
    assert_eq!(workload.containers.unwrap()[0].name, "");
    assert_eq!(workload.template, PodTemplateSpec::default());
    let read = serde_json::from_value::<Workload>(json!({
        "byName": {"a.b": {"limits": {"cpu": []}}},
        "containers": [{"name": "a"}, {"name": "b", "ports": [{"containerPort": "80"}]}],
        "template": {"spec": {"hostNetwork": 1, "hostPID": 2}},
    }));
    assert_eq!(
        read.unwrap_err().to_string(),
        "byName[\"a.b\"].limits.cpu: invalid type: array, expected a quantity; \
         containers[1].ports[0].containerPort: invalid type: string, expected i32; \
         template.spec.hostNetwork: invalid type: integer, expected a boolean; \
         template.spec.hostPID: invalid type: integer, expected a boolean"
    );
}
