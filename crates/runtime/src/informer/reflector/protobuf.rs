//! Decodes the protobuf form of metadata, in which the server sends it with fewer bytes and less work for both sides (feature `protobuf`).
//!
//! The messages are those of `k8s.io/apimachinery` (`pkg/apis/meta/v1/generated.proto`, `pkg/runtime/generated.proto`), without what an informer
//! does not read. In Go, they have no absent strings: an empty one is absent here.
use std::collections::BTreeMap;

use bytes::Bytes;
use k8s_openapi::{apimachinery::pkg::apis::meta::v1 as meta, jiff::Timestamp};
use kube::core::{
    Status,
    response::{StatusCause, StatusDetails, StatusSummary},
};
use prost::{DecodeError, Message};

use crate::cache::{Read, Shared, unique};

/// The prefix of an object with its type; a response of protobuf starts with it.
const MAGIC: &[u8] = b"k8s\0";
/// What a decoded object has in JSON besides its metadata.
const TYPE: &str =
    r#"{"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata","metadata":{}}"#;

/// An object with its type.
#[derive(Message)]
struct Unknown {
    #[prost(bytes = "bytes", tag = "2")]
    raw: Bytes,
}

#[derive(Message)]
struct Event {
    #[prost(string, tag = "1")]
    type_: String,
    #[prost(message, optional, tag = "2")]
    object: Option<RawExtension>,
}

#[derive(Message)]
struct RawExtension {
    #[prost(bytes = "bytes", tag = "1")]
    raw: Bytes,
}

#[derive(Message)]
struct List {
    #[prost(message, optional, tag = "1")]
    metadata: Option<ListMeta>,
    /// `PartialObjectMetadata`, decoded one by one.
    #[prost(bytes = "bytes", repeated, tag = "2")]
    items: Vec<Bytes>,
}

#[derive(Message)]
struct ListMeta {
    #[prost(string, tag = "2")]
    resource_version: String,
    #[prost(string, tag = "3")]
    continue_: String,
}

#[derive(Message)]
struct PartialObjectMetadata {
    #[prost(message, optional, tag = "1")]
    metadata: Option<ObjectMeta>,
}

#[derive(Message)]
struct ObjectMeta {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    generate_name: String,
    #[prost(string, tag = "3")]
    namespace: String,
    #[prost(string, tag = "4")]
    self_link: String,
    #[prost(string, tag = "5")]
    uid: String,
    #[prost(string, tag = "6")]
    resource_version: String,
    #[prost(int64, tag = "7")]
    generation: i64,
    #[prost(message, optional, tag = "8")]
    creation_timestamp: Option<Time>,
    #[prost(message, optional, tag = "9")]
    deletion_timestamp: Option<Time>,
    #[prost(int64, optional, tag = "10")]
    deletion_grace_period_seconds: Option<i64>,
    #[prost(btree_map = "string, string", tag = "11")]
    labels: BTreeMap<String, String>,
    #[prost(btree_map = "string, string", tag = "12")]
    annotations: BTreeMap<String, String>,
    #[prost(message, repeated, tag = "13")]
    owner_references: Vec<OwnerReference>,
    #[prost(string, repeated, tag = "14")]
    finalizers: Vec<String>,
}

#[derive(Message)]
struct Time {
    #[prost(int64, tag = "1")]
    seconds: i64,
}

#[derive(Message)]
struct OwnerReference {
    #[prost(string, tag = "1")]
    kind: String,
    #[prost(string, tag = "3")]
    name: String,
    #[prost(string, tag = "4")]
    uid: String,
    #[prost(string, tag = "5")]
    api_version: String,
    #[prost(bool, optional, tag = "6")]
    controller: Option<bool>,
    #[prost(bool, optional, tag = "7")]
    block_owner_deletion: Option<bool>,
}

#[derive(Message)]
struct WireStatus {
    #[prost(string, tag = "2")]
    status: String,
    #[prost(string, tag = "3")]
    message: String,
    #[prost(string, tag = "4")]
    reason: String,
    #[prost(message, optional, tag = "5")]
    details: Option<WireDetails>,
    #[prost(int32, tag = "6")]
    code: i32,
}

#[derive(Message)]
struct WireDetails {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    group: String,
    #[prost(string, tag = "3")]
    kind: String,
    #[prost(message, repeated, tag = "4")]
    causes: Vec<WireCause>,
    #[prost(int32, tag = "5")]
    retry_after_seconds: i32,
    #[prost(string, tag = "6")]
    uid: String,
}

#[derive(Message)]
struct WireCause {
    #[prost(string, tag = "1")]
    reason: String,
    #[prost(string, tag = "2")]
    message: String,
    #[prost(string, tag = "3")]
    field: String,
}

/// Returns type and object of a frame of a watch. An object is `PartialObjectMetadata`, or a `Status` in an `ERROR`.
pub(super) fn event(frame: &[u8]) -> Result<(String, Bytes), DecodeError> {
    let Event { type_, object } = Event::decode(frame)?;
    let object = object.unwrap_or_default().raw;
    Ok((type_, contents(&object)?.unwrap_or_default()))
}

/// Resource version, continue token and items of a list; empty ones are absent.
type Page = (Option<String>, Option<String>, Vec<Bytes>);

/// Returns what the body of a list contains; `None` if it is something else.
pub(super) fn list(body: &Bytes) -> Result<Option<Page>, DecodeError> {
    let Some(list) = contents(body)? else {
        return Ok(None);
    };
    let List { metadata, items } = List::decode(list)?;
    let metadata = metadata.unwrap_or_default();
    Ok(Some((
        text(metadata.resource_version),
        text(metadata.continue_),
        items,
    )))
}

/// Returns the status in the body of a response, if it is one.
pub(super) fn status_body(body: &Bytes) -> Option<Status> {
    status(contents(body).ok()??).ok()
}

pub(super) fn status(object: Bytes) -> Result<Status, DecodeError> {
    let status = WireStatus::decode(object)?;
    Ok(Status {
        status: match status.status.as_str() {
            "Success" => Some(StatusSummary::Success),
            _ => Some(StatusSummary::Failure),
        },
        code: u16::try_from(status.code).unwrap_or_default(),
        metadata: None,
        message: status.message,
        reason: status.reason,
        details: status.details.map(|details| StatusDetails {
            name: details.name,
            group: details.group,
            kind: details.kind,
            uid: details.uid,
            causes: details
                .causes
                .into_iter()
                .map(|cause| StatusCause {
                    reason: cause.reason,
                    message: cause.message,
                    field: cause.field,
                })
                .collect(),
            retry_after_seconds: u32::try_from(details.retry_after_seconds).unwrap_or_default(),
        }),
    })
}

/// Decodes the metadata of one object.
pub(super) fn metadata(object: Bytes) -> Result<meta::ObjectMeta, DecodeError> {
    let object = PartialObjectMetadata::decode(object)?;
    let meta = object.metadata.unwrap_or_default();
    let map = |map: BTreeMap<_, _>| Some(map).filter(|map| !map.is_empty());
    let owners = meta.owner_references.into_iter().map(owner);
    Ok(meta::ObjectMeta {
        name: text(meta.name),
        generate_name: text(meta.generate_name),
        namespace: text(meta.namespace),
        self_link: text(meta.self_link),
        uid: text(meta.uid),
        resource_version: text(meta.resource_version),
        generation: Some(meta.generation).filter(|generation| *generation != 0),
        creation_timestamp: meta.creation_timestamp.and_then(time),
        deletion_timestamp: meta.deletion_timestamp.and_then(time),
        deletion_grace_period_seconds: meta.deletion_grace_period_seconds,
        labels: map(meta.labels),
        annotations: map(meta.annotations),
        owner_references: Some(owners.collect()).filter(|owners: &Vec<_>| !owners.is_empty()),
        finalizers: Some(meta.finalizers).filter(|finalizers| !finalizers.is_empty()),
        managed_fields: None,
    })
}

/// Returns an object of which only the metadata is known.
pub(super) fn object(read: Read, meta: meta::ObjectMeta) -> Result<Shared, serde_json::Error> {
    let (mut object, _) = read(TYPE, true)?;
    *unique(&mut object).metadata_mut() = meta;
    Ok(object)
}

/// Returns what an object with its type contains; `None` without the prefix.
fn contents(object: &Bytes) -> Result<Option<Bytes>, DecodeError> {
    if !object.starts_with(MAGIC) {
        return Ok(None);
    }
    Ok(Some(Unknown::decode(object.slice(MAGIC.len()..))?.raw))
}

fn text(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "passed to `Option::and_then`"
)]
fn time(time: Time) -> Option<meta::Time> {
    Timestamp::from_second(time.seconds).ok().map(meta::Time)
}

fn owner(owner: OwnerReference) -> meta::OwnerReference {
    meta::OwnerReference {
        api_version: owner.api_version,
        kind: owner.kind,
        name: owner.name,
        uid: owner.uid,
        controller: owner.controller,
        block_owner_deletion: owner.block_owner_deletion,
    }
}

#[cfg(test)]
#[path = "protobuf_tests.rs"]
mod tests;
