//! The binary, with a kubeconfig and signals.
use super::support::{crdkind, event, served, server};
use crdkind_operator::generated::iksoon_test_com::v1::CrdKind;
use k8s_openapi::api::apps::v1::Deployment;
use kube_codegen_testing::ApiServer;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

/// A running operator. Dropping it kills it.
struct Process(Child);

impl Process {
    fn start(kubeconfig: &Path) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_crdkind-operator"));
        command.arg("--kubeconfig").arg(kubeconfig).args([
            "--workers",
            "2",
            "--health-probe-bind-address=0",
            "--mysql-image",
            "registry.test/db:9",
        ]);
        Self(command.spawn().unwrap())
    }

    /// Sends SIGTERM and waits until the process exits.
    async fn terminate(mut self) -> ExitStatus {
        let sent = Command::new("kill")
            .args(["-TERM", &self.0.id().to_string()])
            .status()
            .unwrap();
        assert!(sent.success());
        for _ in 0..600 {
            if let Some(status) = self.0.try_wait().unwrap() {
                return status;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("the operator did not stop");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

async fn kubeconfig(server: &ApiServer, name: &str) -> PathBuf {
    server.listen().await.unwrap();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.kubeconfig"));
    std::fs::write(&path, server.kubeconfig().unwrap()).unwrap();
    path
}

#[tokio::test]
async fn the_binary_stops_on_a_signal_and_recovers_from_a_kill() {
    let server = server();
    let kubeconfig = kubeconfig(&server, "binary").await;
    let first = Process::start(&kubeconfig);
    server
        .seed(&crdkind("default", "a", Some("mysql"), Some(2)))
        .unwrap();
    served(&server, "default", "a", "registry.test/db:9", 2).await;
    event(&server, "a", "Synced").await;

    // After SIGKILL, the next process applies the changes made meanwhile and creates nothing twice.
    drop(first);
    server
        .edit::<CrdKind>("default", "a", |object| {
            object["spec"] = json!({"choice": "tomcat", "replicas": 3})
        })
        .unwrap();
    server
        .seed(&crdkind("default", "b", Some("tomcat"), Some(1)))
        .unwrap();
    let second = Process::start(&kubeconfig);
    served(&server, "default", "a", "tomcat", 3).await;
    served(&server, "default", "b", "tomcat", 1).await;
    assert_eq!(server.list::<Deployment>().len(), 2);
    let status = second.terminate().await;
    assert!(status.success(), "{status}");
}
