//! Experiments: the schedule of a failure runs once more, and something is done where it fails.
//!
//! The history of a run often leaves two causes: an event was dropped, or the process remembers that all is done; a field is never compared, or the
//! status says that it is right. Each experiment tells two of them apart by one more run. A restart is the first experiment, and needs no run of its
//! own ([`AfterRestart`](crate::oracles::AfterRestart)): nothing follows it.

/// What is done where a run has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Experiment {
    /// A label of the user's objects changes, so that the running process reconciles them now, whatever its back-off.
    AskAgain,
    /// The writes of the status are undone, and a new process starts.
    WithoutStatus,
    /// The children that are wrong are deleted, and a new process starts.
    WithoutChild,
}

impl Experiment {
    pub(crate) const ALL: [Self; 3] = [Self::AskAgain, Self::WithoutStatus, Self::WithoutChild];
}
