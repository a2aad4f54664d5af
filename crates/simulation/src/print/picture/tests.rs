//! What the picture of a failure shows.
use std::{collections::BTreeMap, env, fs, path::Path, time::Duration};

use serde_json::{Value, json};

use super::*;
use crate::{
    faults::Fault,
    oracles::{Oracle, Variety, Violation},
    schedule::{Decision, Point, Schedule, Verb},
    state::Difference,
    timeline::{
        Act, Answered, Deed, Effect, Entry, Happening, Lag, Lagging, Lags, Process, Rejection,
        Replica,
    },
};

fn entry(ms: u64, what: Happening) -> Entry {
    let at = Duration::from_millis(ms);
    Entry { at, what }
}

/// A request, with the status of its response.
fn request(verb: Verb, resource: &str, place: &str, status: u16, effect: Effect) -> Happening {
    let answered = Answered {
        warning: None,
        point: Point::example(verb, resource, place),
        status,
        is_report: resource == "events",
        effect,
        deleted_owner: None,
    };
    Happening::Request(Replica::Only, answered)
}

fn event(resource: &str) -> Happening {
    Happening::Event {
        replica: Replica::Only,
        point: Point::example(Verb::Added, resource, "default/a"),
        version: "4".to_owned(),
    }
}

fn found(name: &str) -> Found {
    let (create, patch) = (Verb::Create, Verb::Patch);
    let (deployments, place) = ("deployments", "default/a");
    let written = |ms, verb, resource, status| {
        entry(ms, request(verb, resource, place, status, Effect::Unknown))
    };
    let ready = Happening::Cluster {
        object: "apps/Deployment default/a".to_owned(),
        what: "is ready",
    };
    let begin = [
        entry(
            0,
            Happening::Phase {
                index: 0,
                name: "create".to_owned(),
            },
        ),
        entry(
            1,
            Happening::User(Act {
                deed: Deed::Creates,
                path: "/apis/example.com/v1/namespaces/default/widgets/a".to_owned(),
                text: "creates a".to_owned(),
                status: 201,
            }),
        ),
        entry(2, event("widgets")),
        written(4, create, deployments, 201),
    ];
    let point = Point::example(Verb::Added, deployments, place);
    let failed = [
        entry(
            5,
            Happening::Fault {
                fault: Fault::Stall(60_000),
                at: point.clone(),
            },
        ),
        entry(9, ready.clone()),
        entry(
            20,
            Happening::Cache(
                Replica::Only,
                Lags {
                    shown: vec![Lag {
                        kind: "Deployment".to_owned(),
                        place: place.to_owned(),
                        how: Lagging::Lacks,
                    }],
                    more: 0,
                },
            ),
        ),
        written(21, create, deployments, 409),
        entry(30, Happening::Process(Replica::Only, Process::Crashes)),
    ];
    let calm = [
        entry(5, event(deployments)),
        entry(9, ready),
        written(22, patch, "widgets/status", 200),
    ];
    let violation = Violation::new(format!("another state {name}"));
    let difference = Difference {
        object: format!("Deployment default/{name}"),
        path: format!("spec.{name}"),
        expected: Some(name.to_owned()),
        found: None,
    };
    Found {
        oracle: Oracle::EndState,
        message: violation.message.clone(),
        schedule: Schedule {
            seed: 7,
            workload: name.to_owned(),
            decisions: vec![Decision {
                fault: Fault::Hold(60_000),
                at: point,
            }],
            hurry: BTreeMap::new(),
            ..Schedule::default()
        },
        faults: 1,
        schedules: 3,
        name: name.to_owned(),
        learned: 7,
        failure: violation.with(vec![difference]).by(Oracle::EndState),
        outside: Vec::new(),
        log: [&begin[..], &failed[..]].concat(),
        calm: [&begin[..], &calm[..]].concat(),
    }
}

#[test]
fn what_a_cache_lacks_is_shaded_from_the_change_on() {
    let page = found("a").picture();
    if let Some(directory) = env::var_os("KUBE_CODEGEN_PICTURES") {
        fs::write(Path::new(&directory).join("stale.html"), &page).unwrap();
    }
    let rows: Vec<&str> = page.split("<li class=\"step").collect();
    let is_stale = |text: &str| {
        let row = rows.iter().find(|row| row.contains(text)).unwrap();
        row.contains("cache lacks Deployment default/a")
    };
    assert!(is_stale("create deployments default/a → 201"));
    assert!(is_stale("create deployments default/a → 409"));
    assert!(!is_stale("event ADDED widgets default/a"));
    assert_eq!(page.matches(" parting").count(), 1);
    let parting = rows.iter().position(|row| row.contains(" parting"));
    let fault = rows.iter().position(|row| row.contains("nothing arrives"));
    assert_eq!(parting, fault);
}

#[test]
fn the_last_row_says_what_was_found() {
    let page = found("a").picture();
    let last = page.rsplit("<li class=\"step").next().unwrap();
    assert!(last.contains("finds: another state a"), "{last}");
}

#[test]
fn a_cause_is_one_that_the_run_does_not_exclude() {
    let cause = |oracle: Oracle, log: &[Entry]| {
        let found = Found {
            oracle,
            log: log.to_vec(),
            ..found("a")
        };
        pattern::likely(&found).unwrap()
    };
    let repeated = |oracle, what| cause(oracle, &vec![entry(0, what); 30]);
    let map = |verb, status, effect| request(verb, "maps", "a", status, effect);
    let rejected = |message: &str, causes: Value| {
        let status = json!({"message": message, "details": {"causes": causes}});
        Effect::Rejected(Rejection::read(409, status.to_string().as_bytes()).unwrap())
    };
    let conflict = map(
        Verb::Patch,
        409,
        rejected(
            "Apply failed with 1 conflict",
            json!([{"reason": "FieldManagerConflict", "field": ".data.a"}]),
        ),
    );
    assert!(repeated(Oracle::Rest, conflict).contains("Another manager owns a field"));
    let exists = map(
        Verb::Create,
        409,
        rejected("maps \"a\" already exists", json!([])),
    );
    assert!(repeated(Oracle::Rest, exists).contains("Take AlreadyExists as done"));
    let idle = map(Verb::Patch, 200, Effect::None);
    assert!(repeated(Oracle::Requests, idle).contains("nothing that they write changes anything"));
    let busy = map(
        Verb::Patch,
        200,
        Effect::Changes(vec!["data.a".to_owned()], 0),
    );
    assert!(
        repeated(Oracle::Requests, busy).contains("writes something that triggers the next one")
    );
    // Attempts for an object that is gone, with the Events that report them.
    let unknown = |verb, resource, status| {
        entry(
            0,
            request(verb, resource, "default/a", status, Effect::Unknown),
        )
    };
    let mut log = Vec::new();
    for _ in 0..8 {
        log.push(unknown(Verb::Get, "widgets", 404));
        log.push(unknown(Verb::Patch, "widgets/status", 404));
        log.push(unknown(Verb::Create, "events", 201));
    }
    let gone = "end the reconcile without an error";
    let cause = |log: &[Entry]| cause(Oracle::Requests, log);
    assert!(cause(&log).starts_with("`patch widgets/status default/a` is rejected with 404"));
    assert!(cause(&log).contains(gone));
    // Where the first request ends the attempt, too; a read that a write follows is none.
    log.retain(|it| it.answered().is_none_or(|it| it.verb() != Verb::Patch));
    assert!(cause(&log).contains(gone));
    log.push(unknown(Verb::Create, "deployments", 201));
    assert!(!cause(&log).contains(gone));
}

#[test]
fn each_variety_of_a_failure_has_a_cause() {
    for (oracle, variety, expected) in [
        (
            Oracle::OwnerReferences,
            Variety::UidOfAnother,
            "come from two objects",
        ),
        (
            Oracle::Rest,
            Variety::UnknownUid,
            "garbage collector deletes",
        ),
        (Oracle::Rest, Variety::Rejected, "never succeeds"),
        (Oracle::Rest, Variety::TwoStates, "overwrite each other"),
        (Oracle::Rest, Variety::Repeated, "keep running"),
        (
            Oracle::Idempotence,
            Variety::Restart,
            "the run does not show",
        ),
        (Oracle::Rest, Variety::Usual, "differs from the last time"),
    ] {
        let mut found = found("a");
        found.oracle = oracle;
        found.failure = Violation::new("a").of(variety).by(oracle);
        let cause = pattern::likely(&found).unwrap();
        assert!(cause.contains(expected), "{variety:?}: {cause}");
    }
}

#[test]
fn texts_stay_texts() {
    let plain = found("a").picture();
    for text in [
        "<script>alert(1)</script>",
        "\"><svg onload=x>",
        "</style>",
        "\u{202e}x",
    ] {
        let page = found(text).picture();
        assert_eq!(
            page.matches('<').count(),
            plain.matches('<').count(),
            "{text}"
        );
        assert!(!page.contains('\u{202e}'));
    }
}
