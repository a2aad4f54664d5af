//! The operator in this process, under a paused clock.
use std::time::Duration;

use example_test_support::{Log, Operator, until};
use foo_controller::{
    REPORTER,
    generated::{
        Clientset,
        example_com::v1alpha1::{Foo, FooSpec},
    },
    steps::{self, Settings, Step},
};
use k8s_openapi::api::{apps::v1::Deployment, events::v1::Event};
use kube::CustomResourceExt;
use kube_codegen_runtime::client::ErrorExt;
use kube_codegen_testing::{ApiServer, Failure, On};
use serde_json::{Value, json};

fn server() -> ApiServer {
    let server = ApiServer::new();
    server.register_crd(&Foo::crd()).unwrap();
    server
}

fn foo(name: &str, deployment: &str, replicas: i32) -> Foo {
    let spec = FooSpec {
        deployment_name: deployment.to_owned(),
        replicas,
    };
    let mut object = Foo::new(name, spec);
    object.metadata.namespace = Some("default".to_owned());
    object
}

fn start(server: &ApiServer, step: Step) -> Operator {
    Operator::start(server, REPORTER, &[], |manager| {
        let every = Duration::from_secs(10);
        steps::register(manager, Settings { step, every });
    })
}

async fn deployed(server: &ApiServer, name: &str, replicas: i32) -> Deployment {
    until(server, &format!("{replicas} of {name}"), |server| {
        let deployment = server.get::<Deployment>("default", name)?;
        (deployment.spec.as_ref()?.replicas == Some(replicas)).then_some(deployment)
    })
    .await
}

async fn event(server: &ApiServer, reason: &str) -> Event {
    until(server, reason, |server| {
        let mut events = server.list::<Event>().into_iter();
        events.find(|event| event.reason.as_deref() == Some(reason))
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn step_one_lists_the_objects_in_a_loop() {
    let (log, _guard) = Log::capture();
    let server = server();
    server.seed(&foo("a", "web", 2)).unwrap();
    let operator = start(&server, Step::List);
    log.wait(1, "there are 1 Foos").await;
    log.wait(1, "listed: default/a: 2 of web").await;
    server.seed(&foo("b", "db", 1)).unwrap();
    log.wait(2, "there are 2 Foos").await;
    operator.stop().await;
    let requests = server.requests();
    assert!(requests.iter().all(|request| request.verb == "list"));
}

#[tokio::test(start_paused = true)]
async fn step_two_logs_the_changes() {
    let (log, _guard) = Log::capture();
    let server = server();
    server.seed(&foo("a", "web", 2)).unwrap();
    let operator = start(&server, Step::Watch);
    log.wait(1, "added: default/a: 2 of web").await;
    let change = |object: &mut Value| object["spec"]["replicas"] = json!(3);
    server.edit::<Foo>("default", "a", change).unwrap();
    log.wait(1, "updated: default/a: 3 of web").await;
    server.delete::<Foo>("default", "a").unwrap();
    log.wait(1, "deleted: default/a: 3 of web").await;
    assert!(server.writes().is_empty());
    operator.stop().await;
}

#[tokio::test(start_paused = true)]
async fn step_three_deploys_and_reports_the_status() {
    let server = server();
    server.seed(&foo("a", "web", 2)).unwrap();
    let operator = start(&server, Step::Control);
    let deployment = deployed(&server, "web", 2).await;
    let owner = &deployment.metadata.owner_references.unwrap()[0];
    assert_eq!((owner.kind.as_str(), owner.name.as_str()), ("Foo", "a"));
    event(&server, "Synced").await;
    server.make_deployment_ready("default", "web").unwrap();
    until(&server, "the status", |server| {
        let status = server.get::<Foo>("default", "a")?.status?;
        (status.available_replicas == Some(2)).then_some(())
    })
    .await;

    let writes = server.writes();
    let events = writes.iter().filter(|write| write.resource == "events");
    assert_eq!(
        events.count(),
        1,
        "a reconcile without a change has nothing to report"
    );

    // Changes, drift and another name.
    let change = |object: &mut Value| object["spec"]["replicas"] = json!(3);
    server.edit::<Foo>("default", "a", change).unwrap();
    deployed(&server, "web", 3).await;
    let drift = |deployment: &mut Value| deployment["spec"]["replicas"] = json!(7);
    server.edit::<Deployment>("default", "web", drift).unwrap();
    deployed(&server, "web", 3).await;
    let rename = |object: &mut Value| object["spec"]["deploymentName"] = json!("site");
    server.edit::<Foo>("default", "a", rename).unwrap();
    deployed(&server, "site", 3).await;
    until(&server, "the old name is gone", |server| {
        server
            .get::<Deployment>("default", "web")
            .is_none()
            .then_some(())
    })
    .await;
    // What cannot be deleted at once is deleted later.
    server.fail_times(On::verb("delete"), 10, Failure::status(409));
    let rename = |object: &mut Value| object["spec"]["deploymentName"] = json!("page");
    server.edit::<Foo>("default", "a", rename).unwrap();
    deployed(&server, "page", 3).await;
    until(&server, "the old name is gone", |server| {
        let old = server.get::<Deployment>("default", "site");
        old.is_none().then_some(())
    })
    .await;
    server.delete::<Foo>("default", "a").unwrap();
    assert!(server.get::<Deployment>("default", "page").is_none());
    operator.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_deployment_of_others_is_never_changed() {
    let server = server();
    let foreign = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "default"},
        "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}});
    server.seed(&foreign).unwrap();
    let before = server.get::<Deployment>("default", "web").unwrap();
    let operator = start(&server, Step::Control);
    server.seed(&foo("a", "web", 2)).unwrap();
    let event = event(&server, "ErrResourceExists").await;
    assert_eq!(event.type_.as_deref(), Some("Warning"));
    assert_eq!(server.get::<Deployment>("default", "web").unwrap(), before);

    // The name becomes free.
    server.delete::<Deployment>("default", "web").unwrap();
    tokio::time::sleep(Duration::from_secs(60)).await;
    deployed(&server, "web", 2).await;
    operator.stop().await;
}

#[tokio::test]
async fn one_to_ten_replicas_are_accepted() {
    let server = server();
    let foos = Clientset::new(server.client())
        .example_com_v1alpha1()
        .foos("default");
    for replicas in [1, 10] {
        let name = format!("foo-{replicas}");
        foos.create(&foo(&name, "web", replicas)).await.unwrap();
    }
    for (replicas, message) in [
        (0, "should be greater than or equal to 1"),
        (11, "should be less than or equal to 10"),
    ] {
        let error = foos
            .create(&foo("rejected", "web", replicas))
            .await
            .unwrap_err();
        let cause = &error.field_errors()[0];
        assert_eq!(cause.field, "spec.replicas");
        assert!(cause.message.contains(message), "{cause:?}");
    }
}
