//! Tests of overrides, derives and names on a whole model.
use crate::base::diag::{Code, Diagnostics};
use crate::base::options::{Options, Override};
use crate::base::source::Source;
use crate::model::ir::{Body, DefaultImpl, Field, Model, Ty, TypeDef};

const CRD: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: foos.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Foo, plural: foos}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              required: [mode]
              properties:
                mode: {type: string, enum: [A, B]}
                ratio: {type: number}
                list: {type: array, items: {type: object, properties: {a: {type: string}}}}
                big: {type: object, properties: {a: {type: string}, b: {type: string}, c: {type: string}, d: {type: string}, e: {type: string}, f: {type: string}}}
";

/// Code, message and hint.
type Finding = (Code, String, Option<String>);

fn run(overrides: Vec<Override>) -> (Model, Vec<Finding>) {
    let options = Options {
        overrides,
        ..Options::default()
    };
    complete(CRD, &options)
}

/// Returns the model of a CRD after all passes, and the diagnostics.
pub(super) fn complete(crd: &str, options: &Options) -> (Model, Vec<Finding>) {
    let source = Source::new("test", crd);
    let mut diagnostics = Diagnostics::new();
    let crds = crate::input::crd::parse(&[source], &mut diagnostics);
    let mut model = crate::model::lower::lower(crds, &mut diagnostics);
    super::run(&mut model, options, &mut diagnostics);
    let found = diagnostics
        .iter()
        .map(|it| (it.code, it.message.clone(), it.hint.clone()))
        .collect();
    (model, found)
}

pub(super) fn def<'a>(model: &'a Model, name: &str) -> &'a TypeDef {
    let mut all = model.types.iter();
    all.find(|(_, def)| def.name().as_str() == name)
        .unwrap_or_else(|| panic!("no type {name}"))
        .1
}

fn field<'a>(model: &'a Model, ty: &str, wire: &str) -> Option<&'a Field> {
    let Body::Struct(body) = &def(model, ty).body else {
        panic!("{ty} is not a struct");
    };
    body.fields.iter().find(|field| field.wire == wire)
}

#[test]
fn names_and_derives() {
    let (model, found) = run(Vec::new());
    assert_eq!(found, []);
    assert!(!field(&model, "FooSpec", "big").unwrap().boxed);
    let default = |name| def(&model, name).derives.default;
    assert_eq!(default("FooSpecList"), DefaultImpl::Derived);
    // The schema declares neither a default nor an empty text.
    assert_eq!(default("FooSpecMode"), DefaultImpl::Missing);
    assert_eq!(
        default("FooSpec"),
        DefaultImpl::Missing,
        "it requires a mode"
    );
    assert_eq!(default("Foo"), DefaultImpl::Derived, "its spec is optional");
    assert_eq!(
        model.modules[0].names().client.as_str(),
        "ExampleComV1Client"
    );
    assert_eq!(model.kinds[0].names().method.as_str(), "foos");
}

#[test]
fn overrides_apply_at_every_location() {
    let (model, found) = run(vec![
        Override {
            type_name: Some("Entry".into()),
            derives: ["Eq".to_owned(), "PartialOrd".to_owned()].into(),
            ..Override::at("Foo.spec.list[]")
        },
        Override {
            field_name: Some("kind_of".into()),
            rust_type: Some("crate::Mode".into()),
            ..Override::at("example.com/v1/Foo.spec.mode")
        },
        Override {
            skip: true,
            ..Override::at("Foo.spec.ratio")
        },
        Override {
            boxed: Some(true),
            ..Override::at("Foo.spec.big")
        },
    ]);
    assert_eq!(found, []);
    assert!(def(&model, "Entry").derives.more.contains("PartialOrd"));
    let mode = field(&model, "FooSpec", "mode").unwrap();
    assert_eq!(mode.ident().as_str(), "kind_of");
    assert_eq!(mode.ty, Ty::External("crate::Mode".into()));
    assert!(field(&model, "FooSpec", "ratio").is_none());
    assert!(field(&model, "FooSpec", "big").unwrap().boxed);
}

#[test]
fn overrides_that_match_nothing_are_errors_with_the_nearest_path() {
    let (_, found) = run(vec![Override::at("Foo.spec.mood")]);
    assert_eq!(found[0].0, Code::OverrideUnmatched);
    assert!(found[0].2.as_deref().unwrap().contains("`Foo.spec.mode`"));
}

#[test]
fn overrides_that_cannot_be_applied_are_errors() {
    for wrong in [
        Override {
            type_name: Some("Ratio".into()),
            ..Override::at("Foo.spec.ratio")
        },
        Override {
            type_name: Some("not a name".into()),
            ..Override::at("Foo.spec")
        },
        Override {
            field_name: Some("x; fn y() {}".into()),
            ..Override::at("Foo.spec.mode")
        },
        Override {
            rust_type: Some("u8; struct X".into()),
            ..Override::at("Foo.spec.mode")
        },
        Override {
            skip: true,
            ..Override::at("Foo.metadata")
        },
        Override {
            skip: true,
            ..Override::at("Foo.spec.list[]")
        },
    ] {
        let (_, found) = run(vec![wrong.clone()]);
        assert_eq!(found[0].0, Code::OverrideInvalid, "{wrong:?}");
    }
}

#[test]
fn a_type_name_of_two_overrides_is_an_error() {
    let (_, found) = run(vec![
        Override {
            type_name: Some("Same".into()),
            ..Override::at("Foo.spec.list[]")
        },
        Override {
            type_name: Some("Same".into()),
            ..Override::at("Foo.spec.big")
        },
    ]);
    assert_eq!(found[0].0, Code::NameTaken);
}
