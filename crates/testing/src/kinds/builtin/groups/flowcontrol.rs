//! `flowcontrol.apiserver.k8s.io`.

use serde_json::Value;

use crate::{
    kinds::builtin::strategy::{Group, Strategy},
    values::object::{at, put},
};

pub(super) const GROUP: Group = Group {
    name: "flowcontrol.apiserver.k8s.io",
    kinds: &[
        Strategy {
            kind: "FlowSchema",
            has_generation: true,
            convert: rank,
            ..Strategy::PLAIN
        },
        Strategy {
            kind: "PriorityLevelConfiguration",
            has_generation: true,
            ..Strategy::PLAIN
        },
    ],
    ..Group::EMPTY
};

fn rank(object: &mut Value) {
    let precedence = at(object, "/spec/matchingPrecedence").as_i64();
    if precedence.is_none_or(|it| it == 0) {
        put(object, "/spec/matchingPrecedence", 1000.into());
    }
}
