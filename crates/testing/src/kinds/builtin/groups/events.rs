//! `events.k8s.io`: the Events of the core group in another form.

use crate::kinds::builtin::{
    cells,
    strategy::{Cell, Group, Strategy},
};

pub(super) const GROUP: Group = Group {
    name: "events.k8s.io",
    kinds: &[EVENT],
    ..Group::EMPTY
};

pub(super) const EVENT: Strategy = Strategy {
    kind: "Event",
    selectors: &[
        "involvedObject.kind",
        "involvedObject.namespace",
        "involvedObject.name",
        "involvedObject.uid",
        "involvedObject.apiVersion",
        "involvedObject.resourceVersion",
        "involvedObject.fieldPath",
        "regarding.kind",
        "regarding.namespace",
        "regarding.name",
        "regarding.uid",
        "reason",
        "reportingComponent",
        "reportingController",
        "source",
        "type",
    ],
    columns: &[
        ("Last Seen", Cell::Computed(cells::last_seen)),
        ("Type", Cell::Field("/type")),
        ("Reason", Cell::Field("/reason")),
        ("Object", Cell::Computed(cells::object)),
        ("Message", Cell::Computed(cells::message)),
    ],
    shows_name: false,
    creates_on_update: true,
    ..Strategy::PLAIN
};
