//! The page of a run: who is refused, the way of the operator to the server, and what the page does for its user.
use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpStream,
    time::Duration,
};

use futures::TryStreamExt as _;
use kube::{
    Client, Config,
    config::{KubeConfigOptions, Kubeconfig},
    core::WatchEvent,
};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

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
        // The body of an answer to HTTP/1.0 is what follows until the end.
        write!(
            stream,
            "{request} HTTP/1.0\r\n{headers}\r\nContent-Length: {length}\r\n\r\n{body}"
        )
        .unwrap();
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
        loop {
            let length = stream.read(&mut piece).unwrap();
            let so_far = String::from_utf8_lossy(&all).into_owned();
            assert!(length > 0, "no {text:?} in {so_far}");
            all.extend_from_slice(&piece[..length]);
            let so_far = String::from_utf8_lossy(&all).into_owned();
            if so_far.contains(text) {
                return so_far;
            }
        }
    }
}

#[test]
fn others_are_refused() {
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
    let refused = apply(11, "", true).unwrap_err();
    assert!(
        refused.contains("spec.replicas") && refused.contains("less than or equal to 10"),
        "{refused}"
    );
    let refused = apply(3, ", unknown: 1", true).unwrap_err();
    assert!(
        refused.contains("unknown field \"spec.unknown\""),
        "{refused}"
    );
    let refused = page.ask(&json!({"do": "apply", "text": "a: [", "try": true}));
    assert!(refused.unwrap_err().contains("not YAML"));
    assert_eq!(apply(3, "", true), Ok(json!({"verb": "create"})));
    let key = "crdplural.iksoon.test.com/default/a";
    let show = |key: &str| page.ask(&json!({"do": "show", "key": key}));
    assert!(show(key).is_err(), "a trial creates nothing");
    assert_eq!(apply(3, "", false), Ok(json!({"verb": "create"})));
    page.until(&format!("\"object\",\"{key}\",\"created\""));
    assert_eq!(apply(4, "", false), Ok(json!({"verb": "change"})));
    page.until(&format!("\"object\",\"{key}\",\"changed\""));
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
    order("pause");
    assert_eq!(state(&process), 'T');
    order("continue");
    assert_ne!(state(&process), 'T');

    let kubeconfig = Kubeconfig::read_from(kubeconfig).unwrap();
    let options = KubeConfigOptions::default();
    let config = Config::from_custom_kubeconfig(kubeconfig, &options).await;
    let mut config = config.unwrap();
    config.default_retry = false;
    let client = Client::try_from(config).unwrap();
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
    dev.line("restart the operator");
    assert_ne!(last(dev.line("operator process is ")), process);
}
