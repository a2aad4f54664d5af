//! Frames, lists and statuses in protobuf.
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::core::PartialObjectMeta;

use super::{
    super::{
        reader::BodyReader,
        response::Encoding,
        wire::{Frame, Raw},
    },
    *,
};
use crate::{
    cache::{ObjectKey, ObjectKind, read},
    informer::{InformerConfig, state::State},
};

fn typed(object: &impl Message) -> Bytes {
    let raw = object.encode_to_vec().into();
    [MAGIC, &Unknown { raw }.encode_to_vec()].concat().into()
}

fn frame(type_: &str, object: &impl Message) -> Vec<u8> {
    let raw = typed(object);
    Event {
        type_: type_.to_owned(),
        object: Some(RawExtension { raw }),
    }
    .encode_to_vec()
}

fn partial(name: &str) -> PartialObjectMetadata {
    let metadata = ObjectMeta {
        name: name.to_owned(),
        resource_version: "7".to_owned(),
        labels: [("a".to_owned(), String::new())].into(),
        creation_timestamp: Some(Time { seconds: 1 }),
        ..ObjectMeta::default()
    };
    PartialObjectMetadata {
        metadata: Some(metadata),
    }
}

fn state() -> State {
    let kind = ObjectKind::of::<PartialObjectMeta<ConfigMap>>(&());
    let read = read::<PartialObjectMeta<ConfigMap>>;
    State::new(kind, read, &InformerConfig::default(), None)
}

fn parse(frame: &[u8]) -> Result<Frame<'_>, serde_json::Error> {
    Frame::parse(frame, Encoding::Protobuf)
}

#[test]
fn an_event_has_metadata_without_empty_fields() {
    let bytes = frame("DELETED", &partial("a"));
    let Ok(Frame::Deleted(raw)) = parse(&bytes) else {
        panic!("not deleted")
    };
    let object = raw.decode(&state()).unwrap();
    let json = object.to_json().unwrap();
    assert_eq!(
        serde_json::from_slice::<serde_json::Value>(&json).unwrap(),
        serde_json::json!({
            "apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata",
            "metadata": {
                "name": "a", "resourceVersion": "7", "labels": {"a": ""},
                "creationTimestamp": "1970-01-01T00:00:01Z",
            },
        })
    );
    let nameless = Raw::Protobuf(partial("").encode_to_vec().into());
    let error = nameless.decode(&state()).unwrap_err();
    assert!(error.to_string().contains("metadata.name"), "{error}");
}

#[test]
fn bookmarks_and_errors_are_read() {
    let mut end = partial("");
    let meta = end.metadata.as_mut().unwrap();
    meta.annotations = [("k8s.io/initial-events-end".to_owned(), "true".to_owned())].into();
    assert!(matches!(
        parse(&frame("BOOKMARK", &end)),
        Ok(Frame::Bookmark { version, initial_end: true }) if version == "7"
    ));
    let gone = WireStatus {
        code: 410,
        reason: "Expired".to_owned(),
        ..WireStatus::default()
    };
    assert!(matches!(
        parse(&frame("ERROR", &gone)),
        Ok(Frame::Error(status)) if status.code == 410 && status.reason == "Expired"
    ));
    assert_eq!(status_body(&typed(&gone)).unwrap().code, 410);
    assert_eq!(status_body(&Bytes::from_static(b"{}")), None);
    assert!(matches!(parse(&frame("NEWS", &gone)), Ok(Frame::Unknown)));
    assert!(parse(b"{\"type\":\"ADDED\"}").is_err());
}

#[test]
fn a_list_has_its_items_one_by_one() {
    let body = typed(&List {
        metadata: Some(ListMeta {
            resource_version: "9".to_owned(),
            continue_: String::new(),
        }),
        items: vec![
            partial("a").encode_to_vec().into(),
            partial("b").encode_to_vec().into(),
        ],
    });
    let (version, token, items) = list(&body).unwrap().unwrap();
    assert_eq!((version.as_deref(), token), (Some("9"), None));
    let names = items.into_iter().map(|item| {
        let meta = metadata(item).unwrap();
        let object = object(read::<PartialObjectMeta<ConfigMap>>, meta).unwrap();
        ObjectKey::of_meta(object.metadata()).name
    });
    assert_eq!(names.collect::<Vec<_>>(), ["a", "b"]);
}

#[tokio::test]
async fn a_frame_follows_its_length_and_a_cut_one_ends_the_body() {
    let mut body = Vec::new();
    for frame in [&b"one\n"[..], b"two"] {
        body.extend(u32::try_from(frame.len()).unwrap().to_be_bytes());
        body.extend(frame);
    }
    for cut in [body.len(), body.len() - 1, body.len() - 3, body.len() - 5] {
        let reader = futures::io::Cursor::new(body[..cut].to_vec());
        let mut frames = BodyReader::new(reader, Encoding::Protobuf);
        let silence = Duration::from_secs(1);
        assert_eq!(frames.next(silence).await.unwrap(), Some(&b"one\n"[..]));
        let second = frames.next(silence).await.unwrap();
        assert_eq!(second.is_some(), cut == body.len(), "{cut}");
    }
}
