//! Runs the fuzz targets of clients and webhooks on a stable compiler, with a fixed number of mutations of good answers and reviews.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::default_trait_access,
    unreachable_pub
)]
#[path = "../../../fuzz/src/answers.rs"]
mod answers;
#[path = "../../../fuzz/src/values.rs"]
mod values;
#[cfg(feature = "webhook")]
#[path = "../../../fuzz/src/webhooks.rs"]
mod webhooks;
#[path = "../../../fuzz/src/words.rs"]
mod words;

use std::env;

/// Mutations of the answers and of each review, each applied to the one before.
const ROUNDS: u64 = 400;

fn variable(name: &str, default: u64) -> u64 {
    let given = env::var(name).ok();
    given.and_then(|it| it.parse().ok()).unwrap_or(default)
}

/// `KUBE_CODEGEN_FUZZ_SEED` selects other mutations, `KUBE_CODEGEN_FUZZ_ROUNDS` their number.
fn seeds() -> impl Iterator<Item = u64> {
    let seed = variable("KUBE_CODEGEN_FUZZ_SEED", 0) << 32;
    (0..variable("KUBE_CODEGEN_FUZZ_ROUNDS", ROUNDS)).map(move |round| seed | round)
}

#[tokio::test(start_paused = true)]
async fn informers_and_clients_survive_any_answer() {
    let good: Vec<&[u8]> = answers::ANSWERS.iter().map(|it| it.as_bytes()).collect();
    let good = good.join(answers::END);
    answers::answers(&good).await;
    let mut input = good.clone();
    for seed in seeds() {
        // What has lost its form begins again.
        if seed % 16 == 0 {
            input.clone_from(&good);
        }
        input = answers::mutate(&input, seed);
        answers::answers(&input).await;
    }
}

#[cfg(feature = "webhook")]
#[test]
fn webhooks_answer_any_review() {
    let mut answered = 0;
    for review in webhooks::REVIEWS {
        assert!(webhooks::reviews(review) > 0, "{review}");
        let mut text = (*review).to_owned();
        for seed in seeds() {
            if seed % 8 == 0 {
                text = (*review).to_owned();
            }
            text = webhooks::mutate(&text, seed);
            answered += webhooks::reviews(&text);
        }
    }
    assert!(answered > 200, "{answered}");
}
