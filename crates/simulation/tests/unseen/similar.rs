//! Errors that look like another one: the report names the one that it is, and not the other.

use std::{
    collections::{BTreeMap, BTreeSet},
    pin::pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures::StreamExt as _;
use k8s_openapi::api::core::v1::{ConfigMap, Event, Secret};
use kube::{
    Api, Client, ResourceExt as _,
    api::{DynamicObject, Patch, PatchParams, PostParams},
    runtime::{Controller, WatchStreamExt as _, controller::Action, watcher},
};
use kube_codegen_simulation::{Found, Oracle, Scenario, Simulation, Workload};
use kube_codegen_testing::ApiServer;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{crd, drive, objects, owners, resource};

const PAGES: &str = "/apis/example.com/v1/namespaces/default/pages";

/// Returns the report of what a simulation finds, and its likely cause in one line.
fn told(simulation: Simulation) -> (Box<Found>, String) {
    let found = match simulation.without_scenario(Scenario::Strangers).explore() {
        Ok(summary) => panic!("nothing is found: {summary}"),
        Err(found) => found,
    };
    let report = found.to_string();
    eprintln!("{report}");
    let cause = report.split_once("likely cause:").map(|(_, cause)| cause);
    let cause = cause.unwrap_or_default().split_whitespace();
    let cause = cause.collect::<Vec<_>>().join(" ");
    (found, cause)
}

fn page(name: &str, text: &str) -> Value {
    json!({
        "apiVersion": "example.com/v1", "kind": "Page",
        "metadata": {"name": name, "labels": {"team": "one"}}, "spec": {"text": text},
    })
}

fn pages() -> Simulation {
    let text = json!({"type": "string", "enum": ["one", "two"]});
    Simulation::new("pages").crd(&crd("Page", &json!({ "text": text })))
}

/// What makes a process reconcile an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Passes {
    /// Each event, but a process copies an object once.
    Once,
    /// Another generation.
    Generations,
    /// An object that is new.
    Additions,
}

/// Copies the text and a label of each object into a `ConfigMap`.
async fn copies(client: Client, passes: Passes) {
    let mut events =
        pin!(watcher(objects(&client, "Page"), watcher::Config::default()).default_backoff());
    let (mut generations, mut done) = (BTreeMap::new(), BTreeSet::new());
    while let Some(event) = events.next().await {
        let page = match event {
            Ok(watcher::Event::Apply(page) | watcher::Event::InitApply(page)) => page,
            Ok(watcher::Event::Delete(page)) => {
                generations.remove(&page.uid());
                continue;
            }
            Ok(watcher::Event::Init | watcher::Event::InitDone) | Err(_) => continue,
        };
        let before = generations.insert(page.uid(), page.metadata.generation);
        let is_dropped = match passes {
            Passes::Once => !done.insert(page.name_any()),
            Passes::Generations => before == Some(page.metadata.generation),
            Passes::Additions => before.is_some(),
        };
        let copy = json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": page.name_any(), "ownerReferences": owners(&page, "Page")},
            "data": {"text": page.data["spec"]["text"], "team": page.labels().get("team")},
        });
        let maps = Api::<ConfigMap>::namespaced(client.clone(), "default");
        let params = PatchParams::apply("pages").force();
        let is_deleted = page.metadata.deletion_timestamp.is_some();
        if is_dropped || is_deleted {
            continue;
        }
        let apply = Patch::Apply(&copy);
        while maps.patch(&page.name_any(), &params, &apply).await.is_err() {
            sleep(Duration::from_secs(1)).await;
        }
    }
}

#[test]
fn memory_and_predicates_are_told_apart() {
    let workload = || {
        Workload::new("a label")
            .create(PAGES, page("a", "one"))
            .phase("another team")
            .patch(
                &format!("{PAGES}/a"),
                json!({"metadata": {"labels": {"team": "two"}}}),
            )
            .phase("delete")
            .delete(&format!("{PAGES}/a"))
            .leaves_nothing()
    };
    let (memory, generation, update) = (
        "what the process keeps in memory decides",
        "A predicate on the generation",
        "drops updates and passes additions",
    );
    for (passes, expected) in [
        (Passes::Once, memory),
        (Passes::Generations, generation),
        (Passes::Additions, update),
    ] {
        let simulation = pages()
            .workload(workload())
            .operator(move |client| copies(client, passes));
        let (_, cause) = told(simulation);
        for phrase in [memory, generation, update] {
            let is_said = cause.contains(phrase);
            assert_eq!(is_said, phrase == expected, "{passes:?}: {cause}");
        }
    }
}

/// Copies each Secret into another namespace, and leaves the copy there.
async fn copy_secrets(client: Client) {
    let secrets = |namespace: &str| Api::<Secret>::namespaced(client.clone(), namespace);
    let mut events =
        pin!(watcher(secrets("default"), watcher::Config::default()).default_backoff());
    while let Some(event) = events.next().await {
        let Ok(watcher::Event::Apply(secret) | watcher::Event::InitApply(secret)) = event else {
            continue;
        };
        let name = secret.name_any();
        let copy = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "data": secret.data});
        let params = PatchParams::apply("secrets").force();
        let team = secrets("team");
        while team
            .patch(&name, &params, &Patch::Apply(&copy))
            .await
            .is_err()
        {
            sleep(Duration::from_secs(1)).await;
        }
    }
}

#[test]
fn a_copy_of_the_same_name_elsewhere_is_not_the_object() {
    let secrets = "/api/v1/namespaces/default/secrets";
    let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "data": {"key": "dmFsdWU="}});
    let simulation = Simulation::new("secrets")
        .kind::<Secret>()
        .without(Oracle::OwnerReferences)
        .prepare(|server| {
            let team =
                json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}});
            server.seed(&team).unwrap();
        })
        .workload(
            Workload::new("a copy")
                .create(secrets, secret)
                .phase("delete")
                .delete(&format!("{secrets}/a"))
                .leaves_nothing(),
        )
        .operator(copy_secrets);
    let (found, cause) = told(simulation);
    assert_eq!(found.oracle, Oracle::Deletion, "{found}");
    assert!(
        cause.contains("leaves something that has no living owner"),
        "{cause}"
    );
    assert!(!cause.contains("finalizer:"), "{cause}");
}

/// Another system, which fails while the flag is set.
#[derive(Clone, Default)]
struct Site {
    files: Arc<Mutex<BTreeMap<String, Value>>>,
    fails: Arc<AtomicBool>,
}

/// What is wrong with an operator that publishes each object on a [`Site`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bug {
    /// Leaves what is there.
    Stays,
    /// Does nothing for one of the texts.
    Returns,
    /// Reports a failure, and does not repeat the reconcile.
    Reports,
    /// Takes a failure as success.
    Ignores,
}

async fn publish(
    page: Arc<DynamicObject>,
    client: Arc<Client>,
    site: Site,
    bug: Bug,
) -> kube::Result<Action> {
    if page.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let (name, text) = (page.name_any(), page.data["spec"]["text"].clone());
    if bug == Bug::Returns && text == "two" {
        return Ok(Action::await_change());
    }
    if site.fails.load(Ordering::Relaxed) {
        if bug == Bug::Reports {
            let event: Event = serde_json::from_value(json!({
                "metadata": {"generateName": format!("{name}.")}, "type": "Warning", "reason": "Failed", "message": "the site is away",
                "involvedObject": {"apiVersion": "example.com/v1", "kind": "Page", "name": name, "namespace": "default", "uid": page.uid()},
            }))
            .unwrap();
            let events = Api::namespaced((*client).clone(), "default");
            events.create(&PostParams::default(), &event).await?;
        }
        return Ok(Action::await_change());
    }
    let mut files = site.files.lock().unwrap();
    if bug != Bug::Stays || !files.contains_key(&name) {
        files.insert(name, text);
    }
    Ok(Action::await_change())
}

/// Whether each object is published as it is.
fn is_published(server: &ApiServer, site: &Site) -> Result<(), String> {
    let files = site.files.lock().unwrap();
    let wrong = server.filter_map(|page| {
        let name = page["metadata"]["name"].as_str()?;
        let is_wrong = page["kind"] == "Page" && files.get(name) != Some(&page["spec"]["text"]);
        is_wrong.then(|| format!("{name} is not published as it is"))
    });
    wrong.into_iter().next().map_or(Ok(()), Err)
}

#[test]
fn causes_outside_of_the_cluster_are_told() {
    let dropped = "the event is dropped";
    for (bug, expected, not) in [
        (Bug::Stays, "site stays as it is while it exists", dropped),
        (
            Bug::Returns,
            "neither the running process nor a new one writes site",
            dropped,
        ),
        (
            Bug::Reports,
            "as the Warning Event `Failed: the site is away` says",
            dropped,
        ),
        (
            Bug::Ignores,
            "a system outside of the cluster fails",
            "in memory decides",
        ),
    ] {
        let site = Site::default();
        let [read, restored, operators, compared, failing] = [(); 5].map(|()| site.clone());
        let workload = Workload::new("a page")
            .create(PAGES, page("a", "one"))
            .phase("change")
            .call("lets the site fail for five seconds", move |_| {
                let site = failing.clone();
                if matches!(bug, Bug::Reports | Bug::Ignores) {
                    site.fails.store(true, Ordering::Relaxed);
                    tokio::spawn(async move {
                        sleep(Duration::from_secs(5)).await;
                        site.fails.store(false, Ordering::Relaxed);
                    });
                }
            })
            .patch(&format!("{PAGES}/a"), json!({"spec": {"text": "two"}}));
        let simulation = pages()
            .workload(workload)
            .outside(
                "site",
                move || read.files.lock().unwrap().clone(),
                move |before| {
                    restored.fails.store(false, Ordering::Relaxed);
                    *restored.files.lock().unwrap() = before;
                },
            )
            .eventually("pages are published", move |server| {
                is_published(server, &compared)
            })
            .operator(move |client| {
                let site = operators.clone();
                async move {
                    let config = watcher::Config::default();
                    let controller =
                        Controller::new_with(objects(&client, "Page"), config, resource("Page"));
                    let pause = Duration::from_secs(1);
                    drive(controller, client, pause, move |page, client| {
                        publish(page, client, site.clone(), bug)
                    })
                    .await;
                }
            });
        let (found, cause) = told(simulation);
        assert!(cause.contains(expected), "{bug:?}: {cause}");
        assert!(!cause.contains(not), "{bug:?}: {cause}");
        // The timeline has each change, with its content.
        let report = found.to_string();
        assert!(
            report.contains("outside     site a appears: \"one\""),
            "{report}"
        );
    }
}

/// Writes the status only where the child has changed.
async fn seldom(page: Arc<DynamicObject>, client: Arc<Client>) -> kube::Result<Action> {
    if page.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let name = page.name_any();
    let child = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": name, "ownerReferences": owners(&page, "Page")},
    });
    let maps = Api::<ConfigMap>::namespaced((*client).clone(), "default");
    if maps.get_opt(&name).await?.is_some() {
        return Ok(Action::await_change());
    }
    let status = Patch::Merge(json!({"status": {"text": page.data["spec"]["text"]}}));
    let pages = objects(&client, "Page");
    pages
        .patch_status(&name, &PatchParams::default(), &status)
        .await?;
    let params = PatchParams::apply("pages").force();
    maps.patch(&name, &params, &Patch::Apply(&child)).await?;
    Ok(Action::await_change())
}

#[test]
fn a_status_that_is_written_seldom_is_no_counter() {
    let simulation = pages().operator(|client| async move {
        let config = watcher::Config::default();
        let maps = Api::<ConfigMap>::namespaced(client.clone(), "default");
        let controller =
            Controller::new_with(objects(&client, "Page"), config.clone(), resource("Page"))
                .owns(maps, config);
        drive(controller, client, Duration::from_secs(1), seldom).await;
    });
    let (_, cause) = told(simulation);
    assert!(
        cause.contains("is not written in each reconcile"),
        "{cause}"
    );
    assert!(!cause.contains("counter"), "{cause}");
}
