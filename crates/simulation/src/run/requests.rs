//! Appends the operator's requests to the file that `KUBE_CODEGEN_REQUESTS` names, for `kube-codegen rbac`.

use std::{
    collections::HashSet,
    env,
    fs::{File, OpenOptions},
    io::Write as _,
    sync::{Mutex, OnceLock, PoisonError},
};

use kube_codegen_testing::blocked_owners;
use serde_json::json;

use crate::request::Seen;

/// As the API server in memory, which records its requests itself.
const FILE: &str = "KUBE_CODEGEN_REQUESTS";

struct Requests {
    file: File,
    written: HashSet<String>,
}

/// Records an answered request; one that differs from an earlier one only by its time is left out.
pub(crate) fn record(seen: &Seen, status: u16) {
    static REQUESTS: OnceLock<Option<Mutex<Requests>>> = OnceLock::new();
    let Some(requests) = REQUESTS.get_or_init(open) else {
        return;
    };
    let line = json!({
        "verb": seen.verb,
        "group": seen.group,
        "resource": seen.resource,
        "subresource": seen.subresource,
        "namespace": seen.namespace,
        "name": seen.name,
        "status": status,
        "blockedOwners": blocked_owners(&seen.sent()),
    });
    let line = format!("{line}\n");
    let mut requests = requests.lock().unwrap_or_else(PoisonError::into_inner);
    if requests.written.contains(&line) {
        return;
    }
    if let Err(error) = requests.file.write_all(line.as_bytes()) {
        complain(&error);
    }
    requests.written.insert(line);
}

fn open() -> Option<Mutex<Requests>> {
    let path = env::var_os(FILE).filter(|path| !path.is_empty())?;
    let file = OpenOptions::new().create(true).append(true).open(path);
    let file = file.inspect_err(complain).ok()?;
    Some(Mutex::new(Requests {
        file,
        written: HashSet::new(),
    }))
}

/// A missing log does not fail the simulation.
fn complain(error: &std::io::Error) {
    eprintln!("cannot write the requests to the file of {FILE}: {error}");
}
