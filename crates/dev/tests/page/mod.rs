//! The page of a run: who is rejected, the way of the operator to the server, and what the page does for its user.
use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpStream,
    time::{Duration, Instant},
};

use futures::TryStreamExt as _;
use kube::{
    Client, Config,
    config::{KubeConfigOptions, Kubeconfig},
    core::WatchEvent,
};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

mod real;
mod simulate;

use super::{Dev, WITHIN, WORKLOAD, directory};

/// The address of a page.
struct Page {
    host: String,
    path: String,
}

impl Page {
    fn of(dev: &mut Dev) -> Self {
        let line = dev.line("page: http://");
        let (_, rest) = line.split_once("page: http://").unwrap();
        let (host, path) = rest.split_once('/').unwrap();
        Self {
            host: host.to_owned(),
            path: format!("/{path}"),
        }
    }

    fn send(&self, request: &str, headers: &[&str], body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(WITHIN)).unwrap();
        let (headers, length) = (headers.join("\r\n"), body.len());
        // The body of an answer to HTTP/1.0 is what follows until the end. A request that is rejected may end before its body is sent.
        let text =
            format!("{request} HTTP/1.0\r\n{headers}\r\nContent-Length: {length}\r\n\r\n{body}");
        stream.write_all(text.as_bytes()).unwrap();
        stream
    }

    /// Returns the whole answer.
    fn answer(&self, request: &str, headers: &[&str], body: &str) -> String {
        let mut text = String::new();
        let mut stream = self.send(request, headers, body);
        stream.read_to_string(&mut text).unwrap();
        text
    }

    /// Does what the script of the page does for an action.
    fn ask(&self, order: &Value) -> Result<Value, String> {
        let (host, path) = (&self.host, &self.path);
        let headers = [
            &format!("Host: {host}"),
            &format!("Origin: http://{host}"),
            "Content-Type: application/json",
        ];
        let text = self.answer(&format!("POST {path}do"), &headers, &order.to_string());
        let (_, body) = text.split_once("\r\n\r\n").unwrap();
        let answer: Value = serde_json::from_str(body).unwrap_or_else(|_| panic!("{text}"));
        match answer["error"].as_str() {
            Some(error) => Err(error.to_owned()),
            None => Ok(answer),
        }
    }

    /// Reads what happens until a message has this text, and returns all.
    fn until(&self, text: &str) -> String {
        let host = format!("Host: {}", self.host);
        let mut stream = self.send(&format!("GET {}events", self.path), &[&host], "");
        let (mut all, mut piece) = (Vec::new(), vec![0; 65536]);
        let end = Instant::now() + WITHIN;
        loop {
            let length = stream.read(&mut piece).unwrap();
            let so_far = String::from_utf8_lossy(&all).into_owned();
            assert!(length > 0, "no {text:?} in {so_far}");
            all.extend_from_slice(&piece[..length]);
            let so_far = String::from_utf8_lossy(&all).into_owned();
            if so_far.contains(text) {
                return so_far;
            }
            assert!(Instant::now() < end, "no {text:?} in {so_far}");
        }
    }
}

#[test]
fn others_are_rejected() {
    let folder = directory();
    let mut dev = Dev::start(folder.path(), &["-f", "crd.yaml"]);
    let page = Page::of(&mut dev);
    let (host, path) = (format!("Host: {}", page.host), &page.path);
    let get = format!("GET {path}");
    let answer = page.answer(&get, &[&host], "");
    assert!(answer.starts_with("HTTP/1.0 200"), "{answer}");
    let policy = "content-security-policy: default-src 'none'; script-src 'self'";
    assert!(answer.contains(policy), "{answer}");
    let post = format!("POST {path}do");
    let json = "Content-Type: application/json";
    let (_, number) = page.host.split_once(':').unwrap();
    for (request, headers) in [
        (get.as_str(), vec!["Host: example.com".to_owned()]),
        (&get, vec![format!("Host: rebound.example.com:{number}")]),
        (&get, vec![]),
        (
            &get,
            vec![host.clone(), "Origin: http://example.com".to_owned()],
        ),
        ("GET /", vec![host.clone()]),
        ("GET /events", vec![host.clone()]),
        ("GET /00000000000000000000000000000000/", vec![host.clone()]),
        (&post, vec![host.clone(), json.to_owned()]),
        (
            &post,
            vec![
                host.clone(),
                json.to_owned(),
                "Origin: http://example.com".to_owned(),
            ],
        ),
        (
            &post,
            vec![host.clone(), format!("Origin: http://{}", page.host)],
        ),
    ] {
        let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
        let answer = page.answer(request, &headers, "{\"do\": \"pause\"}");
        assert!(
            answer.starts_with("HTTP/1.0 403"),
            "{request} {headers:?}: {answer}"
        );
    }
    let mut dev = Dev::start(folder.path(), &["-f", "crd.yaml", "--no-page"]);
    dev.line("no operator");
    assert!(!dev.seen.iter().any(|line| line.contains("page: ")));
}

#[test]
fn objects_are_checked_applied_scaled_and_deleted() {
    let folder = directory();
    fs::write(folder.path().join("web.yaml"), WORKLOAD).unwrap();
    let mut dev = Dev::start(folder.path(), &["-f", "crd.yaml", "--apply", "web.yaml"]);
    let page = Page::of(&mut dev);
    dev.line("object   deployments default/web READY=1/1");
    let apply = |replicas: u64, extra: &str, is_trial: bool| {
        let text = format!(
            "apiVersion: iksoon.test.com/v1\nkind: CrdKind\nmetadata: {{name: a}}\nspec: {{choice: mysql, replicas: {replicas}{extra}}}\n"
        );
        page.ask(&json!({"do": "apply", "text": text, "try": is_trial}))
    };
    let rejected = apply(11, "", true).unwrap_err();
    assert!(
        rejected.contains("spec.replicas") && rejected.contains("less than or equal to 10"),
        "{rejected}"
    );
    let rejected = apply(3, ", unknown: 1", true).unwrap_err();
    assert!(
        rejected.contains("unknown field \"spec.unknown\""),
        "{rejected}"
    );
    let rejected = page.ask(&json!({"do": "apply", "text": "a: [", "try": true}));
    assert!(rejected.unwrap_err().contains("not YAML"));
    assert_eq!(apply(3, "", true), Ok(json!({"verb": "create"})));
    let key = "crdplural.iksoon.test.com/default/a";
    let show = |key: &str| page.ask(&json!({"do": "show", "key": key}));
    assert!(show(key).is_err(), "a trial creates nothing");
    assert_eq!(apply(3, "", false), Ok(json!({"verb": "create"})));
    page.until(&format!(
        "\"object\",\"{key}\",\"created by kube-codegen-dev\""
    ));
    assert_eq!(apply(4, "", false), Ok(json!({"verb": "change"})));
    page.until(&format!(
        "\"object\",\"{key}\",\"changed by kube-codegen-dev\""
    ));
    let shown = show(key).unwrap();
    let text = |name: &str| shown[name].as_str().unwrap().to_owned();
    assert!(text("text").contains("replicas: 4"), "{shown}");
    assert!(text("before").contains("replicas: 3"), "{shown}");
    assert_eq!(shown["managers"][0]["name"], "kube-codegen-dev");
    assert_eq!(
        shown["managers"][0]["fields"],
        json!([".spec.choice", ".spec.replicas"])
    );

    let web = "deployments.apps/default/web";
    assert_eq!(show(web).unwrap()["scale"], 1);
    page.ask(&json!({"do": "scale", "key": web, "replicas": 2}))
        .unwrap();
    dev.line("object   deployments default/web READY=2/2");
    // A Pod has the ReplicaSet as its owner, which has the Deployment.
    let news = page.until("\"kind\":\"Pod\"");
    let pod = news.split("\"key\":\"pods/default/").nth(1).unwrap();
    let pod = format!("pods/default/{}", pod.split('"').next().unwrap());
    assert!(news.contains("\"kind\":\"ReplicaSet\""), "{news}");
    page.ask(&json!({"do": "crash", "key": pod, "on": true}))
        .unwrap();
    dev.line("STATUS=CrashLoopBackOff");
    page.ask(&json!({"do": "delete", "key": web})).unwrap();
    dev.line("object   deployments default/web deleted");
    let nothing = page.ask(&json!({"do": "network", "on": false}));
    assert_eq!(nothing, Err("no operator runs here".to_owned()));
}

/// Returns the state of a process in /proc.
#[cfg(target_os = "linux")]
fn state(process: &str) -> char {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let (_, rest) = stat.rsplit_once(") ").unwrap();
    rest.chars().next().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
#[cfg(target_os = "linux")]
async fn the_operator_is_paused_and_loses_its_network_and_its_watches() {
    let folder = directory();
    let script = "echo kubeconfig is $KUBECONFIG; echo process is $$; exec sleep 1000";
    let mut dev = Dev::start(folder.path(), &["-f", "crd.yaml", "--", "sh", "-c", script]);
    let page = Page::of(&mut dev);
    let last = |line: String| line.rsplit(' ').next().unwrap().to_owned();
    let kubeconfig = last(dev.line("operator kubeconfig is "));
    let process = last(dev.line("operator process is "));
    let order = |what: &str| page.ask(&json!({"do": what})).unwrap();
    // A process stops and continues when it is next scheduled, which the signal doesn't wait for.
    let becomes = async |stopped: bool| {
        let change = async {
            while (state(&process) == 'T') != stopped {
                sleep(Duration::from_millis(10)).await;
            }
        };
        assert!(timeout(WITHIN, change).await.is_ok(), "{}", state(&process));
    };
    order("pause");
    becomes(true).await;
    order("continue");
    becomes(false).await;

    let client = client(&kubeconfig).await;
    let collection = "/apis/iksoon.test.com/v1/namespaces/default/crdplural";
    let get = |path: String| http::Request::get(path).body(Vec::new()).unwrap();
    let watch = client
        .request_events::<Value>(get(format!("{collection}?watch=1")))
        .await;
    let mut events = std::pin::pin!(watch.unwrap());
    let object = json!({"apiVersion": "iksoon.test.com/v1", "kind": "CrdKind", "metadata": {"name": "a"}, "spec": {"replicas": 1}});
    let create = http::Request::post(collection).body(object.to_string().into_bytes());
    let _created: Value = client.request(create.unwrap()).await.unwrap();
    let first = timeout(WITHIN, events.try_next()).await.unwrap().unwrap();
    assert!(matches!(first, Some(WatchEvent::Added(_))), "{first:?}");
    page.until("\"create crdplural default: 201\"");
    page.until("\"watch\",\"crdplural.iksoon.test.com/default/a\",\"ADDED ");

    page.ask(&json!({"do": "expire", "plural": "crdplural"}))
        .unwrap();
    let expired = timeout(WITHIN, events.try_next()).await.unwrap().unwrap();
    assert!(
        matches!(&expired, Some(WatchEvent::Error(status)) if status.code == 410),
        "{expired:?}"
    );
    assert!(matches!(events.try_next().await, Ok(None)));

    let network = |on: bool| page.ask(&json!({"do": "network", "on": on})).unwrap();
    network(false);
    let request = client.request::<Value>(get(format!("{collection}/a")));
    let request = std::pin::pin!(request);
    let mut request = request;
    // No answer comes while the network is away, and the connection breaks when it is back.
    let answer = timeout(Duration::from_millis(300), &mut request).await;
    assert!(answer.is_err(), "{answer:?}");
    network(true);
    let answer = timeout(WITHIN, request).await.unwrap();
    assert!(answer.is_err(), "{answer:?}");
    sleep(Duration::from_millis(50)).await;
    let object: Value = client
        .request(get(format!("{collection}/a")))
        .await
        .unwrap();
    assert_eq!(object["metadata"]["name"], "a");
    page.until("the network of the operator is away");

    order("restart");
    dev.line("restarting the operator");
    assert_ne!(last(dev.line("operator process is ")), process);
}

/// Returns a client that does what a program with this kubeconfig does.
async fn client(kubeconfig: &str) -> Client {
    let kubeconfig = Kubeconfig::read_from(kubeconfig).unwrap();
    let options = KubeConfigOptions::default();
    let config = Config::from_custom_kubeconfig(kubeconfig, &options).await;
    let mut config = config.unwrap();
    config.default_retry = false;
    Client::try_from(config).unwrap()
}

/// Writes a Lease as its new holder does.
async fn hold(client: &Client, holder: &str) -> kube::Result<Value> {
    let lease = json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "leader"},
        "spec": {"holderIdentity": holder},
    });
    let path = "/apis/coordination.k8s.io/v1/namespaces/default/leases/leader?fieldManager=test&force=true";
    let request = http::Request::patch(path)
        .header("content-type", "application/apply-patch+yaml")
        .body(lease.to_string().into_bytes());
    client.request(request.unwrap()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_replicas_one_leads_and_loses_its_network() {
    let folder = directory();
    let script = "echo kubeconfig is $KUBECONFIG; echo number is $0; exec sleep 1000";
    let picture = folder.path().join("run.html");
    let mut dev = Dev::start(
        folder.path(),
        &[
            "-f",
            "crd.yaml",
            "--replicas",
            "2",
            "--picture",
            "run.html",
            "--",
            "sh",
            "-c",
            script,
            "{replica}",
        ],
    );
    let page = Page::of(&mut dev);
    // The lines of two processes have any order.
    let mut last = |part: &str| {
        let before = dev.seen.iter().find(|line| line.contains(part)).cloned();
        let line = before.unwrap_or_else(|| dev.line(part));
        line.rsplit(' ').next().unwrap().to_owned()
    };
    let (one, two) = (last("1: kubeconfig is"), last("2: kubeconfig is"));
    assert_eq!(
        (last("1: number is"), last("2: number is")),
        ("1".to_owned(), "2".to_owned())
    );
    assert_ne!(one, two);
    let (one, two) = (client(&one).await, client(&two).await);
    hold(&one, "one").await.unwrap();
    page.until("\"leases\":{\"leader\":1}");

    let network =
        |replica: u64, on: bool| page.ask(&json!({"do": "network", "on": on, "replica": replica}));
    assert!(network(3, false).unwrap_err().contains("no replica 3"));
    network(1, false).unwrap();
    let shows = |replicas: Value| format!("\"replicas\":{replicas}");
    page.until(&shows(json!([{"operator": "running", "network": false}, {"operator": "running", "network": true}])));
    let hanging = std::pin::pin!(hold(&one, "one"));
    assert!(timeout(Duration::from_millis(300), hanging).await.is_err());
    hold(&two, "two").await.unwrap();
    page.until("\"leases\":{\"leader\":2}");
    network(1, true).unwrap();
    hold(&two, "").await.unwrap();
    page.until("\"leases\":{}");
    // One replica is paused, the other goes on.
    page.ask(&json!({"do": "pause", "replica": 2})).unwrap();
    page.until(&shows(
        json!([{"operator": "running", "network": true}, {"operator": "paused", "network": true}]),
    ));

    let host = format!("Host: {}", page.host);
    let saved = page.answer(&format!("GET {}run.html", page.path), &[&host], "");
    assert!(saved.contains("content-disposition: attachment"), "{saved}");
    dev.signal("-INT");
    assert_eq!(dev.end().0, Some(0));
    // The command writes the same picture.
    for picture in [saved, fs::read_to_string(picture).unwrap()] {
        for text in [
            "replica 1",
            "replica 2",
            "holds the Lease leader",
            "class=\"away\"",
            "no network",
        ] {
            assert!(picture.contains(text), "{text} is not in {picture}");
        }
    }
}
