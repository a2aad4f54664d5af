use tokio::time::advance;

use super::{super::EventType, *};

fn occurrence(object: &str, reason: &str, note: &str) -> Occurrence {
    Occurrence {
        regarding: ObjectReference {
            name: Some(object.into()),
            ..ObjectReference::default()
        },
        related: None,
        type_: EventType::Normal,
        reason: reason.into(),
        action: "Act".into(),
        note: note.into(),
    }
}

/// Judges an occurrence, and records a created Event as stored.
fn judge(correlator: &mut Correlator, occurrence: &Occurrence) -> Verdict {
    let (key, verdict) = correlator.judge(occurrence);
    if let Verdict::Create(note) = &verdict {
        correlator.created(&key, format!("name of {note}"));
    }
    verdict
}

fn create(note: &str) -> Verdict {
    Verdict::Create(note.into())
}

fn repeat(note: &str, count: i32) -> Verdict {
    repeat_with(note, count, note)
}

/// Expects a repeat of the Event that was created with the note `first`.
fn repeat_with(first: &str, count: i32, note: &str) -> Verdict {
    Verdict::Repeat {
        name: format!("name of {first}"),
        count,
        note: note.into(),
    }
}

/// kube's recorder repeats the first note in this case.
#[tokio::test(start_paused = true)]
async fn another_note_is_another_event() {
    let mut correlator = Correlator::new();
    assert_eq!(
        judge(&mut correlator, &occurrence("a", "R", "first")),
        create("first")
    );
    assert_eq!(
        judge(&mut correlator, &occurrence("a", "R", "second")),
        create("second")
    );
    assert_eq!(
        judge(&mut correlator, &occurrence("a", "R", "first")),
        repeat("first", 2)
    );
    assert_eq!(
        judge(&mut correlator, &occurrence("a", "R", "first")),
        repeat("first", 3)
    );
    assert_eq!(
        judge(&mut correlator, &occurrence("b", "R", "first")),
        create("first"),
        "another object"
    );
    let warning = Occurrence {
        type_: EventType::Warning,
        ..occurrence("a", "R", "first")
    };
    assert_eq!(
        judge(&mut correlator, &warning),
        create("first"),
        "another type"
    );
    let related = Occurrence {
        related: Some(ObjectReference::default()),
        ..occurrence("a", "R", "first")
    };
    assert_eq!(
        judge(&mut correlator, &related),
        create("first"),
        "another related object"
    );
}

#[tokio::test(start_paused = true)]
async fn a_series_ends_after_six_quiet_minutes_or_when_it_is_lost() {
    let mut correlator = Correlator::new();
    let event = occurrence("a", "R", "n");
    judge(&mut correlator, &event);
    advance(Duration::from_secs(350)).await;
    assert_eq!(judge(&mut correlator, &event), repeat("n", 2));
    advance(Duration::from_secs(350)).await;
    assert_eq!(
        judge(&mut correlator, &event),
        repeat("n", 3),
        "each repeat extends the series"
    );
    advance(Duration::from_secs(361)).await;
    assert_eq!(judge(&mut correlator, &event), create("n"));
    let (key, _) = correlator.judge(&event);
    correlator.lost(&key);
    assert_eq!(judge(&mut correlator, &event), create("n"));
}

#[tokio::test(start_paused = true)]
async fn ten_similar_events_are_combined() {
    let mut correlator = Correlator::new();
    for number in 1..10 {
        let note = format!("n{number}");
        assert_eq!(
            judge(&mut correlator, &occurrence("a", "R", &note)),
            create(&note)
        );
    }
    let combined = "(combined from similar events): n10";
    assert_eq!(
        judge(&mut correlator, &occurrence("a", "R", "n10")),
        create(combined)
    );
    assert_eq!(
        judge(&mut correlator, &occurrence("a", "R", "n11")),
        repeat_with(combined, 2, "(combined from similar events): n11")
    );
    assert_eq!(
        judge(&mut correlator, &occurrence("a", "Other", "n11")),
        create("n11"),
        "another reason is not similar"
    );
    advance(Duration::from_secs(600)).await;
    assert_eq!(
        judge(&mut correlator, &occurrence("a", "R", "n12")),
        create("n12"),
        "similarity ends after ten minutes"
    );
}

#[tokio::test(start_paused = true)]
async fn one_object_cannot_flood_the_server() {
    let mut correlator = Correlator::new();
    let event = occurrence("a", "R", "n");
    assert_eq!(judge(&mut correlator, &event), create("n"));
    for count in 2..=25 {
        assert_eq!(judge(&mut correlator, &event), repeat("n", count));
    }
    for _ in 0..100 {
        assert_eq!(judge(&mut correlator, &event), Verdict::Suppress);
    }
    assert_eq!(
        judge(&mut correlator, &occurrence("a", "Other", "x")),
        create("x"),
        "another reason is not affected"
    );
    let warning = Occurrence {
        type_: EventType::Warning,
        ..event.clone()
    };
    assert_eq!(judge(&mut correlator, &warning), create("n"));
    assert_eq!(
        judge(&mut correlator, &occurrence("b", "R", "n")),
        create("n"),
        "other objects are not affected"
    );
    advance(Duration::from_secs(301)).await;
    assert_eq!(
        judge(&mut correlator, &event),
        repeat("n", 126),
        "suppressed occurrences are counted"
    );
    assert_eq!(judge(&mut correlator, &event), Verdict::Suppress);
}

#[tokio::test(start_paused = true)]
async fn one_object_cannot_flood_the_server_with_many_reasons() {
    let mut correlator = Correlator::new();
    let mut judge = |reason: usize| {
        judge(
            &mut correlator,
            &occurrence("a", &format!("R{reason}"), "n"),
        )
    };
    let created = (0..1000).filter(|reason| judge(*reason) == create("n"));
    assert_eq!(created.count(), 100);
    advance(Duration::from_secs(76)).await;
    assert_eq!(judge(1001), create("n"));
    assert_eq!(judge(1002), Verdict::Suppress);
}
