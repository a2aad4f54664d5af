//! Validates Jobs and `CronJobs`.

use serde_json::Value;

use super::{
    Causes, pod,
    workload::{matches, mismatch},
};
use crate::values::object::{at, map, section, text};

pub(crate) fn job(it: &mut Causes, old: Option<&Value>, object: &Value) {
    let spec = at(object, "/spec");
    job_spec(it, "spec", spec);
    let selector = at(spec, "/selector");
    let mut is_valid = true;
    if selector.is_null() {
        it.required("spec.selector", "");
    } else {
        is_valid = it.selector("spec.selector", selector);
    }
    let labels = at(spec, "/template/metadata/labels");
    if selector.is_null() || is_valid && !matches(selector, labels) {
        mismatch(it, labels);
    }
    let Some(old) = old else { return };
    let (before, after) = (at(old, "/spec/completions"), at(spec, "/completions"));
    // Without a number, an indexed Job is rejected for that reason alone.
    let is_resized = before != after && !after.is_null();
    if text(spec, "/completionMode") != "Indexed" {
        it.immutable("spec.completions", before, after);
    } else if is_resized && after != at(spec, "/parallelism") {
        let why = "can only be modified in tandem with spec.parallelism";
        it.invalid("spec.completions", after, why);
    }
    it.immutable("spec.selector", at(old, "/spec/selector"), selector);
    if at(old, "/spec/suspend") == true {
        // How a suspended Job is scheduled may change.
        let (before, after) = (fixed(old), fixed(object));
        it.immutable(
            "spec.template.spec",
            at(&before, "/spec"),
            at(&after, "/spec"),
        );
    } else {
        let (before, after) = (at(old, "/spec/template"), at(spec, "/template"));
        it.immutable("spec.template", before, after);
    }
    for name in [
        "completionMode",
        "podFailurePolicy",
        "backoffLimitPerIndex",
        "managedBy",
        "successPolicy",
    ] {
        let pointer = format!("/spec/{name}");
        it.immutable(
            format!("spec.{name}"),
            at(old, &pointer),
            at(object, &pointer),
        );
    }
}

fn job_spec(it: &mut Causes, path: &str, spec: &Value) {
    it.not_negative(
        path,
        spec,
        &[
            "parallelism",
            "completions",
            "activeDeadlineSeconds",
            "backoffLimit",
            "ttlSecondsAfterFinished",
            "backoffLimitPerIndex",
            "maxFailedIndexes",
        ],
    );
    let mode = at(spec, "/completionMode");
    it.one_of(
        format!("{path}.completionMode"),
        mode,
        &["NonIndexed", "Indexed"],
    );
    if mode == "Indexed" && at(spec, "/completions").is_null() {
        it.required(
            format!("{path}.completions"),
            "when completion mode is Indexed",
        );
    }
    if mode != "Indexed" {
        for name in ["backoffLimitPerIndex", "maxFailedIndexes"] {
            let value = at(spec, &format!("/{name}"));
            if !value.is_null() {
                it.invalid(
                    format!("{path}.{name}"),
                    value,
                    "requires indexed completion mode",
                );
            }
        }
    }
    pod::template(it, &format!("{path}.template"), at(spec, "/template"));
    let policy = at(spec, "/template/spec/restartPolicy");
    let field = format!("{path}.template.spec.restartPolicy");
    match policy.as_str() {
        None | Some("" | "Always") => it.required(field, "valid values: \"OnFailure\", \"Never\""),
        Some("OnFailure" | "Never") => {}
        Some(_) => it.unsupported(field, policy, &["OnFailure", "Never"]),
    }
}

pub(crate) fn cron_job(it: &mut Causes, object: &Value) {
    let spec = at(object, "/spec");
    let schedule = text(spec, "/schedule");
    if schedule.is_empty() {
        it.required("spec.schedule", "");
    } else {
        let is_zoned = schedule.contains("TZ");
        if is_zoned {
            it.invalid(
                "spec.schedule",
                at(spec, "/schedule"),
                "cannot use TZ or CRON_TZ in schedule, use timeZone field instead",
            );
        }
        let count = schedule.split_whitespace().count();
        if !is_zoned && !schedule.starts_with('@') && count != 5 {
            it.invalid(
                "spec.schedule",
                at(spec, "/schedule"),
                format!(
                    "expected exactly 5 fields, found {count}: [{}]",
                    schedule.split_whitespace().collect::<Vec<_>>().join(" ")
                ),
            );
        }
    }
    let zone = at(spec, "/timeZone");
    match zone.as_str() {
        Some("") => it.invalid(
            "spec.timeZone",
            zone,
            "timeZone must be nil or non-empty string",
        ),
        Some(name) if name.eq_ignore_ascii_case("local") => it.invalid(
            "spec.timeZone",
            zone,
            "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones",
        ),
        _ => {}
    }
    it.not_negative("spec", spec, &["startingDeadlineSeconds"]);
    it.one_of(
        "spec.concurrencyPolicy",
        at(spec, "/concurrencyPolicy"),
        &["Allow", "Forbid", "Replace"],
    );
    let template = at(spec, "/jobTemplate/spec");
    job_spec(it, "spec.jobTemplate.spec", template);
    if at(template, "/manualSelector") == true {
        it.unsupported(
            "spec.jobTemplate.spec.manualSelector",
            at(template, "/manualSelector"),
            &["nil", "false"],
        );
    }
    it.not_negative(
        "spec",
        spec,
        &["successfulJobsHistoryLimit", "failedJobsHistoryLimit"],
    );
    if crate::values::object::name(object).len() > 52 {
        it.invalid(
            "metadata.name",
            at(object, "/metadata/name"),
            "must be no more than 52 characters",
        );
    }
}

/// Returns the part of the template that does not change in a suspended Job.
fn fixed(job: &Value) -> Value {
    let mut template = at(job, "/spec/template").clone();
    let spec = section(&mut template, "spec");
    for name in ["nodeSelector", "tolerations", "schedulingGates"] {
        spec.remove(name);
    }
    for name in ["containers", "initContainers"] {
        let containers = spec.get_mut(name).and_then(Value::as_array_mut);
        for container in containers.into_iter().flatten() {
            map(container).remove("resources");
        }
    }
    template
}
