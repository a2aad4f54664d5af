//! Decodes lists and watches one object at a time, so that one bad object does not affect the others.
use std::collections::BTreeMap;

use kube::core::Status;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{
    cache::{Object, ObjectKey},
    informer::error::DecodeError,
};

/// A received object, or why it does not decode.
pub(super) type Decoded<K> = Result<K, Box<DecodeError>>;

/// The body of a LIST. Its objects are not decoded yet.
#[derive(Deserialize)]
pub(super) struct List<'a> {
    #[serde(default)]
    pub metadata: ListMeta,
    #[serde(borrow, default)]
    pub items: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ListMeta {
    pub resource_version: Option<String>,
    #[serde(rename = "continue")]
    pub continue_: Option<String>,
}

/// One line of a WATCH.
pub(super) enum Frame<'a> {
    /// ADDED or MODIFIED; the store of the informer knows which.
    Applied(&'a RawValue),
    /// DELETED, with the final state.
    Deleted(&'a RawValue),
    /// BOOKMARK: the server has sent all changes up to `version`; `initial_end` closes a streaming list.
    Bookmark { version: String, initial_end: bool },
    /// ERROR: the server ends the watch.
    Error(Box<Status>),
    /// An unknown type.
    Unknown,
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(rename = "type")]
    type_: String,
    #[serde(borrow)]
    object: &'a RawValue,
}

#[derive(Deserialize)]
struct Bookmark {
    metadata: BookmarkMeta,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct BookmarkMeta {
    resource_version: String,
    annotations: Option<BTreeMap<String, String>>,
}

/// Annotation of the bookmark that follows the last object of a streaming list (KEP-3157).
const INITIAL_EVENTS_END: &str = "k8s.io/initial-events-end";

impl<'a> Frame<'a> {
    /// Parses one line. A plain `Status` line, which some proxies send, is an error event.
    pub(super) fn parse(line: &'a [u8]) -> Result<Self, serde_json::Error> {
        let Line { type_, object } = match serde_json::from_slice(line) {
            Ok(line) => line,
            Err(error) => {
                return match serde_json::from_slice::<Status>(line) {
                    Ok(status) if status.code >= 400 => Ok(Self::Error(status.boxed())),
                    _ => Err(error),
                };
            }
        };
        Ok(match type_.as_str() {
            "ADDED" | "MODIFIED" => Self::Applied(object),
            "DELETED" => Self::Deleted(object),
            "BOOKMARK" => {
                let Bookmark { metadata } = serde_json::from_str(object.get())?;
                Self::Bookmark {
                    version: metadata.resource_version,
                    initial_end: metadata.annotations.is_some_and(|all| {
                        all.get(INITIAL_EVENTS_END).is_some_and(|v| v == "true")
                    }),
                }
            }
            "ERROR" => Self::Error(Box::new(serde_json::from_str(object.get())?)),
            _ => Self::Unknown,
        })
    }
}

/// Decodes one object. An object without a name is an error.
pub(super) fn decode<K: Object>(raw: &RawValue) -> Decoded<K> {
    let message = match serde_json::from_str::<K>(raw.get()) {
        Ok(object)
            if object
                .meta()
                .name
                .as_deref()
                .is_some_and(|name| !name.is_empty()) =>
        {
            return Ok(object);
        }
        Ok(_) => "the object has no metadata.name".to_owned(),
        Err(error) => error.to_string(),
    };
    Err(Box::new(decode_error::<K>(raw, message)))
}

/// Describes an object that does not decode, with the metadata fields that can be read.
fn decode_error<K: Object>(raw: &RawValue, message: String) -> DecodeError {
    let value: serde_json::Value = serde_json::from_str(raw.get()).unwrap_or_default();
    let field = |name: &str| {
        value["metadata"][name]
            .as_str()
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
    };
    DecodeError {
        kind: K::kind(&()).into_owned(),
        key: field("name").map(|name| ObjectKey {
            namespace: field("namespace"),
            name,
        }),
        resource_version: field("resourceVersion"),
        message,
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    #[test]
    fn the_keys_of_a_frame_have_any_order() {
        for line in [
            r#"{"type":"DELETED","object":{"a":1}}"#,
            r#"{"object":{"a":1},"type":"DELETED"}"#,
        ] {
            let Ok(Frame::Deleted(object)) = Frame::parse(line.as_bytes()) else {
                panic!("{line}")
            };
            assert_eq!(object.get(), r#"{"a":1}"#);
        }
    }

    #[test]
    fn a_bookmark_marks_the_end_of_a_streaming_list() {
        let line = br#"{"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"7","annotations":{"k8s.io/initial-events-end":"true"}}}}"#;
        assert!(
            matches!(Frame::parse(line), Ok(Frame::Bookmark { version, initial_end: true }) if version == "7")
        );
        let line = br#"{"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"8","annotations":null}}}"#;
        assert!(
            matches!(Frame::parse(line), Ok(Frame::Bookmark { version, initial_end: false }) if version == "8")
        );
    }

    #[test]
    fn errors_are_frames_or_plain_statuses() {
        for line in [
            r#"{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired"}}"#,
            r#"{"kind":"Status","code":410,"reason":"Expired"}"#,
        ] {
            assert!(
                matches!(Frame::parse(line.as_bytes()), Ok(Frame::Error(status)) if status.code == 410),
                "{line}"
            );
        }
        assert!(Frame::parse(b"<html>").is_err());
        assert!(matches!(
            Frame::parse(br#"{"type":"NEWS","object":{}}"#),
            Ok(Frame::Unknown)
        ));
    }

    #[test]
    fn an_object_that_does_not_decode_is_named_if_possible() {
        let bad = raw(
            r#"{"metadata":{"name":"a","namespace":"ns","resourceVersion":"5","labels":[]},"data":3}"#,
        );
        let error = decode::<ConfigMap>(&bad).unwrap_err();
        assert_eq!(error.key, Some(ObjectKey::namespaced("ns", "a")));
        assert_eq!(error.resource_version.as_deref(), Some("5"));
        assert_eq!(decode::<ConfigMap>(&raw("[]")).unwrap_err().key, None);
        assert!(
            decode::<ConfigMap>(&raw("{}"))
                .unwrap_err()
                .message
                .contains("metadata.name")
        );
    }
}
