//! Sends requests and decodes the responses. No error and no log line shows the values of an object: it may be a Secret.
use crate::Object;
use kube::{Api, Client, core::Request, core::request};
use serde::{de::DeserializeOwned, de::Error as _};

/// What builds a request.
type Built = Result<http::Request<Vec<u8>>, request::Error>;

/// Sends a request to the collection of `api`.
pub(super) async fn send<K: Object<DynamicType = ()>, T: DeserializeOwned>(
    api: &Api<K>,
    verb: &'static str,
    build: impl FnOnce(Request) -> Built,
) -> kube::Result<T> {
    let mut request = build(Request::new(api.resource_url())).map_err(kube::Error::BuildRequest)?;
    // The name of kube's tracing span.
    request.extensions_mut().insert(verb);
    receive(&api.clone().into_client(), request, &K::kind(&())).await
}

/// Sends a request about an object of `kind`. `Client::request` logs the whole of a response that does not decode.
pub(crate) async fn receive<T: DeserializeOwned>(
    client: &Client,
    request: http::Request<Vec<u8>>,
    kind: &str,
) -> kube::Result<T> {
    let text = client.request_text(request).await?;
    serde_json::from_str(&text).map_err(|error| undecodable(kind, &error))
}

/// Returns the error of a client whose response does not decode.
pub(super) fn undecodable(kind: &str, error: &serde_json::Error) -> kube::Error {
    kube::Error::SerdeError(serde_json::Error::custom(message(kind, error)))
}

/// What a decoder finds instead of the expected type.
const FOUND: [&str; 12] = [
    "string",
    "integer",
    "floating point",
    "boolean",
    "character",
    "null",
    "sequence",
    "map",
    "unit value",
    "Option value",
    "byte array",
    "enum",
];

/// Returns the message of a decoder without the values of an object of `kind`.
pub(crate) fn message(kind: &str, error: &serde_json::Error) -> String {
    let text = without_values(&error.to_string());
    if !error.is_data() || is_public(kind, &text) {
        return text;
    }
    // The message of a type, such as a text in base64.
    let (line, column) = (error.line(), error.column());
    format!("a value is not valid at line {line} column {column}")
}

/// Returns the message about a field of an object that a user has sent, who may see its values, but for those of a Secret: rejections get into
/// logs.
#[cfg(feature = "webhook")]
pub(crate) fn field_message(kind: &str, text: String) -> String {
    if kind != "Secret" {
        return text;
    }
    let text = without_values(&text);
    if is_public(kind, &text) {
        return text;
    }
    "the value is not valid".to_owned()
}

fn is_public(kind: &str, text: &str) -> bool {
    kind != "Secret" || is_of_serde(text)
}

/// Whether serde made the message, which then has types and names of fields alone.
fn is_of_serde(text: &str) -> bool {
    let found = text
        .strip_prefix("invalid type: ")
        .or_else(|| text.strip_prefix("invalid value: "));
    let is_found = |found: &str| {
        let types = FOUND.iter().filter_map(|it| found.strip_prefix(it));
        types
            .into_iter()
            .any(|rest| rest.starts_with(", expected "))
    };
    found.is_some_and(is_found)
        || ["missing field `", "duplicate field `", "unknown variant, "]
            .iter()
            .any(|start| text.starts_with(start))
}

/// Removes the values from a message: serde has strings in quotes, and other values and variants between backticks.
pub(super) fn without_values(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    'text: while let Some(next) = rest.chars().next() {
        for found in FOUND.into_iter().chain(["unknown variant"]) {
            let after = rest.strip_prefix(found).and_then(|it| it.strip_prefix(' '));
            if let Some((after, length)) =
                after.and_then(|after| Some((after, value(after, found)?)))
            {
                out.push_str(found);
                rest = &after[length..];
                continue 'text;
            }
        }
        out.push(next);
        rest = &rest[next.len_utf8()..];
    }
    out
}

/// Returns the length of the value at the start of a text.
fn value(text: &str, found: &str) -> Option<usize> {
    if let Some(string) = text.strip_prefix('"') {
        let mut escaped = false;
        let end = string.find(|c| {
            let is_end = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            is_end
        });
        return Some(end.map_or(text.len(), |end| end + 2));
    }
    let inner = text.strip_prefix('`')?;
    let end = if found == "unknown variant" {
        // A variant that an object has may contain backticks.
        inner.rfind("`, expected ").or_else(|| inner.rfind('`'))
    } else {
        inner.find('`')
    };
    Some(end.map_or(text.len(), |end| end + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_types_and_no_values() {
        for (text, expected) in [
            (
                r#"invalid type: string "a\"b\\", expected u32 at line 1 column 3"#,
                "invalid type: string, expected u32 at line 1 column 3",
            ),
            (
                "invalid value: integer `-5`, expected u8",
                "invalid value: integer, expected u8",
            ),
            (
                "invalid type: boolean `true`, expected a map",
                "invalid type: boolean, expected a map",
            ),
            (
                "invalid type: floating point `1.5`, expected i32",
                "invalid type: floating point, expected i32",
            ),
            (
                "unknown variant `a`, expected `b`, expected `c`, expected one of `A`, `B`",
                "unknown variant, expected one of `A`, `B`",
            ),
            (
                r#"spec.a: invalid type: string "é", expected u32; b[0]: invalid value: string "x", expected A"#,
                "spec.a: invalid type: string, expected u32; b[0]: invalid value: string, expected A",
            ),
            ("missing field `name`", "missing field `name`"),
            (r#"invalid type: string "cut"#, "invalid type: string"),
        ] {
            assert_eq!(without_values(text), expected, "{text}");
        }
    }

    #[test]
    fn a_secret_shows_the_messages_of_serde_alone() {
        let error = |text: &str| serde_json::Error::custom(text);
        let encoding = error("Invalid symbol 33, offset 7. at line 2 column 5");
        assert_eq!(
            message("Secret", &encoding),
            "a value is not valid at line 2 column 5"
        );
        assert!(message("Widget", &encoding).starts_with("Invalid symbol"));
        let wrong = error("invalid type: sequence, expected a string");
        assert_eq!(message("Secret", &wrong), wrong.to_string());
        let own = error("invalid value: hunter2, expected other");
        assert!(!message("Secret", &own).contains("hunter2"));
    }
}
