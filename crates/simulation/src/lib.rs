//! Simulates operators to find race conditions in seconds, without a cluster.
//!
//! A run executes an operator against an in-memory API server, in virtual time and on one thread. Each request of the operator, each
//! response and each watch event is a choice point at which something can go wrong: the operator crashes between two writes, a response is
//! lost, an event arrives late or never, or another client changes the object. One seed determines everything, so every run can be
//! repeated. The outcome is compared with runs without faults, because most operator bugs leave no trace in a log.
//!
//! ```
//! use std::sync::Arc;
//!
//! use futures::StreamExt as _;
//! use k8s_openapi::api::core::v1::ConfigMap;
//! use kube::{Api, Client, api::{Patch, PatchParams}, runtime::{Controller, controller::Action, watcher}};
//! use kube_codegen_simulation::{Budget, Simulation, Workload};
//! use serde_json::json;
//!
//! async fn reconcile(map: Arc<ConfigMap>, client: Arc<Client>) -> kube::Result<Action> {
//!     let maps = Api::<ConfigMap>::namespaced((*client).clone(), "default");
//!     let done = map.metadata.labels.as_ref().is_some_and(|labels| labels.contains_key("seen"));
//!     if !done && map.metadata.deletion_timestamp.is_none() {
//!         let patch = Patch::Merge(json!({"metadata": {"labels": {"seen": "yes"}}}));
//!         let name = map.metadata.name.as_deref().unwrap_or_default();
//!         maps.patch(name, &PatchParams::default(), &patch).await?;
//!     }
//!     Ok(Action::await_change())
//! }
//!
//! async fn operator(client: Client) {
//!     let maps = Api::<ConfigMap>::all(client.clone());
//!     Controller::new(maps, watcher::Config::default())
//!         .run(reconcile, |_, _, _| Action::requeue(std::time::Duration::from_secs(1)), Arc::new(client))
//!         .for_each(|_| async {})
//!         .await;
//! }
//!
//! let maps = "/api/v1/namespaces/default/configmaps";
//! let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default"}});
//! Simulation::new("label-operator")
//!     .operator(operator)
//!     .workload(Workload::new("a map").create(maps, map).phase("delete").delete(&format!("{maps}/a")).leaves_nothing())
//!     .budget(Budget::Schedules(100))
//!     .run();
//! ```
//!
//! # What is checked
//!
//! [`Oracle`] lists the properties. If your operator breaks one on purpose, switch it off with [`Simulation::without`]. To check a
//! property of your own, implement [`Check`] and add it with [`Simulation::oracle`].
//!
//! # What makes a run repeatable
//!
//! tokio's clock is paused, times in objects follow it ([`kube_codegen_record::clock`]), and `fastrand` is seeded. Your operator must not
//! read the system clock, spawn threads, use `tokio::select!` without `biased`, or let the iteration order of the standard library's
//! `HashMap` decide what it does next. [`assert_repeatable`] tests this.

mod choose;
mod experiment;
mod faults;
mod judge;
mod names;
mod oracles;
mod plural;
mod point;
mod print;
mod progress;
mod request;
mod run;
mod scenario;
mod schedule;
mod settings;
mod state;
mod timeline;
mod workload;

pub use choose::{Exhaustion, Summary, assert_repeatable};
pub use faults::{Fault, FaultKind};
pub use oracles::{Answer, AtRest, Check, End, Oracle, Run, Violation};
pub use print::Found;
pub use scenario::Scenario;
pub use schedule::{Cut, Decision, Point, Schedule, Verb};
pub use settings::{Budget, Simulation};
pub use workload::Workload;
