//! Reads a line of an operator's output: which object it is about, and whether a reconcile starts or ends there.

use serde_json::Value;

/// The target of the lines that mark reconciles, in the runtime.
const WORKER: &str = "kube_codegen_runtime::controller::worker";

/// What a line says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// The name of a kind, and namespace and name of an object.
    pub(crate) object: Option<(String, String)>,
    pub(super) mark: Option<Mark>,
    /// Whether it reports a failure.
    pub(crate) failed: bool,
}

/// The start of a reconcile, or how it ended and how many microseconds it took.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Start,
    End(&'static str, u64),
}

/// How a reconcile ends, as the runtime's worker logs it.
const OUTCOMES: [&str; 5] = ["succeeded", GONE, "failed", "panicked", "timed out"];

/// Somebody deleted the object meanwhile; what is there now is reconciled at once.
const GONE: &str = "found its object gone";

impl Mark {
    /// Whether it ends a reconcile that has to be tried again.
    pub(super) fn is_failure(&self) -> bool {
        matches!(self, Self::End(outcome, _) if !matches!(*outcome, "succeeded" | GONE))
    }
}

impl Line {
    /// Reads a line in one of the formats of `tracing_subscriber`: text or JSON.
    pub(crate) fn read(text: &str) -> Self {
        if text.starts_with('{')
            && let Ok(value) = serde_json::from_str::<Value>(text)
        {
            return Self::json(&value);
        }
        let level = text.split_whitespace().take(2).last().unwrap_or_default();
        let failed = is_failure(level) || text.starts_with("thread '") && text.contains("panicked");
        let Some((_, after)) = text.split_once("reconcile{kind=") else {
            return Self {
                object: None,
                mark: None,
                failed,
            };
        };
        let object = after
            .split_once('}')
            .and_then(|(fields, _)| fields.split_once(" object="))
            .map(|(kind, key)| (kind.to_owned(), key.to_owned()));
        let message = after.rsplit_once(&format!(" {WORKER}: "));
        Self {
            mark: message
                .filter(|_| level == "DEBUG")
                .and_then(|(_, message)| mark(message)),
            object,
            failed,
        }
    }

    fn json(line: &Value) -> Self {
        let mut spans = line["spans"].as_array().into_iter().flatten();
        let span = spans
            .find(|it| it["name"] == "reconcile")
            .unwrap_or(&line["span"]);
        let field = |name: &str| span[name].as_str().map(str::to_owned);
        let is_mark = line["target"] == WORKER && line["level"] == "DEBUG";
        let message = line["fields"]["message"].as_str().unwrap_or_default();
        Self {
            object: field("kind").zip(field("object")),
            mark: is_mark.then(|| mark(message)).flatten(),
            failed: is_failure(line["level"].as_str().unwrap_or_default()),
        }
    }
}

fn is_failure(level: &str) -> bool {
    matches!(level, "WARN" | "ERROR")
}

fn mark(message: &str) -> Option<Mark> {
    if message == "starts" {
        return Some(Mark::Start);
    }
    let (outcome, took) = message.strip_suffix(" µs")?.split_once(" after ")?;
    let outcome = OUTCOMES.iter().find(|known| **known == outcome)?;
    Some(Mark::End(outcome, took.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_both_formats_are_read() {
        let object = || Some(("Foo.example.com".to_owned(), "default/a".to_owned()));
        let text = |level: &str, rest: &str| {
            Line::read(&format!(
                "2026-11-24T17:18:27.1Z {level} reconcile{{kind=Foo.example.com object=default/a}}: {rest}"
            ))
        };
        let line = |mark, failed| Line {
            object: object(),
            mark,
            failed,
        };
        let starts = format!("{WORKER}: starts");
        assert_eq!(text("DEBUG", &starts), line(Some(Mark::Start), false));
        assert_eq!(
            text("DEBUG", &format!("{WORKER}: timed out after 12 µs")),
            line(Some(Mark::End("timed out", 12)), false)
        );
        assert_eq!(
            text(
                "DEBUG",
                &format!("{WORKER}: found its object gone after 7 µs")
            ),
            line(Some(Mark::End("found its object gone", 7)), false)
        );
        for (mark, is_failure) in [
            (Mark::Start, false),
            (Mark::End("succeeded", 1), false),
            (Mark::End(GONE, 1), false),
            (Mark::End("failed", 1), true),
            (Mark::End("panicked", 1), true),
            (Mark::End("timed out", 1), true),
        ] {
            assert_eq!(mark.is_failure(), is_failure, "{mark:?}");
        }
        // What an operator logs itself marks nothing.
        assert_eq!(text(" INFO", &starts), line(None, false));
        assert_eq!(text("DEBUG", "my::worker: starts"), line(None, false));
        assert_eq!(text(" WARN", "my: oops"), line(None, true));
        let json = format!(
            r#"{{"level":"DEBUG","fields":{{"message":"succeeded after 3 µs"}},"target":"{WORKER}","span":{{"name":"inner"}},"spans":[{{"name":"reconcile","kind":"Foo.example.com","object":"default/a"}}]}}"#
        );
        assert_eq!(
            Line::read(&json),
            line(Some(Mark::End("succeeded", 3)), false)
        );
        for other in [
            "",
            "{",
            "reconcile{kind=",
            "reconcile{kind=a object=b",
            "{}",
        ] {
            assert_eq!(Line::read(other).mark, None, "{other}");
        }
    }
}
