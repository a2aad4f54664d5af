//! Logs the warnings of the API server, as client-go does.
use std::{collections::HashSet, sync::LazyLock};

use http::{HeaderMap, header::WARNING};
use parking_lot::Mutex;
use tracing::warn;

/// Number of different warnings that are remembered. Later ones are logged each time.
const REMEMBERED: usize = 1000;

/// Logs each text of the `Warning` headers once per process.
///
/// The API server warns of deprecated versions and fields, of unknown fields, and of what an admission policy reports
/// ([Kubernetes](https://kubernetes.io/docs/reference/using-api/api-concepts/#warning-headers)).
pub(super) fn log(headers: &HeaderMap) {
    static LOGGED: LazyLock<Mutex<HashSet<String>>> = LazyLock::new(Mutex::default);
    for value in headers.get_all(WARNING) {
        let Some(text) = value.to_str().ok().and_then(text) else {
            continue;
        };
        let mut logged = LOGGED.lock();
        let is_new = !logged.contains(&text);
        if is_new {
            warn!("the API server warns: {text}");
        }
        if is_new && logged.len() < REMEMBERED {
            logged.insert(text);
        }
    }
}

/// Returns the text of a warning: `299 - "text"` (RFC 7234, section 5.5), in which backslashes escape.
fn text(value: &str) -> Option<String> {
    let quoted = value.strip_prefix("299 ")?.split_once(" \"")?.1;
    let mut text = String::new();
    let mut rest = quoted.chars();
    loop {
        match rest.next()? {
            '"' => return Some(text),
            '\\' => text.push(rest.next()?),
            other => text.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_warning_is_between_the_quotes() {
        let agent = r#"299 - "v1 ComponentStatus is deprecated in v1.19+""#;
        assert_eq!(
            text(agent).as_deref(),
            Some("v1 ComponentStatus is deprecated in v1.19+")
        );
        assert_eq!(
            text(r#"299 kube "unknown field \"spec.a\\b\"" "date""#).as_deref(),
            Some(r#"unknown field "spec.a\b""#)
        );
        for other in ["", "299", "199 - \"x\"", "299 - \"x", "299 - x"] {
            assert_eq!(text(other), None, "{other}");
        }
    }
}
