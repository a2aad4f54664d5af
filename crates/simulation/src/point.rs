//! Choice points: the moments of a run at which something can go wrong.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The verb of a request or the type of a watch event: the first word of a [`Point`].
///
/// Requests have the verbs of RBAC rules. In stored schedules, the values are spelled `"patch"`, `"deleteCollection"` or `"modified"`.
///
/// ```
/// use kube_codegen_simulation::{FaultKind, Schedule, Verb};
///
/// /// Whether a conflict hits an update.
/// fn is_conflict(schedule: &Schedule) -> bool {
///     let mut decisions = schedule.decisions.iter();
///     decisions.any(|it| it.at.verb == Verb::Update && it.fault.kind() == FaultKind::Conflict)
/// }
/// # assert!(!is_conflict(&Schedule::default()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Verb {
    /// Reads one object.
    Get,
    /// Reads a collection.
    List,
    /// Starts a watch.
    Watch,
    /// Creates an object.
    Create,
    /// Replaces an object.
    Update,
    /// Changes an object, including by server-side apply.
    Patch,
    /// Deletes an object.
    Delete,
    /// Deletes a collection.
    DeleteCollection,
    /// A watch event: an object was added.
    Added,
    /// A watch event: an object changed.
    Modified,
    /// A watch event: an object was deleted.
    Deleted,
    /// The cluster reports a status: a step of an [exhaustive](crate::Simulation::exhaustive) search.
    Report,
}

impl Verb {
    /// Those of requests and events; [`Self::Report`] is neither.
    const READ: [Self; 11] = [
        Self::Get,
        Self::List,
        Self::Watch,
        Self::Create,
        Self::Update,
        Self::Patch,
        Self::Delete,
        Self::DeleteCollection,
        Self::Added,
        Self::Modified,
        Self::Deleted,
    ];

    /// Reads the verb of a request, or the type of a watch event.
    pub(crate) fn read(text: &str) -> Option<Self> {
        Self::READ.into_iter().find(|verb| verb.name() == text)
    }

    /// As Kubernetes writes it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::List => "list",
            Self::Watch => "watch",
            Self::Create => "create",
            Self::Update => "update",
            Self::Patch => "patch",
            Self::Delete => "delete",
            Self::DeleteCollection => "deletecollection",
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
            Self::Report => "status of",
        }
    }

    /// The kind of the choice points with this verb.
    pub(crate) fn kind(self) -> PointKind {
        match self {
            Self::Get | Self::List | Self::Watch => PointKind::Read,
            Self::Create
            | Self::Update
            | Self::Patch
            | Self::Delete
            | Self::DeleteCollection
            | Self::Report => PointKind::Write,
            Self::Added | Self::Modified | Self::Deleted => PointKind::Event,
        }
    }

    pub(crate) fn is_write(self) -> bool {
        self.kind() == PointKind::Write
    }
}

/// A moment of a run at which a fault can happen: a request of the operator, or a watch event on its way to the operator.
///
/// A point is identified by what happens and how often it has happened before, so a decision stays in place when other decisions are
/// removed from the schedule. A report shows it as `patch widgets/status default/a (occurrence 2)`; a stored schedule contains
///
/// ```
/// let json = r#"{"verb": "patch", "resource": "widgets", "subresource": "status", "place": "default/a", "occurrence": 2}"#;
/// let point: kube_codegen_simulation::Point = serde_json::from_str(json)?;
/// assert_eq!(point.to_string(), "patch widgets/status default/a (occurrence 2)");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Point {
    /// The replica of the operator, from 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub replica: usize,
    /// The verb of the request, or the type of the watch event.
    pub verb: Verb,
    /// The plural of the kind, such as `widgets`.
    pub resource: String,
    /// The subresource, such as `status`; empty for the object itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub subresource: String,
    /// Namespace and name, such as `default/a`; `*` replaces parts that differ from run to run.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub place: String,
    /// How often the same has happened to this replica, counting from 1.
    pub occurrence: u32,
}

impl Point {
    /// Returns what happens, such as `patch widgets/status default/a`, or `event MODIFIED widgets default/a`.
    pub(crate) fn what(&self) -> impl fmt::Display {
        What(self)
    }

    /// The kind, which decides which faults are possible.
    pub(crate) fn kind(&self) -> PointKind {
        self.verb.kind()
    }

    /// What happens to which object, whatever the replica and the occurrence.
    pub(crate) fn target(&self) -> (Verb, &str, &str, &str) {
        (self.verb, &self.resource, &self.subresource, &self.place)
    }

    /// Whether both are about the same object, or the same subresource of it.
    pub(crate) fn is_of_same_object(&self, other: &Self) -> bool {
        let verb = other.verb;
        Self {
            verb,
            ..self.clone()
        }
        .target()
            == other.target()
    }

    /// The first point with this verb; `resource` may name a subresource, as in `widgets/status`.
    #[cfg(test)]
    pub(crate) fn example(verb: Verb, resource: &str, place: &str) -> Self {
        let (resource, subresource) = resource.split_once('/').unwrap_or((resource, ""));
        Self {
            replica: 0,
            verb,
            resource: resource.to_owned(),
            subresource: subresource.to_owned(),
            place: place.to_owned(),
            occurrence: 1,
        }
    }
}

/// What happens at a point, for people.
struct What<'p>(&'p Point);

impl fmt::Display for What<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Point {
            verb,
            resource,
            subresource,
            place,
            ..
        } = self.0;
        if self.0.kind() == PointKind::Event {
            f.write_str("event ")?;
        }
        f.write_str(verb.name())?;
        let parts = [(" ", resource), ("/", subresource), (" ", place)];
        for (separator, part) in parts {
            if !part.is_empty() {
                write!(f, "{separator}{part}")?;
            }
        }
        Ok(())
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde expects"
)]
pub(crate) fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (occurrence {}", self.what(), self.occurrence)?;
        if self.replica > 0 {
            write!(f, ", replica {}", self.replica)?;
        }
        f.write_str(")")
    }
}

/// The kind of a choice point; it decides which faults are possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum PointKind {
    Read,
    Write,
    Event,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_are_read_as_they_are_named() {
        for verb in Verb::READ {
            assert_eq!(Verb::read(verb.name()), Some(verb));
        }
        assert_eq!(Verb::read("deletecollection"), Some(Verb::DeleteCollection));
        assert_eq!(Verb::read(Verb::Report.name()), None);
    }
}
