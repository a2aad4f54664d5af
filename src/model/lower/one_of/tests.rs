//! Tests of what is proven, and of what is not.
use super::super::tests::lower;
use crate::model::ir::{Body, Choice};

/// Returns the choices of an object with the optional fields `a` to `d`, a required `type` of three values, a required text `mode`,
/// and more keywords.
fn choices(keywords: &str) -> Vec<Choice> {
    let node = format!(
        "{{type: object, required: [type, mode], properties: {{a: {{type: string}}, b: {{type: string}}, c: {{type: string}}, \
         d-e: {{type: string}}, type: {{type: string, enum: [A, B, Z]}}, mode: {{type: string}}}}, {keywords}}}"
    );
    let (model, _) = lower(&node, "");
    let found = model.types.iter().find_map(|(_, def)| match &def.body {
        Body::Struct(body) if def.origin.path.to_string() == "x" => Some(body.choices.clone()),
        _ => None,
    });
    found.unwrap()
}

/// Writes the members of choices; `!` says that one of them is required.
fn written(keywords: &str) -> String {
    let all = choices(keywords).into_iter().map(|choice| {
        let members = choice.members.iter().map(|it| it.wire.as_str());
        let members: Vec<&str> = members.collect();
        let mark = if choice.is_required { "!" } else { "" };
        members.join(" ") + mark
    });
    all.collect::<Vec<String>>().join(", ")
}

fn rules(rules: &[&str]) -> String {
    let rules = rules.iter().map(|rule| format!("{{rule: {rule:?}}}"));
    let rules: Vec<String> = rules.collect();
    written(&format!("x-kubernetes-validations: [{}]", rules.join(", ")))
}

#[test]
fn combinators_prove_choices() {
    for (keywords, expected) in [
        ("oneOf: [{required: [a]}, {required: [b]}]", "a b!"),
        (
            "oneOf: [{required: [a]}, {required: [b]}, {not: {anyOf: [{required: [a]}, {required: [b]}]}}]",
            "a b",
        ),
        (
            "anyOf: [{required: [a], not: {required: [b]}}, {required: [b], not: {required: [a]}}]",
            "a b!",
        ),
        ("not: {required: [a, b]}", "a b"),
        (
            "not: {anyOf: [{required: [a, b]}, {required: [b, c]}, {required: [a, c]}]}",
            "a b c",
        ),
        (
            "allOf: [{not: {required: [a, b]}}, {oneOf: [{required: [c]}, {required: [d-e]}]}]",
            "a b, c d-e!",
        ),
        ("maxProperties: 3", "a b c d-e"),
        ("maxProperties: 3, minProperties: 3", "a b c d-e!"),
        (
            "oneOf: [{properties: {type: {enum: [A]}}, required: [a], not: {required: [b]}}, {properties: {type: {enum: [B]}}, required: [b], not: {required: [a]}}]",
            "a b!",
        ),
        // Not choices.
        ("anyOf: [{required: [a]}, {required: [b]}]", ""),
        ("oneOf: [{required: [a]}, {required: [a, b]}]", ""),
        (
            "oneOf: [{required: [a], properties: {a: {pattern: x}}}, {required: [b]}]",
            "",
        ),
        ("maxProperties: 4", ""),
        ("not: {required: [a]}", ""),
        ("not: {required: [a, b, c]}", ""),
    ] {
        assert_eq!(written(keywords), expected, "{keywords}");
    }
}

#[test]
fn rules_prove_choices() {
    for (rule, expected) in [
        (
            "[has(self.a), has(self.b)].filter(x, x).size() == 1",
            "a b!",
        ),
        (
            "[has(self.a),has(self.b),has(self.c)].filter(x,x==true).size() <= 1",
            "a b c",
        ),
        ("size([has(self.a), has(self.b)].filter(x, x)) < 2", "a b"),
        ("[has(self.a), has(self.b)].exists_one(x, x)", "a b!"),
        (
            "[has(self.a) ? 1 : 0, has(self.b) ? 1 : 0].sum() == 1",
            "a b!",
        ),
        (
            "[has(self.a), has(self.b)].map(x, x ? 1 : 0).sum() == 1",
            "a b!",
        ),
        (
            "(has(self.a)?1:0)+(has(self.b)?1:0)+(has(self.c)?1:0)==1",
            "a b c!",
        ),
        ("1 >= (has(self.a) ? 1 : 0) + (has(self.b) ? 1 : 0)", "a b"),
        ("has(self.a) != has(self.b)", "a b!"),
        ("has(self.a) == !has(self.b)", "a b!"),
        ("!(has(self.a) && has(self.b))", "a b"),
        ("!has(self.a) || !has(self.b)", "a b"),
        ("has(self.a) ? !has(self.b) : true", "a b"),
        ("has(self.a) ? !has(self.b) : has(self.b)", "a b!"),
        (
            "(has(self.a) && !has(self.d__dash__e)) || (!has(self.a) && has(self.d__dash__e))",
            "a d-e!",
        ),
        (
            "[self.?a, self.?b].filter(x, x.hasValue()).size() == 1",
            "a b!",
        ),
        ("self.?a.hasValue() != self.?b.hasValue()", "a b!"),
        ("[?self.?a, ?self.?b].size() == 1", "a b!"),
        ("!(has(self.a) && has(self.b)) // not both", "a b"),
        (
            "!(has(self.a) && has(self.b)) && self.c.matches(r'^\\d+$')",
            "a b",
        ),
        // Not choices.
        ("has(self.a) || has(self.b)", ""),
        ("has(self.a) == has(self.b)", ""),
        ("!(has(self.a) && size(self.a) > 0 && has(self.b))", ""),
        ("!(has(self.a) && has(self.b) && has(self.c))", ""),
        ("(has(self.a) ? 1 : 0) + (has(self.b) ? 1 : 0) <= 2", ""),
        (
            "[has(self.a), has(self.b)].filter(x, !x).size() == 1",
            "a b!",
        ),
        ("[has(self.a), has(self.b)].exists(x, x)", ""),
        ("!has(self.a)", ""),
        ("has(oldSelf.a) || !(has(self.a) && has(self.b))", ""),
        ("!(has(self.a) && has(self.b)", ""),
        ("self.x.all(y, !(has(y.a) && has(y.b)))", ""),
        ("!(has(self.a) && has(self.b)) || self.c == 'x'", ""),
    ] {
        assert_eq!(rules(&[rule]), expected, "{rule}");
    }
}

#[test]
fn a_field_chooses() {
    let enumerated = [
        "self.type == 'A' ? has(self.a) : !has(self.a)",
        "self.type == 'B' ? has(self.b) : !has(self.b)",
    ];
    assert_eq!(rules(&enumerated), "a b");
    let all = [
        &enumerated[..],
        &["self.type == 'Z' ? has(self.c) : !has(self.c)"],
    ]
    .concat();
    assert_eq!(rules(&all), "a b c!");
    let text = [
        "self.mode == 'A' || !has(self.a)",
        "!(has(self.b) && self.mode != 'B')",
        "!has(self.c) || self.mode in ['C', 'D']",
    ];
    assert_eq!(rules(&text), "a b c");
    // Both are permitted with `A`.
    let overlapping = [
        "self.mode == 'A' || !has(self.a)",
        "self.mode in ['A', 'B'] || !has(self.b)",
    ];
    assert_eq!(rules(&overlapping), "");
}

#[test]
fn what_a_field_demands_of_others_is_known() {
    let keywords = "x-kubernetes-validations: [\
        {rule: \"self.type == 'A' ? has(self.a) : !has(self.a)\"}, {rule: \"self.type == 'B' ? has(self.b) : !has(self.b)\"}]";
    let found = choices(keywords);
    let sets: Vec<_> = found[0].members.iter().map(|it| it.sets.clone()).collect();
    let text = |value: &str| vec![("type".to_owned(), value.to_owned())];
    assert_eq!(sets, [text("A"), text("B")]);
}

#[test]
fn several_choices_of_a_struct_are_named_by_their_first_field() {
    let rules = "x-kubernetes-validations: [{rule: \"has(self.c) != has(self.b)\"}, {rule: \"has(self.d__dash__e) != has(self.a)\"}]";
    let names: Vec<_> = choices(rules).into_iter().map(|it| it.named_by).collect();
    assert_eq!(names, [None, Some("d-e".to_owned())]);
}

#[test]
fn deep_and_long_rules_are_no_proof() {
    let deep = "(".repeat(5000) + "true" + &")".repeat(5000);
    let long = format!(
        "!(has(self.a) && has(self.b)) || {}",
        "true || ".repeat(9000) + "true"
    );
    assert_eq!(rules(&[&deep, &long]), "");
}

#[test]
fn a_proof_has_a_budget() {
    use crate::base::diag::Code;

    let names: Vec<String> = (0..60).map(|it| format!("f{it}")).collect();
    let fields: Vec<String> = names
        .iter()
        .map(|it| format!("{it}: {{type: string}}"))
        .collect();
    let set: Vec<String> = names.iter().map(|it| format!("has(self.{it})")).collect();
    let rule = format!("[{}].filter(x, x).size() <= 1", set.join(", "));
    let found = |rules: usize| {
        let rules = vec![format!("{{rule: {rule:?}}}"); rules].join(", ");
        let node = format!(
            "{{type: object, properties: {{{}}}, x-kubernetes-validations: [{rules}]}}",
            fields.join(", ")
        );
        let (model, diagnostics) = lower(&node, "");
        let bodies = model.types.iter().map(|(_, def)| match &def.body {
            Body::Struct(body) => body.choices.len(),
            _ => 0,
        });
        let notes = diagnostics.iter().filter(|(code, _)| *code == Code::Choice);
        (bodies.sum::<usize>(), notes.count())
    };
    assert_eq!(found(1), (1, 0));
    // Each pair of fields is looked at with all rules.
    assert_eq!(found(400), (0, 1));
}
