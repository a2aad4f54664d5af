//! The operator in this process, with an API server in memory, and its webhooks without a server.
use std::{env, fs, path::Path};

use example_test_support::{Operator, until};
use k8s_openapi::api::events::v1::Event;
use kube::{
    Api, CustomResourceExt,
    api::{DeleteParams, PostParams},
};
use kube_codegen_record::conversion::assert_round_trips;
use kube_codegen_runtime::{client::ErrorExt, condition::is_true, webhook::ClientConfig};
use kube_codegen_testing::ApiServer;
use serde_json::json;
use virtualmachine_operator::{
    REPORTER, controller,
    generated::infra_example_com::v1::{
        VirtualMachine, VirtualMachineSpec, VirtualMachineStatusPhase,
    },
    machines::Machines,
    webhooks,
    webhooks::converter,
};

fn event(server: &ApiServer, reason: &str) -> Option<Event> {
    let mut events = server.list::<Event>().into_iter();
    events.find(|event| event.reason.as_deref() == Some(reason))
}

#[tokio::test]
async fn a_machine_runs_until_its_object_is_deleted() {
    let server = ApiServer::new();
    server.register_crd(&VirtualMachine::crd()).unwrap();
    let machines = Machines::default();
    let operator = Operator::start(&server, REPORTER, &["--webhook-port=0"], |manager| {
        controller::register(manager, machines.clone());
    });
    let spec = VirtualMachineSpec {
        cpu: Some(4),
        memory: "8Gi".to_owned(),
    };
    let api = Api::<VirtualMachine>::namespaced(server.client(), "default");
    let created = VirtualMachine::new("a", spec);
    let created = api.create(&PostParams::default(), &created).await.unwrap();
    let uid = created.metadata.uid.unwrap();
    let status = until(&server, "Running", |server| {
        let machine = server.get::<VirtualMachine>("default", "a")?;
        machine
            .status
            .filter(|status| status.phase == Some(VirtualMachineStatusPhase::Running))
    })
    .await;
    assert!(is_true(&status.conditions.unwrap(), "Ready"));
    assert_eq!(machines.get(&uid).unwrap().cpu, 4);
    until(&server, "Started", |server| event(server, "Started")).await;

    api.delete("a", &DeleteParams::default()).await.unwrap();
    until(&server, "no object", |server| {
        server
            .get::<VirtualMachine>("default", "a")
            .is_none()
            .then_some(())
    })
    .await;
    assert_eq!(machines.get(&uid), None);
    until(&server, "Stopped", |server| event(server, "Stopped")).await;
    operator.stop().await;
}

#[tokio::test]
async fn webhooks_complete_and_reject_machines() {
    let server = ApiServer::new();
    server.register_crd(&VirtualMachine::crd()).unwrap();
    let webhooks = webhooks();
    let configurations = webhooks.configurations(&ClientConfig::url("https://localhost"));
    for configuration in [
        json!(configurations.mutating),
        json!(configurations.validating),
    ] {
        server
            .call_webhooks(&configuration, webhooks.in_process())
            .unwrap();
    }
    let api = Api::<VirtualMachine>::namespaced(server.client(), "default");
    let machine = |memory: &str| {
        let memory = memory.to_owned();
        VirtualMachine::new("a", VirtualMachineSpec { cpu: None, memory })
    };
    let create = async |memory| api.create(&PostParams::default(), &machine(memory)).await;
    let rejected = create("1Mi").await.unwrap_err();
    assert_eq!(
        rejected.field_errors()[0].message,
        r#"Invalid value: "1Mi": must be at least 256Mi"#
    );
    let mut created = create("4Gi").await.unwrap();
    assert_eq!(created.spec.cpu, Some(2));
    created.spec.memory = "2Gi".to_owned();
    let rejected = api.replace("a", &PostParams::default(), &created).await;
    let rejected = rejected.unwrap_err().to_string();
    assert!(
        rejected.contains("a running machine cannot lose memory"),
        "{rejected}"
    );
    api.delete("a", &DeleteParams::default()).await.unwrap();
}

#[test]
fn both_versions_convert_without_loss() {
    let v1 = json!({
        "apiVersion": "infra.example.com/v1", "kind": "VirtualMachine",
        "metadata": {"name": "a", "namespace": "default"},
        "spec": {"cpu": 2, "memory": "4Gi", "unknown": true},
    });
    let v2 = converter()
        .convert(v1.clone(), "infra.example.com/v2")
        .unwrap();
    assert_eq!(
        v2["spec"],
        json!({"cpu": 2, "resources": {"memory": "4Gi"}, "unknown": true})
    );
    for object in [v1, v2] {
        assert_round_trips(&converter(), [object]);
    }
}

/// `KUBE_CODEGEN_ACCEPT=1` writes the file.
#[test]
fn the_manifests_register_the_webhooks() {
    let client = ClientConfig::service(REPORTER, format!("{REPORTER}-webhook"));
    let yaml = webhooks().configurations(&client).to_yaml().unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy/webhooks.yaml");
    if env::var_os("KUBE_CODEGEN_ACCEPT").is_some() {
        fs::write(&file, &yaml).unwrap();
    }
    assert_eq!(fs::read_to_string(file).unwrap(), yaml);
}
