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
    /// The children that are wrong are deleted, or what is outside of the cluster is as before the first run, and a new process starts.
    WithoutChild,
    /// The user's objects get another `metadata.generation`, and are otherwise as before.
    NewGeneration,
    /// The user's objects disappear for a moment and appear again, with the same uids.
    Anew,
}

impl Experiment {
    pub(crate) const ALL: [Self; 3] = [Self::AskAgain, Self::WithoutStatus, Self::WithoutChild];

    /// Those that tell why the running process does nothing when a label of its object changes.
    pub(crate) const UNHEARD: [Self; 2] = [Self::NewGeneration, Self::Anew];

    /// Whether a new process is to act, not the running one.
    pub(crate) fn starts_anew(self) -> bool {
        match self {
            Self::AskAgain | Self::NewGeneration | Self::Anew => false,
            Self::WithoutStatus | Self::WithoutChild => true,
        }
    }
}

/// What an experiment has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    /// Whether the state is right afterwards.
    pub(crate) is_right: bool,
    /// Whether the operator has done something that others see: a request that is no watch, or a change outside of the cluster.
    pub(crate) acts: bool,
    /// Whether it has changed something.
    pub(crate) writes: bool,
}
