//! Validates changes of the status of a Job. The server checks a rule when one of the fields that it is about changes, so that a status of an
//! older server can be kept.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::Causes;
use crate::values::object::{at, list, strings, text};

const CONDITIONS: &str = "status.conditions";

/// The status of a Job before or after a change.
struct Status<'a>(&'a Value);

impl<'a> Status<'a> {
    fn of(job: &'a Value) -> Self {
        Self(at(job, "/status"))
    }

    fn get(&self, field: &str) -> &'a Value {
        at(self.0, field)
    }

    fn number(&self, field: &str) -> i64 {
        self.get(field).as_i64().unwrap_or_default()
    }

    fn holds(&self, condition: &str) -> bool {
        let mut conditions = list(self.0, "/conditions").iter();
        conditions.any(|it| text(it, "/type") == condition && text(it, "/status") == "True")
    }

    fn is_finished(&self) -> bool {
        self.holds("Complete") || self.holds("Failed")
    }
}

pub(crate) fn validate(it: &mut Causes, old: &Value, job: &Value) {
    let (before, after) = (Status::of(old), Status::of(job));
    it.not_negative(
        "status",
        after.0,
        &["active", "succeeded", "failed", "ready", "terminating"],
    );
    uncounted(it, &after);
    conditions(it, &before, &after);
    times(it, job, &before, &after);
    pods(it, &before, &after);
    indexes(it, job, &before, &after);
    let spec = at(job, "/spec");
    let is_resizable = text(spec, "/completionMode") == "Indexed"
        && at(spec, "/completions") == at(spec, "/parallelism");
    for (field, may_fall) in [("failed", false), ("succeeded", is_resizable)] {
        let (was, is) = (
            before.number(&format!("/{field}")),
            after.number(&format!("/{field}")),
        );
        if is < was && !may_fall {
            let why = format!("cannot decrease the {field} counter");
            it.invalid(format!("status.{field}"), is, why);
        }
    }
}

fn uncounted(it: &mut Causes, status: &Status<'_>) {
    let mut seen = BTreeSet::new();
    for field in ["succeeded", "failed"] {
        let uids = strings(status.get("/uncountedTerminatedPods"), &format!("/{field}"));
        for (index, uid) in uids.into_iter().enumerate() {
            let path = format!("status.uncountedTerminatedPods.{field}[{index}]");
            if uid.is_empty() {
                it.invalid(path, json!(uid), "must not be empty");
            } else if seen.contains(&uid) {
                it.duplicate(path, json!(uid));
            } else {
                seen.insert(uid);
            }
        }
    }
}

fn conditions(it: &mut Causes, before: &Status<'_>, after: &Status<'_>) {
    let changes = |name: &str| before.holds(name) != after.holds(name);
    let mut add = |message: String| {
        let message = format!("Invalid value: {message}");
        it.add(CONDITIONS, "FieldValueInvalid", message);
    };
    for (one, other) in [
        ("Complete", "Failed"),
        ("Complete", "FailureTarget"),
        ("SuccessCriteriaMet", "FailureTarget"),
        ("Failed", "SuccessCriteriaMet"),
    ] {
        let is_new = changes(one) || changes(other);
        if is_new && after.holds(one) && after.holds(other) {
            // As the server spells them.
            let spelt = if other == "SuccessCriteriaMet" {
                "True"
            } else {
                "true"
            };
            add(format!(
                "cannot set {one}=True and {other}={spelt} conditions"
            ));
        }
    }
    for (end, cause) in [
        ("Complete", "SuccessCriteriaMet"),
        ("Failed", "FailureTarget"),
    ] {
        let is_new = changes(end) || changes(cause);
        if is_new && after.holds(end) && !after.holds(cause) {
            add(format!(
                "cannot set {end}=True condition without the {cause}=true condition"
            ));
        }
    }
    for name in ["Failed", "Complete", "FailureTarget", "SuccessCriteriaMet"] {
        if before.holds(name) && !after.holds(name) {
            let terminal = if name == "SuccessCriteriaMet" {
                ""
            } else {
                "terminal "
            };
            add(format!(
                "cannot disable the {terminal}{name}=True condition"
            ));
        }
    }
}

fn times(it: &mut Causes, job: &Value, before: &Status<'_>, after: &Status<'_>) {
    let changes = |field: &str| before.get(field) != after.get(field);
    let (start, completion) = (after.get("/startTime"), after.get("/completionTime"));
    let is_complete = after.holds("Complete");
    if is_complete != before.holds("Complete") || changes("/completionTime") {
        if is_complete && completion.is_null() {
            let why = "completionTime is required for Complete jobs";
            it.required("status.completionTime", why);
        } else if !is_complete && !completion.is_null() {
            let why = "cannot set completionTime when there is no Complete=True condition";
            it.invalid("status.completionTime", completion, why);
        }
    }
    let are_new = changes("/startTime") || changes("/completionTime");
    if are_new
        && let (Some(start), Some(end)) = (start.as_str(), completion.as_str())
        && end < start
    {
        let why = "must be equal to or after `startTime`";
        it.invalid("status.completionTime", completion, why);
    }
    if !completion.is_null() && !before.get("/completionTime").is_null() {
        it.immutable(
            "status.completionTime",
            before.get("/completionTime"),
            completion,
        );
    }
    let spec = at(job, "/spec");
    let is_suspended = at(spec, "/suspend") == true;
    let is_empty = is_suspended && at(spec, "/completions") == 0;
    let is_new = before.is_finished() != after.is_finished() || changes("/startTime");
    if is_new && after.is_finished() && start.is_null() && !is_empty {
        it.required("status.startTime", "startTime is required for finished job");
    }
    if !before.get("/startTime").is_null() && changes("/startTime") && !is_suspended {
        let why = "field is immutable for unsuspended job once set";
        it.invalid("status.startTime", start, why);
    }
}

fn pods(it: &mut Causes, before: &Status<'_>, after: &Status<'_>) {
    let changes = |field: &str| before.get(field) != after.get(field);
    let ends = before.is_finished() != after.is_finished();
    for field in ["active", "terminating"] {
        let pointer = format!("/{field}");
        let is_new = ends || changes(&pointer);
        if is_new && after.is_finished() && after.number(&pointer) > 0 {
            let why = format!("{field}>0 is invalid for finished job");
            it.invalid(format!("status.{field}"), after.get(&pointer), why);
        }
    }
    let uncounted = after.get("/uncountedTerminatedPods");
    let is_left = ["/succeeded", "/failed"]
        .iter()
        .any(|field| !list(uncounted, field).is_empty());
    if (ends || changes("/uncountedTerminatedPods")) && after.is_finished() && is_left {
        let why = "uncountedTerminatedPods needs to be empty for finished job";
        it.invalid("status.uncountedTerminatedPods", uncounted, why);
    }
    let is_new = changes("/ready") || changes("/active");
    let ready = after.get("/ready").as_i64();
    if is_new && ready.is_some_and(|ready| ready > after.number("/active")) {
        let why = "cannot set more ready pods than active";
        it.invalid("status.ready", after.get("/ready"), why);
    }
}

fn indexes(it: &mut Causes, job: &Value, before: &Status<'_>, after: &Status<'_>) {
    let spec = at(job, "/spec");
    let completions = at(spec, "/completions").as_i64();
    let mut is_new = false;
    let mut parsed = Vec::new();
    for field in ["completedIndexes", "failedIndexes"] {
        let pointer = format!("/{field}");
        let (path, value) = (format!("status.{field}"), after.get(&pointer));
        let given = value.as_str().unwrap_or_default();
        let intervals = completions.map(|completions| read_indexes(given, completions));
        if *before.get(&pointer) != *value {
            is_new = true;
            if let Some(Err(why)) = &intervals {
                it.invalid(&path, value, format!("error parsing {field}: {why}"));
            }
            if field == "completedIndexes" {
                if !given.is_empty() && text(spec, "/completionMode") != "Indexed" {
                    let why =
                        "cannot set non-empty completedIndexes when non-indexed completion mode";
                    it.invalid(&path, value, why);
                }
            } else if !value.is_null() && at(spec, "/backoffLimitPerIndex").is_null() {
                let why = "cannot set non-null failedIndexes when backoffLimitPerIndex is null";
                it.invalid(&path, value, why);
            }
        }
        parsed.push(intervals.and_then(Result::ok).unwrap_or_default());
    }
    let failed = after.get("/failedIndexes");
    if let [completed, of_failed] = parsed.as_slice()
        && is_new
        && !failed.is_null()
        && let Some(index) = overlap(completed, of_failed)
    {
        let why = format!("failedIndexes and completedIndexes overlap at index: {index}");
        it.invalid("status.failedIndexes", failed, why);
    }
}

/// Reads indexes such as `1,3-5` as intervals.
fn read_indexes(given: &str, completions: i64) -> Result<Vec<(i64, i64)>, String> {
    let number = |part: &str| match part.parse::<i64>() {
        Ok(index) if index >= completions => Err(format!("too large index: {part:?}")),
        Ok(index) => Ok(index),
        Err(_) => Err(format!(
            "cannot convert string to integer for index: {part:?}"
        )),
    };
    let order = |previous: i64, current: i64| {
        let message = format!("non-increasing order, previous: {previous}, current: {current}");
        if previous < current {
            Ok(())
        } else {
            Err(message)
        }
    };
    let mut intervals: Vec<(i64, i64)> = Vec::new();
    if given.is_empty() {
        return Ok(intervals);
    }
    for fragment in given.split(',') {
        let parts: Vec<&str> = fragment.split('-').collect();
        let (first, last) = match parts.as_slice() {
            [one] => (number(one)?, number(one)?),
            [first, last] => {
                let (first, last) = (number(first)?, number(last)?);
                order(first, last)?;
                (first, last)
            }
            _ => {
                return Err(format!(
                    "the fragment {fragment:?} violates the requirement that an index interval can have at most two parts separated by '-'"
                ));
            }
        };
        if let Some((_, previous)) = intervals.last() {
            order(*previous, first)?;
        }
        intervals.push((first, last));
    }
    Ok(intervals)
}

/// Returns the first index that is in two sorted lists of intervals.
fn overlap(one: &[(i64, i64)], other: &[(i64, i64)]) -> Option<i64> {
    let pairs = one.iter().flat_map(|a| other.iter().map(move |b| (a, b)));
    let shared = pairs.filter_map(|(a, b)| {
        let first = a.0.max(b.0);
        (first <= a.1.min(b.1)).then_some(first)
    });
    shared.min()
}
