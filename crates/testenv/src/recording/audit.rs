//! A request in the API server's audit log: who made it, and what it is in the picture.

use std::time::Duration;

use k8s_openapi::jiff::Timestamp;
use kube_codegen_look::picture::{Look, Parties, Sign, Step};
use serde_json::Value;

/// Who makes a request.
#[derive(Debug, PartialEq, Eq)]
enum Who {
    /// The test, or kubectl for it.
    User,
    /// A program under a service account.
    Operator(String),
    /// A controller of the cluster.
    Cluster,
}

#[derive(Debug)]
pub(super) struct Request {
    pub(super) at: Timestamp,
    took: Duration,
    who: Who,
    verb: String,
    /// The resource, and the name of the object.
    what: String,
    code: u64,
    message: String,
    is_lease: bool,
}

impl Request {
    /// Reads a line of the log; of a watch, the one at its start.
    pub(super) fn read(line: &[u8]) -> Option<Self> {
        let line: Value = serde_json::from_slice(line).ok()?;
        let text = |pointer: &str| {
            let found = line.pointer(pointer).and_then(Value::as_str);
            found.unwrap_or_default()
        };
        let verb = text("/verb");
        let stage = if verb == "watch" {
            "ResponseStarted"
        } else {
            "ResponseComplete"
        };
        if text("/stage") != stage {
            return None;
        }
        let at: Timestamp = text("/requestReceivedTimestamp").parse().ok()?;
        let end: Timestamp = text("/stageTimestamp").parse().unwrap_or(at);
        let path = ["/objectRef/namespace", "/objectRef/name"].map(text);
        let path = path.into_iter().filter(|it| !it.is_empty());
        let resource = match text("/objectRef/subresource") {
            "" => text("/objectRef/resource").to_owned(),
            sub => format!("{}/{sub}", text("/objectRef/resource")),
        };
        let place = path.collect::<Vec<_>>().join("/");
        Some(Self {
            at,
            took: Duration::try_from(end.duration_since(at)).unwrap_or_default(),
            who: who(text("/user/username"), text("/userAgent")),
            verb: verb.to_owned(),
            what: format!("{resource} {place}").trim_end().to_owned(),
            code: line.pointer("/responseStatus/code")?.as_u64()?,
            message: text("/responseStatus/message").to_owned(),
            is_lease: text("/objectRef/resource") == "leases",
        })
    }

    fn failed(&self) -> bool {
        // Programs ask for what does not exist yet.
        self.code >= 400 && !(self.code == 404 && self.verb == "get")
    }

    /// Whether it is in the picture: renewals of Leases and reads of controllers say nothing.
    pub(super) fn is_shown(&self) -> bool {
        let is_read = matches!(self.verb.as_str(), "get" | "list" | "watch");
        match self.who {
            Who::Cluster => !is_read,
            _ => self.failed() || !self.is_lease || self.verb == "create",
        }
    }

    pub(super) fn step(&self, parties: &Parties, operators: &[String]) -> Step {
        let look = |own| if self.failed() { Look::Bad } else { own };
        let (who, from, look) = match &self.who {
            Who::User => ("user", parties.user(), look(Look::User)),
            Who::Cluster => ("cluster", parties.cluster(), look(Look::Cluster)),
            Who::Operator(name) => {
                let index = operators.iter().position(|it| it == name);
                let lane = parties.operator(index.unwrap_or(0));
                (name.as_str(), lane, look(Look::Good))
            }
        };
        let Self {
            verb,
            what,
            code,
            message,
            took,
            ..
        } = self;
        let text = format!("{verb} {what}: {code} {message}");
        Step {
            who: who.to_owned(),
            text: format!("{} ({took:.1?})", text.trim_end()),
            // A controller that meets a conflict tries again.
            fault: self.failed() && self.who != Who::Cluster,
            sign: Sign::Arrow {
                from,
                to: parties.server(),
                look,
                answered: true,
            },
            ..Step::default()
        }
    }
}

/// Returns who has this name and user agent.
fn who(user: &str, agent: &str) -> Who {
    let account = user.strip_prefix("system:serviceaccount:");
    match account.and_then(|it| it.split_once(':')) {
        Some(("kube-system", _)) => Who::Cluster,
        Some((_, name)) => Who::Operator(name.to_owned()),
        None if agent.starts_with("controllers/") || user.starts_with("system:") => Who::Cluster,
        None => Who::User,
    }
}

/// Returns the names of the programs under service accounts, in the order in which they appear.
pub(super) fn operators(requests: &[Request]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for request in requests {
        if let Who::Operator(name) = &request.who
            && !names.contains(name)
        {
            names.push(name.clone());
        }
    }
    names
}
