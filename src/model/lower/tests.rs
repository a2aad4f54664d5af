//! Tests of each schema form, from YAML to the type of a field.
mod enums;
mod keywords;
mod large;

use crate::base::diag::{Code, Diagnostics};
use crate::base::source::Source;
use crate::model::ir::{Body, EnumBase, Field, IntWidth, Model, Presence, Scalar, Struct, Ty};

/// Lowers a CRD whose only property `x` has this schema; `required` lists the required properties.
pub(super) fn lower(node: &str, required: &str) -> (Model, Vec<(Code, String)>) {
    let text = format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: foos.example.com}}\nspec:\n  group: example.com\n  scope: Namespaced\n  names: {{kind: Foo, plural: foos}}\n  versions:\n    - name: v1\n      served: true\n      storage: true\n      schema: {{openAPIV3Schema: {{type: object, required: [{required}], properties: {{x: {node}}}}}}}\n"
    );
    let source = Source::new("test", text);
    let mut diagnostics = Diagnostics::new();
    let crds = crate::input::crd::parse(&[source], &mut diagnostics);
    assert!(!diagnostics.has_errors(), "{diagnostics:#?}");
    let model = super::lower(crds, &mut diagnostics);
    // Lowering also takes schemas that the API server rejects.
    let rejected = [Code::NotStructural, Code::InvalidExtension];
    let found = diagnostics
        .iter()
        .filter(|it| !rejected.contains(&it.code))
        .map(|it| (it.code, it.place.schema_path.clone().unwrap_or_default()));
    (model, found.collect())
}

fn body<'a>(model: &'a Model, ty: &Ty) -> &'a Struct {
    let Ty::Named(id) = ty else {
        panic!("{ty:?} is not a type of the model");
    };
    match &model.types[*id].body {
        Body::Struct(body) => body,
        Body::Enum(_) | Body::Union(_) | Body::Alias(_) => panic!("not a struct"),
    }
}

fn field(model: &Model) -> Field {
    let root = &Ty::Named(model.kinds[0].root);
    let fields = &body(model, root).fields;
    fields.iter().find(|it| it.wire == "x").unwrap().clone()
}

#[track_caller]
fn lowers_to(node: &str, expected: &Ty) {
    let (model, found) = lower(node, "");
    assert_eq!(field(&model).ty, *expected, "{node}");
    assert_eq!(found, [], "{node}");
}

#[test]
fn scalars() {
    lowers_to("{type: boolean}", &Ty::Scalar(Scalar::Bool));
    lowers_to("{type: integer}", &Ty::int(IntWidth::I64));
    lowers_to("{type: integer, format: double}", &Ty::int(IntWidth::I64));
    lowers_to("{type: number}", &Ty::Scalar(Scalar::Number));
    lowers_to("{type: number, format: float}", &Ty::Scalar(Scalar::Number));
    lowers_to(
        "{type: string, format: date-time}",
        &Ty::Scalar(Scalar::Time),
    );
    lowers_to("{type: string, format: byte}", &Ty::Scalar(Scalar::Bytes));
    lowers_to("{type: string, format: int64}", &Ty::STR);
}

#[test]
fn integers_hold_what_the_server_accepts() {
    for (node, width) in [
        ("format: int32", IntWidth::I32),
        ("format: int64", IntWidth::I64),
        ("minimum: 0, maximum: 255", IntWidth::I64),
        ("format: int8", IntWidth::I64),
        ("format: int8, minimum: -128", IntWidth::I64),
        ("format: int8, minimum: -128, maximum: 127", IntWidth::I8),
        ("format: int16, minimum: 1, maximum: 9", IntWidth::I16),
        ("format: uint8, minimum: 0, maximum: 256", IntWidth::U64),
        ("format: uint16", IntWidth::I64),
        ("format: uint16, minimum: -1, maximum: 9", IntWidth::I64),
        ("format: uint16, minimum: 0.0", IntWidth::U64),
        ("format: uint16, minimum: 0, maximum: 65535", IntWidth::U16),
        (
            "format: uint32, minimum: 0, maximum: 4294967295",
            IntWidth::U32,
        ),
        ("format: uint64", IntWidth::I64),
        ("format: uint64, minimum: 0", IntWidth::U64),
        ("format: uint128, minimum: 0", IntWidth::I64),
    ] {
        lowers_to(&format!("{{type: integer, {node}}}"), &Ty::int(width));
    }
}

#[test]
fn containers() {
    let list = |ty| Ty::List(Box::new(ty));
    let map = |ty| Ty::Map(Box::new(ty));
    lowers_to("{type: array, items: {type: string}}", &list(Ty::STR));
    lowers_to(
        "{type: array, items: {type: string, nullable: true}}",
        &list(Ty::Nullable(Box::new(Ty::STR))),
    );
    lowers_to(
        "{type: object, additionalProperties: {type: array, items: {type: string, format: byte}}}",
        &map(list(Ty::Scalar(Scalar::Bytes))),
    );
    lowers_to("{type: object, additionalProperties: true}", &map(Ty::JSON));
    lowers_to("{type: object}", &map(Ty::JSON));
    lowers_to("{type: object, properties: {}}", &map(Ty::JSON));
    lowers_to(
        "{type: object, x-kubernetes-preserve-unknown-fields: true}",
        &map(Ty::JSON),
    );
    lowers_to("{x-kubernetes-preserve-unknown-fields: true}", &Ty::JSON);
}

#[test]
fn either_types() {
    lowers_to(
        "{x-kubernetes-int-or-string: true}",
        &Ty::Scalar(Scalar::IntOrString),
    );
    lowers_to(
        "{anyOf: [{type: string}, {type: integer}], x-kubernetes-int-or-string: true}",
        &Ty::Scalar(Scalar::IntOrString),
    );
}

#[test]
fn the_pattern_of_quantities_makes_a_quantity() {
    const PATTERN: &str = r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$";
    for (keywords, expected) in [
        (
            "anyOf: [{type: integer}, {type: string}], x-kubernetes-int-or-string: true",
            Scalar::Quantity,
        ),
        ("x-kubernetes-int-or-string: true", Scalar::Quantity),
        (
            "type: string, x-kubernetes-int-or-string: true",
            Scalar::Quantity,
        ),
        ("type: string", Scalar::Quantity),
        // A format says what the text is.
        ("type: string, format: date-time", Scalar::Time),
        // A pattern constrains no number.
        ("type: integer", Scalar::Int(IntWidth::I64)),
    ] {
        lowers_to(
            &format!("{{{keywords}, pattern: '{PATTERN}'}}"),
            &Ty::Scalar(expected),
        );
    }
    lowers_to(
        "{x-kubernetes-int-or-string: true, pattern: '^[0-9]+$'}",
        &Ty::Scalar(Scalar::IntOrString),
    );
}

#[test]
fn presence_is_required_times_nullable() {
    for (node, required, expected) in [
        ("{type: string}", "x", Presence::Required),
        ("{type: string}", "", Presence::Optional),
        ("{type: string, nullable: true}", "x", Presence::Nullable),
        (
            "{type: string, nullable: true}",
            "",
            Presence::OptionalNullable,
        ),
        // The API server fills it in, so a client may omit it.
        ("{type: integer, default: 1}", "x", Presence::Optional),
        // Raw JSON can be null itself.
        (
            "{x-kubernetes-preserve-unknown-fields: true, nullable: true}",
            "",
            Presence::Optional,
        ),
    ] {
        let (model, _) = lower(node, required);
        assert_eq!(field(&model).presence, expected, "{node} {required}");
    }
}

#[test]
fn structs_keep_unknown_fields_that_are_preserved() {
    let node = "{type: object, required: [a], properties: {a: {type: string}}, x-kubernetes-preserve-unknown-fields: true}";
    let (model, found) = lower(node, "");
    let inner = body(&model, &field(&model).ty).clone();
    assert!(inner.rest.is_some());
    assert_eq!(inner.fields[0].presence, Presence::Required);
    assert_eq!(found, []);
}

#[test]
fn embedded_resources_have_metadata() {
    let (model, found) = lower("{type: object, x-kubernetes-embedded-resource: true}", "");
    let inner = body(&model, &field(&model).ty);
    let wires: Vec<_> = inner.fields.iter().map(|it| it.wire.as_str()).collect();
    assert_eq!(wires, ["apiVersion", "kind", "metadata"]);
    assert!(inner.rest.is_none());
    assert_eq!(found, []);
}

#[test]
fn schemas_without_content_become_raw_json_with_a_warning() {
    for (node, path) in [
        ("{description: anything}", "x"),
        ("{type: array}", "x"),
        ("{type: array, items: [{type: string}]}", "x"),
        ("{type: object, additionalProperties: {}}", "x{}"),
    ] {
        let (_, found) = lower(node, "");
        assert_eq!(found, [(Code::RawJson, path.to_owned())], "{node}");
    }
}

#[test]
fn leftover_keywords_are_reported_with_their_path() {
    for node in [
        "{type: string, items: {type: string}}",
        "{type: integer, properties: {a: {type: string}}}",
        "{type: string, x-kubernetes-preserve-unknown-fields: true}",
    ] {
        let (_, found) = lower(node, "");
        assert_eq!(found, [(Code::LeftoverKeyword, "x".to_owned())], "{node}");
    }
}

#[test]
fn constraints_are_kept() {
    let node = "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a], maxItems: 3, x-kubernetes-validations: [{rule: 'true'}], items: {type: object, x-kubernetes-map-type: atomic, minProperties: 1, properties: {a: {type: string}}}}";
    let (model, found) = lower(node, "");
    let rules = field(&model).rules;
    assert_eq!(found, []);
    assert_eq!(rules.list_type.as_deref(), Some("map"));
    assert_eq!(rules.list_map_keys, ["a"]);
    assert_eq!(rules.constraints[0].0, "maxItems");
    assert_eq!(rules.validations.len(), 1);
    let element = rules.element.unwrap().rules;
    assert_eq!(element.map_type.as_deref(), Some("atomic"));
    assert_eq!(element.constraints[0].0, "minProperties");
}

#[test]
fn roots_have_the_declared_properties_and_metadata() {
    let (model, _) = lower("{type: string}", "x, metadata");
    let root = body(&model, &Ty::Named(model.kinds[0].root));
    let wires: Vec<_> = root.fields.iter().map(|it| it.wire.as_str()).collect();
    assert_eq!(wires, ["metadata", "x"]);
    assert_eq!(root.fields[0].ty, Ty::OBJECT_META);
    assert_eq!(root.fields[0].presence, Presence::Required);
}

#[test]
fn constraints_of_union_branches_are_kept() {
    for keyword in ["oneOf", "anyOf"] {
        let node = format!("{{{keyword}: [{{type: string, minLength: 1}}, {{type: integer}}]}}");
        let (model, _) = lower(&node, "");
        let constraints = field(&model).rules.constraints;
        assert!(
            matches!(&*constraints, [(name, _)] if *name == keyword),
            "{constraints:?}"
        );
    }
}
