//! Tests the operator with an API server in memory.
use std::time::Duration;

use k8s_openapi::api::events::v1::Event;
use kube::CustomResourceExt;
use kube_codegen_runtime::manager::Manager;
use kube_codegen_testing::ApiServer;
use tokio::{sync::oneshot, time::timeout};

use virtualmachine_operator::generated::infra_example_com::v1::VirtualMachine;
use virtualmachine_operator::{REPORTER, register};

#[tokio::test]
async fn an_object_is_reconciled() -> Result<(), Box<dyn std::error::Error>> {
    let server = ApiServer::new();
    server.register_crd(&VirtualMachine::crd())?;
    let mut manager = Manager::builder(server.client(), REPORTER).build()?;
    register(&mut manager);
    let (stop, stopped) = oneshot::channel::<()>();
    let stopped = async { drop(stopped.await) };
    let operator = tokio::spawn(manager.run(stopped));
    let mut object = VirtualMachine::default();
    object.metadata.name = Some("sample".to_owned());
    object.metadata.namespace = Some("default".to_owned());
    server.seed(&object)?;
    let synced = server.until(|server| {
        let is_synced = |event: &Event| event.reason.as_deref() == Some("Synced");
        server.list::<Event>().into_iter().find(is_synced)
    });
    let event = timeout(Duration::from_secs(30), synced).await?;
    let regarding = event.regarding.unwrap_or_default();
    assert_eq!(regarding.kind.as_deref(), Some("VirtualMachine"));
    assert_eq!(regarding.name.as_deref(), Some("sample"));

    // The operator stops gracefully.
    drop(stop);
    timeout(Duration::from_secs(30), operator).await???;
    Ok(())
}
