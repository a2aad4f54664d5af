//! Jobs: Pods until enough have succeeded, or too many have failed.

use serde_json::{Value, json};

use super::{
    events::Source,
    pass::{Pass, active, condition, number, pod_of, ready, without_zeros},
};
use crate::values::object::{self, at, flag, list, now, text};

const CONTROLLER: &str = "job-controller";

pub(super) fn run(pass: &mut Pass<'_>) {
    for job in pass.list("batch/v1", "Job") {
        let finished = list(&job, "/status/conditions").iter().any(|it| {
            matches!(text(it, "/type"), "Complete" | "Failed") && text(it, "/status") == "True"
        });
        if !finished {
            reconcile(pass, &job);
        }
    }
}

fn reconcile(pass: &mut Pass<'_>, job: &Value) {
    let parallelism = at(job, "/spec/parallelism").as_i64().unwrap_or(1);
    let completions = at(job, "/spec/completions").as_i64();
    let count = |pods: &[std::sync::Arc<Value>], phase: &str| {
        let with = pods
            .iter()
            .filter(|pod| text(pod, "/status/phase") == phase);
        i64::try_from(with.count()).unwrap_or(i64::MAX)
    };
    let pods = pass.owned(job, "Pod");
    // A Pod that was counted may be deleted, and the server rejects a counter that falls.
    let counted = |phase: &str, counter: &str| count(&pods, phase).max(number(job, counter));
    let succeeded = counted("Succeeded", "/status/succeeded");
    let failed = counted("Failed", "/status/failed");
    let running = i64::try_from(pods.iter().filter(|pod| active(pod)).count()).unwrap_or_default();
    let limit = at(job, "/spec/backoffLimit").as_i64().unwrap_or(6);
    let too_many = failed > limit;
    // Without `completions`, one success ends the Job when the other Pods have ended.
    let complete = completions.map_or(succeeded > 0 && running == 0, |wanted| succeeded >= wanted);
    let suspended = flag(job, "/spec/suspend");
    let wanted = match completions {
        _ if too_many || complete || suspended => 0,
        None if succeeded > 0 => running,
        None => parallelism,
        Some(completions) => parallelism.min(completions - succeeded),
    };
    for _ in running..wanted {
        let pod = pod_of(job, at(job, "/spec/template"));
        if !pass.create_pod(CONTROLLER, job, &pod) {
            break;
        }
    }
    let extra = usize::try_from(running - wanted).unwrap_or_default();
    for pod in pods.iter().filter(|pod| active(pod)).take(extra) {
        pass.delete_pod(CONTROLLER, job, pod);
    }

    let pods = pass.owned(job, "Pod");
    let mut status = without_zeros(json!({
        "active": pods.iter().filter(|pod| active(pod)).count(),
        "succeeded": succeeded,
        "failed": failed,
    }));
    status["ready"] = pods
        .iter()
        .filter(|pod| active(pod) && ready(pod))
        .count()
        .into();
    status["terminating"] = 0.into();
    status["uncountedTerminatedPods"] = json!({});
    // A Job that has ended has a start, even if it is suspended by now.
    if !suspended || complete || too_many {
        status["startTime"] = match at(job, "/status/startTime") {
            Value::Null => now(),
            time => time.clone(),
        };
    }
    let end = |name: &str, reason: &str, message: &str| {
        let mut conditions = Vec::new();
        let early = if name == "Complete" {
            "SuccessCriteriaMet"
        } else {
            "FailureTarget"
        };
        for name in [early, name] {
            let mut condition = condition(name, true, reason, message);
            condition["lastProbeTime"] = now();
            conditions.push(condition);
        }
        conditions
    };
    let source = Source::Controller(CONTROLLER);
    if complete {
        let message = "Reached expected number of succeeded pods";
        status["conditions"] = end("Complete", "CompletionsReached", message).into();
        status["completionTime"] = now();
        pass.normal(source, job, "Completed", "Job completed");
    } else if too_many {
        let message = "Job has reached the specified backoff limit";
        status["conditions"] = end("Failed", "BackoffLimitExceeded", message).into();
        pass.warning(source, job, "BackoffLimitExceeded", message);
    } else if suspended {
        let mut condition = condition("Suspended", true, "JobSuspended", "Job suspended");
        condition["lastProbeTime"] = now();
        status["conditions"] = json!([condition]);
        let is_new = list(job, "/status/conditions").is_empty();
        if is_new {
            pass.normal(source, job, "Suspended", "Job suspended");
        }
    }
    if object::uid(job).is_empty() {
        return;
    }
    pass.set_status(job, status);
}
