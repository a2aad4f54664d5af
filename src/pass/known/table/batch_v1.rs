//! `api::batch::v1`. Made by `cargo xtask known-types` from the sources of k8s-openapi.
use crate::options::Kubernetes::{V1_35, V1_37};
use super::super::types::{leaf, may, must, Type};
use super::super::types::Ty::{Bool, I32, I64, Str, Time, Other, List, Struct};

pub(super) static ALL: &[&Type] = &[
    &CRON_JOB_SPEC,
    &CRON_JOB_STATUS,
    &JOB_CONDITION,
    &JOB_SCHEDULING_CONFIGURATION,
    &JOB_SPEC,
    &JOB_STATUS,
    &JOB_TEMPLATE_SPEC,
    &POD_FAILURE_POLICY,
    &POD_FAILURE_POLICY_ON_EXIT_CODES_REQUIREMENT,
    &POD_FAILURE_POLICY_ON_POD_CONDITIONS_PATTERN,
    &POD_FAILURE_POLICY_RULE,
    &SUCCESS_POLICY,
    &SUCCESS_POLICY_RULE,
    &UNCOUNTED_TERMINATED_PODS,
];

pub(super) static CRON_JOB_SPEC: Type = leaf(
    "k8s_openapi::api::batch::v1::CronJobSpec",
    "CronJobSpec describes how the job execution will look like and when it will actually run.",
    true,
    &[
        may("concurrencyPolicy", Str),
        may("failedJobsHistoryLimit", I32),
        must("jobTemplate", Struct(&super::batch_v1::JOB_TEMPLATE_SPEC)).said("Specifies the job that will be created when executing a CronJob."),
        must("schedule", Str),
        may("startingDeadlineSeconds", I64),
        may("successfulJobsHistoryLimit", I32),
        may("suspend", Bool),
        may("timeZone", Str),
    ],
);

pub(super) static CRON_JOB_STATUS: Type = leaf(
    "k8s_openapi::api::batch::v1::CronJobStatus",
    "CronJobStatus represents the current state of a cron job.",
    true,
    &[
        may("active", List(&Struct(&super::core_v1::OBJECT_REFERENCE))).said("A list of pointers to currently running jobs."),
        may("lastScheduleTime", Time),
        may("lastSuccessfulTime", Time),
    ],
);

pub(super) static JOB_CONDITION: Type = leaf(
    "k8s_openapi::api::batch::v1::JobCondition",
    "JobCondition describes current state of a job.",
    true,
    &[
        may("lastProbeTime", Time),
        may("lastTransitionTime", Time),
        may("message", Str),
        may("reason", Str),
        must("status", Str),
        must("type", Str),
    ],
);

pub(super) static JOB_SCHEDULING_CONFIGURATION: Type = leaf(
    "k8s_openapi::api::batch::v1::JobSchedulingConfiguration",
    "JobSchedulingConfiguration composes the reusable workload-aware scheduling building blocks.",
    true,
    &[
        may("disruptionMode", Other),
        may("resourceClaims", Other),
        may("schedulingConstraints", Other),
        may("schedulingPolicy", Other),
    ],
).since(V1_37);

pub(super) static JOB_SPEC: Type = leaf(
    "k8s_openapi::api::batch::v1::JobSpec",
    "JobSpec describes how the job execution will look like.",
    true,
    &[
        may("activeDeadlineSeconds", I64),
        may("backoffLimit", I32),
        may("backoffLimitPerIndex", I32),
        may("completionMode", Str),
        may("completions", I32),
        may("managedBy", Str),
        may("manualSelector", Bool),
        may("maxFailedIndexes", I32),
        may("parallelism", I32),
        may("podFailurePolicy", Struct(&super::batch_v1::POD_FAILURE_POLICY)).said("Specifies the policy of handling failed pods."),
        may("podReplacementPolicy", Str),
        may("scheduling", Struct(&super::batch_v1::JOB_SCHEDULING_CONFIGURATION)).said("scheduling defines the Workload-aware Scheduling configuration for this Job.").since(V1_37),
        may("selector", Struct(&super::meta_v1::LABEL_SELECTOR)).said("A label query over pods that should match the pod count."),
        may("successPolicy", Struct(&super::batch_v1::SUCCESS_POLICY)).said("successPolicy specifies the policy when the Job can be declared as succeeded."),
        may("suspend", Bool),
        must("template", Struct(&super::core_v1::POD_TEMPLATE_SPEC)).said("Describes the pod that will be created when executing a job."),
        may("ttlSecondsAfterFinished", I32),
    ],
);

pub(super) static JOB_STATUS: Type = leaf(
    "k8s_openapi::api::batch::v1::JobStatus",
    "JobStatus represents the current state of a Job.",
    true,
    &[
        may("active", I32),
        may("completedIndexes", Str),
        may("completionTime", Time),
        may("conditions", List(&Struct(&super::batch_v1::JOB_CONDITION))).said("The latest available observations of an object's current state."),
        may("failed", I32),
        may("failedIndexes", Str),
        may("ready", I32),
        may("startTime", Time),
        may("succeeded", I32),
        may("terminating", I32),
        may("uncountedTerminatedPods", Struct(&super::batch_v1::UNCOUNTED_TERMINATED_PODS)).said("uncountedTerminatedPods holds the UIDs of Pods that have terminated but the job controller hasn't yet accounted for in the status counters."),
    ],
);

pub(super) static JOB_TEMPLATE_SPEC: Type = leaf(
    "k8s_openapi::api::batch::v1::JobTemplateSpec",
    "JobTemplateSpec describes the data a Job should have when created from a template",
    true,
    &[
        may("metadata", Struct(&super::meta_v1::OBJECT_META)).said("Standard object's metadata of the jobs created from this template."),
        may("spec", Struct(&super::batch_v1::JOB_SPEC)).said("Specification of the desired behavior of the job."),
    ],
);

pub(super) static POD_FAILURE_POLICY: Type = leaf(
    "k8s_openapi::api::batch::v1::PodFailurePolicy",
    "PodFailurePolicy describes how failed pods influence the backoffLimit.",
    true,
    &[
        must("rules", List(&Struct(&super::batch_v1::POD_FAILURE_POLICY_RULE))).said("A list of pod failure policy rules."),
    ],
);

pub(super) static POD_FAILURE_POLICY_ON_EXIT_CODES_REQUIREMENT: Type = leaf(
    "k8s_openapi::api::batch::v1::PodFailurePolicyOnExitCodesRequirement",
    "PodFailurePolicyOnExitCodesRequirement describes the requirement for handling a failed pod based on its container exit codes.",
    true,
    &[
        may("containerName", Str),
        must("operator", Str),
        must("values", List(&I32)),
    ],
);

pub(super) static POD_FAILURE_POLICY_ON_POD_CONDITIONS_PATTERN: Type = leaf(
    "k8s_openapi::api::batch::v1::PodFailurePolicyOnPodConditionsPattern",
    "PodFailurePolicyOnPodConditionsPattern describes a pattern for matching an actual pod condition type.",
    true,
    &[
        may("status", Str).required_before(V1_35),
        must("type", Str),
    ],
);

pub(super) static POD_FAILURE_POLICY_RULE: Type = leaf(
    "k8s_openapi::api::batch::v1::PodFailurePolicyRule",
    "PodFailurePolicyRule describes how a pod failure is handled when the requirements are met.",
    true,
    &[
        must("action", Str),
        may("onExitCodes", Struct(&super::batch_v1::POD_FAILURE_POLICY_ON_EXIT_CODES_REQUIREMENT)).said("Represents the requirement on the container exit codes."),
        may("onPodConditions", List(&Struct(&super::batch_v1::POD_FAILURE_POLICY_ON_POD_CONDITIONS_PATTERN))).said("Represents the requirement on the pod conditions."),
    ],
);

pub(super) static SUCCESS_POLICY: Type = leaf(
    "k8s_openapi::api::batch::v1::SuccessPolicy",
    "SuccessPolicy describes when a Job can be declared as succeeded based on the success of some indexes.",
    true,
    &[
        must("rules", List(&Struct(&super::batch_v1::SUCCESS_POLICY_RULE))).said("rules represents the list of alternative rules for the declaring the Jobs as successful before `.status.succeeded >= .spec.completions`."),
    ],
);

pub(super) static SUCCESS_POLICY_RULE: Type = leaf(
    "k8s_openapi::api::batch::v1::SuccessPolicyRule",
    "SuccessPolicyRule describes rule for declaring a Job as succeeded.",
    true,
    &[
        may("succeededCount", I32),
        may("succeededIndexes", Str),
    ],
);

pub(super) static UNCOUNTED_TERMINATED_PODS: Type = leaf(
    "k8s_openapi::api::batch::v1::UncountedTerminatedPods",
    "UncountedTerminatedPods holds UIDs of Pods that have terminated but haven't been accounted in Job status counters.",
    true,
    &[
        may("failed", List(&Str)),
        may("succeeded", List(&Str)),
    ],
);
