//! `batch`: Jobs.

use serde_json::Value;

use crate::{
    kinds::builtin::{
        cells,
        fields::{copy_labels, inner, or, or_nil},
        strategy::{Cell, Creation, Fields, Group, Strategy},
        validate::{batch, job_status},
        warnings,
    },
    values::object::{self, at, map, put, section},
};

pub(super) const GROUP: Group = Group {
    name: "batch",
    package: "batch",
    kinds: &[
        Strategy {
            kind: "CronJob",
            columns: &[
                ("Schedule", Cell::Field("/spec/schedule")),
                ("Timezone", Cell::Computed(cells::time_zone)),
                ("Suspend", Cell::Computed(cells::suspend)),
                ("Active", Cell::Computed(cells::active)),
                ("Last Schedule", Cell::Computed(cells::last_schedule)),
            ],
            has_generation: true,
            validate: |it, _, _, object| batch::cron_job(it, object),
            template: Some("/spec/jobTemplate/spec/template"),
            warnings: warnings::workload,
            ..Strategy::PLAIN
        },
        Strategy {
            kind: "Job",
            selectors: &["status.successful"],
            columns: &[
                ("Status", Cell::Computed(cells::job_status)),
                ("Completions", Cell::Computed(cells::completions)),
                ("Duration", Cell::Computed(cells::duration)),
            ],
            has_generation: true,
            create: select_pods,
            validate: |it, subresource, old, object| match old {
                Some(old) if subresource == "status" => job_status::validate(it, old, object),
                _ => batch::job(it, old, object),
            },
            template: Some("/spec/template"),
            warnings: warnings::workload,
            orphans: Some(
                "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
            ),
            ..Strategy::PLAIN
        },
    ],
    defaults,
};

/// Sets the selector of a new Job, and the labels of its Pods.
fn select_pods(object: &mut Value, creation: &Creation<'_>) {
    if at(object, "/spec/manualSelector") == true {
        return;
    }
    let (name, uid) = (
        object::name(object).to_owned(),
        object::uid(object).to_owned(),
    );
    let spec = section(object, "spec");
    let template = spec.entry("template").or_insert(Value::Null);
    let labels = map(section(template, "metadata")
        .entry("labels")
        .or_insert(Value::Null));
    for key in ["job-name", "batch.kubernetes.io/job-name"] {
        labels.entry(key).or_insert_with(|| name.as_str().into());
    }
    for key in ["controller-uid", "batch.kubernetes.io/controller-uid"] {
        labels.entry(key).or_insert_with(|| uid.as_str().into());
    }
    let shared = Value::Object(labels.clone());
    let selector = spec.entry("selector").or_insert(Value::Null);
    section(selector, "matchLabels")
        .entry("batch.kubernetes.io/controller-uid")
        .or_insert_with(|| uid.into());
    // By default, a Job has the labels of its template, also those that the server adds.
    if !creation.is_labelled {
        put(object, "/metadata/labels", shared);
    }
}

fn defaults(name: &str, it: &mut Fields) {
    match name {
        "Job" => {
            let labels = at(&Value::Object(it.clone()), "/spec/template/metadata/labels").clone();
            if labels.is_object() {
                copy_labels(it, &labels);
            }
        }
        "CronJobSpec" => {
            or(it, "concurrencyPolicy", "Allow");
            or_nil(it, "suspend", false);
            or_nil(it, "successfulJobsHistoryLimit", 3);
            or_nil(it, "failedJobsHistoryLimit", 1);
        }
        "PodFailurePolicyOnPodConditionsPattern" => or(it, "status", "True"),
        _ => {}
    }
    if name == "Job" {
        job_spec(inner(it, "spec"));
    }
}

/// The defaults of a Job; the template of a `CronJob` has none.
fn job_spec(it: &mut Fields) {
    let is_absent = |name: &str| it.get(name).is_none_or(Value::is_null);
    if is_absent("completions") && is_absent("parallelism") {
        it.insert("completions".to_owned(), 1.into());
    }
    or_nil(it, "parallelism", 1);
    let limit = if it.contains_key("backoffLimitPerIndex") {
        i32::MAX
    } else {
        6
    };
    or_nil(it, "backoffLimit", limit);
    or_nil(it, "completionMode", "NonIndexed");
    or_nil(it, "suspend", false);
    let policy = if it.contains_key("podFailurePolicy") {
        "Failed"
    } else {
        "TerminatingOrFailed"
    };
    or_nil(it, "podReplacementPolicy", policy);
    or_nil(it, "manualSelector", false);
}
