//! Tests of shared types within a version.
mod versions;

use super::super::tests::{complete, def};
use crate::base::diag::Code;
use crate::base::options::{Options, Override};
use crate::model::ir::{Body, Model, TypeId};
use std::collections::{BTreeMap, BTreeSet};

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

/// Returns the name of every alias, and the name under which its type is defined.
fn aliases(model: &Model) -> BTreeMap<&str, &str> {
    let modules = model.modules.iter();
    let places = modules.flat_map(|module| model.locations_of(module));
    let aliases = places.filter(|id| model.types[*id].is_alias());
    let named = aliases.map(|id| {
        let definition = &model.types[model.types.definition(id)];
        (name(model, id), definition.defined_name().as_str())
    });
    named.collect()
}

pub(super) fn name(model: &Model, id: TypeId) -> &str {
    model.types[id].name().as_str()
}

/// Returns the names that users can refer to.
fn names(model: &Model) -> BTreeSet<&str> {
    let places = model.modules.iter();
    let places = places.flat_map(|it| model.locations_of(it));
    places.map(|id| name(model, id)).collect()
}

/// Returns the fields of a struct, each with the name of its type.
fn fields<'m>(model: &'m Model, of: &str) -> Vec<(&'m str, &'m str)> {
    let Body::Struct(body) = &def(model, of).body else {
        panic!("not a struct");
    };
    let fields = body.fields.iter();
    let named = fields.filter_map(|field| Some((&*field.wire, name(model, field.ty.named()?))));
    named.collect()
}

#[test]
fn all_locations_are_aliases_of_a_shared_type() {
    let model = run(&two(), Vec::new());
    assert_eq!(
        aliases(&model),
        BTreeMap::from([
            ("FooSpecDeeperTwo", "One"),
            ("FooSpecDeeperTwoMode", "Mode"),
            ("FooSpecOne", "One"),
            ("FooSpecOneMode", "Mode"),
        ])
    );
    assert_eq!(
        fields(&model, "FooSpecDeeper"),
        [("two", "FooSpecDeeperTwo")]
    );
    let counts = model.counts();
    assert_eq!((counts.structs, counts.enums, counts.shared), (4, 1, 2));
}

#[test]
fn a_shared_type_is_named_by_what_its_locations_have_in_common() {
    let titled = A.replacen('{', "{title: Data mode, ", 1);
    for (properties, expected) in [
        (format!("sourceRef: {A}, targetRef: {A}"), "Ref"),
        (
            format!("a: {{type: object, properties: {{secretRef: {A}}}}}, secretRef: {A}"),
            "SecretRef",
        ),
        (format!("one: {titled}, two: {titled}"), "DataMode"),
        (format!("one: {titled}, two: {A}"), "One"),
        // The name of a location is never taken, nor one of the prelude.
        (
            format!("a: {{type: object, properties: {{option: {A}}}}}, option: {A}"),
            "SpecOption",
        ),
    ] {
        let model = run(&crd("Foo", &properties), Vec::new());
        let shared = aliases(&model);
        let found: BTreeSet<&str> = shared
            .into_iter()
            .filter(|(place, _)| !place.ends_with("Mode"))
            .map(|(_, of)| of)
            .collect();
        assert_eq!(found, BTreeSet::from([expected]), "{properties}");
    }
}

#[test]
fn sharing_and_adding_a_crd_change_no_names_and_no_fields() {
    let apart = Options {
        dedup: false,
        ..Options::default()
    };
    let (apart, _) = complete(&two(), &apart);
    assert!(aliases(&apart).is_empty());
    let shared = run(&two(), Vec::new());
    assert_eq!(names(&shared), names(&apart));
    // The new kind sorts first and has the definitions.
    let more = run(&(crd("Bar", &format!("one: {A}")) + &two()), Vec::new());
    assert_eq!(aliases(&more)["FooSpecOne"], "One");
    assert!(names(&shared).is_subset(&names(&more)));
    for model in [&apart, &shared, &more] {
        assert_eq!(
            fields(model, "FooSpec"),
            [("deeper", "FooSpecDeeper"), ("one", "FooSpecOne")]
        );
    }
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
        dedup: false,
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
    assert_eq!(aliases["FooSpecC"], aliases["FooSpecA"]);
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
fn a_shared_type_keeps_the_description_of_most_locations() {
    let described = |text: &str| A.replacen('{', &format!("{{description: {text}, "), 1);
    for (texts, expected) in [
        (["Same", "Same", "Same"], "Same"),
        (["One", "Longer", "One"], "One"),
        (["One", "Longer", "Long"], "Longer"),
    ] {
        let [a, b, c] = texts.map(described);
        let model = run(
            &crd("Foo", &format!("a: {a}, b: {b}, c: {c}, d: {A}")),
            Vec::new(),
        );
        assert_eq!(def(&model, "FooSpecA").doc.as_deref(), Some(expected));
        let Body::Struct(spec) = &def(&model, "FooSpec").body else {
            panic!("not a struct");
        };
        let docs = spec.fields.iter().map(|field| field.doc.as_deref());
        let all = texts.into_iter().map(Some).chain([None]);
        assert!(docs.eq(all), "each field has its own");
    }
}

#[test]
fn roots_are_never_shared() {
    let model = run(&(crd("Bar", "") + &crd("Foo", "")), Vec::new());
    assert_eq!(model.kinds.len(), 2);
    assert_ne!(model.kinds[0].root, model.kinds[1].root);
    assert!(!aliases(&model).contains_key("Foo"));
}

/// Returns the name under which the type at a location is defined.
fn defined<'m>(model: &'m Model, of: &str) -> &'m str {
    aliases(model)[of]
}

#[test]
fn a_shared_type_has_the_shortest_name_that_says_what_it_is() {
    let issuer = "issuerRef: {type: object, properties: {name: {type: string}}}";
    let both = crd("Certificate", issuer) + &crd("Request", issuer);
    let model = run(&both, vec![]);
    assert_eq!(defined(&model, "CertificateSpecIssuerRef"), "IssuerRef");
    assert_eq!(defined(&model, "RequestSpecIssuerRef"), "IssuerRef");

    // Another CRD adds nothing to the name, unless it has another type that the name fits as well.
    let three = both.clone() + &crd("Order", issuer);
    let model = run(&three, vec![]);
    assert_eq!(defined(&model, "OrderSpecIssuerRef"), "IssuerRef");
    let vault = "vault: {type: object, properties: {issuerRef: {type: object, properties: {path: {type: string}}}}}";
    let five = three + &crd("Login", vault) + &crd("Token", vault);
    let model = run(&five, vec![]);
    assert_eq!(defined(&model, "CertificateSpecIssuerRef"), "SpecIssuerRef");
    assert_eq!(defined(&model, "LoginSpecVaultIssuerRef"), "VaultIssuerRef");
}

#[test]
fn a_shared_type_takes_no_name_of_a_place_or_a_kind() {
    let part = "issuer: {type: object, properties: {name: {type: string}}}";
    let all = crd("A", part) + &crd("B", part) + &crd("Issuer", "x: {type: string}");
    let model = run(&all, vec![]);
    assert_eq!(defined(&model, "ASpecIssuer"), "SpecIssuer");
}

#[test]
fn where_a_shared_type_is_is_no_name_for_what_it_is() {
    let part = "template: {type: object, properties: {spec: {type: object, properties: {size: {type: string}}}}}";
    let model = run(&(crd("A", part) + &crd("B", part)), vec![]);
    assert_eq!(defined(&model, "ASpecTemplateSpec"), "TemplateSpec");
    assert_eq!(defined(&model, "ASpecTemplate"), "Template");
}
