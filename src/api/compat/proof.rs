//! Objects that prove a change, and what they prove.
use serde_json::{Value, json};

/// An object that proves a change.
#[derive(Clone, Debug)]
pub(crate) struct Witness {
    /// The object as a user writes it.
    pub(crate) object: Value,
    /// What it proves.
    pub(crate) proof: Proof,
}

/// What an object proves.
#[derive(Clone, Debug)]
pub(crate) enum Proof {
    /// The first release accepts the object, the second one rejects it with these messages.
    Rejected {
        messages: Vec<String>,
        /// Whether stored objects like it can be updated as long as the update does not change what is rejected.
        ratchets: bool,
    },
    /// The first release rejects the object with these messages, the second one accepts it.
    Accepted { messages: Vec<String> },
    /// The first release accepts the object as an update of a stored one, the second one rejects it with these messages.
    UpdateRejected {
        stored: Value,
        messages: Vec<String>,
    },
    /// The first release rejects the object as an update of a stored one with these messages, the second one accepts it.
    UpdateAccepted {
        stored: Value,
        messages: Vec<String>,
    },
    /// The second release drops these fields.
    Dropped { paths: Vec<String> },
    /// The releases store it differently.
    Stored {
        path: String,
        before: String,
        after: String,
    },
}

impl Witness {
    /// Returns it for programs.
    pub(crate) fn json(&self) -> Value {
        let object = &self.object;
        match &self.proof {
            Proof::Rejected { messages, ratchets } => {
                json!({"proves": "rejected", "object": object, "messages": messages, "ratchets": ratchets})
            }
            Proof::Accepted { messages } => {
                json!({"proves": "accepted", "object": object, "messages": messages})
            }
            Proof::UpdateRejected { stored, messages } => {
                json!({"proves": "update-rejected", "stored": stored, "object": object, "messages": messages})
            }
            Proof::UpdateAccepted { stored, messages } => {
                json!({"proves": "update-accepted", "stored": stored, "object": object, "messages": messages})
            }
            Proof::Dropped { paths } => {
                json!({"proves": "dropped", "object": object, "paths": paths})
            }
            Proof::Stored {
                path,
                before,
                after,
            } => {
                json!({"proves": "stored", "object": object, "path": path, "before": before, "after": after})
            }
        }
    }
}
