//! Errors that only show in what happens around an operator: each is found in its scenario, and missed without it. An operator that is right is silent
//! in all scenarios.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures::StreamExt as _;
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{ConfigMap, Secret},
};
use kube::{
    Api, Client, ResourceExt as _,
    api::{DeleteParams, DynamicObject, Patch, PatchParams, Preconditions},
    runtime::{Controller, controller::Action, watcher},
};
use kube_codegen_simulation::{Budget, FaultKind, Found, Oracle, Scenario, Simulation, Summary};
use serde_json::{Value, json};

use super::{crd, owners, resource};

const KIND: &str = "Note";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bug {
    None,
    /// The name of the child is enough.
    TakesOver,
    /// A child that is being deleted counts as there.
    CountsTerminating,
    /// All children are in one namespace.
    OneNamespace,
    /// Names of children are cut.
    ShortNames,
    /// A Secret that is missing is not looked for again.
    IgnoresLateSecret,
    /// 403 is taken as final.
    ForbiddenIsFinal,
    /// After some attempts, there are no more.
    GivesUp,
    /// A time-out is taken as success.
    TimeoutIsSuccess,
    /// `status.ready` never becomes false again.
    StaysReady,
    /// `status.ready` is true before the Deployment is.
    ReadyAtOnce,
    /// A changed child is deleted and created again.
    Replaces,
    /// The conditions keep the generation of the first write.
    OldCondition,
    /// The status keeps its first text.
    OldStatus,
}

struct Context {
    client: Client,
    bug: Bug,
    attempts: Mutex<BTreeMap<String, u32>>,
}

fn simulation(bug: Bug) -> Simulation {
    let text = json!({"text": {"type": "string"}, "secretName": {"type": "string", "pattern": "^[a-z]+$"}});
    let simulation = Simulation::new("notes")
        .crd(&crd(KIND, &text))
        .budget(Budget::Coverage(0))
        .truth(KIND, "/status/ready", |server, note| {
            let name = note["metadata"]["name"].as_str().unwrap_or_default();
            let namespace = note["metadata"]["namespace"].as_str().unwrap_or_default();
            let deployment = server.get::<Deployment>(namespace, &format!("{name}-app"));
            let ready = deployment.and_then(|it| it.status?.ready_replicas);
            json!(ready == Some(1))
        })
        .operator(move |client| run(client, bug));
    let faults = FaultKind::ALL.iter().copied();
    faults.fold(simulation, Simulation::without_fault)
}

async fn run(client: Client, bug: Bug) {
    let config = watcher::Config::default();
    let context = Context {
        client: client.clone(),
        bug,
        attempts: Mutex::default(),
    };
    let all = Api::<DynamicObject>::all_with(client.clone(), &resource(KIND));
    let notes = Controller::new_with(all, config.clone(), resource(KIND));
    let known = notes.store();
    notes
        .owns(Api::<ConfigMap>::all(client.clone()), config.clone())
        .owns(Api::<Deployment>::all(client.clone()), config.clone())
        .watches(Api::<Secret>::all(client), config, move |_: Secret| {
            let known = if bug == Bug::IgnoresLateSecret {
                Vec::new()
            } else {
                known.state()
            };
            let references = known.into_iter().map(|note| {
                kube::runtime::reflector::ObjectRef::from_obj_with(&*note, resource(KIND))
            });
            references.collect::<Vec<_>>()
        })
        .run(
            async |note, context: Arc<Context>| {
                let attempt = reconcile(&note, &context);
                if context.bug != Bug::TimeoutIsSuccess {
                    return attempt.await;
                }
                let attempt = tokio::time::timeout(Duration::from_secs(5), attempt).await;
                attempt.unwrap_or(Ok(Action::await_change()))
            },
            |note, error: &kube::Error, context| {
                let is_forbidden = matches!(error, kube::Error::Api(status) if status.code == 403);
                if context.bug == Bug::ForbiddenIsFinal && is_forbidden {
                    return Action::await_change();
                }
                let mut attempts = context
                    .attempts
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                let attempts = attempts.entry(note.name_any()).or_default();
                *attempts += 1;
                if context.bug == Bug::GivesUp && *attempts > 5 {
                    return Action::await_change();
                }
                Action::requeue(Duration::from_secs(2))
            },
            Arc::new(context),
        )
        .for_each(|_| async {})
        .await;
}

fn conflict(message: &str) -> kube::Error {
    kube::Error::Service(message.into())
}

/// Writes a child, unless another client has one of this name.
async fn write<K>(api: &Api<K>, child: &Value, note: &DynamicObject, bug: Bug) -> kube::Result<()>
where
    K: kube::Resource + Clone + std::fmt::Debug + serde::de::DeserializeOwned + serde::Serialize,
{
    let name = child["metadata"]["name"].as_str().unwrap_or_default();
    let found = api.get_metadata_opt(name).await?;
    if let Some(found) = &found {
        let is_own = found
            .owner_references()
            .iter()
            .any(|it| Some(&it.uid) == note.uid().as_ref());
        let is_ending = found.metadata.deletion_timestamp.is_some();
        if is_ending && bug == Bug::CountsTerminating {
            return Ok(());
        }
        if !is_own && bug != Bug::TakesOver {
            return Err(conflict("another client has a child of this name"));
        }
        if is_ending {
            return Err(conflict("the child is being deleted"));
        }
    }
    if bug == Bug::Replaces
        && let Some(found) = found
    {
        let same = api.get_opt(name).await?;
        let text = serde_json::to_value(&same).unwrap_or_default();
        if text.get("data") == child.get("data") {
            return Ok(());
        }
        let params = DeleteParams::default().preconditions(Preconditions {
            uid: found.uid(),
            resource_version: None,
        });
        api.delete(name, &params).await?;
    }
    let params = PatchParams::apply("notes").force();
    api.patch(name, &params, &Patch::Apply(child)).await?;
    Ok(())
}

async fn reconcile(note: &DynamicObject, context: &Context) -> kube::Result<Action> {
    let (client, bug) = (context.client.clone(), context.bug);
    if note.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let (mut name, namespace) = (note.name_any(), note.namespace().unwrap_or_default());
    let place = match bug {
        Bug::OneNamespace => "default",
        _ => &namespace,
    };
    let status = note.data.get("status").cloned().unwrap_or_default();
    if bug == Bug::ShortNames {
        name.truncate(20);
    }
    let secrets = Api::<Secret>::namespaced(client.clone(), &namespace);
    let secret = note.data["spec"]["secretName"].as_str().unwrap_or_default();
    let secret = secrets.get_opt(secret).await?.and_then(|it| it.data);
    let secret = secret.and_then(|data| data.into_values().next());
    let secret = secret.map(|value| String::from_utf8_lossy(&value.0).into_owned());
    let mut metadata =
        json!({"name": name, "namespace": place, "ownerReferences": owners(note, KIND)});
    let child = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata,
        "data": {"text": note.data["spec"]["text"], "secret": secret.unwrap_or_default()},
    });
    let maps = Api::<ConfigMap>::namespaced(client.clone(), place);
    let is_done = status.get("observedGeneration") == Some(&json!(note.metadata.generation));
    if bug != Bug::CountsTerminating || !is_done {
        write(&maps, &child, note, bug).await?;
    }
    metadata["name"] = format!("{name}-app").into();
    let labels = json!({"app": "note"});
    let child = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata,
        "spec": {"replicas": 1, "selector": {"matchLabels": labels}, "template": {
            "metadata": {"labels": labels}, "spec": {"containers": [{"name": "app", "image": "example.com/app:1"}]},
        }},
    });
    let deployments = Api::<Deployment>::namespaced(client.clone(), place);
    let other = if bug == Bug::Replaces { Bug::None } else { bug };
    write(&deployments, &child, note, other).await?;
    let deployment = deployments.get_opt(&format!("{name}-app")).await?;
    let ready = deployment.and_then(|it| it.status?.ready_replicas) == Some(1);
    let ready = ready || (bug == Bug::StaysReady && status["ready"] == true);
    let ready = ready || (bug == Bug::ReadyAtOnce && status["ready"].is_null());
    let generation = note.metadata.generation;
    let before = &status["conditions"][0]["observedGeneration"];
    let of_condition = match before {
        Value::Number(_) if bug == Bug::OldCondition => before.clone(),
        _ => json!(generation),
    };
    let text = match &status["text"] {
        Value::String(text) if bug == Bug::OldStatus => text.as_str().into(),
        _ => note.data["spec"]["text"].clone(),
    };
    let new = json!({
        "ready": ready, "text": text, "observedGeneration": generation,
        "conditions": [{"type": "Written", "status": "True", "observedGeneration": of_condition}],
    });
    if new != status {
        let notes = Api::<DynamicObject>::namespaced_with(client, &namespace, &resource(KIND));
        let (params, patch) = (PatchParams::default(), Patch::Merge(json!({"status": new})));
        match notes.patch_status(&note.name_any(), &params, &patch).await {
            Err(kube::Error::Api(status)) if status.code == 404 => {}
            other => drop(other?),
        }
    }
    Ok(Action::await_change())
}

pub(super) fn explore(simulation: Simulation) -> Result<Summary, Box<Found>> {
    let explored = simulation.explore();
    match &explored {
        Ok(summary) => eprintln!("{summary}"),
        Err(found) => eprintln!("{found}"),
    }
    explored
}

#[test]
fn an_operator_that_is_right_is_silent_in_all_scenarios() {
    let summary = explore(simulation(Bug::None)).unwrap_or_else(|found| panic!("{found}"));
    // No Job has a time to live, and no child is a CronJob.
    assert_eq!(
        summary.scenarios.len(),
        Scenario::ALL.len() - 2,
        "{summary}"
    );
}

/// The error is found in the scenario, by one of the oracles, and missed without it.
fn assert_found(bug: Bug, scenario: Scenario, oracles: &[Oracle]) {
    let simulation = match bug {
        // What is taken as done also misses a Secret that changes.
        Bug::CountsTerminating => simulation(bug).without_scenario(Scenario::References),
        // A node that is lost has the only Pod.
        Bug::StaysReady => simulation(bug).without_scenario(Scenario::LostNode),
        // A webhook that does not answer has a time-out, too.
        Bug::TimeoutIsSuccess => simulation(bug).without_scenario(Scenario::Webhook),
        _ => simulation(bug),
    };
    let found = match explore(simulation.clone()) {
        // Its author may want that.
        Ok(summary) => summary
            .taken_over
            .unwrap_or_else(|| panic!("{bug:?} is not found")),
        Err(found) => found,
    };
    // A status that was not written is the first to show what was not done.
    let is_expected = oracles.contains(&found.oracle) || found.oracle == Oracle::Truth;
    assert!(is_expected, "{bug:?}: {found}");
    let missed = explore(simulation.without_scenario(scenario));
    assert!(missed.is_ok(), "{bug:?} is found without {scenario}");
}

#[test]
fn errors_are_found_in_their_scenario() {
    use Oracle::{EndState, History, Idempotence, Rest, Strangers, Truth};
    let mutants: [(Bug, Scenario, &[Oracle]); 8] = [
        (Bug::TakesOver, Scenario::Strangers, &[Strangers]),
        (Bug::CountsTerminating, Scenario::Finalizers, &[History]),
        (
            Bug::OneNamespace,
            Scenario::Namespaces,
            &[Rest, History, EndState],
        ),
        (Bug::ShortNames, Scenario::Names, &[History]),
        (
            Bug::IgnoresLateSecret,
            Scenario::References,
            &[History, Idempotence],
        ),
        (Bug::ForbiddenIsFinal, Scenario::Forbidden, &[History]),
        (Bug::TimeoutIsSuccess, Scenario::Hanging, &[History]),
        (Bug::StaysReady, Scenario::FailingWorkloads, &[Truth]),
    ];
    for (bug, scenario, oracles) in mutants {
        assert_found(bug, scenario, oracles);
    }
}

/// Several scenarios find it.
#[test]
fn an_operator_that_gives_up_is_found() {
    let found = explore(simulation(Bug::GivesUp)).unwrap_err();
    assert!(
        [Oracle::History, Oracle::Deletion, Oracle::Truth].contains(&found.oracle),
        "{found}"
    );
}

#[test]
fn errors_are_found_by_their_oracle() {
    for (bug, oracle) in [
        (Bug::Replaces, Oracle::Gaps),
        (Bug::OldCondition, Oracle::ObservedGeneration),
        (Bug::OldStatus, Oracle::History),
        (Bug::ReadyAtOnce, Oracle::Truth),
    ] {
        let found = explore(simulation(bug)).unwrap_err();
        assert_eq!(found.oracle, oracle, "{found}");
        // An outdated generation is one of the differences of a status, too.
        let missed = simulation(bug).without(oracle).without(Oracle::History);
        let missed = explore(missed);
        assert!(missed.is_ok(), "{bug:?} is found without {oracle:?}");
    }
}
