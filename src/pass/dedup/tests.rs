//! Equal types over the kinds of a version: what is shared, what stays apart, and what it is called.
mod versions;

use super::super::tests::{complete, def};
use crate::diag::Code;
use crate::ir::{Body, Model, Ty};
use crate::options::{Options, Override};
use std::collections::BTreeMap;

/// A kind of `example.com/v1` with these properties of its spec, in flow style.
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

/// Two places with equal types, one below a place of its own.
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

/// Every alias, and what it stands for.
fn aliases(model: &Model) -> BTreeMap<&str, &str> {
    let modules = model.modules.iter();
    let aliases = modules.flat_map(|module| model.aliases_of(module));
    let named = aliases.map(|(id, ty)| {
        let of = ty.named().map_or("", |id| &model.types[id].name);
        (model.types[id].name.as_str(), of)
    });
    named.collect()
}

/// All names of types and aliases.
fn names(model: &Model) -> Vec<&str> {
    let defined = model.modules.iter().flat_map(|it| model.types_of(it));
    let mut names: Vec<&str> = defined.map(|id| model.types[id].name.as_str()).collect();
    names.extend(aliases(model).keys());
    names.sort_unstable();
    names
}

#[test]
fn the_place_nearest_to_the_root_keeps_the_definition() {
    let model = run(&two(), Vec::new());
    assert_eq!(
        aliases(&model),
        BTreeMap::from([
            ("FooSpecDeeperTwo", "FooSpecOne"),
            ("FooSpecDeeperTwoMode", "FooSpecOneMode")
        ])
    );
    let Body::Struct(deeper) = &def(&model, "FooSpecDeeper").body else {
        panic!("no struct");
    };
    let Ty::Named(two) = deeper.fields[0].ty else {
        panic!("no type of the model");
    };
    assert_eq!(model.types[two].name, "FooSpecOne");
    let counts = model.counts();
    assert_eq!((counts.structs, counts.enums, counts.shared), (4, 1, 2));
}

#[test]
fn names_are_those_without_sharing_and_stay_when_a_crd_is_added() {
    let apart = Options {
        no_dedup: true,
        ..Options::default()
    };
    let (apart, _) = complete(&two(), &apart);
    assert!(aliases(&apart).is_empty());
    let shared = run(&two(), Vec::new());
    assert_eq!(names(&shared), names(&apart));
    // The new kind comes first, and takes the definitions over.
    let more = run(&(crd("Bar", &format!("one: {A}")) + &two()), Vec::new());
    assert_eq!(aliases(&more)["FooSpecOne"], "BarSpecOne");
    let all = names(&more);
    assert!(names(&shared).iter().all(|name| all.contains(name)));
}

#[test]
fn what_overrides_say_of_one_place_holds_for_the_shared_type() {
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
fn two_names_keep_two_types_and_what_holds_them() {
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
    assert!(def(&model, "Second").name == "Second");
}

#[test]
fn overrides_of_fields_keep_types_apart() {
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
fn a_description_stays_where_all_places_agree() {
    let described = |text: &str| A.replacen('{', &format!("{{description: {text}, "), 1);
    let same = crd("Foo", &format!("a: {0}, b: {0}", described("Same")));
    let same = run(&same, Vec::new());
    assert_eq!(def(&same, "FooSpecA").doc.as_deref(), Some("Same"));
    let (one, other) = (described("One"), described("Other"));
    let differ = run(&crd("Foo", &format!("a: {one}, b: {other}")), Vec::new());
    assert_eq!(aliases(&differ)["FooSpecB"], "FooSpecA");
    assert_eq!(def(&differ, "FooSpecA").doc, None);
    let Body::Struct(spec) = &def(&differ, "FooSpec").body else {
        panic!("no struct");
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
