//! Errors that only show where a cluster is slower than the server in memory, or rejects more: Jobs that are removed, a slow garbage
//! collector, a webhook.

use std::{sync::Arc, time::Duration};

use futures::StreamExt as _;
use k8s_openapi::api::{batch::v1::Job, core::v1::ConfigMap};
use kube::{
    Api, Client, ResourceExt as _,
    api::{DynamicObject, ListParams, Patch, PatchParams},
    runtime::{Controller, controller::Action, watcher},
};
use kube_codegen_simulation::{Budget, FaultKind, Oracle, Scenario, Simulation};
use serde_json::{Value, json};

use super::{around::explore, crd, owners, resource};

const KIND: &str = "Task";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bug {
    None,
    /// A Job that is gone has not run.
    RunsAgain,
    /// Children are created for an object that is being deleted.
    IgnoresDeletion,
    /// 400 is taken as final.
    RejectedIsFinal,
}

struct Context {
    client: Client,
    bug: Bug,
}

fn simulation(bug: Bug) -> Simulation {
    let simulation = Simulation::new("tasks")
        .crd(&crd(KIND, &json!({"text": {"type": "string"}})))
        .budget(Budget::Coverage(0))
        .prepare(|server| {
            for name in ["one", "two", "three"] {
                let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": {"shared": "yes"}}});
                server.seed(&map).unwrap();
            }
        })
        .operator(move |client| run(client, bug));
    let faults = FaultKind::ALL.iter().copied();
    faults.fold(simulation, Simulation::without_fault)
}

async fn run(client: Client, bug: Bug) {
    let config = watcher::Config::default();
    let all = Api::<DynamicObject>::all_with(client.clone(), &resource(KIND));
    Controller::new_with(all, config.clone(), resource(KIND))
        .owns(Api::<ConfigMap>::all(client.clone()), config.clone())
        .owns(Api::<Job>::all(client.clone()), config)
        .run(
            async |task, context: Arc<Context>| reconcile(&task, &context).await,
            |_, error: &kube::Error, context| {
                let is_rejected = matches!(error, kube::Error::Api(status) if status.code == 400);
                if context.bug == Bug::RejectedIsFinal && is_rejected {
                    return Action::await_change();
                }
                Action::requeue(Duration::from_secs(2))
            },
            Arc::new(Context { client, bug }),
        )
        .for_each(|_| async {})
        .await;
}

/// Applies a child, unless another object has its name.
async fn write<K>(api: &Api<K>, child: &Value, task: &DynamicObject) -> kube::Result<()>
where
    K: kube::Resource + Clone + std::fmt::Debug + serde::de::DeserializeOwned,
{
    let name = task.name_any();
    if let Some(found) = api.get_metadata_opt(&name).await? {
        let owners = found.owner_references();
        let is_own = owners.iter().any(|it| Some(&it.uid) == task.uid().as_ref());
        if !is_own || found.metadata.deletion_timestamp.is_some() {
            return Err(kube::Error::Service("the name is taken".into()));
        }
    }
    let params = PatchParams::apply("tasks").force();
    api.patch(&name, &params, &Patch::Apply(child)).await?;
    Ok(())
}

/// Counts what all tasks share.
async fn shared(maps: &Api<ConfigMap>) -> kube::Result<usize> {
    let params = ListParams::default().labels("shared=yes");
    Ok(maps.list(&params).await?.items.len())
}

async fn reconcile(task: &DynamicObject, context: &Context) -> kube::Result<Action> {
    let (client, bug) = (context.client.clone(), context.bug);
    if task.metadata.deletion_timestamp.is_some() && bug != Bug::IgnoresDeletion {
        return Ok(Action::await_change());
    }
    let (name, namespace) = (task.name_any(), task.namespace().unwrap_or_default());
    let metadata = json!({"name": name, "ownerReferences": owners(task, KIND)});
    let maps = Api::<ConfigMap>::namespaced(client.clone(), &namespace);
    let child = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata,
        "data": {"text": task.data["spec"]["text"], "shared": shared(&maps).await?.to_string()},
    });
    write(&maps, &child, task).await?;
    let is_done = task.data["status"]["done"] == true;
    if is_done && bug != Bug::RunsAgain {
        return Ok(Action::await_change());
    }
    let jobs = Api::<Job>::namespaced(client.clone(), &namespace);
    let known = jobs.get_opt(&name).await?;
    let is_own = |job: &Job| {
        let owners = job.owner_references().iter();
        owners
            .clone()
            .any(|it| Some(&it.uid) == task.uid().as_ref())
    };
    let has_ended = known.filter(is_own).and_then(|job| job.status?.succeeded) == Some(1);
    if has_ended && !is_done {
        let (params, patch) = (
            PatchParams::default(),
            Patch::Merge(json!({"status": {"done": true}})),
        );
        let tasks =
            Api::<DynamicObject>::namespaced_with(client.clone(), &namespace, &resource(KIND));
        match tasks.patch_status(&name, &params, &patch).await {
            Err(kube::Error::Api(status)) if status.code == 404 => {}
            other => drop(other?),
        }
    }
    if !has_ended {
        let child = json!({
            "apiVersion": "batch/v1", "kind": "Job", "metadata": metadata,
            "spec": {"ttlSecondsAfterFinished": 60, "template": {"spec": {
                "restartPolicy": "Never", "containers": [{"name": "task", "image": "example.com/task:1"}],
            }}},
        });
        write(&jobs, &child, task).await?;
    }
    Ok(Action::await_change())
}

#[test]
fn an_operator_that_is_right_is_silent() {
    let summary = explore(simulation(Bug::None)).unwrap_or_else(|found| panic!("{found}"));
    for scenario in [
        Scenario::EndedJobs,
        Scenario::SlowCollection,
        Scenario::Webhook,
    ] {
        assert!(summary.scenarios.contains(&scenario), "{summary}");
    }
}

#[test]
fn each_error_is_found_in_its_scenario_alone() {
    for (bug, scenario, oracle) in [
        (Bug::RunsAgain, Scenario::EndedJobs, Oracle::Counts),
        (
            Bug::IgnoresDeletion,
            Scenario::SlowCollection,
            Oracle::History,
        ),
        (Bug::RejectedIsFinal, Scenario::Webhook, Oracle::Idempotence),
    ] {
        let found = explore(simulation(bug)).unwrap_err();
        assert_eq!(found.oracle, oracle, "{bug:?}: {found}");
        let missed = explore(simulation(bug).without_scenario(scenario));
        assert!(missed.is_ok(), "{bug:?} is found without {scenario}");
    }
}
