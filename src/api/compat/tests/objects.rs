//! Updates that prove a change of a rule, and what happens to stored objects.
use super::*;

/// Returns the CRD with rules of the spec, or of one of its fields.
fn with_rules(place: &str, rules: &[&str]) -> Value {
    let mut crd = crd();
    let node = at(&mut crd, place);
    let kept = node["x-kubernetes-validations"].as_array().cloned();
    let mut all = kept.unwrap_or_default();
    all.extend(rules.iter().map(|rule| json!({"rule": rule})));
    node["x-kubernetes-validations"] = all.into();
    crd
}

#[test]
fn an_object_of_a_removed_branch_is_found() {
    let with = |names: &[&str]| {
        let mut crd = crd();
        let branches = names.iter().map(|name| json!({"required": [name]}));
        at(&mut crd, "SPEC")["oneOf"] = branches.collect();
        crd
    };
    let found = findings(
        &with(&["name", "extra"]),
        &with(&["name"]),
        &Options::default(),
    );
    let rejected = found.iter().find(|it| it.rule == Rule::RulesNarrowed);
    assert_eq!(rejected.map(proof), Some("rejected, ratchets"));
}

#[test]
fn a_rule_about_updates_is_proved_by_an_update() {
    let (color, replicas) = ("SPEC/properties/color", "SPEC/properties/replicas");
    let (less, more) = ("update rejected", "update accepted");
    for (place, old, new, rule, proves) in [
        (
            color,
            &[][..],
            &["self == oldSelf"][..],
            Rule::UpdateNarrowed,
            less,
        ),
        (color, &["self == oldSelf"], &[], Rule::RulesWidened, more),
        (
            replicas,
            &[],
            &["self >= oldSelf"],
            Rule::UpdateNarrowed,
            less,
        ),
        (
            replicas,
            &["self >= oldSelf - 1"],
            &["self >= oldSelf"],
            Rule::UpdateNarrowed,
            less,
        ),
        (
            replicas,
            &["self >= oldSelf"],
            &["oldSelf <= self"],
            Rule::RulesChanged,
            "",
        ),
        (
            "SPEC",
            &[],
            &["has(self.name) || !has(oldSelf.name)"],
            Rule::UpdateNarrowed,
            less,
        ),
        (
            "SPEC",
            &[],
            &["has(self.tags) == has(oldSelf.tags)"],
            Rule::UpdateNarrowed,
            less,
        ),
        // All other fields stay.
        (
            "SPEC",
            &["self.color == oldSelf.color"],
            &[
                "self.color == oldSelf.color",
                "self.replicas == oldSelf.replicas",
            ],
            Rule::UpdateNarrowed,
            less,
        ),
        (
            "SPEC/properties/extra",
            &[],
            &["!has(self.a) || self.a == oldSelf.?a.orValue('')"],
            Rule::UpdateNarrowed,
            less,
        ),
    ] {
        let (old, new) = (with_rules(place, old), with_rules(place, new));
        let found = findings(&old, &new, &Options::default());
        let found: Vec<_> = found.iter().map(|it| (it.rule, proof(it))).collect();
        assert_eq!(found, [(rule, proves)], "{new}");
    }
}

#[test]
fn each_change_has_its_own_place() {
    let paths = |new: &Value| -> Vec<(Rule, String, &str)> {
        let found = findings(&crd(), new, &Options::default());
        let found = found.iter();
        found
            .map(|it| (it.rule, it.path.clone(), proof(it)))
            .collect()
    };
    let text = str::to_owned;
    // A list and its items.
    let mut new = crd();
    at(&mut new, "SPEC/properties/tags")["minItems"] = json!(1);
    at(&mut new, "SPEC/properties/tags/items")["maxLength"] = json!(9);
    assert_eq!(
        paths(&new),
        [
            (Rule::Narrowed, text("spec.tags"), "rejected, ratchets"),
            (Rule::Narrowed, text("spec.tags[]"), "rejected, ratchets"),
        ]
    );
    // A rule of the whole object beside another change.
    let mut new = crd();
    let root = "/spec/versions/0/schema/openAPIV3Schema";
    at(&mut new, root)["x-kubernetes-validations"] =
        json!([{"rule": "self.metadata.name.size() < 7"}]);
    at(&mut new, "SPEC/properties/replicas")["maximum"] = json!(10);
    let found = paths(&new);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        found.contains(&(Rule::RulesNarrowed, String::new(), "rejected")),
        "{found:?}"
    );
}

#[test]
fn a_field_with_a_type_of_its_own_is_not_kept_by_its_name() {
    for (name, kept) in [("extra", false), ("name", true)] {
        let mut new = crd();
        let fields = at(&mut new, "SPEC/properties").as_object_mut().unwrap();
        let field = fields.remove(name).unwrap();
        fields.insert(format!("{name}New"), field);
        let found = findings(&crd(), &new, &Options::default());
        let mut breaks = found.iter().flat_map(|it| &it.rust);
        assert_eq!(breaks.any(|it| it.keep.is_some()), kept, "{found:?}");
    }
}

#[test]
fn an_enum_may_become_a_pattern() {
    for (pattern, rule, proves) in [
        ("^(Red|Green|[a-z]+/[a-z]+)$", Rule::Widened, "accepted"),
        ("^(Red|[a-z]+)$", Rule::Changed, "rejected, ratchets"),
    ] {
        let color = json!({"type": "string", "pattern": pattern});
        let found = changed("SPEC/properties/color", color);
        let found: Vec<_> = found.iter().map(|it| (it.rule, proof(it))).collect();
        // The constructor of the spec took an enum.
        assert_eq!(
            found,
            [(rule, proves), (Rule::RustChanged, "")],
            "{pattern}"
        );
    }
}

#[test]
fn what_restricts_other_types_does_not_count() {
    let (open, spec) = ("x-kubernetes-preserve-unknown-fields", "spec.field");
    let number = json!({"type": "integer", "minimum": 0, "maximum": 255});
    let either = json!({"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}], "pattern": "^[a-z]*$"});
    let bag = json!({"type": "object", open: true});
    let closed = json!({"type": "object"});
    let with = |field: &Value| {
        let mut crd = crd();
        at(&mut crd, "SPEC/properties")["field"] = field.clone();
        crd
    };
    for (old, new, rule, proves) in [
        (&number, &either, Rule::Widened, "accepted"),
        (&either, &number, Rule::Narrowed, "rejected, ratchets"),
        (&bag, &closed, Rule::Pruned, "dropped"),
        (&closed, &bag, Rule::Preserved, ""),
    ] {
        let found = findings(&with(old), &with(new), &Options::default());
        let seen: Vec<_> = found.iter().map(|it| (it.rule, proof(it))).collect();
        assert_eq!(seen, [(rule, proves)], "{found:#?}");
        assert_eq!(found[0].path, spec);
    }
}

/// Go writes a whole number without a fraction: what a rule rejects as a `double` is an `int` when it was stored.
#[test]
fn a_stored_number_has_no_fraction() {
    let crd = with_rules("SPEC/properties/replicas", &["self >= 0"]);
    let version = &crd["spec"]["versions"][0];
    let side = Side::new(&crd, version).unwrap();
    let mut object = side.head.clone();
    object["spec"] = json!({"color": "Red", "replicas": 5.0});
    assert_ne!(side.rejections(&object), []);
    assert_eq!(side.update_rejections(&object), []);
}

#[test]
fn a_list_without_a_type_is_an_atomic_one() {
    let found = changed(
        "SPEC/properties/tags/x-kubernetes-list-type",
        json!("atomic"),
    );
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn an_update_is_as_small_as_it_gets() {
    let new = with_rules("SPEC/properties/color", &["self == oldSelf"]);
    let found = findings(&crd(), &new, &Options::default());
    let witness = found[0].witness.as_ref().unwrap();
    let Proof::UpdateRejected { stored, messages } = &witness.proof else {
        panic!("{witness:?}");
    };
    let fields = |object: &Value| {
        let spec = object["spec"].as_object().unwrap();
        spec.keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(fields(stored), ["color"]);
    assert_eq!(fields(&witness.object), ["color"]);
    assert_eq!(stored["metadata"], witness.object["metadata"]);
    assert_eq!(messages.len(), 1);
    assert!(
        messages[0].starts_with("spec.color: Invalid value: "),
        "{messages:?}"
    );
}

/// Returns what happens to an object: the effect, its place, and the message.
fn effects(old: &Value, new: &Value, spec: Value) -> Vec<(&'static str, String, String)> {
    let mut object = json!({
        "apiVersion": "example.com/v1", "kind": "Widget",
        "metadata": {"name": "a", "namespace": "default", "uid": "1", "resourceVersion": "1"},
    });
    object["spec"] = spec;
    let mut groups = Vec::new();
    for reading in readings(old, new) {
        reading.judge(&object, &mut groups);
    }
    let found = groups.into_iter();
    let found = found.inspect(|it| assert_eq!(it.objects, ["default/a"]));
    found
        .map(|it| (it.effect.name(), it.path, it.message))
        .collect()
}

#[test]
fn what_a_release_does_with_a_stored_object() {
    let red = || json!({"color": "Red", "replicas": 1});
    let old = crd();
    let set = |pointer: &str, value: Value| {
        let mut new = crd();
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        at(&mut new, parent)[name] = value;
        new
    };
    let text = str::to_owned;
    let new = set("SPEC/properties/color/enum", json!(["Green"]));
    assert_eq!(
        effects(&old, &new, red()),
        [(
            "create-rejected",
            text("spec.color"),
            text("spec.color: Unsupported value: \"Red\": supported values: \"Green\"")
        )]
    );
    assert_eq!(
        effects(&old, &new, json!({"color": "Green", "replicas": 1})),
        []
    );
    // What was rejected before is not of the change.
    assert_eq!(
        effects(&old, &new, json!({"color": "Green", "replicas": 5000})),
        []
    );
    let new = set(
        "SPEC/properties/extra/properties",
        json!({"b": {"type": "string"}}),
    );
    assert_eq!(
        effects(
            &old,
            &new,
            json!({"color": "Red", "replicas": 1, "extra": {"a": "x", "b": "y"}})
        ),
        [("dropped", text("spec.extra.a"), String::new())]
    );
    let new = set(
        "SPEC/properties/added",
        json!({"type": "array", "items": {"type": "string"}, "default": []}),
    );
    assert_eq!(
        effects(&old, &new, red()),
        [("defaulted", text("spec.added"), text("[]"))]
    );
    // An update of the labels changes the object of this rule.
    let new = set(
        "/spec/versions/0/schema/openAPIV3Schema/x-kubernetes-validations",
        json!([{"rule": "self.metadata.name != 'a'"}]),
    );
    let found = effects(&old, &new, red());
    assert_eq!((found.len(), found[0].0), (1, "update-rejected"));
    // A description alone, or the same schema, needs no reading.
    assert!(readings(&old, &old).is_empty());
}

#[test]
fn which_versions_are_read() {
    let old = crd();
    let mut new = crd();
    let mut v2 = new["spec"]["versions"][0].clone();
    v2["name"] = "v2".into();
    v2["storage"] = false.into();
    v2.pointer_mut("/schema/openAPIV3Schema/properties/spec/properties")
        .unwrap()
        .as_object_mut()
        .unwrap()
        .remove("tags");
    new["spec"]["versions"].as_array_mut().unwrap().push(v2);
    let read = |old: &Value, new: &Value| -> Vec<String> {
        readings(old, new)
            .iter()
            .map(|it| it.path.clone())
            .collect()
    };
    // Clients of the new version, too, write the stored objects.
    assert_eq!(read(&old, &new), ["/apis/example.com/v1/widgets"]);
    let spec = json!({"color": "Red", "replicas": 1, "tags": ["a"]});
    assert_eq!(
        effects(&old, &new, spec),
        [("dropped", "spec.tags".to_owned(), String::new())]
    );
    // A webhook converts them.
    new["spec"]["conversion"] = json!({"strategy": "Webhook"});
    assert!(read(&old, &new).is_empty());
    let mut both = new.clone();
    both["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["required"] =
        json!(["tags"]);
    both["spec"]["versions"][1]["schema"]["openAPIV3Schema"]["properties"]["spec"]["required"] =
        json!([]);
    assert_eq!(
        read(&new, &both),
        [
            "/apis/example.com/v1/widgets",
            "/apis/example.com/v2/widgets"
        ]
    );
}

#[test]
fn a_search_that_takes_too_long_ends_and_is_counted() {
    let new = with_rules("SPEC", &["self.color != 'Red'"]);
    let judged = |values: usize| {
        let mut meter = Meter::silent();
        meter.values = values;
        let found = compare_crd(&crd(), &new, &meter);
        let proofs: Vec<_> = found.iter().map(|it| (it.rule, proof(it))).collect();
        (proofs, meter.unsearched())
    };
    let proved = vec![(Rule::RulesNarrowed, "rejected, ratchets")];
    assert_eq!(judged(usize::MAX), (proved, 0));
    assert_eq!(judged(0), (vec![(Rule::RulesChanged, "")], 1));
}
