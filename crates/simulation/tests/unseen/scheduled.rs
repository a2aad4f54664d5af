//! An operator that owns a `CronJob` and a Job, while the schedule fires.

use std::{sync::Arc, time::Duration};

use futures::StreamExt as _;
use k8s_openapi::api::batch::v1::{CronJob, Job};
use kube::{
    Api, Client, ResourceExt as _,
    api::{DeleteParams, DynamicObject, ListParams, Patch, PatchParams, Preconditions},
    runtime::{Controller, controller::Action, watcher},
};
use kube_codegen_simulation::{Budget, FaultKind, Oracle, Scenario, Simulation};
use serde_json::{Value, json};

use super::{around::explore, crd, objects, owners, resource};

const KIND: &str = "Backup";

struct Context {
    client: Client,
    /// All Jobs with the label of the object are taken as its own.
    by_label: bool,
}

fn simulation(by_label: bool) -> Simulation {
    let simulation = Simulation::new("backups")
        .crd(&crd(KIND, &json!({"text": {"type": "string"}})))
        .budget(Budget::Coverage(0))
        // It takes over what belongs to others, and works in one namespace.
        .without_scenario(Scenario::Strangers)
        .without_scenario(Scenario::Namespaces)
        .operator(move |client| run(client, by_label));
    let faults = FaultKind::ALL.iter().copied();
    faults.fold(simulation, Simulation::without_fault)
}

async fn run(client: Client, by_label: bool) {
    let config = watcher::Config::default();
    let context = Context {
        client: client.clone(),
        by_label,
    };
    Controller::new_with(objects(&client, KIND), config.clone(), resource(KIND))
        .owns(Api::<CronJob>::all(client.clone()), config.clone())
        .owns(Api::<Job>::all(client), config)
        .run(
            async |backup, context: Arc<Context>| reconcile(&backup, &context).await,
            |_, _: &kube::Error, _| Action::requeue(Duration::from_secs(1)),
            Arc::new(context),
        )
        .for_each(|_| async {})
        .await;
}

async fn apply<K>(api: &Api<K>, name: &str, child: Value) -> kube::Result<()>
where
    K: Clone + std::fmt::Debug + serde::de::DeserializeOwned,
{
    let params = PatchParams::apply("backups").force();
    api.patch(name, &params, &Patch::Apply(child)).await?;
    Ok(())
}

/// Keeps a `CronJob`, and one Job that checks the text; the Jobs of former texts are deleted.
async fn reconcile(backup: &DynamicObject, context: &Context) -> kube::Result<Action> {
    if backup.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let (name, client) = (backup.name_any(), context.client.clone());
    let text = backup.data["spec"]["text"].as_str().unwrap_or_default();
    let labels = json!({"backup": backup.uid()});
    let metadata = json!({"name": name, "labels": labels, "ownerReferences": owners(backup, KIND)});
    let template = json!({"spec": {"restartPolicy": "Never", "containers": [{"name": "backup", "image": "example.com/backup:1", "args": [text]}]}});
    let crons = Api::<CronJob>::namespaced(client.clone(), "default");
    let child = json!({
        "apiVersion": "batch/v1", "kind": "CronJob", "metadata": metadata,
        "spec": {"schedule": "0 3 * * *", "jobTemplate": {"metadata": {"labels": labels}, "spec": {"template": template}}},
    });
    apply(&crons, &name, child).await?;
    let jobs = Api::<Job>::namespaced(client, "default");
    let check = format!("{name}-check-{}", text.len());
    let params =
        ListParams::default().labels(&format!("backup={}", backup.uid().unwrap_or_default()));
    for job in jobs.list(&params).await? {
        let is_own = job.owner_references().iter().any(|it| it.kind == KIND);
        if job.name_any() == check || !(is_own || context.by_label) {
            continue;
        }
        let params = DeleteParams::background().preconditions(Preconditions {
            uid: job.uid(),
            resource_version: None,
        });
        match jobs.delete(&job.name_any(), &params).await {
            Err(kube::Error::Api(status)) if matches!(status.code, 404 | 409) => {}
            other => drop(other?),
        }
    }
    if jobs.get_opt(&check).await?.is_none() {
        let mut metadata = metadata;
        metadata["name"] = check.as_str().into();
        let child = json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": {"template": template}});
        apply(&jobs, &check, child).await?;
    }
    Ok(Action::await_change())
}

#[test]
fn an_operator_that_leaves_the_jobs_of_its_cron_jobs_is_silent() {
    let summary = explore(simulation(false)).unwrap_or_else(|found| panic!("{found}"));
    assert!(
        summary.scenarios.contains(&Scenario::Scheduled),
        "{summary}"
    );
}

#[test]
fn a_label_does_not_say_who_owns_a_job() {
    let found = explore(simulation(true)).unwrap_err();
    assert_eq!(found.oracle, Oracle::Strangers, "{found}");
    let missed = explore(simulation(true).without_scenario(Scenario::Scheduled));
    assert!(missed.is_ok(), "{}", missed.unwrap_err());
}
