//! Sends random requests to both servers, in rounds, and counts the differences of their answers.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use futures::{StreamExt as _, stream};
use kube_codegen_testenv::ControlPlane;
use kube_codegen_testing::ApiServer;
use serde_json::Value;
use testresult::TestResult;
use tokio::sync::Semaphore;

use super::{
    Generator,
    cluster::Theme,
    compare::{difference, values},
    samples,
};
use crate::{Answer, Session, Step, definitions};

/// The requests of a round, in one namespace.
const STEPS: usize = 60;
/// How often a round is repeated to learn whether a difference occurs again.
const REPETITIONS: usize = 4;
/// How often and how soon a request that waits for a real server is repeated.
const ATTEMPTS: u32 = 160;
const AGAIN: Duration = Duration::from_millis(500);
/// How many rounds delete definitions at once. A real server has five workers for that, and each waits for a minute while instances have
/// finalizers.
const ENDING: usize = 4;
/// The collection whose events are compared at the end of a round.
const WATCHED: &str = "/apis/conformance.example.com/v1/namespaces/NS/widgets";
/// The collection that is watched over WebSocket.
const MAPS: &str = "/api/v1/namespaces/NS/configmaps";

/// The options of a run.
#[derive(Debug)]
pub struct Options {
    /// The number of requests; the last round is completed.
    pub steps: u64,
    /// What the requests are made from.
    pub seed: u64,
    /// The number of the only round, whose requests are printed from the first on; zero is all.
    pub round: usize,
    /// How many differences of one class are printed.
    pub show: u64,
    /// Whether requests may be faulty.
    pub wild: bool,
    /// Whether the requests are for built-in kinds.
    pub builtin: bool,
    /// The only built-in kind.
    pub kind: Option<String>,
    /// How many rounds run at once.
    pub jobs: usize,
    /// Whether the requests are about the cluster: users, definitions, Pods with gates, and watches over WebSocket.
    pub cluster: bool,
}

/// Sends random requests to both servers and prints how their answers differ.
///
/// A difference counts if it occurs again each time when its round is repeated. Others depend on time: a write that changes
/// nothing is stored by a real server, with new times of its field managers, if the second has changed since the last write.
pub async fn run(options: &Options) -> TestResult {
    let plane = quiet_plane().await?;
    let definer = Session::new(plane.client()?, "default");
    for definition in definitions()? {
        definer.define(&definition).await?;
    }
    let mut samples = samples()?;
    if let Some(kind) = &options.kind {
        samples.retain(|it| it[0]["kind"] == kind.as_str());
    }
    let (done, ending) = (AtomicU64::new(0), Semaphore::new(ENDING));
    let only = options.round;
    let numbers = if only == 0 {
        1..=usize::MAX
    } else {
        only..=only
    };
    let numbers = numbers.take_while(|_| done.load(Ordering::Relaxed) < options.steps);
    // Most of a round about the cluster is waiting for the real server.
    let mut rounds = stream::iter(numbers)
        .map(|number| play(&plane, options, &samples, number, (&done, &ending)))
        .buffer_unordered(options.jobs);
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    let mut once: BTreeMap<String, u64> = BTreeMap::new();
    let mut number = 0;
    while let Some(differences) = rounds.next().await {
        number += 1;
        for it in differences? {
            let counts = if it.is_repeated {
                &mut found
            } else {
                &mut once
            };
            let count = counts.entry(it.class).or_default();
            *count += 1;
            if *count <= options.show {
                print!("{}", it.text);
            }
        }
        if number % 20 == 0 {
            let (done, count) = (done.load(Ordering::Relaxed), found.values().sum::<u64>());
            println!("{done} steps, {count} differences");
        }
    }
    drop(rounds);
    let done = done.load(Ordering::Relaxed);
    println!("{done} steps in {number} rounds, differences: {found:#?}");
    println!("differences that did not occur again when their round was repeated: {once:#?}");
    plane.stop().await?;
    Ok(())
}

/// A difference of two answers.
struct Difference {
    class: String,
    /// Whether it occurred each time when the round was repeated.
    is_repeated: bool,
    /// What is printed of it.
    text: String,
}

/// Sends the requests of a round and returns the differences of their answers.
async fn play(
    plane: &ControlPlane,
    options: &Options,
    samples: &[Vec<Value>],
    number: usize,
    (done, ending): (&AtomicU64, &Semaphore),
) -> TestResult<Vec<Difference>> {
    let seed = options.seed * 1_000_000 + number as u64;
    let of_kind = samples.get(number % samples.len().max(1));
    let of_kind = of_kind.filter(|_| options.builtin);
    let theme = Theme::ALL[number % Theme::ALL.len()];
    let setting = match of_kind {
        _ if options.cluster => Setting::Cluster,
        Some(_) => Setting::Builtin,
        None => Setting::Custom,
    };
    let mut generator = match (setting, of_kind) {
        (Setting::Cluster, _) => Generator::about(seed, theme),
        (_, Some(samples)) => Generator::builtin(seed, options.wild, samples),
        (_, None) => Generator::new(seed, options.wild),
    };
    let _permit = match theme {
        Theme::Definitions if options.cluster => Some(ending.acquire().await?),
        _ => None,
    };
    let name = format!("random-{number}x{}", std::process::id());
    let mut round = Round::start(plane, &name, setting).await?;
    let mut history: Vec<Step> = Vec::new();
    let mut differences = Vec::new();
    while history.len() < STEPS {
        // The last step reads what the others have changed.
        let is_last = history.len() + 1 == STEPS;
        let step = if is_last && setting == Setting::Custom && number.is_multiple_of(5) {
            watch()
        } else {
            generator.step()
        };
        history.push(step);
        let step = &history[history.len() - 1];
        let (ours, theirs) = round.send(step).await?;
        done.fetch_add(1, Ordering::Relaxed);
        let Some(what) = difference(&ours, &theirs) else {
            continue;
        };
        let theme = options.cluster.then(|| format!("{theme:?}"));
        let kind = of_kind.and_then(|it| it[0]["kind"].as_str());
        let kind = theme.as_deref().or(kind);
        let class = class(what, kind, step);
        let is_repeated = repeats(plane, &name, &history, setting).await?;
        let again = if is_repeated { "" } else { ", not again" };
        let count = history.len();
        let shown = if options.round == 0 { 3 } else { STEPS };
        let text = format!(
            "---- {class} (round {number}, step {count}{again})\n{}",
            text(&history, shown, &ours, &theirs)
        );
        differences.push(Difference {
            class,
            is_repeated,
            text,
        });
        // The two servers have different states: the rest of the round would repeat the difference.
        let is_written = |answer: &Answer| (200..300).contains(&answer.status);
        if is_written(&ours) || is_written(&theirs) {
            break;
        }
    }
    Ok(differences)
}

/// Starts a control plane in which nothing but requests changes objects.
async fn quiet_plane() -> TestResult<ControlPlane> {
    let builder = ControlPlane::builder();
    let plane = builder
        .api_server_arg("--disable-admission-plugins=ServiceAccount")
        .start()
        .await?;
    plane.controllers()?.kill();
    Ok(plane)
}

/// What the servers of a round need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Setting {
    /// The kinds of `definitions/`.
    Custom,
    Builtin,
    /// Namespaces, permissions and connections.
    Cluster,
}

/// Both servers, in a namespace of their own.
struct Round {
    ours: Session,
    theirs: Session,
    /// Serves a client over HTTP while the round lasts.
    _server: ApiServer,
}

impl Round {
    async fn start(plane: &ControlPlane, namespace: &str, setting: Setting) -> TestResult<Self> {
        if setting == Setting::Cluster {
            let server = ApiServer::builder().empty_namespaces();
            let server = server.grace_periods().authorization().build();
            server.listen().await?;
            let kubeconfig = server.kubeconfig().unwrap_or_default();
            let kubeconfig = serde_json::from_str(&kubeconfig)?;
            let options = kube::config::KubeConfigOptions::default();
            let config = kube::Config::from_custom_kubeconfig(kubeconfig, &options).await?;
            let mut ours = Session::new(kube::Client::try_from(config)?, namespace);
            let mut theirs = Session::with(plane, namespace)?;
            for session in [&mut ours, &mut theirs] {
                session.create_namespace().await?;
                session.remember_start(MAPS).await?;
            }
            return Ok(Self {
                ours,
                theirs,
                _server: server,
            });
        }
        let server = ApiServer::new();
        let mut theirs = Session::new(plane.client()?, namespace);
        let mut ours = Session::new(server.client(), namespace);
        theirs.create_namespace().await?;
        if setting == Setting::Custom {
            for definition in definitions()? {
                ours.define(&definition).await?;
            }
            theirs.remember_start(WATCHED).await?;
            ours.remember_start(WATCHED).await?;
        }
        Ok(Self {
            ours,
            theirs,
            _server: server,
        })
    }

    async fn send(&mut self, step: &Step) -> TestResult<(Answer, Answer)> {
        let (ours, theirs) = tokio::join!(self.ours.run(step), self.theirs.run(step));
        let (ours, mut theirs) = (ours?, theirs?);
        // A real server notices changes late, and looks for a minute whether a deleted definition has instances. What has failed or can be
        // repeated is asked again.
        let is_creation =
            |answer: &Answer| step.request.starts_with("POST ") && answer.status < 400;
        let mut attempts = 0;
        while step.after.is_some()
            && attempts < ATTEMPTS
            && difference(&ours, &theirs).is_some()
            && !is_creation(&theirs)
        {
            attempts += 1;
            tokio::time::sleep(AGAIN).await;
            theirs = self.theirs.run(step).await?;
        }
        Ok((ours, theirs))
    }
}

/// Returns whether the answers to the last step differ each time when all steps are repeated.
async fn repeats(
    plane: &ControlPlane,
    name: &str,
    history: &[Step],
    setting: Setting,
) -> TestResult<bool> {
    for attempt in 0..REPETITIONS {
        let name = format!("{name}-{}x{attempt}", history.len());
        let mut round = Round::start(plane, &name, setting).await?;
        let mut differs = false;
        for step in history {
            let (ours, theirs) = round.send(step).await?;
            differs = difference(&ours, &theirs).is_some();
        }
        if !differs {
            return Ok(false);
        }
    }
    Ok(true)
}

fn watch() -> Step {
    Step {
        request: format!("GET {WATCHED}?watch=true&resourceVersion=$start&timeoutSeconds=1"),
        ..Step::default()
    }
}

/// Returns what differs, in the answer to which kind of request.
fn class(what: &str, kind: Option<&str>, step: &Step) -> String {
    let mut request = step.request.split(['?', ' ']);
    let method = request.next().unwrap_or_default();
    let path = request.next().unwrap_or_default();
    let subresource = path.rsplit('/').next();
    let subresource = subresource.filter(|it| ["status", "scale"].contains(it));
    format!(
        "{what}: {} {method} {} {}",
        kind.unwrap_or_default(),
        step.patch.as_deref().unwrap_or_default(),
        subresource.unwrap_or_default()
    )
}

/// Returns the last steps and the differences of the answers to the very last.
fn text(history: &[Step], shown: usize, ours: &Answer, theirs: &Answer) -> String {
    let mut lines = Vec::new();
    for step in &history[history.len().saturating_sub(shown)..] {
        let user = step.user.as_deref().map(|it| format!(" as {it}"));
        let (user, request) = (user.unwrap_or_default(), &step.request);
        lines.push(format!("  {request}{user} {}", step.body));
    }
    for (name, answer) in [("memory", ours), ("real  ", theirs)] {
        lines.push(format!("  {name} {} {:?}", answer.status, answer.warnings));
    }
    let mut different = Vec::new();
    values("", &ours.body, &theirs.body, &mut different);
    let different = different.iter().take(6);
    lines.extend(different.map(|line| format!("    {line}")));
    lines.join("\n") + "\n"
}
