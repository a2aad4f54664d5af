//! Tests of shared types across the versions of a group.
use super::super::super::tests::complete;
use super::{A, aliases, name, run};
use crate::base::options::{Options, Override};
use crate::model::ir::{Body, Model, Module, TypeId};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Returns a CRD of `Foo` in these versions, each with the properties of its spec; `!` marks a deprecated version.
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

/// Resolves a type name of a version to the version that defines the type, and its name there.
fn defined<'m>(model: &'m Model, version: &str, name: &str) -> (&'m str, &'m str) {
    let mut locations = model.locations_of(module(model, version));
    let id = locations.find(|id| self::name(model, *id) == name).unwrap();
    let definition = model.types.definition(id);
    let (_, version) = model.group_version(definition).unwrap();
    (version, self::name(model, definition))
}

/// Returns the type names of a version, and the fields of the structs it defines with the names of their types.
fn interface(model: &Model, version: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let module = module(model, version);
    let name = |id: TypeId| name(model, id).to_owned();
    let mut fields = BTreeSet::new();
    for id in model.types_of(module) {
        if let Body::Struct(body) = &model.types[id].body {
            let typed = body
                .fields
                .iter()
                .filter_map(|it| Some((it, it.ty.named()?)));
            fields
                .extend(typed.map(|(it, of)| format!("{}.{}: {}", name(id), it.ident(), name(of))));
        }
    }
    (model.locations_of(module).map(name).collect(), fields)
}

#[test]
fn the_first_version_that_is_not_deprecated_defines_shared_types() {
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
fn a_type_that_differs_in_a_version_is_not_shared() {
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
fn adding_a_version_changes_no_names() {
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
fn users_of_a_module_are_transitive() {
    let beta = "only: {type: object, properties: {beta: {type: string}}}";
    let model = run(
        &crd(&[
            ("v2", "of: {type: string}"),
            ("v1", &format!("one: {A}")),
            // v1alpha1 shares no type of v1, but the module it does share types of needs v1.
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
fn an_override_of_one_version_names_its_alias_alone() {
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
fn different_names_of_overrides_prevent_sharing_across_versions() {
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
    // The types in both are shared, the types that contain them are not.
    assert_eq!(defined(&model, "v1beta1", "FooSpecOneMode").0, "v1");
    assert_eq!(defined(&model, "v1beta1", "FooSpec").0, "v1beta1");
}

#[test]
fn groups_share_nothing_and_dedup_turns_sharing_off() {
    let one = format!("one: {A}");
    let text = crd(&[("v1", &one), ("v1beta1", &one)]);
    let model = run(
        &format!("{text}---{}", text.replace(".com", ".org")),
        Vec::new(),
    );
    let counts = model.counts();
    assert_eq!((counts.structs, counts.enums, counts.shared), (8, 2, 6));
    let apart = Options {
        dedup: false,
        ..Options::default()
    };
    let (apart, _) = complete(&text, &apart);
    assert!(aliases(&apart).is_empty());
}
