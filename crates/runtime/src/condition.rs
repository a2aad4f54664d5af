//! Status conditions, with the semantics of apimachinery's `meta` package.
//!
//! ```
//! use k8s_openapi::{api::apps::v1::Deployment, apimachinery::pkg::apis::meta::v1::Condition};
//! use kube_codegen_runtime::condition::{condition, is_true, set_condition};
//!
//! let mut conditions: Vec<Condition> = Vec::new();
//! assert!(set_condition(&mut conditions, condition("Ready", false, "Starting", "1 of 3 Pods is ready")));
//! // A condition of the generation that it was computed from:
//! let deployment = Deployment::default();
//! set_condition(
//!     &mut conditions,
//!     Condition {
//!         observed_generation: deployment.metadata.generation,
//!         ..condition("Ready", true, "Started", "3 of 3 Pods are ready")
//!     },
//! );
//! assert!(is_true(&conditions, "Ready"));
//! // Without a change, there is nothing to send.
//! assert!(!set_condition(&mut conditions, condition("Ready", true, "Started", "3 of 3 Pods are ready")));
//! ```
//!
//! In a reconcile, send the conditions with [`modify_status_from`](crate::client::TypedClient::modify_status_from), which sends nothing if
//! none changed.
//! See <https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#typical-status-properties>.
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};

use crate::clock;

/// Whether a condition holds.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ConditionStatus {
    /// It holds.
    True,
    /// It does not hold.
    False,
    /// The controller cannot determine whether it holds.
    Unknown,
}

impl ConditionStatus {
    /// Returns the value of the field `status`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }
}

impl From<bool> for ConditionStatus {
    fn from(holds: bool) -> Self {
        if holds { Self::True } else { Self::False }
    }
}

/// Creates a condition with the current time. `type_` and `reason` are in `PascalCase`; the message is for people.
pub fn condition(
    type_: impl Into<String>,
    status: impl Into<ConditionStatus>,
    reason: impl Into<String>,
    message: impl Into<String>,
) -> Condition {
    Condition {
        type_: type_.into(),
        status: status.into().as_str().to_owned(),
        reason: reason.into(),
        message: message.into(),
        observed_generation: None,
        last_transition_time: Time(clock::now()),
    }
}

/// Adds a condition, or updates the existing one of the same type. Returns whether anything changed.
///
/// As in `meta.SetStatusCondition`, the time of the last transition changes only if the status does.
pub fn set_condition(conditions: &mut Vec<Condition>, new: Condition) -> bool {
    let Some(old) = conditions.iter_mut().find(|old| old.type_ == new.type_) else {
        conditions.push(new);
        return true;
    };
    let last_transition_time = if old.status == new.status {
        old.last_transition_time.clone()
    } else {
        new.last_transition_time
    };
    let new = Condition {
        last_transition_time,
        ..new
    };
    let changed = *old != new;
    *old = new;
    changed
}

/// Removes the condition of this type. Returns whether there was one.
pub fn remove_condition(conditions: &mut Vec<Condition>, type_: &str) -> bool {
    let before = conditions.len();
    conditions.retain(|condition| condition.type_ != type_);
    conditions.len() < before
}

/// Returns the condition of this type.
pub fn find_condition<'c>(conditions: &'c [Condition], type_: &str) -> Option<&'c Condition> {
    conditions.iter().find(|condition| condition.type_ == type_)
}

/// Whether there is a condition of this type and its status is `True`.
pub fn is_true(conditions: &[Condition], type_: &str) -> bool {
    find_condition(conditions, type_).is_some_and(|it| it.status == ConditionStatus::True.as_str())
}

#[cfg(test)]
mod tests {
    use k8s_openapi::jiff::Timestamp;

    use super::*;

    fn at(seconds: i64, condition: Condition) -> Condition {
        let time = Timestamp::from_second(seconds).unwrap();
        Condition {
            last_transition_time: Time(time),
            ..condition
        }
    }

    #[test]
    fn the_transition_time_changes_with_the_status_alone() {
        let mut all = vec![at(1, condition("Other", true, "A", ""))];
        let steps = [
            (2, true, "A", "", true, 2),
            (3, true, "A", "", false, 2),
            (4, true, "B", "", true, 2),
            (5, true, "B", "m", true, 2),
            (6, false, "B", "m", true, 6),
            (7, true, "B", "m", true, 7),
        ];
        for (time, status, reason, message, is_change, expected) in steps {
            let new = at(time, condition("Ready", status, reason, message));
            assert_eq!(set_condition(&mut all, new), is_change, "{time}");
            let found = find_condition(&all, "Ready").unwrap();
            assert_eq!(found.last_transition_time.0.as_second(), expected);
            assert_eq!((&*found.reason, &*found.message), (reason, message));
            assert_eq!(is_true(&all, "Ready"), status);
        }
        assert_eq!((all.len(), &*all[0].type_), (2, "Other"));
    }

    #[test]
    fn an_observed_generation_is_a_change_without_a_transition() {
        let mut all = vec![at(1, condition("Ready", ConditionStatus::Unknown, "A", ""))];
        let mut new = at(2, condition("Ready", ConditionStatus::Unknown, "A", ""));
        new.observed_generation = Some(3);
        assert!(set_condition(&mut all, new));
        assert_eq!(all[0].observed_generation, Some(3));
        assert_eq!(all[0].last_transition_time.0.as_second(), 1);
        assert!(!is_true(&all, "Ready"));
        assert!(remove_condition(&mut all, "Ready") && !remove_condition(&mut all, "Ready"));
    }
}
