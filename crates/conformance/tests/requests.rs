//! Runs the fuzz target of the API server in memory on a stable compiler: with each script and sample, and a fixed number of mutations of it.
#![allow(clippy::expect_used, clippy::panic, unreachable_pub)]
#[path = "../../../fuzz/src/server.rs"]
mod server;

use std::{env, path::Path};

use kube_codegen_conformance::{
    Script, Step, definitions,
    random::{Generator, samples},
};
use kube_codegen_testing::ApiServer;
use testresult::TestResult;

/// Mutations of each sequence of requests, each applied to the one before.
const ROUNDS: u64 = 3;
/// Random sequences of requests besides the scripts.
const RANDOM: u64 = 60;
/// The requests of a sequence.
const LONGEST: usize = 12;

fn request(step: &Step) -> Vec<u8> {
    let (content, body) = step.encoded();
    let request = step.request.replace("/NS/", "/default/");
    [
        format!("{request}\ncontent-type: {content}\n\n").into_bytes(),
        body,
    ]
    .concat()
}

/// Requests that grow or nest without end.
fn deep() -> Vec<Vec<u8>> {
    let create = |content: &str, body: Vec<u8>| {
        let path = "/apis/conformance.example.com/v1/namespaces/default/widgets";
        let head = format!("POST {path}\ncontent-type: {content}\n\n");
        [head.into_bytes(), body].concat()
    };
    let nested = |open: &str, close: &str| {
        let (open, close) = (open.repeat(100_000), close.repeat(100_000));
        format!("{open}1{close}").into_bytes()
    };
    let doubled: Vec<String> = (0..40)
        .map(|number| format!(r#"{{"op": "copy", "from": "/data", "path": "/data/{number}"}}"#))
        .collect();
    let widget = r#"{"metadata": {"name": "a"}, "data": {"a": "b"}}"#;
    let path = "/api/v1/namespaces/default/configmaps";
    let mut all: Vec<Vec<u8>> = ["application/json", "application/yaml"]
        .into_iter()
        .flat_map(|content| {
            [
                create(content, nested("[", "]")),
                create(content, nested("{\"a\":", "}")),
            ]
        })
        .collect();
    all.push(
        format!(
            "POST {path}\n\n{widget}\n----\nPATCH {path}/a\ncontent-type: application/json-patch+json\n\n[{}]",
            doubled.join(",")
        )
        .into_bytes(),
    );
    all
}

fn sequences() -> TestResult<Vec<Vec<u8>>> {
    let mut sequences = deep();
    let mut add = |steps: &[Step]| {
        for part in steps.chunks(LONGEST) {
            let part: Vec<Vec<u8>> = part.iter().map(request).collect();
            sequences.push(part.join(server::END));
        }
    };
    for script in Script::read_all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts"))? {
        add(&script.steps);
    }
    let samples = samples()?;
    for (seed, of_kind) in (0..RANDOM).zip(samples.iter().cycle()) {
        for mut generator in [
            Generator::new(seed, true),
            Generator::builtin(seed, true, of_kind),
        ] {
            let steps: Vec<Step> = (0..LONGEST).map(|_| generator.step()).collect();
            add(&steps);
        }
    }
    Ok(sequences)
}

fn variable(name: &str, default: u64) -> u64 {
    let given = env::var(name).ok();
    given.and_then(|it| it.parse().ok()).unwrap_or(default)
}

/// `KUBE_CODEGEN_FUZZ_SEED` selects other mutations, `KUBE_CODEGEN_FUZZ_ROUNDS` their number.
#[tokio::test(start_paused = true)]
async fn every_request_is_answered() -> TestResult {
    let base = ApiServer::builder().namespaces().build();
    for definition in definitions()? {
        base.register_crd(&definition)?;
    }
    let seed = variable("KUBE_CODEGEN_FUZZ_SEED", 0) << 32;
    let rounds = variable("KUBE_CODEGEN_FUZZ_ROUNDS", ROUNDS);
    let (mut answered, mut written) = (0, 0);
    for (index, mut input) in (0..).zip(sequences()?) {
        for round in 0..rounds {
            let (all, good) = server::requests(&base.fork(), &input).await;
            answered += all;
            written += good;
            input = server::mutate(&input, seed | index << 16 | round);
        }
    }
    eprintln!("{answered} requests, {written} writes");
    assert!(answered > 4_000 && written > 800);
    Ok(())
}
