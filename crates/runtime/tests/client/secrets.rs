//! What errors and logs show of objects with secrets: nothing.
use crate::client::server::Server;
use k8s_openapi::api::core::v1::Secret;
use kube::api::{DeleteParams, ListParams, Patch};
use kube_codegen_runtime::client::{TypedClient, describe};
use serde_json::json;
use std::sync::{Arc, Mutex};

#[tokio::test]
async fn no_error_or_log_line_shows_what_a_secret_holds() {
    /// Collects the log.
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);
    impl std::io::Write for Log {
        fn write(&mut self, text: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend(text);
            Ok(text.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
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
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(!log.contains("hunter2"), "{log}");
}
