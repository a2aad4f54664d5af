//! The requests of the event recorder.
use crate::caches::script::{Server, server};
use k8s_openapi::api::core::v1::{ConfigMap, ObjectReference};
use kube::Resource;
use kube_codegen_runtime::event::{Event, EventRecorder, EventType, Reporter};
use serde_json::json;
use std::time::Duration;

fn object() -> ObjectReference {
    let map: ConfigMap = serde_json::from_value(crate::caches::script::map("a", "1")).unwrap();
    map.object_ref(&())
}

fn event(type_: EventType, reason: &str, action: &str, note: impl Into<String>) -> Event {
    Event {
        type_,
        reason: reason.into(),
        action: action.into(),
        note: Some(note.into()),
        secondary: None,
    }
}

fn recorder() -> (EventRecorder, Server) {
    let (client, server) = server();
    (
        EventRecorder::new(
            client,
            Reporter {
                controller: "example.com/maps".into(),
                instance: Some("pod-1".into()),
            },
        ),
        server,
    )
}

#[tokio::test(start_paused = true)]
async fn an_event_fits_the_api() {
    let (events, mut server) = recorder();
    events.publish_for(
        &object(),
        event(EventType::Normal, "Synced", "Sync", "é".repeat(600)),
    );
    let call = server.next().await;
    assert_eq!(
        (call.method.as_str(), call.path.as_str()),
        ("POST", "/apis/events.k8s.io/v1/namespaces/ns/events")
    );
    let body = &call.body;
    assert_eq!(
        (&body["type"], &body["reason"], &body["action"]),
        (&json!("Normal"), &json!("Synced"), &json!("Sync"))
    );
    assert_eq!(
        (&body["reportingController"], &body["reportingInstance"]),
        (&json!("example.com/maps"), &json!("pod-1"))
    );
    assert_eq!(body["regarding"]["uid"], "uid-a");
    assert_eq!(body["note"].as_str().unwrap().len(), 1024);
    assert!(body["eventTime"].is_string());
    assert!(body["series"].is_null());
    assert_eq!(body["metadata"]["namespace"], "ns");
    assert!(body["metadata"]["name"].as_str().unwrap().starts_with("a."));
}

#[tokio::test(start_paused = true)]
async fn repeats_form_a_series_per_note() {
    let (events, mut server) = recorder();
    let send = |note: &str| {
        events.publish_for(
            &object(),
            event(EventType::Warning, "Invalid", "Check", note),
        );
    };
    for note in ["first", "second", "first", "first"] {
        send(note);
    }
    let mut names = Vec::new();
    for note in ["first", "second"] {
        let call = server.next().await;
        assert_eq!(
            (call.method.as_str(), &call.body["note"]),
            ("POST", &json!(note))
        );
        names.push(call.body["metadata"]["name"].as_str().unwrap().to_owned());
        let body = call.body.clone();
        call.json(201, &body);
    }
    assert_ne!(names[0], names[1]);
    for count in [2, 3] {
        let call = server.next().await;
        assert_eq!(
            (call.method.as_str(), call.path.rsplit('/').next()),
            ("PATCH", Some(names[0].as_str()))
        );
        assert_eq!(call.body["series"]["count"], count);
        assert!(call.body["series"]["lastObservedTime"].is_string());
        assert_eq!(
            call.body.as_object().unwrap().len(),
            1,
            "the other fields of an Event are immutable"
        );
        if count == 2 {
            call.json(200, &json!({ "metadata": { "name": names[0] } }));
        } else {
            call.fail(404, "NotFound");
        }
    }
    let call = server.next().await;
    assert_eq!(
        (call.method.as_str(), &call.body["note"]),
        ("POST", &json!("first")),
        "an expired Event is created again"
    );
}

#[tokio::test(start_paused = true)]
async fn server_errors_are_retried_and_rejections_are_not() {
    let (events, mut server) = recorder();
    events.publish_for(&object(), event(EventType::Normal, "Synced", "Sync", "one"));
    events.publish_for(&object(), event(EventType::Normal, "Synced", "Sync", "two"));
    let mut names = Vec::new();
    for code in [503, 500, 429] {
        let call = server.next().await;
        names.push(call.body["metadata"]["name"].clone());
        call.fail(code, "InternalError");
    }
    let call = server.next().await;
    assert_eq!(call.body["note"], "one");
    assert!(
        names
            .iter()
            .all(|name| *name == call.body["metadata"]["name"]),
        "each attempt sends the same Event"
    );
    call.fail(403, "Forbidden");
    assert_eq!(server.next().await.body["note"], "two");
}

#[tokio::test(start_paused = true)]
async fn cluster_scoped_objects_report_to_the_default_namespace() {
    let (events, mut server) = recorder();
    let node = ObjectReference {
        kind: Some("Node".into()),
        name: Some("system:n".into()),
        ..ObjectReference::default()
    };
    events.publish_for(&node, event(EventType::Normal, "Ready", "", ""));
    let call = server.next().await;
    assert_eq!(
        call.path,
        "/apis/events.k8s.io/v1/namespaces/default/events"
    );
    assert!(
        call.body["metadata"]["name"]
            .as_str()
            .unwrap()
            .starts_with("system-n.")
    );
    assert_eq!(call.body["action"], "Ready", "an action must not be empty");
}

#[tokio::test(start_paused = true)]
async fn shutdown_sends_queued_events_and_drops_later_ones() {
    let (events, mut server) = recorder();
    for note in ["one", "two"] {
        events.publish_for(&object(), event(EventType::Normal, "Synced", "Sync", note));
    }
    let serve = tokio::spawn(async move {
        let mut notes = Vec::new();
        for _ in 0..2 {
            let call = server.next().await;
            tokio::time::sleep(Duration::from_secs(1)).await;
            notes.push(call.body["note"].clone());
            let body = call.body.clone();
            call.json(201, &body);
        }
        notes
    });
    events.shutdown().await;
    assert!(serve.is_finished());
    assert_eq!(serve.await.unwrap(), ["one", "two"]);
    assert_eq!(events.dropped(), 0);
    events.publish_for(
        &object(),
        event(EventType::Normal, "Synced", "Sync", "three"),
    );
    assert_eq!(events.dropped(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_unavailable_server_costs_events_but_no_time() {
    let (events, _server) = recorder();
    for number in 0..1500 {
        events.publish_for(
            &object(),
            event(EventType::Normal, "Synced", "Sync", format!("{number}")),
        );
    }
    assert_eq!(events.dropped(), 500);
    let began = tokio::time::Instant::now();
    events.shutdown().await;
    assert!(
        began.elapsed() < Duration::from_secs(11),
        "the flush is limited"
    );
}

#[tokio::test(start_paused = true)]
async fn a_related_object_is_part_of_the_event() {
    let (events, mut server) = recorder();
    let related = ObjectReference {
        kind: Some("Secret".into()),
        name: Some("s".into()),
        ..ObjectReference::default()
    };
    let map: ConfigMap = serde_json::from_value(crate::caches::script::map("a", "1")).unwrap();
    let mounted = Event {
        type_: EventType::Normal,
        reason: "Mounted".into(),
        action: "Mount".into(),
        note: None,
        secondary: Some(related),
    };
    events.publish(&map, mounted);
    let body = server.next().await.body;
    assert_eq!(body["regarding"], json!(object()));
    assert_eq!(body["related"], json!({ "kind": "Secret", "name": "s" }));
    assert_eq!(body["note"], "");
}

fn object_named(name: &str) -> ObjectReference {
    let map: ConfigMap = serde_json::from_value(crate::caches::script::map(name, "1")).unwrap();
    map.object_ref(&())
}

#[tokio::test(start_paused = true)]
async fn an_expired_combination_keeps_its_mark_and_its_count() {
    let (events, mut server) = recorder();
    for number in 0..11 {
        let note = format!("note {number}");
        events.publish_for(&object(), event(EventType::Normal, "Synced", "Sync", note));
    }
    for _ in 0..10 {
        let call = server.next().await;
        assert_eq!(call.method, "POST");
        let body = call.body.clone();
        call.json(201, &body);
    }
    let call = server.next().await;
    assert_eq!(
        (call.method.as_str(), &call.body["series"]["count"]),
        ("PATCH", &json!(2))
    );
    call.fail(404, "NotFound");
    let call = server.next().await;
    assert_eq!(call.method, "POST");
    assert_eq!(call.body["note"], "(combined from similar events): note 10");
    assert_eq!(call.body["series"]["count"], 2);
    assert!(call.body["series"]["lastObservedTime"].is_string());
}

#[tokio::test(start_paused = true)]
async fn an_event_that_is_retried_delays_no_event_about_another_object() {
    let (events, mut server) = recorder();
    for (name, note) in [
        ("bad", "one"),
        ("bad", "two"),
        ("good", "three"),
        ("good", "four"),
    ] {
        events.publish_for(
            &object_named(name),
            event(EventType::Normal, "Synced", "Sync", note),
        );
    }
    let began = tokio::time::Instant::now();
    let mut notes = Vec::new();
    while notes.len() < 2 {
        let call = server.next().await;
        let note = call.body["note"].as_str().unwrap().to_owned();
        assert_ne!(note, "two", "events about one object keep their order");
        if note == "one" {
            call.fail(503, "ServiceUnavailable");
        } else {
            let body = call.body.clone();
            call.json(201, &body);
            notes.push(note);
        }
    }
    assert_eq!(notes, ["three", "four"]);
    assert!(
        began.elapsed() < Duration::from_secs(1),
        "{:?}",
        began.elapsed()
    );
    let retried = server.next().await;
    assert_eq!(retried.body["note"], "one");
    retried.fail(403, "Forbidden");
    assert_eq!(server.next().await.body["note"], "two");
}
