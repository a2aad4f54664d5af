//! Tests of shared types within a version.
mod versions;

use super::super::tests::{complete, def};
use crate::diag::Code;
use crate::ir::{Body, Model, Ty, TypeId};
use crate::options::{Options, Override};
use std::collections::BTreeMap;

/// Returns a CRD of `example.com/v1` whose spec has these properties, in flow style.
fn crd(kind: &str, properties: &str) -> String {
    let plural = kind.to_lowercase();
    format!(
        "---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: {plural}.example.com}}
spec:
  group: example.com
  scope: Namespaced
  names: {{kind: {kind}, plural: {plural}}}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema: {{type: object, properties: {{spec: {{type: object, properties: {{{properties}}}}}}}}}
"
    )
}

const A: &str = "{type: object, properties: {mode: {type: string, enum: [A, B]}}}";

/// Returns a CRD with equal types at two locations, one deeper than the other.
fn two() -> String {
    let deeper = format!("deeper: {{type: object, properties: {{two: {A}}}}}");
    crd("Foo", &format!("{deeper}, one: {A}"))
}

fn run(crd: &str, overrides: Vec<Override>) -> Model {
    let options = Options {
        overrides,
        ..Options::default()
    };
    let (model, found) = complete(crd, &options);
    assert_eq!(found, []);
    model
}

/// Returns the name of every alias and of its target.
fn aliases(model: &Model) -> BTreeMap<&str, &str> {
    let modules = model.modules.iter();
    let aliases = modules.flat_map(|module| model.aliases_of(module));
    let named = aliases.map(|(id, ty)| {
        let target = ty.named().map_or("", |id| name(model, id));
        (name(model, id), target)
    });
    named.collect()
}

pub(super) fn name(model: &Model, id: TypeId) -> &str {
    model.types[id].name().as_str()
}

/// Returns the names of all types and aliases.
fn names(model: &Model) -> Vec<&str> {
    let defined = model.modules.iter().flat_map(|it| model.types_of(it));
    let mut names: Vec<&str> = defined.map(|id| name(model, id)).collect();
    names.extend(aliases(model).keys());
    names.sort_unstable();
    names
}

#[test]
fn the_shallowest_location_keeps_the_definition() {
    let model = run(&two(), Vec::new());
    assert_eq!(
        aliases(&model),
        BTreeMap::from([
            ("FooSpecDeeperTwo", "FooSpecOne"),
            ("FooSpecDeeperTwoMode", "FooSpecOneMode")
        ])
    );
    let Body::Struct(deeper) = &def(&model, "FooSpecDeeper").body else {
        panic!("not a struct");
    };
    let Ty::Named(two) = deeper.fields[0].ty else {
        panic!("not a type of the model");
    };
    assert_eq!(name(&model, two), "FooSpecOne");
    let counts = model.counts();
    assert_eq!((counts.structs, counts.enums, counts.shared), (4, 1, 2));
}

#[test]
fn sharing_and_adding_a_crd_change_no_names() {
    let apart = Options {
        no_dedup: true,
        ..Options::default()
    };
    let (apart, _) = complete(&two(), &apart);
    assert!(aliases(&apart).is_empty());
    let shared = run(&two(), Vec::new());
    assert_eq!(names(&shared), names(&apart));
    // The new kind sorts first and has the definitions.
    let more = run(&(crd("Bar", &format!("one: {A}")) + &two()), Vec::new());
    assert_eq!(aliases(&more)["FooSpecOne"], "BarSpecOne");
    let all = names(&more);
    assert!(names(&shared).iter().all(|name| all.contains(name)));
}

#[test]
fn an_override_of_one_location_applies_to_the_shared_type() {
    let model = run(
        &two(),
        vec![
            Override::at("Foo.spec.deeper.two").type_name("Choice"),
            Override::at("Foo.spec.one").derive("Hash"),
        ],
    );
    assert_eq!(aliases(&model)["FooSpecOne"], "Choice");
    assert!(def(&model, "Choice").derives.more.contains("Hash"));
    let same = vec![
        Override::at("Foo.spec.deeper.two").type_name("Choice"),
        Override::at("Foo.spec.one").type_name("Choice"),
    ];
    let model = run(&two(), same.clone());
    assert_eq!(aliases(&model)["FooSpecDeeperTwo"], "Choice");
    let apart = Options {
        no_dedup: true,
        overrides: same,
        ..Options::default()
    };
    assert_eq!(complete(&two(), &apart).1[0].0, Code::NameTaken);
}

#[test]
fn different_names_of_overrides_prevent_sharing() {
    let outer = format!("{{type: object, properties: {{in: {A}}}}}");
    let crd = crd("Foo", &format!("a: {outer}, b: {outer}, c: {outer}"));
    let model = run(
        &crd,
        vec![
            Override::at("Foo.spec.a.in").type_name("First"),
            Override::at("Foo.spec.b.in").type_name("Second"),
        ],
    );
    let aliases = aliases(&model);
    assert_eq!(aliases["FooSpecCIn"], "First");
    assert_eq!(aliases["FooSpecC"], "FooSpecA");
    assert!(!aliases.contains_key("FooSpecB"));
    def(&model, "Second");
}

#[test]
fn overrides_of_fields_prevent_sharing() {
    for override_ in [
        Override::at("Foo.spec.one.mode").skip(true),
        Override::at("Foo.spec.one.mode").field_name("kind_of"),
        Override::at("Foo.spec.one.mode").rust_type("crate::Mode"),
        Override::at("Foo.spec.one.mode").boxed(true),
    ] {
        let model = run(&two(), vec![override_.clone()]);
        let aliases = aliases(&model);
        assert!(!aliases.contains_key("FooSpecDeeperTwo"), "{override_:?}");
    }
}

#[test]
fn a_shared_type_keeps_a_description_that_all_locations_have() {
    let described = |text: &str| A.replacen('{', &format!("{{description: {text}, "), 1);
    let same = crd("Foo", &format!("a: {0}, b: {0}", described("Same")));
    let same = run(&same, Vec::new());
    assert_eq!(def(&same, "FooSpecA").doc.as_deref(), Some("Same"));
    let (one, other) = (described("One"), described("Other"));
    let differ = run(&crd("Foo", &format!("a: {one}, b: {other}")), Vec::new());
    assert_eq!(aliases(&differ)["FooSpecB"], "FooSpecA");
    assert_eq!(def(&differ, "FooSpecA").doc, None);
    let Body::Struct(spec) = &def(&differ, "FooSpec").body else {
        panic!("not a struct");
    };
    let docs: Vec<_> = spec
        .fields
        .iter()
        .map(|field| field.doc.as_deref())
        .collect();
    assert_eq!(docs, [Some("One"), Some("Other")]);
}

#[test]
fn roots_are_never_shared() {
    let model = run(&(crd("Bar", "") + &crd("Foo", "")), Vec::new());
    assert_eq!(model.kinds.len(), 2);
    assert_ne!(model.kinds[0].root, model.kinds[1].root);
    assert!(!aliases(&model).contains_key("Foo"));
}
