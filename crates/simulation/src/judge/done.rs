//! Whether an operator does again what its own status calls done. One that keeps no such record may want a Job to run each time it is gone.

use serde_json::Value;

use crate::state::{State, text};

/// Words for work that has ended.
const DONE: &[&str] = &["done", "complete", "completed", "finished", "succeeded"];

/// Whether the object with this key exists, and the status of its owner says that its work is done.
pub(crate) fn done_again(state: &State, key: &str) -> bool {
    let owners = state
        .get(key)
        .and_then(|job| job.pointer("/metadata/ownerReferences")?.as_array());
    // In a state, the uid of an owner is its key.
    let owners = owners.into_iter().flatten().map(|it| text(it, "/uid"));
    let mut statuses = owners.filter_map(|owner| state.get(owner)?.get("status"));
    statuses.any(says_done)
}

/// Whether the object with this key is a Job that need not follow its owner: the cluster removes it when it has ended, or the status of its owner says
/// that its work is done.
pub(crate) fn runs_once(state: &State, key: &str) -> bool {
    let Some(job) = state.get(key).filter(|_| key.starts_with("batch/Job ")) else {
        return false;
    };
    job.pointer("/spec/ttlSecondsAfterFinished").is_some() || done_again(state, key)
}

fn says_done(status: &Value) -> bool {
    let is_done = |word: &str| DONE.contains(&word.to_lowercase().as_str());
    match status {
        Value::Object(fields) => {
            let is_condition = is_done(text(status, "/type")) && text(status, "/status") == "True";
            is_condition
                || fields.iter().any(|(name, value)| match value {
                    Value::Bool(value) => *value && is_done(name),
                    Value::String(word) => is_done(word) && name != "type",
                    value => says_done(value),
                })
        }
        Value::Array(items) => items.iter().any(says_done),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_status_says_that_work_is_done_in_a_few_ways() {
        for status in [
            json!({"done": true}),
            json!({"phase": "Succeeded"}),
            json!({"conditions": [{"type": "Complete", "status": "True"}]}),
        ] {
            assert!(says_done(&status), "{status}");
        }
        for status in [
            json!({"done": false, "ready": true}),
            json!({"phase": "Running", "succeeded": 1}),
            json!({"conditions": [{"type": "Complete", "status": "False"}]}),
        ] {
            assert!(!says_done(&status), "{status}");
        }
    }
}
