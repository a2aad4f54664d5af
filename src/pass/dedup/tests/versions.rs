//! Equal types over the versions of a group: which version defines them, and what the others call them.
use super::super::super::tests::complete;
use super::{A, aliases, run};
use crate::ir::{Body, Model, Module, TypeId};
use crate::options::{Options, Override};
use std::collections::BTreeSet;
use std::fmt::Write;

/// A kind `Foo` of `example.com` in these versions, each with the properties of its spec; a `!` before a version deprecates it.
fn crd(versions: &[(&str, &str)]) -> String {
    let mut text = String::from(
        "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: foos.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Foo, plural: foos}
  versions:
",
    );
    for (index, (version, properties)) in versions.iter().enumerate() {
        let deprecated = version.starts_with('!');
        let name = version.trim_start_matches('!');
        let storage = index == 0;
        _ = write!(
            text,
            "    - name: {name}
      served: true
      storage: {storage}
      deprecated: {deprecated}
      schema:
        openAPIV3Schema: {{type: object, properties: {{spec: {{type: object, properties: {{{properties}}}}}}}}}
"
        );
    }
    text
}

fn module<'m>(model: &'m Model, version: &str) -> &'m Module {
    let mut modules = model.modules.iter();
    modules.find(|module| module.version == version).unwrap()
}

/// What a name of a version stands for: the version that defines it, and its name there.
fn defined<'m>(model: &'m Model, version: &str, name: &str) -> (&'m str, &'m str) {
    let mut places = model.places_of(module(model, version));
    let id = places.find(|id| model.types[*id].name == name).unwrap();
    let definition = model.types.definition(id);
    let (_, version) = model.home(definition).unwrap();
    (version, &model.types[definition].name)
}

/// All names of a version, and the fields of the structs that it defines, each with the name it has for its type.
fn interface(model: &Model, version: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let module = module(model, version);
    let name = |id: TypeId| model.types[id].name.clone();
    let mut fields = BTreeSet::new();
    for id in model.types_of(module) {
        if let Body::Struct(body) = &model.types[id].body {
            let typed = body
                .fields
                .iter()
                .filter_map(|it| Some((it, it.ty.named()?)));
            fields.extend(typed.map(|(it, of)| format!("{}.{}: {}", name(id), it.ident, name(of))));
        }
    }
    (model.places_of(module).map(name).collect(), fields)
}

#[test]
fn the_version_that_kubernetes_ranks_first_defines_unless_it_is_deprecated() {
    let one = format!("one: {A}");
    for (versions, expected) in [
        (["v1alpha1", "v1beta1", "v1"], "v1"),
        (["v2beta1", "v1", "v2"], "v2"),
        (["v1alpha2", "v1beta2", "v1beta10"], "v1beta10"),
        (["v1alpha1", "!v1beta1", "!v1"], "v1alpha1"),
        (["!v1alpha1", "!v1beta1", "!v1"], "v1"),
    ] {
        let model = run(&crd(&versions.map(|version| (version, &*one))), Vec::new());
        for version in versions {
            let version = version.trim_start_matches('!');
            let name = "FooSpecOneMode";
            assert_eq!(
                defined(&model, version, name),
                (expected, name),
                "{versions:?}"
            );
        }
        // The roots, and one of each other type.
        let counts = model.counts();
        assert_eq!((counts.structs, counts.enums, counts.shared), (5, 1, 6));
    }
}

#[test]
fn what_differs_in_a_version_is_its_own_and_what_holds_it_too() {
    let other = A.replace("A, B", "A, B, C");
    let both = format!("one: {A}, two: {{type: object, properties: {{in: {A}}}}}");
    let model = run(
        &crd(&[
            (
                "v1",
                &format!("one: {A}, two: {{type: object, properties: {{in: {other}}}}}"),
            ),
            ("v1beta1", &both),
            ("v1alpha1", &both),
        ]),
        Vec::new(),
    );
    assert_eq!(
        defined(&model, "v1alpha1", "FooSpecTwo"),
        ("v1beta1", "FooSpecTwo")
    );
    assert_eq!(
        defined(&model, "v1alpha1", "FooSpecTwoIn"),
        ("v1", "FooSpecOne")
    );
    assert_eq!(
        defined(&model, "v1beta1", "FooSpecTwoIn"),
        ("v1", "FooSpecOne")
    );
    assert_eq!(
        defined(&model, "v1", "FooSpecTwoIn"),
        ("v1", "FooSpecTwoIn")
    );
    assert_eq!(defined(&model, "v1", "FooSpecTwo"), ("v1", "FooSpecTwo"));
    assert_eq!(
        defined(&model, "v1alpha1", "FooSpec"),
        ("v1beta1", "FooSpec")
    );
    assert_eq!(defined(&model, "v1", "FooSpec"), ("v1", "FooSpec"));
}

#[test]
fn another_version_changes_neither_names_nor_what_fields_call_their_types() {
    let deeper = format!(
        "deeper: {{type: object, properties: {{two: {A}}}}}, one: {A}, own: {{type: object, properties: {{own: {A}}}}}"
    );
    let alone = run(&crd(&[("v1beta1", &deeper)]), Vec::new());
    let (names, fields) = interface(&alone, "v1beta1");
    for (more, place) in [
        ("v1", format!("one: {A}")),
        (
            "v1",
            format!("somewhere: {{type: object, properties: {{else: {A}}}}}"),
        ),
        ("v1alpha1", deeper.clone()),
    ] {
        let model = run(&crd(&[("v1beta1", &deeper), (more, &place)]), Vec::new());
        let (then_names, then_fields) = interface(&model, "v1beta1");
        assert_eq!(then_names, names, "{more} {place}");
        assert!(then_fields.is_subset(&fields), "{then_fields:?}");
        let defined_before = more == "v1alpha1";
        assert_eq!(then_fields == fields, defined_before, "{then_fields:?}");
    }
}

#[test]
fn the_users_of_a_module_are_those_that_it_defines_types_for_and_theirs() {
    let beta = "only: {type: object, properties: {beta: {type: string}}}";
    let model = run(
        &crd(&[
            ("v2", "of: {type: string}"),
            ("v1", &format!("one: {A}")),
            // Nothing that v1alpha1 has is of v1, but the module that it has types of is not there without v1.
            ("v1beta1", &format!("one: {A}, {beta}")),
            ("v1alpha1", &format!("{beta}, of: {{type: integer}}")),
        ]),
        Vec::new(),
    );
    let users = |version| {
        let users = model.users_of(module(&model, version)).into_iter();
        users.map(|it| it.version.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(users("v1"), ["v1", "v1alpha1", "v1beta1"]);
    assert_eq!(users("v1beta1"), ["v1alpha1", "v1beta1"]);
    assert_eq!(users("v1alpha1"), ["v1alpha1"]);
    assert_eq!(users("v2"), ["v2"]);
}

#[test]
fn a_name_for_one_version_holds_there_alone() {
    let one = format!("one: {A}");
    let text = crd(&[("v1", &one), ("v1beta1", &one)]);
    let named = Override::at("example.com/v1beta1/Foo.spec.one").type_name("Choice");
    let model = run(&text, vec![named]);
    assert_eq!(defined(&model, "v1beta1", "Choice"), ("v1", "FooSpecOne"));
    let both = run(
        &text,
        vec![Override::at("Foo.spec.one").type_name("Choice")],
    );
    assert_eq!(defined(&both, "v1beta1", "Choice"), ("v1", "Choice"));
    let derives = Override::at("example.com/v1beta1/Foo.spec.one").derive("Hash");
    let model = run(&text, vec![derives]);
    let derives: Vec<_> = model
        .types_of(module(&model, "v1"))
        .into_iter()
        .filter(|id| model.types[*id].derives.more.contains("Hash"))
        .collect();
    assert_eq!(derives.len(), 1);
}

#[test]
fn two_names_keep_the_types_of_two_versions_apart() {
    let spec = format!("one: {A}, two: {A}");
    let text = crd(&[("v1", &spec), ("v1beta1", &spec)]);
    let model = run(
        &text,
        vec![
            Override::at("example.com/v1/Foo.spec.one").type_name("Stable"),
            Override::at("example.com/v1beta1/Foo.spec.one").type_name("Beta"),
        ],
    );
    assert_eq!(defined(&model, "v1", "FooSpecTwo"), ("v1", "Stable"));
    assert_eq!(defined(&model, "v1beta1", "Beta"), ("v1beta1", "Beta"));
    assert_eq!(
        defined(&model, "v1beta1", "FooSpecTwo"),
        ("v1beta1", "Beta")
    );
    // What lies in both is still one, and so is nothing that holds them.
    assert_eq!(defined(&model, "v1beta1", "FooSpecOneMode").0, "v1");
    assert_eq!(defined(&model, "v1beta1", "FooSpec").0, "v1beta1");
}

#[test]
fn what_holds_a_type_of_another_version_derives_what_it_does_there() {
    let holding = |inner: &str, more: &str| {
        format!("{{type: object, required: [in], properties: {{in: {inner}{more}}}}}")
    };
    // No choice means "not set".
    let choice = A.replace("type: object,", "type: object, required: [mode],");
    let spec = |more| {
        format!(
            "all: {}, none: {}",
            holding(A, more),
            holding(&choice, more)
        )
    };
    let older = spec(", also: {type: string}");
    let model = run(&crd(&[("v1", &spec("")), ("v1beta1", &older)]), Vec::new());
    for version in ["v1", "v1beta1"] {
        for (name, default) in [("FooSpecAll", true), ("FooSpecNone", false)] {
            let mut types = model.types_of(module(&model, version)).into_iter();
            let id = types.find(|id| model.types[*id].name == name).unwrap();
            let derives = &model.types[id].derives;
            assert_eq!(
                (derives.eq, derives.default),
                (true, default),
                "{version} {name}"
            );
            assert_eq!(defined(&model, version, &format!("{name}In")).0, "v1");
        }
    }
}

#[test]
fn groups_share_nothing_and_by_option_nobody_does() {
    let one = format!("one: {A}");
    let text = crd(&[("v1", &one), ("v1beta1", &one)]);
    let model = run(
        &format!("{text}---{}", text.replace(".com", ".org")),
        Vec::new(),
    );
    let counts = model.counts();
    assert_eq!((counts.structs, counts.enums, counts.shared), (8, 2, 6));
    let apart = Options {
        no_dedup: true,
        ..Options::default()
    };
    let (apart, _) = complete(&text, &apart);
    assert!(aliases(&apart).is_empty());
}
