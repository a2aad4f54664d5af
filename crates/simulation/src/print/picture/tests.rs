//! What the picture of a failure shows.
use std::{collections::BTreeMap, env, fs, path::Path, time::Duration};

use super::*;
use crate::{
    fault::Fault,
    oracle::{Failure, Oracle, Variety},
    schedule::{Decision, Point, Schedule},
    state::Difference,
    timeline::Answered,
};

fn entries(lines: &[(u64, &str, &str)]) -> Vec<Entry> {
    let entry = |(at, who, text): &(u64, &str, &str)| Entry {
        at: Duration::from_millis(*at),
        who: (*who).to_owned(),
        text: (*text).to_owned(),
        fault: *who == "FAULT",
        answered: None,
    };
    lines.iter().map(entry).collect()
}

/// The entry of a request: its verb, its resource and object, the status of the response and what the text says beyond that.
fn request(verb: &'static str, of: &str, status: u16, more: &str) -> Entry {
    let answered = Answered {
        verb,
        what: format!("{verb} {of}"),
        status,
        is_report: of.starts_with("events "),
    };
    Entry {
        at: Duration::ZERO,
        who: "operator".to_owned(),
        text: answered.text(Some(more).filter(|it| !it.is_empty())),
        fault: false,
        answered: Some(answered),
    }
}

fn found(name: &str) -> Found {
    let begin = [
        (0, "user", "begins phase 0: create"),
        (
            1,
            "user",
            "creates /apis/example.com/v1/namespaces/default/widgets/a → 201",
        ),
        (
            2,
            "operator",
            "event ADDED widgets default/a (resourceVersion 3)",
        ),
        (4, "operator", "create deployments.apps default/a → 201"),
    ];
    let failed = [
        (
            5,
            "FAULT",
            "the watch shows nothing for 60 s: event ADDED deployments.apps default/a",
        ),
        (9, "cluster", "Deployment default/a is ready → 200"),
        (20, "  its cache", "lacks Deployment default/a"),
        (21, "operator", "create deployments.apps default/a → 409"),
        (30, "operator", "has crashed"),
    ];
    let calm = [
        (
            5,
            "operator",
            "event ADDED deployments.apps default/a (resourceVersion 4)",
        ),
        (9, "cluster", "Deployment default/a is ready → 200"),
        (22, "operator", "patch widgets/status default/a → 200"),
    ];
    let point = Point {
        replica: 0,
        what: "event ADDED deployments.apps default/a".to_owned(),
        occurrence: 1,
    };
    let failure = Failure::new(Oracle::EndState, format!("another state {name}"));
    let difference = Difference {
        object: format!("Deployment default/{name}"),
        path: format!("spec.{name}"),
        expected: Some(name.to_owned()),
        found: None,
    };
    Found {
        oracle: Oracle::EndState,
        message: failure.message.clone(),
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
        failure: failure.with(vec![difference]),
        log: entries(&[&begin[..], &failed[..]].concat()),
        calm: entries(&[&begin[..], &calm[..]].concat()),
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
    assert!(is_stale("create deployments.apps default/a → 201"));
    assert!(is_stale("create deployments.apps default/a → 409"));
    assert!(!is_stale("event ADDED widgets default/a"));
    assert_eq!(page.matches(" parting").count(), 1);
    let parting = rows.iter().position(|row| row.contains(" parting"));
    let fault = rows.iter().position(|row| row.contains("shows nothing"));
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
    let repeated = |oracle, entry| cause(oracle, &vec![entry; 30]);
    let refused = request("patch", "maps a", 409, "Apply failed with 1 conflict");
    assert!(
        repeated(Oracle::Rest, refused).contains("The server rejects an apply without `force`")
    );
    let exists = request("create", "maps a", 409, "maps \"a\" already exists");
    assert!(repeated(Oracle::Rest, exists).contains("Take AlreadyExists as done"));
    let idle = request("patch", "maps a", 200, "no change");
    assert!(repeated(Oracle::Requests, idle).contains("nothing that they write changes anything"));
    let busy = request("patch", "maps a", 200, "changes data.a");
    assert!(repeated(Oracle::Requests, busy).contains("writes something that causes the next one"));
    // A name or a message that looks like the end of another entry changes nothing.
    let arrow = request("patch", "maps a → 200", 409, "a → 200");
    let rejected = "`patch maps a → 200` is rejected with 409";
    assert!(repeated(Oracle::Rest, arrow).starts_with(rejected));
    // Attempts for an object that is gone, with the Events that report them.
    let mut log = Vec::new();
    for _ in 0..8 {
        log.push(request("get", "widgets default/a", 404, ""));
        log.push(request("patch", "widgets/status default/a", 404, ""));
        log.push(request("create", "events default/a.*", 201, ""));
    }
    let gone = "end the reconcile without an error";
    let cause = |log: &[Entry]| cause(Oracle::Requests, log);
    assert!(cause(&log).starts_with("`patch widgets/status default/a` is rejected with 404"));
    assert!(cause(&log).contains(gone));
    // Where the first request ends the attempt, too; a read that a write follows is none.
    log.retain(|it| !it.text.starts_with("patch"));
    assert!(cause(&log).contains(gone));
    log.push(request("create", "deployments default/a", 201, ""));
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
        (Oracle::Rest, Variety::Refused, "never succeeds"),
        (Oracle::Rest, Variety::TwoStates, "overwrite each other"),
        (Oracle::Rest, Variety::Repeated, "follow each other"),
        (Oracle::Idempotence, Variety::Restart, "counts from zero"),
        (Oracle::Rest, Variety::Usual, "differs from the last time"),
    ] {
        let mut found = found("a");
        found.oracle = oracle;
        found.failure = Failure::new(oracle, "a").of(variety);
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
