//! The paths of printer columns.
use kube_codegen_record::walk::{Node, Path};
use serde_json::{Value, json};

use crate::walk::{kind, types::CrdKind};

fn sample() -> CrdKind {
    kind(
        r#"{"metadata":{"name":"a","labels":{"app.kubernetes.io/name":"shop","plain":"p"}},
            "spec":{"choice":"mysql","replicas":3,"list":[{"x":1},{},{"x":3}],"map":{"a.b":{"x":7},"c":{"x":8}},"maybe":null,
                    "any":{"deep":[{"k":"v"},5],"a":{"b":"nested"},"flag":true,"float":1.5},
                    "pod":{"spec":{"containers":[{"name":"a","image":"i","resources":{"limits":{"cpu":1}}}],"nodeSelector":{"a":"b"}}}},
            "status":{"beat":"2024-01-01T00:00:00.5Z","when":"now","extra":{"y":[1,2]},
                      "conditions":[{"type":"Synced","status":"False","lastTransitionTime":"2024-01-01T00:00:00Z","reason":"a","message":"","observedGeneration":1},
                                    {"type":"Ready","status":"True","lastTransitionTime":"2024-01-01T00:00:00Z","reason":"b","message":"","observedGeneration":5}]}}"#,
    )
}

fn found(path: &str) -> Vec<Value> {
    let kind = sample();
    Path::parse(path)
        .unwrap()
        .find(&kind)
        .iter()
        .map(Node::to_json)
        .collect()
}

#[test]
fn paths_find_values() {
    let cases = [
        (".kind", vec![json!("CrdKind")]),
        (".spec.choice", vec![json!("mysql")]),
        ("spec.choice", vec![json!("mysql")]),
        ("$.spec.choice", vec![json!("mysql")]),
        (
            r".metadata.labels.app\.kubernetes\.io/name",
            vec![json!("shop")],
        ),
        (
            r".metadata.labels['app\.kubernetes\.io/name']",
            vec![json!("shop")],
        ),
        (".metadata.labels.*", vec![json!("shop"), json!("p")]),
        (r".spec.map['a\.b'].x", vec![json!(7)]),
        (".spec['any.a.b']", vec![json!("nested")]),
        (".spec.map.c", vec![json!({"x": 8})]),
        (".spec.map.*.x", vec![json!(7), json!(8)]),
        ("..image", vec![json!("i")]),
        (".spec.any..b", vec![json!("nested")]),
        (".spec..list[0].x", vec![json!(1)]),
        (".spec..['k']", vec![json!("v")]),
        (".spec.list[::2].x", vec![json!(1), json!(3)]),
        (".spec.list[:-1].x", vec![json!(1)]),
        (".spec.list[]", vec![json!({"x": 1})]),
        (".spec.list[1:1]", vec![]),
        (".spec.list[0,2]['x','y']", vec![json!(1), json!(3)]),
        (
            r#".status.conditions[?(@.type=="\u0052eady")].status"#,
            vec![json!("True")],
        ),
        (".spec.list[?(@.x>1)]", vec![json!({"x": 3})]),
        (".spec.list[0].x", vec![json!(1)]),
        (".spec.list[-1].x", vec![json!(3)]),
        (".spec.list[*].x", vec![json!(1), json!(3)]),
        (".spec.list[0:2]", vec![json!({"x": 1}), json!({})]),
        (".spec.list[1:]", vec![json!({}), json!({"x": 3})]),
        (".spec.list[0,2].x", vec![json!(1), json!(3)]),
        (".spec['choice','replicas']", vec![json!("mysql"), json!(3)]),
        (".spec.maybe", vec![Value::Null]),
        (".spec.any.deep[0].k", vec![json!("v")]),
        (".spec.any['a'].b", vec![json!("nested")]),
        (".spec.pod.spec.containers[0].image", vec![json!("i")]),
        (
            ".spec.pod.spec.containers[*].resources.limits.cpu",
            vec![json!("1")],
        ),
        (".spec.pod.spec.nodeSelector.a", vec![json!("b")]),
        (".status.extra.y[1]", vec![json!(2)]),
        (".status.beat", vec![json!("2024-01-01T00:00:00.500000Z")]),
        (
            r#".status.conditions[?(@.type=="Ready")].status"#,
            vec![json!("True")],
        ),
        (
            ".status.conditions[?(@.type == 'Ready')].status",
            vec![json!("True")],
        ),
        (
            ".status.conditions[?(@.type!='Ready')].reason",
            vec![json!("a")],
        ),
        (
            ".status.conditions[?(@.observedGeneration>=5)].reason",
            vec![json!("b")],
        ),
        (
            ".status.conditions[?(@.observedGeneration<2)].reason",
            vec![json!("a")],
        ),
        (".spec.list[?(@.x)].x", vec![json!(1), json!(3)]),
    ];
    for (path, expected) in cases {
        assert_eq!(found(path), expected, "{path}");
    }
}

#[test]
fn a_missing_or_mismatched_value_is_not_found() {
    for path in [
        ".spec.nothing",
        ".nothing.at.all",
        ".spec.list[9]",
        ".spec.list[-9]",
        ".spec.list[2:9]",
        ".spec.choice[0]",
        ".spec.choice.x",
        ".spec.paused",
        ".spec.nothing[0].x",
        ".status.conditions[?(@.absent=='x')]",
        ".status.conditions[?(@.observedGeneration==1.0)]",
        ".metadata.labels['app.kubernetes.io/name']",
        ".spec.map[*]",
        ".spec.list[0:2:0]",
        ".",
        ".spec.",
        ".spec.list.[0]",
        ".spec.list[?(@.x==one)]",
        ".spec..[0]",
        ".status.conditions[?(@.type>5)]",
        ".spec.choice[?(@.x)]",
    ] {
        assert_eq!(found(path), Vec::<Value>::new(), "{path}");
    }
}

#[test]
fn syntax_errors_have_a_position() {
    let cases = [
        (".spec..*", 7, "expected a name"),
        (".spec....x", 7, "expected a name"),
        (".spec[\"x\"]", 6, "expected an index"),
        (".spec.list[ 1 ]", 11, "expected an index"),
        (".spec.list[", 11, "expected an index"),
        (".spec.list[x]", 11, "expected an index"),
        (".spec.list[1", 12, "expected `]`"),
        (".spec.list['x]", 14, "unclosed quote"),
        (".spec.list[?(@.x]", 16, "expected `)`"),
        (".spec.list[?(@.x==)]", 18, "expected `@`"),
        (".spec.list[?(1)]", 14, "expected a comparison"),
        (".spec.}", 6, "expected a name"),
        (".spec.x}", 7, "expected `.` or `[`"),
        (".spec.x\\", 8, "backslash"),
        (".spec.list[99999999999999999999]", 11, "invalid index"),
    ];
    for (path, at, problem) in cases {
        let error = Path::parse(path).unwrap_err();
        assert_eq!(error.at, at, "{error}");
        assert!(error.problem.contains(problem), "{error}");
    }
    let deep = ".a[?(@".repeat(100_000);
    assert!(Path::parse(&deep).is_err());
}
