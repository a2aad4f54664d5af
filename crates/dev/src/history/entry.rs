//! An entry of the timeline.

/// What an entry is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topic {
    /// What this command and its user do.
    Dev,
    /// An Event.
    Event,
    /// A line of the operator's output.
    Log,
    /// A change of an object.
    Object,
    /// The operator starts, ends, or is paused.
    Process,
    /// A reconcile, from its start to its end.
    Reconcile,
    /// A request of the operator.
    Request,
    /// A line of the output of a simulation, which is about another run.
    Simulation,
    /// An event of a watch that the operator gets.
    Watch,
}

impl Topic {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Dev | Self::Simulation => "dev",
            Self::Event => "event",
            Self::Log => "log",
            Self::Object => "object",
            Self::Process => "process",
            Self::Reconcile => "reconcile",
            Self::Request => "request",
            Self::Watch => "watch",
        }
    }
}

/// What an entry says besides its text.
#[derive(Clone, Debug, Default)]
pub(crate) enum Fact {
    #[default]
    None,
    /// Whether the replica has just been started, and whether it takes part from now on: it runs and has a network.
    Process { starts: bool, takes_part: bool },
    /// The replica holds a Lease, or has released it.
    Lease { name: String, holds: bool },
    /// The status of the answer to a request, if there was one, and whether that has written an object.
    Request { status: Option<u16>, written: bool },
    /// These objects of the manifests were applied.
    Applied(Vec<String>),
}

/// An entry of the timeline.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) topic: Topic,
    /// The key of the object that it is about; empty if there is none.
    pub(crate) object: String,
    pub(crate) text: String,
    /// Why it failed; empty if that is not known, or the text says it.
    pub(crate) why: String,
    /// Microseconds that it took; it is entered at its end.
    pub(crate) took: Option<u64>,
    pub(crate) failed: bool,
    /// The number of the replica of the operator, from 1 on; 0 if it is about none.
    pub(crate) replica: usize,
    /// The field manager that has changed the object; empty if it is not known.
    pub(crate) by: String,
    pub(crate) fact: Fact,
}

impl Entry {
    pub(crate) fn new(topic: Topic, object: String, text: impl Into<String>) -> Self {
        Self {
            topic,
            object,
            text: text.into(),
            why: String::new(),
            took: None,
            failed: false,
            replica: 0,
            by: String::new(),
            fact: Fact::None,
        }
    }

    pub(crate) fn of(mut self, replica: usize) -> Self {
        self.replica = replica;
        self
    }

    /// How many bytes its texts have.
    pub(super) fn bytes(&self) -> usize {
        self.object.len() + self.text.len() + self.why.len() + self.by.len()
    }

    /// Returns the Lease that the replica holds or has released.
    pub(super) fn lease(&self) -> Option<(&str, bool)> {
        match &self.fact {
            Fact::Lease { name, holds } => Some((name, *holds)),
            _ => None,
        }
    }

    pub(crate) fn failed(mut self, failed: bool) -> Self {
        self.failed = failed;
        self
    }
}
