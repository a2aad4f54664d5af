//! `autoscaling`.

mod versions;

use serde_json::{Value, json};

use crate::kinds::builtin::{
    cells,
    fields::{inner, or, or_nil},
    strategy::{Cell, Fields, Group, Strategy},
    validate::others,
};

pub(super) const GROUP: Group = Group {
    name: "autoscaling",
    package: "autoscaling",
    kinds: &[Strategy {
        kind: "HorizontalPodAutoscaler",
        columns: &[
            ("Reference", Cell::Computed(cells::scaled)),
            ("Targets", Cell::Computed(cells::targets)),
            ("MinPods", Cell::Computed(cells::min_replicas)),
            ("MaxPods", Cell::Field("/spec/maxReplicas")),
            ("Replicas", Cell::Field("/status/currentReplicas")),
        ],
        has_generation: true,
        to_version: Some(versions::convert),
        validate: |it, _, _, object| others::autoscaler(it, object),
        ..Strategy::PLAIN
    }],
    defaults: |name, it| {
        match name {
            // That of v1.
            "HorizontalPodAutoscalerSpec" => or_nil(it, "minReplicas", 1),
            "v2.HorizontalPodAutoscalerSpec" => autoscaler(it),
            _ => {}
        }
    },
};

fn autoscaler(it: &mut Fields) {
    or_nil(it, "minReplicas", 1);
    or(
        it,
        "metrics",
        json!([{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}}]),
    );
    if let Some(Value::Object(behavior)) = it.get_mut("behavior") {
        let up = inner(behavior, "scaleUp");
        or_nil(up, "stabilizationWindowSeconds", 0);
        or_nil(up, "selectPolicy", "Max");
        or_nil(
            up,
            "policies",
            json!([{"type": "Pods", "value": 4, "periodSeconds": 15}, {"type": "Percent", "value": 100, "periodSeconds": 15}]),
        );
        let down = inner(behavior, "scaleDown");
        or_nil(down, "selectPolicy", "Max");
        or_nil(
            down,
            "policies",
            json!([{"type": "Percent", "value": 100, "periodSeconds": 15}]),
        );
    }
}
