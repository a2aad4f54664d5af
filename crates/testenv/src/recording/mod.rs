//! Records what happens on a control plane, and draws it when a test fails: the requests in the API server's audit log, the faults of proxies, and
//! the starts and ends of processes.

mod audit;

use std::{
    fs::{self, File},
    io::{Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use k8s_openapi::jiff::Timestamp;
use kube_codegen_look::picture::{Look, Parties, Picture, Row, Sign, Step, legend};

use audit::Request;

/// Rows at most: the newest.
const ROWS: usize = 2_000;
/// Bytes of the audit log that are read: the newest.
const BYTES: u64 = 16 * 1024 * 1024;

/// Which requests the API server records: no bodies, and not what it asks itself.
pub(crate) const POLICY: &str = "\
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: None
  users: [\"system:apiserver\"]
- level: None
  nonResourceURLs: [\"*\"]
- level: None
  resources: [{group: coordination.k8s.io, resources: [leases]}]
  verbs: [get, list, watch]
- level: Metadata
";

/// What this process has done.
#[derive(Debug)]
struct Note {
    at: Timestamp,
    /// A process, or nothing for a fault.
    process: Option<String>,
    text: String,
    failed: bool,
}

/// The record of a control plane.
#[derive(Debug)]
pub(crate) struct Recording {
    started: Timestamp,
    notes: Mutex<Vec<Note>>,
    logs: PathBuf,
}

impl Recording {
    /// Starts the record of a control plane whose logs are in this folder.
    pub(crate) fn new(logs: PathBuf) -> Self {
        Self {
            started: Timestamp::now(),
            notes: Mutex::default(),
            logs,
        }
    }

    fn add(&self, process: Option<&str>, text: String, failed: bool) {
        let note = Note {
            at: Timestamp::now(),
            process: process.map(str::to_owned),
            text,
            failed,
        };
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        let mut before = notes.iter().rev();
        let last = before.find(|it| it.process == note.process);
        // Whoever waits for the end of a process learns of it again and again.
        if note.process.is_some() && last.is_some_and(|last| last.text == note.text) {
            return;
        }
        notes.push(note);
        // Whoever injects that many faults sees the newest.
        if notes.len() > 2 * ROWS {
            notes.drain(..ROWS);
        }
    }

    /// Records what happens to a process.
    pub(crate) fn process(&self, name: &str, text: impl Into<String>, failed: bool) {
        self.add(Some(name), text.into(), failed);
    }

    /// Records a fault that is injected.
    pub(crate) fn fault(&self, text: String) {
        self.add(None, text, true);
    }

    /// Writes the picture beside the logs, and returns its name. `failure` says why the test failed.
    pub(crate) fn draw(&self, failure: &str) -> Option<&'static str> {
        const NAME: &str = "run.html";
        let requests = requests(&self.logs.join("audit.log"));
        let page = self.picture(&requests, failure).html();
        fs::write(self.logs.join(NAME), page).ok().map(|()| NAME)
    }

    fn picture(&self, requests: &[Request], failure: &str) -> Picture {
        let operators = audit::operators(requests);
        let names = if operators.is_empty() {
            vec!["operator".to_owned()]
        } else {
            operators.clone()
        };
        let parties = Parties::new(names, true);
        let lane = |name: &str| operators.iter().position(|it| it == name);
        let mut rows: Vec<(Timestamp, Step)> = requests
            .iter()
            .filter(|request| request.is_shown())
            .map(|request| (request.at, request.step(&parties, &operators)))
            .collect();
        let notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        rows.extend(notes.iter().map(|note| {
            let look = if note.failed { Look::Bad } else { Look::Good };
            let server = parties.server();
            let sign = match note.process.as_deref() {
                None => Sign::Bolt { at: server },
                Some(name) => {
                    let at = lane(name).map_or(server, |index| parties.operator(index));
                    Sign::Dot { at, look }
                }
            };
            let step = Step {
                who: note.process.clone().unwrap_or_else(|| "fault".to_owned()),
                text: note.text.clone(),
                fault: note.failed,
                sign,
                ..Step::default()
            };
            (note.at, step)
        }));
        drop(notes);
        rows.sort_by_key(|(at, _)| *at);
        let before = rows.len().saturating_sub(ROWS);
        let rows = rows.into_iter().skip(before).map(|(at, step)| Row {
            at: Duration::try_from(at.duration_since(self.started)).unwrap_or_default(),
            left: Some(step),
            ..Row::default()
        });
        let mut picture = Picture {
            about: "End-to-end test".to_owned(),
            title: failure.lines().next().unwrap_or_default().to_owned(),
            lanes: parties.lanes(),
            legend: legend(&[]),
            heads: vec![String::new()],
            rows: rows.collect(),
            before,
            text: failure.to_owned(),
            ..Picture::default()
        };
        picture.sections = picture.failures();
        picture
    }
}

/// Reads the newest requests of an audit log; without one there are none.
fn requests(log: &Path) -> Vec<Request> {
    let read = || -> std::io::Result<Vec<u8>> {
        let mut file = File::open(log)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(BYTES)))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = read().unwrap_or_default();
    // The first line may be the rest of one.
    let lines = bytes.split(|byte| *byte == b'\n');
    lines.filter_map(Request::read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(user: &str, agent: &str, verb: &str, code: u16, second: u8) -> String {
        format!(
            r#"{{"stage":"ResponseComplete","verb":"{verb}","user":{{"username":"{user}"}},"userAgent":"{agent}","objectRef":{{"resource":"pods","namespace":"a","name":"<b>"}},"responseStatus":{{"code":{code}}},"requestReceivedTimestamp":"2026-01-01T00:00:0{second}.000000Z","stageTimestamp":"2026-01-01T00:00:0{second}.001500Z"}}"#
        )
    }

    #[test]
    fn requests_faults_and_processes_are_drawn() {
        let folder = tempfile::TempDir::new().unwrap();
        let operator = "system:serviceaccount:foo-system:foo-operator";
        let log = [
            line("admin", "kubectl/v1.37", "create", 201, 1),
            line(operator, "foo/1", "patch", 409, 2),
            line("admin", "controllers/v1.37", "update", 200, 3),
            line("admin", "controllers/v1.37", "list", 200, 4),
            "half a line".to_owned(),
        ];
        fs::write(folder.path().join("audit.log"), log.join("\n")).unwrap();
        let recording = Recording::new(folder.path().to_owned());
        recording.process("foo-operator", "starts", false);
        recording.fault("GET /api/v1/pods: Gone".to_owned());
        assert_eq!(recording.draw("not <i>done</i>\nmore"), Some("run.html"));
        let page = fs::read_to_string(folder.path().join("run.html")).unwrap();
        let lanes = ["foo-operator", "cache", "server", "cluster"];
        for text in lanes.into_iter().chain([
            "<h1>not &lt;i&gt;done&lt;/i&gt;</h1>",
            "<b>user</b> create pods a/&lt;b&gt;: 201",
            "<b>foo-operator</b> patch pods a/&lt;b&gt;: 409 (1.5ms)",
            "<b>cluster</b> update pods",
            "<b>foo-operator</b> starts",
            "class=\"bolt\"",
        ]) {
            assert!(page.contains(text), "{text} is not in {page}");
        }
        assert!(!page.contains("list pods"), "reads of controllers");
        assert_eq!(page.matches("class=\"step").count(), 1 + 5, "{page}");
    }
}
