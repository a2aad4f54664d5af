//! Says which RBAC rule a request lacks.

use std::{fs, path::Path};

use kube_codegen_testing::RecordedRequest;
use serde_json::{Value, json};

/// Returns the rule that allows a request, as it is written in a Role.
fn rule(request: &RecordedRequest) -> Value {
    let resource = request.rule_resource();
    json!({"apiGroups": [request.group], "resources": [resource], "verbs": [request.verb]})
}

/// Returns who lacks which rule, and what to do about it.
pub(super) fn missing(request: &RecordedRequest, measures: bool) -> String {
    let (rule, user) = (rule(request), &request.user);
    let who = match user.strip_prefix("system:serviceaccount:") {
        Some(account) => format!("serviceaccount {}", account.replacen(':', "/", 1)),
        None => user.clone(),
    };
    let todo = if measures {
        "run `make rbac`"
    } else {
        "add it to a role of the account"
    };
    format!("{who} lacks the rule {rule}; {todo}")
}

/// Returns whether the operator in a directory has the scaffold's target that measures its permissions.
pub(super) fn are_measured(directory: &Path) -> bool {
    let makefile = fs::read_to_string(directory.join("Makefile"));
    makefile.is_ok_and(|text| text.lines().any(|line| line.starts_with("rbac:")))
}
