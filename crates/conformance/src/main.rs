//! `record` writes the answers of a real API server beside the scripts, `types` records its built-in kinds, `random` compares
//! both servers on random requests, and `objects` compares the schemas of CRDs with a real API server on random objects.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    io::Write as _,
    path::Path,
    process::ExitCode,
};

use kube_codegen_conformance::{
    Answer, Script, Session, Step, definitions, objects,
    random::{Generator, samples},
};
use kube_codegen_testenv::ControlPlane;
use kube_codegen_testing::ApiServer;
use serde_json::Value;
use testresult::TestResult;

const USAGE: &str = "usage: conformance record [SCRIPT…] | types
       conformance random [--steps N] [--seed N] [--wild] [--builtin] [--kind KIND] [--show N]
       conformance objects [--count N] [--seed N] [--show N] [CRDS…]
       conformance costs";

#[tokio::main]
async fn main() -> ExitCode {
    let args: Vec<_> = env::args().skip(1).collect();
    let option = |name: &str, default: u64| {
        let at = args.iter().position(|arg| arg == name);
        at.and_then(|at| args.get(at + 1)?.parse().ok())
            .unwrap_or(default)
    };
    let result = match args.first().map(String::as_str) {
        Some("record") => record(&args[1..]).await,
        Some("types") => types().await,
        Some("random") => {
            let has = |name: &str| args.iter().any(|arg| arg == name);
            let kind = args.iter().position(|arg| arg == "--kind");
            random(&Run {
                steps: option("--steps", 2000),
                seed: option("--seed", 1),
                show: option("--show", 5),
                wild: has("--wild"),
                builtin: has("--builtin") || kind.is_some(),
                kind: kind.and_then(|at| args.get(at + 1).cloned()),
            })
            .await
        }
        Some("costs") => costs().await,
        Some("objects") => {
            let is_value = |at: usize| at > 0 && args[at - 1].starts_with("--");
            let crds = args.iter().enumerate().skip(1);
            let crds = crds.filter(|(at, arg)| !arg.starts_with("--") && !is_value(*at));
            let mut crds: Vec<_> = crds.map(|(_, arg)| arg.into()).collect();
            if crds.is_empty() {
                crds.push(folder("crds"));
            }
            objects(&objects::Options {
                count: usize::try_from(option("--count", 1000)).unwrap_or(usize::MAX),
                seed: option("--seed", 1),
                show: usize::try_from(option("--show", 5)).unwrap_or(usize::MAX),
                crds,
            })
            .await
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:?}");
            ExitCode::FAILURE
        }
    }
}

fn folder(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Records the answers to the scripts with these names, or to all.
async fn record(names: &[String]) -> TestResult {
    let plane = ControlPlane::start().await?;
    let mut scripts = Vec::new();
    for script in Script::read_all(&folder("scripts"))? {
        if !names.is_empty() && !names.contains(&script.name) {
            continue;
        }
        scripts.push((plane.namespace(&script.name).await?, script));
    }
    // From here on, nothing but requests changes objects.
    plane.controllers()?.kill();
    for (namespace, script) in scripts {
        let mut session = Session::with(&plane, namespace.name())?;
        for definition in definitions()? {
            session.define(&definition).await?;
        }
        let mut answers = Vec::new();
        for step in &script.steps {
            let start = std::time::Instant::now();
            answers.push(session.run(step).await?);
            if start.elapsed().as_secs() > 3 {
                println!("{}: {:?}", step.request, start.elapsed());
            }
        }
        let path = folder("scripts").join(format!("{}.json", script.name));
        fs::write(path, serde_json::to_string_pretty(&answers)? + "\n")?;
    }
    plane.stop().await?;
    Ok(())
}

/// Records the types of the built-in kinds for the API server in memory.
async fn types() -> TestResult {
    let plane = ControlPlane::start().await?;
    let session = Session::new(plane.client()?, "default");
    let types = kube_codegen_conformance::types::read(&session).await?;
    let folder = folder("../testing/src/builtin");
    let file = fs::File::create(folder.join("types.json.gz"))?;
    let mut encoder = flate2::GzBuilder::new().write(file, flate2::Compression::best());
    encoder.write_all(types["types"].to_string().as_bytes())?;
    encoder.finish()?;
    let resources = types["resources"].as_array().into_iter().flatten();
    let lines: Vec<_> = resources.map(ToString::to_string).collect();
    fs::write(
        folder.join("resources.json"),
        format!("[\n{}\n]\n", lines.join(",\n")),
    )?;
    plane.stop().await?;
    Ok(())
}

/// Compares schemas with a real API server on random objects.
async fn objects(options: &objects::Options) -> TestResult {
    let plane = ControlPlane::builder()
        .api_server_arg("--max-requests-inflight=0")
        .start()
        .await?;
    let namespace = plane.namespace("objects").await?;
    let report = objects::run(&plane.client()?, namespace.name(), options).await?;
    println!("{report:#?}");
    plane.stop().await?;
    Ok(())
}

/// Compares the costs of rules with those of a real API server.
async fn costs() -> TestResult {
    let plane = ControlPlane::start().await?;
    let namespace = plane.namespace("costs").await?;
    print!(
        "{}",
        objects::costs::run(&plane.client()?, namespace.name()).await?
    );
    plane.stop().await?;
    Ok(())
}

/// The parts of an answer that can differ.
fn difference(ours: &Answer, theirs: &Answer) -> Option<&'static str> {
    if ours.status != theirs.status {
        Some("status")
    } else if is_timing(ours, theirs) {
        Some("timing")
    } else if ours.body != theirs.body {
        Some(if ours.status < 300 { "body" } else { "message" })
    } else if ours.warnings != theirs.warnings {
        Some("warning")
    } else {
        None
    }
}

/// Returns whether the answers to a write differ in the resource version alone: a write that changes nothing but the times of field
/// managers is stored if the second has changed, which one server may see before the other.
fn is_timing(ours: &Answer, theirs: &Answer) -> bool {
    let mut lines = Vec::new();
    compare("", &ours.body, &theirs.body, &mut lines);
    matches!(lines.as_slice(), [line] if line.starts_with(".metadata.resourceVersion: "))
}

/// Lists the values in which two bodies differ.
fn compare(path: &str, ours: &Value, theirs: &Value, lines: &mut Vec<String>) {
    match (ours, theirs) {
        (Value::Object(a), Value::Object(b)) => {
            let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            for name in names {
                let value =
                    |of: &serde_json::Map<String, Value>| of.get(name).cloned().unwrap_or_default();
                compare(&format!("{path}.{name}"), &value(a), &value(b), lines);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                compare(&format!("{path}[{index}]"), a, b, lines);
            }
        }
        _ if ours == theirs => {}
        _ => lines.push(format!("{path}: memory {ours}\n      real {theirs}")),
    }
}

/// The requests of a round, in one namespace.
const STEPS: usize = 60;
/// The collection whose events are compared at the end of a round.
const WATCHED: &str = "/apis/conformance.example.com/v1/namespaces/NS/widgets";

/// The options of a random run.
struct Run {
    steps: u64,
    seed: u64,
    show: u64,
    wild: bool,
    builtin: bool,
    kind: Option<String>,
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

/// Prints the last steps and the differences of their answers.
fn print(history: &[Step], ours: &Answer, theirs: &Answer) {
    for step in history.iter().rev().take(3).rev() {
        println!("  {} {}", step.request, step.body);
    }
    println!(
        "  memory {} {:?}\n  real   {} {:?}",
        ours.status, ours.warnings, theirs.status, theirs.warnings
    );
    let mut lines = Vec::new();
    compare("", &ours.body, &theirs.body, &mut lines);
    lines.iter().take(6).for_each(|line| println!("    {line}"));
}

async fn random(run: &Run) -> TestResult {
    let &Run {
        steps,
        seed,
        show,
        wild,
        builtin,
        ..
    } = run;
    let plane = quiet_plane().await?;
    let mut samples = samples()?;
    if let Some(kind) = &run.kind {
        samples.retain(|it| it[0]["kind"] == kind.as_str());
    }
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    let mut shown: BTreeMap<String, u64> = BTreeMap::new();
    let mut done = 0;
    let mut round: usize = 0;
    while done < steps {
        round += 1;
        let seed = seed * 1_000_000 + round as u64;
        let of_kind = samples
            .get(round % samples.len().max(1))
            .filter(|_| builtin);
        let mut generator = match of_kind {
            Some(samples) => Generator::builtin(seed, wild, samples),
            None => Generator::new(seed, wild),
        };
        // After a difference, the two servers have different states: the rest of the round would repeat it.
        let memory = ApiServer::new();
        let name = format!("random-{round}x{}", std::process::id());
        let mut theirs = Session::new(plane.client()?, &name);
        let mut ours = Session::new(memory.client(), &name);
        theirs.create_namespace().await?;
        if !builtin {
            for definition in definitions()? {
                if round == 1 {
                    theirs.define(&definition).await?;
                }
                ours.define(&definition).await?;
            }
            theirs.remember_start(WATCHED).await?;
            ours.remember_start(WATCHED).await?;
        }
        let mut history: Vec<Step> = Vec::new();
        for number in 1..=STEPS {
            // The last step reads what the others have changed.
            let step = if number == STEPS && !builtin && round.is_multiple_of(5) {
                Step {
                    request: format!(
                        "GET {WATCHED}?watch=true&resourceVersion=$start&timeoutSeconds=1"
                    ),
                    ..Step::default()
                }
            } else {
                generator.step()
            };
            let (a, b) = tokio::join!(ours.run(&step), theirs.run(&step));
            let (a, b) = (a?, b?);
            done += 1;
            if done % 1000 == 0 {
                let count: u64 = found.values().sum();
                println!("{done} steps, {count} differences");
            }
            history.push(step.clone());
            if let Some(what) = difference(&a, &b) {
                let method: Vec<&str> = step.request.split(['?', ' ']).collect();
                let sub = method[1]
                    .rsplit('/')
                    .next()
                    .filter(|it| ["status", "scale"].contains(it));
                let kind = of_kind
                    .and_then(|it| it[0]["kind"].as_str())
                    .unwrap_or_default();
                let class = format!(
                    "{what}: {kind} {} {} {}",
                    method[0],
                    step.patch.as_deref().unwrap_or(""),
                    sub.unwrap_or("")
                );
                *found.entry(class.clone()).or_default() += 1;
                let count = shown.entry(class.clone()).or_default();
                if *count < show {
                    *count += 1;
                    println!("---- {class} (round {round}, step {})", history.len());
                    print(&history, &a, &b);
                }
                if a.status < 300 || b.status < 300 {
                    break;
                }
            }
        }
    }
    println!("{done} steps in {round} rounds, differences: {found:#?}");
    plane.stop().await?;
    Ok(())
}
