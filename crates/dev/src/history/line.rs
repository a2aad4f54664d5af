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
    /// What it says about the failure of a reconcile, without time, level, span and target.
    pub(crate) message: Option<String>,
}

/// The start of a reconcile, or its end.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Start,
    End {
        /// How it ended, in a word or two.
        outcome: String,
        microseconds: u64,
        /// Whether it has to be tried again.
        failed: bool,
    },
}

impl Mark {
    /// Reads the fields that the runtime's worker logs.
    fn of(field: impl Fn(&str) -> Option<String>) -> Option<Self> {
        match field("phase")?.as_str() {
            "start" => Some(Self::Start),
            "end" => Some(Self::End {
                outcome: field("outcome")?,
                microseconds: field("microseconds")?.parse().ok()?,
                failed: field("failed")?.parse().ok()?,
            }),
            _ => None,
        }
    }

    /// Whether it ends a reconcile that has to be tried again.
    pub(super) fn is_failure(&self) -> bool {
        matches!(self, Self::End { failed: true, .. })
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
                message: None,
            };
        };
        let object = after
            .split_once('}')
            .and_then(|(fields, _)| fields.split_once(" object="))
            .map(|(kind, key)| (kind.to_owned(), key.to_owned()));
        let said = after
            .split_once("}: ")
            .and_then(|(_, rest)| rest.split_once(": "));
        let message = said
            .filter(|_| failed)
            .map(|(_, said)| reason(said).to_owned());
        let mark = after.rsplit_once(&format!(" {WORKER}: "));
        Self {
            mark: mark
                .filter(|_| level == "DEBUG")
                .and_then(|(_, message)| Mark::of(|name| field(message, name))),
            object,
            failed,
            message,
        }
    }

    fn json(line: &Value) -> Self {
        let mut spans = line["spans"].as_array().into_iter().flatten();
        let span = spans
            .find(|it| it["name"] == "reconcile")
            .unwrap_or(&line["span"]);
        let text = |value: &Value| match value {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        };
        let field = |name: &str| text(&span[name]);
        let failed = is_failure(line["level"].as_str().unwrap_or_default());
        let is_mark = line["target"] == WORKER && line["level"] == "DEBUG";
        Self {
            object: field("kind").zip(field("object")),
            mark: is_mark
                .then(|| Mark::of(|name| text(&line["fields"][name])))
                .flatten(),
            failed,
            message: text(&line["fields"]["message"])
                .filter(|_| failed)
                .map(|it| reason(&it).to_owned()),
        }
    }
}

/// Leaves out what the runtime says before the error.
fn reason(message: &str) -> &str {
    message
        .strip_prefix("reconcile failed: ")
        .unwrap_or(message)
}

fn is_failure(level: &str) -> bool {
    matches!(level, "WARN" | "ERROR")
}

/// The value of a field after the message of a line: `NAME=VALUE` or `NAME="VALUE"`.
fn field(line: &str, name: &str) -> Option<String> {
    let (_, value) = line.split_once(&format!(" {name}="))?;
    let value = match value.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"')?.0,
        None => value.split(' ').next()?,
    };
    Some(value.to_owned())
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
            message: None,
        };
        let end = |outcome: &str, microseconds, failed| Mark::End {
            outcome: outcome.to_owned(),
            microseconds,
            failed,
        };
        let starts = format!("{WORKER}: starts phase=\"start\"");
        assert_eq!(text("DEBUG", &starts), line(Some(Mark::Start), false));
        for (outcome, failed) in [("timed out", true), ("succeeded", false)] {
            let ends = format!(
                "{WORKER}: ends phase=\"end\" outcome=\"{outcome}\" failed={failed} microseconds=12"
            );
            let mark = end(outcome, 12, failed);
            assert_eq!(mark.is_failure(), failed);
            assert_eq!(text("DEBUG", &ends), line(Some(mark), false));
        }
        // What an operator logs itself marks nothing.
        assert_eq!(text(" INFO", &starts), line(None, false));
        assert_eq!(text("DEBUG", "my::worker: starts"), line(None, false));
        let oops = || Line {
            message: Some("oops: 1".to_owned()),
            ..line(None, true)
        };
        assert_eq!(text(" WARN", "my: oops: 1"), oops());
        assert_eq!(text(" WARN", "my: reconcile failed: oops: 1"), oops());
        let json = format!(
            r#"{{"level":"DEBUG","fields":{{"message":"ends","phase":"end","outcome":"succeeded","failed":false,"microseconds":3}},"target":"{WORKER}","span":{{"name":"inner"}},"spans":[{{"name":"reconcile","kind":"Foo.example.com","object":"default/a"}}]}}"#
        );
        assert_eq!(
            Line::read(&json),
            line(Some(end("succeeded", 3, false)), false)
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
