//! Keeps the newest requests, and appends the answered ones to the file that `KUBE_CODEGEN_REQUESTS` names.

use std::{
    collections::VecDeque,
    env,
    fs::{File, OpenOptions},
    io::Write as _,
};

use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::record::recorded::RecordedRequest;

/// Names the file of the request log.
const FILE: &str = "KUBE_CODEGEN_REQUESTS";
/// How many requests are kept by default.
const LIMIT: usize = 100_000;
/// How many requests are kept at least, until they are answered and written to the file.
const UNWRITTEN: usize = 4_096;

/// The recorded requests.
#[derive(Debug)]
pub(crate) struct RequestLog {
    kept: VecDeque<RecordedRequest>,
    /// The number of the first kept request.
    first: usize,
    limit: usize,
    file: Option<File>,
    followers: Vec<mpsc::UnboundedSender<RecordedRequest>>,
}

impl Default for RequestLog {
    fn default() -> Self {
        Self {
            kept: VecDeque::new(),
            first: 0,
            limit: LIMIT,
            file: open(),
            followers: Vec::new(),
        }
    }
}

impl RequestLog {
    /// Returns whether requests are recorded: with a limit of 0, only in the file, if there is one.
    pub(crate) fn is_kept(&self) -> bool {
        self.room() > 0
    }

    fn room(&self) -> usize {
        let unwritten = self.file.as_ref().map_or(0, |_| UNWRITTEN);
        self.limit.max(unwritten)
    }

    /// Adds a request and returns its number.
    pub(crate) fn add(&mut self, request: RecordedRequest) -> usize {
        self.kept.push_back(request);
        self.trim();
        self.first + self.kept.len() - 1
    }

    pub(crate) fn answered(
        &mut self,
        number: usize,
        status: u16,
        message: &str,
        denied: Option<&'static str>,
    ) {
        // The request may have been cleared in the meantime.
        let Some(request) = number
            .checked_sub(self.first)
            .and_then(|index| self.kept.get_mut(index))
        else {
            return;
        };
        request.status = status;
        message.clone_into(&mut request.message);
        request.denied = denied.is_some();
        request.verb = denied.unwrap_or(request.verb);
        self.followers
            .retain(|follower| follower.send(request.clone()).is_ok());
        if self.file.is_some() {
            let line = line(request);
            self.append(&line);
        }
    }

    /// Appends one line to the file, if there is one. One write per line keeps the lines of several processes apart.
    pub(crate) fn append(&mut self, line: &Value) {
        if let Some(file) = &mut self.file
            && let Err(error) = file.write_all(format!("{line}\n").as_bytes())
        {
            complain(&error);
            self.file = None;
        }
    }

    /// Returns the requests that are answered from now on.
    pub(crate) fn follow(&mut self) -> mpsc::UnboundedReceiver<RecordedRequest> {
        let (sender, receiver) = mpsc::unbounded_channel();
        self.followers.push(sender);
        receiver
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &RecordedRequest> {
        self.kept.iter()
    }

    pub(crate) fn clear(&mut self) {
        self.first += self.kept.len();
        self.kept.clear();
    }

    pub(crate) fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
        self.trim();
    }

    fn trim(&mut self) {
        while self.kept.len() > self.room() {
            self.kept.pop_front();
            self.first += 1;
        }
    }
}

fn open() -> Option<File> {
    let path = env::var_os(FILE).filter(|path| !path.is_empty())?;
    OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .inspect_err(complain)
        .ok()
}

/// A missing log does not fail the test that is recorded.
fn complain(error: &std::io::Error) {
    eprintln!("cannot write the requests to the file of {FILE}: {error}");
}

fn line(request: &RecordedRequest) -> Value {
    json!({
        "verb": request.verb,
        "group": request.group,
        "version": request.version,
        "resource": request.resource,
        "subresource": request.subresource,
        "namespaced": request.namespaced,
        "namespace": request.namespace,
        "name": request.name,
        "status": request.status,
        "userAgent": request.user_agent,
        "user": request.user,
        "blockedOwners": blocked_owners(&request.body),
    })
}

/// Returns kind and version of the owners whose deletion an object that is written blocks (`blockOwnerDeletion`). Where the admission plug-in
/// `OwnerReferencesPermissionEnforcement` is on, that needs a right which no request shows.
#[doc(hidden)]
#[must_use]
pub fn blocked_owners(written: &Value) -> Vec<Value> {
    let references = written.pointer("/metadata/ownerReferences");
    let references = references.and_then(Value::as_array).into_iter().flatten();
    references
        .filter(|owner| owner["blockOwnerDeletion"] == true)
        .map(|owner| json!({"apiVersion": owner["apiVersion"], "kind": owner["kind"]}))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_owners_whose_deletion_is_blocked_are_shown() {
        let owner = |kind: &str, blocks: Value| json!({"apiVersion": "a.com/v1", "kind": kind, "uid": "u", "blockOwnerDeletion": blocks});
        let references = [
            owner("A", json!(true)),
            owner("B", json!(false)),
            owner("C", Value::Null),
        ];
        let object = json!({"metadata": {"ownerReferences": references}});
        assert_eq!(
            blocked_owners(&object),
            [json!({"apiVersion": "a.com/v1", "kind": "A"})]
        );
        for other in [
            json!(null),
            json!([{"op": "add"}]),
            json!({"metadata": {"ownerReferences": "a"}}),
        ] {
            assert_eq!(blocked_owners(&other), [json!(null); 0]);
        }
    }
}
