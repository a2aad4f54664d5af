//! What errors, logs and `Debug` output show of objects with secrets: nothing.
use std::{fmt::Debug, sync::Arc};

use crate::{client::server::Server, log::Log};
use k8s_openapi::api::core::v1::Secret;
use kube::{
    Config,
    api::{DeleteParams, ListParams, Patch},
    config::AuthInfo,
};
use kube_codegen_runtime::{
    children::ChildState,
    client::{Applied, TypedClient, describe},
    finalizer::Step,
    informer::{Deleted, InformerEvent, InformerFactory},
    manager::Manager,
    record::apply::{Apply, LastApplied},
};
use kube_codegen_testing::ApiServer;
use serde_json::json;

#[tokio::test]
async fn no_error_or_log_line_shows_what_a_secret_holds() {
    let (log, _guard) = Log::collect();
    let secret: Secret = serde_json::from_value(json!({"metadata": {"name": "a"}})).unwrap();
    for data in [
        json!("hunter2"),
        json!({"password": "hunter2!"}),
        json!({"password": ["hunter2"]}),
    ] {
        let body = json!({"metadata": {"name": "a", "resourceVersion": "1"}, "data": data});
        let server = Server::with([(200, body.clone())]);
        let list = Server::with([(
            200,
            json!({"kind": "SecretList", "metadata": {}, "items": [body]}),
        )]);
        let secrets = TypedClient::<Secret>::namespaced(server.client(), "n");
        let several = TypedClient::<Secret>::namespaced(list.client(), "n");
        let errors = [
            secrets.get("a").await.unwrap_err(),
            secrets.get_opt("a").await.unwrap_err(),
            secrets.create(&secret).await.unwrap_err(),
            secrets.replace(&secret).await.unwrap_err(),
            secrets
                .patch("a", &Patch::Merge(json!({})))
                .await
                .unwrap_err(),
            secrets
                .delete("a", &DeleteParams::default())
                .await
                .unwrap_err(),
            secrets
                .apply(&json!({"metadata": {"name": "a"}}), "test")
                .await
                .unwrap_err(),
            secrets.modify("a", |_| {}).await.unwrap_err(),
            several.list(&ListParams::default()).await.unwrap_err(),
            several
                .delete_collection(&DeleteParams::default(), &ListParams::default())
                .await
                .unwrap_err(),
        ];
        for error in errors {
            let text = format!("{error} {error:?} {}", describe(&error));
            assert!(!text.contains("hunter2"), "{text}");
        }
    }
    let log = log.text();
    assert!(!log.contains("hunter2"), "{log}");
}

/// Without the types of k8s-openapi, which print what they hold.
#[tokio::test]
async fn no_debug_output_shows_a_secret_or_a_key() {
    let server = ApiServer::new();
    let secret = |password: &str| -> Secret {
        serde_json::from_value(json!({
            "metadata": {"name": "a", "namespace": "default"},
            "stringData": {"password": password},
        }))
        .unwrap()
    };
    let hunter2 = "aHVudGVyMg==";
    server
        .seed(
            &serde_json::from_value::<Secret>(json!({
                "metadata": {"name": "a", "namespace": "default"}, "data": {"password": hunter2},
            }))
            .unwrap(),
        )
        .unwrap();
    let client = server.client();
    let stored = server.get::<Secret>("default", "a").unwrap();
    let config = Apply::<Secret>::from(secret("hunter2"));
    let mut shown: Vec<(&str, String)> = Vec::new();
    let mut show = |name, value: &dyn Debug| shown.push((name, format!("{value:?} {value:#?}")));

    let diff = config.diff(&stored, "me").unwrap();
    assert!(!diff.is_empty());
    show("Diff", &diff);
    show("Change", &diff.changes()[0]);
    show("Diff, displayed", &diff.to_string());
    show(
        "LastApplied",
        &LastApplied::new(&config, &stored, "me").unwrap(),
    );

    let factory = InformerFactory::new(client.clone());
    let informer = factory.informer::<Secret>();
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    assert_eq!(informer.lister().all().len(), 1);
    show("SharedInformer", &informer);
    show("Lister", &informer.lister());
    show("InformerFactory", &factory);
    show("InformerStatus", &informer.status());
    show("Apply", &config);
    let object = stored.clone();
    show("Applied", &Applied::Changed { object, diff });
    show_events(&informer.lister().all().remove(0), &mut show);
    show(
        "TypedClient",
        &TypedClient::<Secret>::namespaced(client.clone(), "default"),
    );
    show("ManagerBuilder", &Manager::builder(client.clone(), "me"));
    show(
        "Manager",
        &Manager::builder(client.clone(), "me").build().unwrap(),
    );
    show("ApiServer", &server);
    show("ApiService", &server.service());
    let mut connection = Config::new("https://localhost:6443".parse().unwrap());
    connection.auth_info = AuthInfo {
        token: Some("hunter2".to_owned().into()),
        password: Some("hunter2".to_owned().into()),
        client_key_data: Some("hunter2".to_owned().into()),
        ..AuthInfo::default()
    };
    show("kube::Config", &connection);

    #[cfg(feature = "webhook")]
    {
        let request: kube_codegen_runtime::webhook::Request = serde_json::from_value(json!({
            "uid": "1", "operation": "UPDATE", "name": "a", "namespace": "default", "userInfo": {"username": "jane"},
            "kind": {"group": "", "version": "v1", "kind": "Secret"},
            "resource": {"group": "", "version": "v1", "resource": "secrets"},
            "object": stored, "oldObject": stored,
        })).unwrap();
        show("webhook::Request", &request);
        show(
            "WebhookServer",
            &kube_codegen_runtime::webhook::WebhookServer::new(),
        );
    }
    for (name, text) in shown {
        for marker in ["hunter2", hunter2, "PRIVATE KEY"] {
            assert!(!text.contains(marker), "{name}: {text}");
        }
        assert!(!text.is_empty());
    }
}

fn show_events(object: &Arc<Secret>, show: &mut impl FnMut(&'static str, &dyn Debug)) {
    let (old, new) = (Arc::clone(object), Arc::clone(object));
    let added = InformerEvent::Added {
        object: Arc::clone(object),
        is_in_initial_list: true,
    };
    show("InformerEvent::Added", &added);
    show(
        "InformerEvent::Updated",
        &InformerEvent::Updated { old, new },
    );
    let deleted = Deleted {
        object: Arc::clone(object),
        final_state_unknown: false,
    };
    show("Deleted", &deleted);
    show("InformerEvent::Deleted", &InformerEvent::Deleted(deleted));
    show(
        "ChildState::Created",
        &ChildState::Created(Arc::clone(object)),
    );
    show(
        "ChildState::Corrected",
        &ChildState::Corrected(Arc::clone(object)),
    );
    show(
        "ChildState::Unchanged",
        &ChildState::Unchanged(Arc::clone(object)),
    );
    show("Step::Apply", &Step::Apply(Arc::clone(object)));
    show("Step::Cleanup", &Step::Cleanup(Arc::clone(object)));
}
