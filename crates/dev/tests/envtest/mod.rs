//! The programs of `kube-codegen-dev assets`, started as envtest starts them.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::{Ipv4Addr, TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client, Config,
    api::{DeleteParams, PostParams},
};
use tempfile::TempDir;

use crate::command;

const WITHIN: Duration = Duration::from_secs(30);

/// A program, killed when it is dropped.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

fn start(assets: &Path, name: &str, args: &[String]) -> Program {
    let mut command = Command::new(assets.join(name));
    Program(command.args(args).stderr(Stdio::piped()).spawn().unwrap())
}

fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    listener.local_addr().unwrap().port()
}

/// Connects when the program listens.
fn connected(port: u16) -> TcpStream {
    let start = Instant::now();
    loop {
        match TcpStream::connect((Ipv4Addr::LOCALHOST, port)) {
            Ok(stream) => return stream,
            Err(error) => assert!(start.elapsed() < WITHIN, "{error}"),
        }
        thread::sleep(Duration::from_millis(20));
    }
}

fn assets() -> TempDir {
    let folder = TempDir::new().unwrap();
    let output = command(folder.path()).args(["assets", "bin"]).output();
    let output = output.unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let directory = fs::canonicalize(folder.path().join("bin")).unwrap();
    assert_eq!(
        text,
        format!("KUBEBUILDER_ASSETS={}\n", directory.display())
    );
    folder
}

#[test]
fn etcd_is_healthy() {
    let folder = assets();
    let port = free_port();
    let url = format!("--listen-client-urls=http://127.0.0.1:{port}");
    let _etcd = start(
        &folder.path().join("bin"),
        "etcd",
        &[url, "--data-dir=x".to_owned()],
    );
    let mut stream = connected(port);
    let request = b"GET /health HTTP/1.1\r\nConnection: close\r\n\r\n";
    stream.write_all(request).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    assert!(answer.ends_with("{\"health\":\"true\"}"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_api_server_takes_the_flags_of_envtest() {
    let folder = assets();
    let assets = folder.path().join("bin");
    // envtest looks for flags in the help.
    let help = Command::new(assets.join("kube-apiserver"))
        .arg("--help")
        .output()
        .unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    assert!(
        help.contains("\n      --secure-port") && !help.contains("insecure"),
        "{help}"
    );

    let tokens = folder.path().join("tokens.csv");
    fs::write(&tokens, "secret,root,1,\"system:masters\"\n").unwrap();
    let port = free_port();
    let mut server = start(
        &assets,
        "kube-apiserver",
        &[
            format!("--secure-port={port}"),
            "--bind-address=127.0.0.1".to_owned(),
            "--authorization-mode=RBAC".to_owned(),
            format!("--token-auth-file={}", tokens.display()),
            "--etcd-servers=http://127.0.0.1:1".to_owned(),
            "--feature-gates=A=true".to_owned(),
        ],
    );
    drop(connected(port));
    let mut config = Config::new(format!("https://127.0.0.1:{port}").parse().unwrap());
    config.accept_invalid_certs = true;
    let anonymous: Api<ConfigMap> =
        Api::default_namespaced(Client::try_from(config.clone()).unwrap());
    assert!(
        matches!(anonymous.get("a").await, Err(kube::Error::Api(status)) if status.code == 403)
    );
    config.auth_info.token = Some("secret".to_owned().into());
    let maps: Api<ConfigMap> = Api::default_namespaced(Client::try_from(config).unwrap());
    let map = serde_json::from_value(serde_json::json!({"metadata": {"name": "a"}})).unwrap();
    maps.create(&PostParams::default(), &map).await.unwrap();
    // No garbage collector completes the deletion.
    maps.delete("a", &DeleteParams::foreground()).await.unwrap();
    assert!(
        maps.get("a")
            .await
            .unwrap()
            .metadata
            .deletion_timestamp
            .is_some()
    );

    server.0.kill().unwrap();
    let mut warning = String::new();
    server
        .0
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut warning)
        .unwrap();
    assert_eq!(
        warning,
        "warning: these flags have no effect on the API server in memory: --feature-gates\n"
    );
}

#[test]
fn a_port_that_is_taken_is_reported() {
    let folder = assets();
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = taken.local_addr().unwrap();
    let mut etcd = Command::new(folder.path().join("bin/etcd"));
    let output = etcd
        .arg(format!("--listen-client-urls=http://{address}"))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(
        text.starts_with(&format!(
            "error: cannot listen at {address} (--listen-client-urls): "
        )),
        "{text}"
    );
}

#[test]
#[cfg(target_os = "linux")]
fn too_many_connections_pass() {
    const FILES: usize = 24;
    let folder = assets();
    for (name, flag, scheme) in [
        ("kube-apiserver", "--secure-port=", ""),
        ("etcd", "--listen-client-urls=", "http://127.0.0.1:"),
    ] {
        let port = free_port();
        let program = folder.path().join("bin").join(name);
        let script = format!(
            "ulimit -n {FILES}; exec {} {flag}{scheme}{port}",
            program.display()
        );
        let mut shell = Command::new("sh");
        let process = shell
            .args(["-c", &script])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let program = Program(process);
        let silent: Vec<_> = (0..40).map(|_| connected(port)).collect();
        let files = format!("/proc/{}/fd", program.0.id());
        let start = Instant::now();
        while fs::read_dir(&files).unwrap().count() < FILES {
            assert!(start.elapsed() < WITHIN, "{name} accepts too few");
            thread::sleep(Duration::from_millis(20));
        }
        drop(silent);
        let mut stream = connected(port);
        stream.set_read_timeout(Some(WITHIN)).unwrap();
        // Whoever speaks no TLS gets an alert, or an answer.
        stream.write_all(b"GET /health HTTP/1.1\r\n\r\n").unwrap();
        assert_ne!(stream.read(&mut [0; 64]).unwrap(), 0, "{name}");
    }
}
