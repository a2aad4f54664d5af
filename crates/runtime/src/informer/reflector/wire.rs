//! Decodes lists and watches one object at a time, so that one bad object does not affect the others.
use std::collections::BTreeMap;

use kube::core::Status;
use serde::Deserialize;
use serde_json::value::RawValue;

#[cfg(feature = "protobuf")]
use super::protobuf;
use super::response::Encoding;
use crate::{
    cache::{ObjectKey, Shared},
    client::decode::message,
    informer::{
        error::{DecodeError, Decoded},
        part::Part,
        state::State,
    },
};

/// An object as it was received.
pub(super) enum Raw<'a> {
    Json(&'a str),
    /// Metadata alone.
    #[cfg(feature = "protobuf")]
    Protobuf(bytes::Bytes),
}

impl Raw<'_> {
    /// Returns the version of an object that belongs to another part. Reads nothing else of the object.
    pub(super) fn foreign(&self, part: &Part) -> Option<String> {
        let text = match self {
            Self::Json(text) => text,
            // The state looks at its metadata, which is all that there is.
            #[cfg(feature = "protobuf")]
            Self::Protobuf(_) => return None,
        };
        let metadata = serde_json::from_str::<Identity<'_>>(text).ok()?.metadata?;
        let read = |raw| string(raw).unwrap_or_default();
        // The state looks again at an object whose uid is not read here.
        let uid = string(metadata.uid)?;
        let range = part.division.range_of(&uid, &read(metadata.namespace));
        (!part.has(range)).then(|| read(metadata.resource_version))
    }

    /// Decodes an object for a cache.
    pub(super) fn decode(self, state: &State) -> Decoded {
        let kind = &state.kind.kind;
        match self {
            Self::Json(text) => decode(|text| state.decode(text), text, kind),
            #[cfg(feature = "protobuf")]
            Self::Protobuf(raw) => {
                let failure = |message: String| {
                    Box::new(DecodeError {
                        kind: kind.clone(),
                        key: None,
                        resource_version: None,
                        message,
                    })
                };
                let meta = protobuf::metadata(raw).map_err(|error| failure(error.to_string()))?;
                if meta.name.is_none() {
                    return Err(failure(NO_NAME.to_owned()));
                }
                protobuf::object(state.read, meta).map_err(|error| failure(error.to_string()))
            }
        }
    }
}

const NO_NAME: &str = "the object has no metadata.name";

/// One event of a WATCH.
pub(super) enum Frame<'a> {
    /// ADDED or MODIFIED; the store of the informer knows which.
    Applied(Raw<'a>),
    /// DELETED, with the final state.
    Deleted(Raw<'a>),
    /// BOOKMARK: the server has sent all changes up to `version`, which may be empty; `initial_end` closes a streaming list.
    Bookmark { version: String, initial_end: bool },
    /// ERROR: the server ends the watch.
    Error(Box<Status>),
    /// An unknown type.
    Unknown,
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(rename = "type")]
    type_: String,
    /// `null` if it is absent.
    #[serde(borrow)]
    object: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
struct Bookmark {
    metadata: Option<BookmarkMeta>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct BookmarkMeta {
    resource_version: Option<String>,
    annotations: Option<BTreeMap<String, String>>,
}

/// Annotation of the bookmark that follows the last object of a streaming list (KEP-3157).
const INITIAL_EVENTS_END: &str = "k8s.io/initial-events-end";

impl<'a> Frame<'a> {
    /// Parses one event. A plain `Status`, which some proxies send, is an error event.
    pub(super) fn parse(line: &'a [u8], encoding: Encoding) -> Result<Self, serde_json::Error> {
        match encoding {
            Encoding::Json => Self::parse_json(line),
            #[cfg(feature = "protobuf")]
            Encoding::Protobuf => Self::parse_protobuf(line).map_err(malformed),
        }
    }

    #[cfg(feature = "protobuf")]
    fn parse_protobuf(frame: &[u8]) -> Result<Self, prost::DecodeError> {
        let (type_, object) = protobuf::event(frame)?;
        Ok(match type_.as_str() {
            "ADDED" | "MODIFIED" => Self::Applied(Raw::Protobuf(object)),
            "DELETED" => Self::Deleted(Raw::Protobuf(object)),
            "BOOKMARK" => {
                let meta = protobuf::metadata(object)?;
                Self::Bookmark {
                    version: meta.resource_version.unwrap_or_default(),
                    initial_end: ends_list(meta.annotations),
                }
            }
            "ERROR" => Self::Error(protobuf::status(object)?.boxed()),
            _ => Self::Unknown,
        })
    }

    fn parse_json(line: &'a [u8]) -> Result<Self, serde_json::Error> {
        let Event { type_, object } = match serde_json::from_slice(line) {
            Ok(event) => event,
            Err(error) => {
                return match serde_json::from_slice::<Status>(line) {
                    Ok(status) if status.code >= 400 => Ok(Self::Error(status.boxed())),
                    _ => Err(error),
                };
            }
        };
        let object = object.map_or("null", RawValue::get);
        Ok(match type_.as_str() {
            "ADDED" | "MODIFIED" => Self::Applied(Raw::Json(object)),
            "DELETED" => Self::Deleted(Raw::Json(object)),
            "BOOKMARK" => {
                let bookmark: Option<Bookmark> = serde_json::from_str(object)?;
                let metadata = bookmark.unwrap_or_default().metadata;
                let metadata = metadata.unwrap_or_default();
                Self::Bookmark {
                    version: metadata.resource_version.unwrap_or_default(),
                    initial_end: ends_list(metadata.annotations),
                }
            }
            "ERROR" => Self::Error(Box::new(serde_json::from_str(object)?)),
            _ => Self::Unknown,
        })
    }
}

/// Whether a bookmark has the annotation that ends a streaming list.
fn ends_list(annotations: Option<BTreeMap<String, String>>) -> bool {
    annotations.is_some_and(|all| all.get(INITIAL_EVENTS_END).is_some_and(|v| v == "true"))
}

#[cfg(feature = "protobuf")]
pub(super) fn malformed(error: prost::DecodeError) -> serde_json::Error {
    serde::de::Error::custom(error)
}

/// Decodes one object of `kind` with `read`. An object without a name is an error.
pub(in crate::informer) fn decode(
    read: impl FnOnce(&str) -> serde_json::Result<Shared>,
    text: &str,
    kind: &str,
) -> Decoded {
    let message = match read(text) {
        Ok(object)
            if object
                .metadata()
                .name
                .as_deref()
                .is_some_and(|name| !name.is_empty()) =>
        {
            return Ok(object);
        }
        Ok(_) => NO_NAME.to_owned(),
        Err(error) => message(kind, &error),
    };
    Err(Box::new(decode_error(text, kind, message)))
}

/// The fields that identify an object. Neither the rest of the object nor a field of the wrong type, however deep, affects them: serde skips
/// ignored values without recursion.
#[derive(Deserialize, Default)]
struct Identity<'a> {
    #[serde(borrow)]
    metadata: Option<IdentityMeta<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct IdentityMeta<'a> {
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    namespace: Option<&'a RawValue>,
    #[serde(borrow)]
    resource_version: Option<&'a RawValue>,
    #[serde(borrow)]
    uid: Option<&'a RawValue>,
}

/// Returns a field that is a text, and not empty.
fn string(raw: Option<&RawValue>) -> Option<String> {
    let text: String = serde_json::from_str(raw?.get()).ok()?;
    (!text.is_empty()).then_some(text)
}

/// Describes an object that does not decode, with the metadata fields that can be read.
fn decode_error(object: &str, kind: &str, message: String) -> DecodeError {
    let identity: Identity<'_> = serde_json::from_str(object).unwrap_or_default();
    let metadata = identity.metadata.unwrap_or_default();
    DecodeError {
        kind: kind.to_owned(),
        key: string(metadata.name).map(|name| ObjectKey {
            namespace: string(metadata.namespace),
            name,
        }),
        resource_version: string(metadata.resource_version),
        message,
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;
    use crate::{Object, cache::read};

    fn decoded<K: Object>(text: &str, kind: &str) -> Decoded {
        decode(|text| Ok(read::<K>(text, false)?.0), text, kind)
    }

    #[test]
    fn the_keys_of_a_frame_have_any_order() {
        for line in [
            r#"{"type":"DELETED","object":{"a":1}}"#,
            r#"{"object":{"a":1},"type":"DELETED"}"#,
        ] {
            let Ok(Frame::Deleted(Raw::Json(object))) =
                Frame::parse(line.as_bytes(), Encoding::Json)
            else {
                panic!("{line}")
            };
            assert_eq!(object, r#"{"a":1}"#);
        }
    }

    #[test]
    fn a_bookmark_marks_the_end_of_a_streaming_list() {
        let line = br#"{"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"7","annotations":{"k8s.io/initial-events-end":"true"}}}}"#;
        assert!(
            matches!(Frame::parse(line, Encoding::Json), Ok(Frame::Bookmark { version, initial_end: true }) if version == "7")
        );
        let line = br#"{"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"8","annotations":null}}}"#;
        assert!(
            matches!(Frame::parse(line, Encoding::Json), Ok(Frame::Bookmark { version, initial_end: false }) if version == "8")
        );
    }

    #[test]
    fn errors_are_frames_or_plain_statuses() {
        for line in [
            r#"{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired"}}"#,
            r#"{"kind":"Status","code":410,"reason":"Expired"}"#,
        ] {
            assert!(
                matches!(Frame::parse(line.as_bytes(), Encoding::Json), Ok(Frame::Error(status)) if status.code == 410),
                "{line}"
            );
        }
        assert!(Frame::parse(b"<html>", Encoding::Json).is_err());
        assert!(matches!(
            Frame::parse(br#"{"type":"NEWS","object":{}}"#, Encoding::Json),
            Ok(Frame::Unknown)
        ));
    }

    #[test]
    fn an_object_that_does_not_decode_is_named_if_possible() {
        let bad = r#"{"metadata":{"name":"a","namespace":"ns","resourceVersion":"5","labels":[]},"data":3}"#;
        let error = decoded::<ConfigMap>(bad, "ConfigMap").unwrap_err();
        assert_eq!(error.key, Some(ObjectKey::namespaced("ns", "a")));
        assert_eq!(error.resource_version.as_deref(), Some("5"));
        assert_eq!(
            decoded::<ConfigMap>("[]", "ConfigMap").unwrap_err().key,
            None
        );
        assert!(
            decoded::<ConfigMap>("{}", "ConfigMap")
                .unwrap_err()
                .message
                .contains("metadata.name")
        );
    }

    #[test]
    fn an_object_of_any_depth_is_named() {
        let deep = format!("{}1{}", r#"{"a":"#.repeat(100_000), "}".repeat(100_000));
        for text in [
            format!(r#"{{"spec":{deep},"metadata":{{"name":"a","resourceVersion":"5"}}}}"#),
            format!(
                r#"{{"metadata":{{"labels":{deep},"name":"a","resourceVersion":"5","uid":3}},"spec":{deep}}}"#
            ),
        ] {
            let error = decoded::<kube::api::DynamicObject>(&text, "Widget").unwrap_err();
            assert_eq!(error.key, Some(ObjectKey::cluster("a")));
            assert_eq!(error.resource_version.as_deref(), Some("5"));
        }
        let nested = format!(r#"{{"metadata":{{"name":{deep}}}}}"#);
        let error = decoded::<kube::api::DynamicObject>(&nested, "Widget").unwrap_err();
        assert_eq!(error.key, None);
    }
}
