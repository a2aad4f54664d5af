//! What the operator promises, point by point, in process and under a paused clock.
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
        "the Service finds the Pods"
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
async fn one_name_in_two_namespaces_is_two_worlds() {
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
async fn drift_is_mended_and_then_nothing_more_is_written() {
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
    until(&server, "the selector is mended", |server| {
        let selector = server.get::<Service>("default", "a")?.spec?.selector?;
        (!selector.contains_key("app")).then_some(())
    })
    .await;
    server.delete::<Service>("default", "a").unwrap();
    server.delete::<Deployment>("default", "a").unwrap();
    served(&server, "default", "a", "mysql", 2).await;

    // Another object goes the same way after it, so the queue is empty by then: nothing was written meanwhile.
    server.clear_actions();
    server.make_deployment_ready("default", "a").unwrap();
    server
        .seed(&crdkind("default", "b", Some("mysql"), Some(1)))
        .unwrap();
    event(&server, "b", "Synced").await;
    assert_eq!(
        writes(&server),
        ["create deployments", "create services"],
        "those of b alone"
    );
    operator.stop().await;
}

#[tokio::test(start_paused = true)]
async fn what_passes_the_server_and_makes_no_sense_is_told_once_and_not_retried() {
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
        let told = event(&server, name, "Invalid").await;
        assert_eq!(told.type_.as_deref(), Some("Warning"));
        assert!(told.note.unwrap().contains("must be"), "{name}");
        sleep(Duration::from_secs(300)).await;
        let told = event(&server, name, "Invalid").await;
        assert!(told.series.is_none(), "{name} is reconciled once");
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
async fn a_foreign_object_of_the_name_is_refused_and_left_alone() {
    let server = server();
    let foreign = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a", "namespace": "default"}, "spec": {"ports": [{"port": 1}]}});
    server.seed(&foreign).unwrap();
    let before = server.get::<Service>("default", "a").unwrap();
    let operator = Operator::start(&server);
    server
        .seed(&crdkind("default", "a", Some("mysql"), Some(1)))
        .unwrap();
    let told = event(&server, "a", "ErrResourceExists").await;
    assert_eq!(told.type_.as_deref(), Some("Warning"));
    assert_eq!(server.get::<Service>("default", "a").unwrap(), before);
    operator.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_object_made_anew_waits_for_the_end_of_the_old_ones_children() {
    let server = server();
    let deployment = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a", "namespace": "default"},
        "spec": {"selector": {"matchLabels": {"app": "a"}}, "template": {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}});
    server.seed(&deployment).unwrap();
    let former = json!([{"apiVersion": CrdKind::API_VERSION, "kind": CrdKind::KIND, "name": "a", "uid": "gone", "controller": true}]);
    server
        .edit::<Deployment>("default", "a", |deployment| {
            deployment["metadata"]["ownerReferences"] = former.clone()
        })
        .unwrap();
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

    // The garbage collector comes round, and that brings the new one up.
    server.delete::<Deployment>("default", "a").unwrap();
    served(&server, "default", "a", "mysql", 1).await;
    operator.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_namespace_is_not_left() {
    let server = server();
    let operator = Operator::start_in(&server, Some("one"));
    for namespace in ["two", "one"] {
        server
            .seed(&crdkind(namespace, "a", Some("mysql"), Some(1)))
            .unwrap();
    }
    event(&server, "a", "Synced").await;
    operator.stop().await;
    let strayed: Vec<_> = server
        .actions()
        .into_iter()
        .filter(|action| action.namespace != "one")
        .map(|action| action.path)
        .collect();
    assert_eq!(strayed, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn names_that_are_no_service_names_are_made_such() {
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
async fn two_hundred_changes_with_the_watches_cut_end_where_they_should() {
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
