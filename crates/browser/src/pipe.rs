//! The protocol of the developer tools over a pair of pipes: messages in JSON that end with a zero byte.
use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::Duration,
};

use serde_json::{Value, json};
use tempfile::TempDir;

/// How long the browser may take for an answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser, and the way to it.
pub(crate) struct Pipe {
    child: Child,
    to: Option<ChildStdin>,
    from: Receiver<Value>,
    last: u64,
    /// What has happened.
    pub(crate) events: Vec<Value>,
    _profile: TempDir,
}

impl Pipe {
    pub(crate) fn start(program: &str) -> Self {
        let profile = TempDir::new().unwrap();
        // The browser reads commands from descriptor 3, and writes answers to 4.
        let mut child = Command::new("sh")
            .args([
                "-c",
                "exec \"$0\" \"$@\" 3<&0 4>&1 0</dev/null 1>&2",
                program,
            ])
            .args([
                "--headless",
                "--remote-debugging-pipe",
                "--no-first-run",
                "--disable-gpu",
            ])
            // The pages are those of the tests, and the sandbox does not run as root.
            .args([
                "--no-sandbox",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut answers = BufReader::new(child.stdout.take().unwrap());
        let (send, from) = mpsc::channel();
        thread::spawn(move || {
            let mut message = Vec::new();
            while matches!(answers.read_until(0, &mut message), Ok(length) if length > 0) {
                message.pop();
                let answer = serde_json::from_slice(&message).unwrap_or_default();
                if send.send(answer).is_err() {
                    break;
                }
                message.clear();
            }
        });
        Self {
            to: child.stdin.take(),
            child,
            from,
            last: 0,
            events: Vec::new(),
            _profile: profile,
        }
    }

    /// Calls a method, of a session or of the browser, and returns the result.
    pub(crate) fn call(&mut self, session: Option<&str>, method: &str, params: &Value) -> Value {
        self.last += 1;
        let mut message = json!({"id": self.last, "method": method, "params": params});
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.to.as_mut().unwrap().write_all(&bytes).unwrap();
        loop {
            let answer = self.next(method);
            if answer["id"] == self.last {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    /// Waits for an event, unless it has happened.
    pub(crate) fn wait(&mut self, method: &str) {
        if let Some(at) = self
            .events
            .iter()
            .position(|event| event["method"] == method)
        {
            self.events.remove(at);
            return;
        }
        loop {
            let event = self.next(method);
            if event["method"] == method {
                return;
            }
            self.events.push(event);
        }
    }

    fn next(&mut self, what: &str) -> Value {
        let answer = self.from.recv_timeout(PATIENCE);
        answer.unwrap_or_else(|error| panic!("the browser does not answer {what}: {error}"))
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        // The browser ends with its pipe.
        self.to.take();
        for _ in 0..50 {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
        _ = self.child.kill();
        _ = self.child.wait();
    }
}
