//! What can go wrong at a choice point.
//!
//! Each fault is one file that implements [`Act`], and one row of the table below: the file says where the fault can happen, what it does there and how
//! people read it, and the row makes it a variant of [`Fault`] and a [`FaultKind`]. The rest of the crate asks a fault what it needs to know, and names
//! none: `choose` picks among the choices that all faults offer at a point, `run` passes each request and event by the faults that are decided there,
//! `print` asks for the text and the likely cause. A fault does nothing itself but by a [`Site`], which is a small part of a run.

mod act;
mod crash_after;
mod crash_before;
mod cut;
mod delete;
mod disconnect;
mod double;
mod drift;
mod error;
mod error_after;
mod expire;
mod expire_page;
mod hold;
mod late_effect;
mod likely;
mod lost_answer;
mod merge;
mod miss;
mod pause;
mod skew;
mod stale_reconnect;
mod stale_restart;
mod stall;
mod touch;

use std::fmt;

use serde::{Deserialize, Serialize};

pub(crate) use act::{
    Act, Aftermath, Choice, Offer, Rank, Received, Repetition, Sent, Showing, Site,
};
pub(crate) use drift::{drift, drifts};

use crate::point::PointKind;

macro_rules! faults {
    (
        $($(#[$doc:meta])* $fault:ident $(($value:ident: $type:ty))? = $module:ident;)*
        + $($(#[$kind_doc:meta])* $kind:ident;)*
    ) => {
        /// A fault at a choice point.
        #[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase")]
        #[non_exhaustive]
        pub enum Fault {
            $($(#[$doc])* $fault $(($type))?,)*
        }

        /// A fault without its details, for [`Simulation::without_fault`](crate::Simulation::without_fault).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum FaultKind {
            $(#[doc = concat!("[`Fault::", stringify!($fault), "`]")] $fault,)*
            $($(#[$kind_doc])* $kind,)*
        }

        impl FaultKind {
            /// All kinds, in the order above. If you switch all of them off, a simulation tries only the [scenarios](crate::Scenario)
            /// around the operator:
            ///
            /// ```
            /// # use kube_codegen_simulation::{FaultKind, Simulation};
            /// # fn example(simulation: Simulation) -> Simulation {
            /// let faults = FaultKind::ALL.iter();
            /// faults.fold(simulation, |simulation, kind| simulation.without_fault(*kind))
            /// # }
            /// ```
            pub const ALL: &[Self] = &[$(Self::$fault,)* $(Self::$kind,)*];
        }

        impl Fault {
            /// What the fault is to the rest of the crate.
            pub(crate) fn act(&self) -> Box<dyn Act> {
                match self {
                    $(Self::$fault $(($value))? => Box::new($module::$fault $((Clone::clone($value)))?),)*
                }
            }
        }

        /// The choices of each fault at a point.
        const CHOICES: &[fn(&Offer<'_>) -> Vec<Choice>] = &[$($module::$fault::choices,)*];

        /// The choices of each fault in an exhaustive search.
        const ENUMERATED: &[fn(PointKind) -> Vec<Choice>] = &[$($module::$fault::enumerated,)*];
    };
}

faults! {
    /// The operator crashes before the request reaches the server, and restarts.
    CrashBefore = crash_before;
    /// The operator crashes after the request took effect but before the response, and restarts.
    CrashAfter = crash_after;
    /// Like `CrashAfter`, but for 20 seconds, lists and watches of the new process show the state before this request, as from an API
    /// server that lags behind. As on a real server, only requests with `resourceVersion=0` see that state.
    StaleRestart = stale_restart;
    /// After the request, all watches expire. For 20 seconds, watches and lists with `resourceVersion=0` show the state before the
    /// request, as from a second API server that lags behind.
    StaleReconnect = stale_reconnect;
    /// The connection breaks before the request reaches the server.
    Disconnect = disconnect;
    /// The connection breaks after the request took effect.
    LostAnswer = lost_answer;
    /// The server responds with this status, and the request has no effect.
    Error(status: u16) = error;
    /// The server responds with this status after the request took effect.
    ErrorAfter(status: u16) = error_after;
    /// The server responds with 504, and the request takes effect after this time, in milliseconds.
    LateEffect(ms: u64) = late_effect;
    /// This event and all later ones are delayed by this time, in milliseconds.
    Hold(ms: u64) = hold;
    /// This watch delivers nothing for this time, in milliseconds, and then everything that happened. Other watches continue.
    Stall(ms: u64) = stall;
    /// This event and the next one of the same object arrive as one event.
    Merge = merge;
    /// This event arrives twice.
    Double = double;
    /// The watch ends before this event.
    Cut = cut;
    /// The watch ends before this event with 410 Expired; the next list shows only the final state.
    Expire = expire;
    /// This list has pages of one object, and its second page expires (410). At an event, the watch expires first, and then so does the
    /// second page of the next list.
    ExpirePage = expire_page;
    /// Nothing arrives for this time, in milliseconds; then the watch ends with 410 Expired.
    Miss(ms: u64) = miss;
    /// The replica is paused for this time, in milliseconds, as by SIGSTOP. Its requests wait.
    Pause(ms: u64) = pause;
    /// From this request for a Lease on, the replica's clock is ahead by this time, in milliseconds.
    Skew(ms: i64) = skew;
    /// Just before the request, another client sets a label on the object, which increases its resourceVersion.
    Touch = touch;
    /// Just before the request, another client deletes this object.
    Delete(path: String) = delete;
    /// Just before the request, another client changes the spec or the data of this object.
    Drift(path: String) = drift;
    +
    /// [`Fault::Error`] with status 409, a conflict.
    Conflict;
    /// The user does not wait until the operator is at rest.
    Hurry;
}

impl Fault {
    /// Returns the kind of the fault.
    pub fn kind(&self) -> FaultKind {
        self.act().kind()
    }

    /// The faults that can happen at a point.
    pub(crate) fn offered(at: &Offer<'_>) -> Vec<Self> {
        in_order(CHOICES.iter().flat_map(|choices| choices(at)).collect())
    }

    /// The faults that an exhaustive search tries at a point.
    pub(crate) fn enumerated(at: PointKind) -> Vec<Self> {
        let choices = ENUMERATED.iter().flat_map(|choices| choices(at));
        in_order(choices.collect())
    }
}

fn in_order(mut choices: Vec<Choice>) -> Vec<Fault> {
    choices.sort_by_key(|it| it.place);
    choices.into_iter().map(|it| it.fault).collect()
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.act().text())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::point::{Point, Verb};

    #[test]
    fn the_choices_at_a_point_have_places_of_their_own() {
        let mut offered = BTreeSet::new();
        for verb in [Verb::Get, Verb::Update, Verb::Create, Verb::Modified] {
            for is_report in [false, true] {
                let point = Point::example(verb, "leases", "default/a");
                let offer = Offer {
                    point: &point,
                    is_report,
                    creates: verb == Verb::Create,
                    child: Some(("/api/v1/namespaces/default/configmaps/a", true)),
                    has_second_page: true,
                    replicas: 2,
                };
                let choices: Vec<Choice> = CHOICES.iter().flat_map(|it| it(&offer)).collect();
                let places: BTreeSet<u8> = choices.iter().map(|it| it.place).collect();
                assert_eq!(places.len(), choices.len(), "{verb:?}: {choices:?}");
                offered.extend(choices.into_iter().map(|it| it.fault.kind()));
            }
            let enumerated: Vec<Choice> =
                ENUMERATED.iter().flat_map(|it| it(verb.kind())).collect();
            let places: BTreeSet<u8> = enumerated.iter().map(|it| it.place).collect();
            assert_eq!(places.len(), enumerated.len(), "{verb:?}: {enumerated:?}");
        }
        // Each fault is offered somewhere; a user who does not wait is none.
        let all: BTreeSet<FaultKind> = FaultKind::ALL.iter().copied().collect();
        let left: Vec<_> = all.difference(&offered).collect();
        assert_eq!(left, [&FaultKind::Hurry]);
    }

    #[test]
    fn a_kept_schedule_names_a_fault_by_its_variant() {
        for (fault, json) in [
            (Fault::CrashBefore, r#""crashBefore""#),
            (Fault::Error(409), r#"{"error":409}"#),
            (Fault::Skew(-60_000), r#"{"skew":-60000}"#),
            (Fault::Delete("/a".to_owned()), r#"{"delete":"/a"}"#),
        ] {
            assert_eq!(serde_json::to_string(&fault).unwrap(), json);
            assert_eq!(serde_json::from_str::<Fault>(json).unwrap(), fault);
        }
    }
}
