//! The requirements of the operator, in process and under a paused clock.
use super::support::{Operator, crdkind, event, served, server, until, writes};
use crdkind_operator::generated::iksoon_test_com::v1::CrdKind;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::Service;
use kube_codegen_testing::On;
use serde_json::json;
use std::time::Duration;
use tokio::time::sleep;

#[tokio::test(start_paused = true)]
async fn a_choice_becomes_a_deployment_and_a_node_port_service_and_follows_its_changes() {
    let server = server();
    let operator = Operator::start(&server);
    server
        .seed(&crdkind("default", "a", Some("mysql"), Some(2)))
        .unwrap();
    let (deployment, service) =
        served(&server, "default", "a", "peksoon/iksoon_mysql:1.0.2", 2).await;
    let owner = &deployment.metadata.owner_references.unwrap()[0];
    assert_eq!(
        (owner.kind.as_str(), owner.name.as_str(), owner.controller),
        ("CrdKind", "a", Some(true))
    );
    let spec = service.spec.unwrap();
    assert_eq!(spec.type_.as_deref(), Some("NodePort"));
    assert!(spec.ports.as_ref().unwrap()[0].node_port >= Some(30000));
    assert_eq!(
        spec.selector,
        deployment.spec.unwrap().selector.match_labels,
        "the Service selects the Pods"
    );
    event(&server, "a", "Synced").await;

    server
        .edit::<CrdKind>("default", "a", |object| {
            object["spec"] = json!({"choice": "tomcat", "replicas": 5})
        })
        .unwrap();
    served(&server, "default", "a", "peksoon/iksoon_tomcat:1.0.6", 5).await;
    server.delete::<CrdKind>("default", "a").unwrap();
    assert!(
        server.get::<Deployment>("default", "a").is_none()
            && server.get::<Service>("default", "a").is_none()
    );
    operator.stop().await;
}

#[tokio::test(start_paused = true)]
async fn one_name_in_two_namespaces_is_two_objects() {
    let server = server();
    let operator = Operator::start(&server);
    server
        .seed(&crdkind("one", "a", Some("mysql"), Some(1)))
        .unwrap();
    server
        .seed(&crdkind("two", "a", Some("tomcat"), Some(3)))
        .unwrap();
    served(&server, "one", "a", "mysql", 1).await;
    served(&server, "two", "a", "tomcat", 3).await;
    server.delete::<CrdKind>("one", "a").unwrap();
    served(&server, "two", "a", "tomcat", 3).await;
    assert!(server.get::<Deployment>("one", "a").is_none());
    operator.stop().await;
}

#[tokio::test(start_paused = true)]
async fn drift_is_corrected_and_then_nothing_is_written() {
    let server = server();
    let operator = Operator::start(&server);
    server
        .seed(&crdkind("default", "a", Some("mysql"), Some(2)))
        .unwrap();
    served(&server, "default", "a", "mysql", 2).await;
    server
        .edit::<Deployment>("default", "a", |deployment| {
            deployment["spec"]["replicas"] = json!(7)
        })
        .unwrap();
    served(&server, "default", "a", "mysql", 2).await;
    server
        .edit::<Service>("default", "a", |service| {
            service["spec"]["selector"] = json!({"app": "other"})
        })
        .unwrap();
    until(&server, "the selector is restored", |server| {
        let selector = server.get::<Service>("default", "a")?.spec?.selector?;
        (!selector.contains_key("app")).then_some(())
    })
    .await;
    server.delete::<Service>("default", "a").unwrap();
    server.delete::<Deployment>("default", "a").unwrap();
    served(&server, "default", "a", "mysql", 2).await;

    // A reconcile of another object follows in the same queue, so nothing else is pending then.
    server.clear_requests();
    server.make_deployment_ready("default", "a").unwrap();
    server
        .seed(&crdkind("default", "b", Some("mysql"), Some(1)))
        .unwrap();
    event(&server, "b", "Synced").await;
    assert_eq!(
        writes(&server),
        ["create deployments", "create services"],
        "only those of b"
    );
    operator.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_invalid_spec_is_reported_once_and_not_retried() {
    let server = server();
    let operator = Operator::start(&server);
    for (name, choice, replicas) in [
        ("mysqlx", Some("mysqlx"), Some(1)),
        ("no-choice", None, Some(1)),
        ("no-replicas", Some("mysql"), None),
        ("too-many", Some("mysql"), Some(11)),
    ] {
        server
            .seed(&crdkind("default", name, choice, replicas))
            .unwrap();
        let reported = event(&server, name, "Invalid").await;
        assert_eq!(reported.type_.as_deref(), Some("Warning"));
        assert!(reported.note.unwrap().contains("must be"), "{name}");
        // Before the first resync.
        sleep(Duration::from_secs(100)).await;
        let reported = event(&server, name, "Invalid").await;
        assert!(reported.series.is_none(), "{name} is reconciled once");
    }
    assert_eq!(writes(&server), [""; 0]);
    server
        .edit::<CrdKind>("default", "mysqlx", |object| {
            object["spec"]["choice"] = json!("mysql")
        })
        .unwrap();
    served(&server, "default", "mysqlx", "mysql", 1).await;
    operator.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_object_without_our_owner_reference_is_never_changed() {
    let server = server();
    let foreign = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a", "namespace": "default"}, "spec": {"ports": [{"port": 1}]}});
    server.seed(&foreign).unwrap();
    let before = server.get::<Service>("default", "a").unwrap();
    let operator = Operator::start(&server);
    server
        .seed(&crdkind("default", "a", Some("mysql"), Some(1)))
        .unwrap();
    let reported = event(&server, "a", "ErrResourceExists").await;
    assert_eq!(reported.type_.as_deref(), Some("Warning"));
    assert_eq!(server.get::<Service>("default", "a").unwrap(), before);
    operator.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_recreated_object_waits_until_its_former_children_are_deleted() {
    let server = server();
    // As long as the garbage collector has not come to it, the child of a former object is there.
    server.set_collection(false);
    let former = json!({"apiVersion": CrdKind::API_VERSION, "kind": CrdKind::KIND, "name": "a", "uid": "gone", "controller": true});
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a", "namespace": "default", "ownerReferences": [former]},
        "spec": {"selector": {"matchLabels": {"app": "a"}}, "template": {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}},
    });
    server.seed(&deployment).unwrap();
    let before = server.get::<Deployment>("default", "a").unwrap();
    let operator = Operator::start(&server);
    server
        .seed(&crdkind("default", "a", Some("mysql"), Some(1)))
        .unwrap();
    until(&server, "the Service", |server| {
        server.get::<Service>("default", "a")
    })
    .await;
    assert_eq!(server.get::<Deployment>("default", "a").unwrap(), before);
    assert_eq!(writes(&server), ["create services"]);

    // The deletion by the garbage collector enqueues the new owner.
    server.set_collection(true);
    served(&server, "default", "a", "mysql", 1).await;
    operator.stop().await;
}

#[tokio::test(start_paused = true)]
async fn the_operator_stays_in_its_namespace() {
    let server = server();
    let operator = Operator::start_in(&server, Some("one"));
    for namespace in ["two", "one"] {
        server
            .seed(&crdkind(namespace, "a", Some("mysql"), Some(1)))
            .unwrap();
    }
    event(&server, "a", "Synced").await;
    operator.stop().await;
    let elsewhere: Vec<_> = server
        .requests()
        .into_iter()
        .filter(|request| request.namespace != "one")
        .map(|request| request.path)
        .collect();
    assert_eq!(elsewhere, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn invalid_service_names_are_converted() {
    let server = server();
    let operator = Operator::start(&server);
    let long = "a".repeat(200);
    for name in ["1st.of-all", long.as_str(), "a.b", "a-b", "a.b.c", "a-b.c"] {
        server
            .seed(&crdkind("default", name, Some("mysql"), Some(1)))
            .unwrap();
        event(&server, name, "Synced").await;
    }
    let names: Vec<_> = server
        .list::<Service>()
        .into_iter()
        .filter_map(|service| service.metadata.name)
        .collect();
    assert_eq!(names.len(), 6, "{names:?}");
    assert!(names.iter().all(|name| name.len() <= 63), "{names:?}");
    operator.stop().await;
}

#[tokio::test(start_paused = true)]
async fn two_hundred_changes_converge_although_watches_break() {
    let server = server();
    let operator = Operator::start(&server);
    for index in 0..20 {
        server
            .seed(&crdkind(
                "default",
                &format!("o{index}"),
                Some("mysql"),
                Some(1),
            ))
            .unwrap();
    }
    for change in 0..200_i64 {
        let replicas = change % 10 + 1;
        server
            .edit::<CrdKind>("default", &format!("o{}", change % 20), |object| {
                object["spec"]["replicas"] = json!(replicas)
            })
            .unwrap();
        if change % 50 == 25 {
            server.cut_watches(&On::any());
            server.compact();
        }
        tokio::task::yield_now().await;
    }
    for index in 0..20 {
        served(
            &server,
            "default",
            &format!("o{index}"),
            "mysql",
            index % 10 + 1,
        )
        .await;
    }
    operator.stop().await;
}
