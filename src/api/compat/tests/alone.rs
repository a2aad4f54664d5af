//! A proof belongs to the change that it proves: the old release with this change alone rejects or drops it, whatever else changes.
use kube_codegen_schema::Schema;

use super::*;

/// One edit of the schema of `spec`: the path of the change, and what is edited at which place.
type Edit = (&'static str, &'static str, fn(&mut Value));

const EDITS: &[Edit] = &[
    ("spec.b", "rules narrowed", |spec| {
        spec["properties"]["b"]["x-kubernetes-validations"] = json!([{"rule": "self != 'q'"}]);
    }),
    ("spec.b", "narrowed", |spec| {
        spec["properties"]["b"]["maxLength"] = json!(3);
    }),
    ("spec.r", "field required", |spec| {
        spec["required"].as_array_mut().unwrap().push(json!("r"));
    }),
    ("spec.r", "narrowed", |spec| {
        spec["properties"]["r"]["minLength"] = json!(2);
    }),
    ("spec.n", "not nullable", |spec| {
        spec["properties"]["n"]
            .as_object_mut()
            .unwrap()
            .remove("nullable");
    }),
    ("spec.n", "narrowed", |spec| {
        spec["properties"]["n"]["pattern"] = json!("^[a-z]{5}$");
    }),
    ("spec.x", "field removed", |spec| {
        spec["properties"].as_object_mut().unwrap().remove("x");
    }),
    ("spec.y", "field removed", |spec| {
        spec["properties"].as_object_mut().unwrap().remove("y");
    }),
    ("spec.t", "type changed", |spec| {
        spec["properties"]["t"] = json!({"type": "integer"});
    }),
    ("spec.e", "changed", |spec| {
        spec["properties"]["e"]["enum"] = json!(["A", "C"]);
    }),
    ("spec.list[].k", "narrowed", |spec| {
        spec["properties"]["list"]["items"]["properties"]["k"]["maximum"] = json!(5);
    }),
    ("spec.list", "narrowed", |spec| {
        spec["properties"]["list"]["maxItems"] = json!(2);
    }),
    ("spec", "rules narrowed", |spec| {
        spec["x-kubernetes-validations"] = json!([{"rule": "!has(self.x) || has(self.b)"}]);
    }),
    ("spec.o", "unknown fields pruned", |spec| {
        spec["properties"]["o"] =
            json!({"type": "object", "properties": {"a": {"type": "string"}}});
    }),
    ("spec.p", "rules narrowed", |spec| {
        spec["properties"]["p"]["not"] = json!({"enum": ["z"]});
    }),
];

fn base() -> Value {
    json!({"type": "object", "required": ["p"], "properties": {
        "b": {"type": "string", "maxLength": 9},
        "r": {"type": "string"},
        "n": {"type": "string", "nullable": true},
        "x": {"type": "string"},
        "y": {"type": "string"},
        "t": {"type": "string"},
        "e": {"type": "string", "enum": ["A", "B"]},
        "p": {"type": "string", "maxLength": 9},
        "list": {"type": "array", "maxItems": 9, "items": {"type": "object", "properties": {"k": {"type": "integer"}}}},
        "o": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
    }})
}

fn with(spec: &Value) -> Value {
    let mut crd = crd();
    *at(&mut crd, "SPEC") = spec.clone();
    crd
}

/// Returns what a release says of an object: why it rejects it, or what it drops.
fn verdict(crd: &Value, object: &Value) -> (Vec<String>, Vec<String>) {
    let schema = Schema::new(&crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]).unwrap();
    let mut object = object.clone();
    let dropped = schema.prune(&mut object);
    schema.apply_defaults(&mut object);
    let causes = schema.validate(&object).into_iter();
    (causes.map(|it| it.to_string()).collect(), dropped)
}

#[test]
fn each_proof_is_about_its_change_alone() {
    let old = with(&base());
    let mut wrong = Vec::new();
    let mut proofs = 0;
    let mut check = |edits: &[&Edit]| {
        let mut spec = base();
        for (.., edit) in edits {
            edit(&mut spec);
        }
        for finding in compare_crd(&old, &with(&spec), &Meter::silent()) {
            let name = finding.rule.name().replace('-', " ");
            let edit = edits
                .iter()
                .find(|(path, rule, _)| (*path, *rule) == (&*finding.path, &*name));
            let Some(((path, rule, edit), witness)) = edit.zip(finding.witness.as_ref()) else {
                continue;
            };
            let mut alone = base();
            edit(&mut alone);
            let (before, alone) = (
                verdict(&old, &witness.object),
                verdict(&with(&alone), &witness.object),
            );
            let (is_proof, says) = match &witness.proof {
                Proof::Rejected { messages, .. } => (
                    !alone.0.is_empty(),
                    messages.iter().all(|it| alone.0.contains(it)),
                ),
                Proof::Dropped { paths } => (!alone.1.is_empty(), *paths == alone.1),
                _ => (true, true),
            };
            proofs += 1;
            if !is_proof || !says || before != (Vec::new(), Vec::new()) {
                let all: Vec<_> = edits
                    .iter()
                    .map(|(path, rule, _)| format!("{path}: {rule}"))
                    .collect();
                wrong.push(format!(
                    "{path}: {rule} of {all:?}: {} {alone:?} {:?}",
                    witness.object, witness.proof
                ));
            }
        }
    };
    for a in EDITS {
        for b in EDITS {
            check(&[a, b]);
        }
    }
    check(&EDITS.iter().collect::<Vec<_>>());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(proofs > 300, "{proofs}");
}

/// Removing a combinator rejects nothing new, whether or not the search finds an object.
#[test]
fn a_combinator_that_is_removed_only_widens() {
    for (keyword, value) in [
        ("not", json!({"enum": ["z"]})),
        ("anyOf", json!([{"pattern": "a"}, {"pattern": "b"}])),
    ] {
        let mut spec = base();
        spec["properties"]["p"][keyword] = value;
        let found = compare_crd(&with(&spec), &with(&base()), &Meter::silent());
        let all: Vec<_> = found.iter().map(|it| (it.rule, it.level)).collect();
        assert_eq!(all, [(Rule::RulesWidened, Level::Compatible)], "{keyword}");
    }
}
