//! `record` writes the answers of a real API server beside the scripts, `types` records its built-in kinds, `random` compares
//! both servers on random requests, and `objects`, `costs` and `estimates` compare the schemas of CRDs with a real API server: on random
//! objects, in what rules cost, and in what they cost at most. `serve` starts one of the servers for other programs.

use std::{
    env, fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use kube_codegen_conformance::{Script, Session, answers, objects, random};
use kube_codegen_testenv::ControlPlane;
use kube_codegen_testing::{ApiServer, Controllers, Tls};
use testresult::TestResult;

const USAGE: &str = "usage: conformance record [SCRIPT…] | types
       conformance random [--steps N] [--seed N] [--round N] [--wild] [--builtin] [--kind KIND] [--cluster] [--jobs N] [--show N]
       conformance objects [--count N] [--seed N] [--show N] [CRDS…]
       conformance serve [--real] [--controllers] KUBECONFIG
       conformance costs [WORD…]
       conformance estimates [--show N] [CRDS…]";

#[tokio::main]
async fn main() -> ExitCode {
    let args: Vec<_> = env::args().skip(1).collect();
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let option = |name: &str, default: u64| {
        let at = args.iter().position(|arg| arg == name);
        at.and_then(|at| args.get(at + 1)?.parse().ok())
            .unwrap_or(default)
    };
    let size = |name: &str, default| usize::try_from(option(name, default)).unwrap_or(usize::MAX);
    let paths = || -> Vec<PathBuf> {
        let is_value = |at: usize| at > 0 && args[at - 1].starts_with("--");
        let paths = args.iter().enumerate().skip(1);
        let paths = paths.filter(|(at, arg)| !arg.starts_with("--") && !is_value(*at));
        paths.map(|(_, arg)| arg.into()).collect()
    };
    let result = match args.first().map(String::as_str) {
        Some("record") => record(&args[1..]).await,
        Some("types") => types().await,
        Some("random") => {
            let has = |name: &str| args.iter().any(|arg| arg == name);
            let kind = args.iter().position(|arg| arg == "--kind");
            random::run(&random::Options {
                steps: option("--steps", 2000),
                seed: option("--seed", 1),
                round: size("--round", 0),
                show: option("--show", 5),
                wild: has("--wild"),
                builtin: has("--builtin") || kind.is_some(),
                kind: kind.and_then(|at| args.get(at + 1).cloned()),
                cluster: has("--cluster"),
                jobs: size("--jobs", 1).max(1),
            })
            .await
        }
        Some("serve") => {
            let has = |name: &str| args.iter().any(|arg| arg == name);
            let mut paths = args[1..].iter().filter(|arg| !arg.starts_with("--"));
            match paths.next() {
                Some(path) => serve(path.as_ref(), has("--real"), has("--controllers")).await,
                None => Err("serve needs the path of a kubeconfig that it writes".into()),
            }
        }
        Some("costs") => costs(&args[1..]).await,
        Some("estimates") => estimates(&paths(), size("--show", 5)).await,
        Some("objects") => {
            let mut crds = paths();
            if crds.is_empty() {
                crds.push(folder("crds"));
            }
            objects(&objects::Options {
                count: size("--count", 1000),
                seed: option("--seed", 1),
                show: size("--show", 5),
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
    let mut scripts = Script::read_all(&folder("scripts"))?;
    scripts.retain(|script| names.is_empty() || names.contains(&script.name));
    for (script, answers) in answers(&plane, scripts).await? {
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
    let folder = folder("../testing/src/kinds/builtin");
    for name in ["types", "descriptions"] {
        let file = fs::File::create(folder.join(format!("{name}.json.gz")))?;
        let mut encoder = flate2::GzBuilder::new().write(file, flate2::Compression::best());
        encoder.write_all(types[name].to_string().as_bytes())?;
        encoder.finish()?;
    }
    let resources = types["resources"].as_array().into_iter().flatten();
    let lines: Vec<_> = resources.map(ToString::to_string).collect();
    fs::write(
        folder.join("resources.json"),
        format!("[\n{}\n]\n", lines.join(",\n")),
    )?;
    plane.stop().await?;
    Ok(())
}

/// Writes the kubeconfig of a server, and serves until the standard input ends.
async fn serve(kubeconfig: &Path, is_real: bool, has_controllers: bool) -> TestResult {
    let end = async { tokio::io::copy(&mut tokio::io::stdin(), &mut tokio::io::sink()).await };
    if is_real {
        let mut builder = ControlPlane::builder();
        if !has_controllers {
            // As with envtest: a namespace has no account that Pods could use.
            builder = builder.api_server_arg("--disable-admission-plugins=ServiceAccount");
        }
        let plane = builder.start().await?;
        if !has_controllers {
            plane.controllers()?.kill();
        }
        fs::copy(plane.kubeconfig(), kubeconfig)?;
        println!("serving");
        end.await?;
        plane.stop().await?;
        return Ok(());
    }
    let tls = Tls::new()?;
    let mut builder = ApiServer::builder();
    builder = if has_controllers {
        builder
            .namespaces()
            .controllers(Controllers::new().end_unrestarted())
    } else {
        builder.empty_namespaces()
    };
    let server = builder.authority(tls.authority()).authorization().build();
    server.set_request_limit(0);
    server.listen_tls(&tls).await?;
    fs::write(kubeconfig, server.kubeconfig().unwrap_or_default())?;
    println!("serving");
    end.await?;
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
async fn costs(words: &[String]) -> TestResult {
    let plane = ControlPlane::start().await?;
    let namespace = plane.namespace("costs").await?;
    print!(
        "{}",
        objects::costs::run(&plane.client()?, namespace.name(), words).await?
    );
    plane.stop().await?;
    Ok(())
}

/// Compares what rules cost at most with the estimate of a real API server.
async fn estimates(crds: &[PathBuf], show: usize) -> TestResult {
    let plane = ControlPlane::start().await?;
    let report = objects::estimates::run(&plane.client()?, crds, show).await?;
    print!("{report}");
    plane.stop().await?;
    Ok(())
}
