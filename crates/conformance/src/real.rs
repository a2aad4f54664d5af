//! Runs scripts against a real server.

use futures::{StreamExt as _, TryStreamExt as _, stream};
use kube_codegen_testenv::{ControlPlane, Namespace};
use testresult::TestResult;

use crate::{Answer, Script, Session, definitions};

/// Scripts that set defaults for all namespaces, which the objects of others would get.
const ALONE: [&str; 1] = ["admit"];
/// How many scripts run at once. Most of a script is waiting until the server has noticed a change.
const AT_ONCE: usize = 8;

/// Returns the answers of a real server to each script. Scripts run at the same time, each in a namespace of its own.
pub async fn answers(
    plane: &ControlPlane,
    scripts: Vec<Script>,
) -> TestResult<Vec<(Script, Vec<Answer>)>> {
    let mut pairs = Vec::new();
    for script in scripts {
        pairs.push((plane.namespace(&script.name).await?, script));
    }
    // From here on, nothing but requests changes objects.
    plane.controllers()?.kill();
    let definer = Session::with(plane, "default")?;
    for definition in definitions()? {
        definer.define(&definition).await?;
    }
    // The longest first; what remains at the end is short.
    pairs.sort_by_key(|(_, script)| std::cmp::Reverse(waits(script)));
    let (alone, others): (Vec<_>, Vec<_>) = pairs
        .into_iter()
        .partition(|(_, script)| ALONE.contains(&script.name.as_str()));
    let mut all = Vec::new();
    for (pairs, at_once) in [(alone, 1), (others, AT_ONCE)] {
        let runs = stream::iter(pairs).map(|(namespace, script)| run(plane, namespace, script));
        let answers: Vec<_> = runs.buffer_unordered(at_once).try_collect().await?;
        all.extend(answers);
    }
    all.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name));
    Ok(all)
}

/// Returns how many milliseconds a script waits.
fn waits(script: &Script) -> u64 {
    script.steps.iter().filter_map(|step| step.after).sum()
}

async fn run(
    plane: &ControlPlane,
    namespace: Namespace,
    script: Script,
) -> TestResult<(Script, Vec<Answer>)> {
    let mut session = Session::with(plane, namespace.name())?;
    let mut answers = Vec::new();
    for step in &script.steps {
        answers.push(session.run(step).await?);
    }
    Ok((script, answers))
}
