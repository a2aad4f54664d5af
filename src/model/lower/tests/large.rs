//! Tests of schemas too large for a Rust enum or struct, and of those that accept any JSON.
use super::{body, field, lower, lowers_to};
use crate::base::diag::Code;
use crate::model::ir::{Body, IntWidth, Model, Scalar, Ty};

/// Returns the declared values of a text with constants.
fn constants(model: &Model) -> Option<usize> {
    let id = field(model).ty.named()?;
    match &model.types[id].body {
        Body::Enum(body) => body.constants.then_some(body.variants.len()),
        Body::Struct(_) | Body::Union(_) | Body::Alias(_) => None,
    }
}

fn list(count: usize, item: impl Fn(usize) -> String) -> String {
    let items: Vec<String> = (0..count).map(item).collect();
    items.join(", ")
}

#[test]
fn an_enum_of_very_many_texts_has_constants() {
    let of = |count| {
        let values = list(count, |it| format!("v{it}"));
        lower(&format!("{{type: string, enum: [{values}]}}"), "")
    };
    let (model, found) = of(2000);
    assert_eq!((constants(&model), found), (None, vec![]));
    let (model, found) = of(2001);
    assert_eq!(constants(&model), Some(2001));
    assert_eq!(found, [(Code::TooLarge, "x".to_owned())]);
}

#[test]
fn an_enum_of_very_many_other_values_is_a_plain_type() {
    let numbers = list(2001, |it| it.to_string());
    for (node, ty) in [
        (
            format!("{{type: integer, format: int32, enum: [{numbers}]}}"),
            Ty::int(IntWidth::I32),
        ),
        (
            format!("{{x-kubernetes-int-or-string: true, enum: [a, {numbers}]}}"),
            Scalar::IntOrString.into(),
        ),
        (format!("{{enum: [a, {numbers}]}}"), Ty::JSON),
    ] {
        let (model, found) = lower(&node, "");
        assert_eq!(field(&model).ty, ty);
        assert_eq!(found, [(Code::TooLarge, "x".to_owned())]);
    }
}

#[test]
fn an_object_of_very_many_properties_is_a_map() {
    let of = |count, more: &str| {
        let properties = list(count, |it| format!("p{it}: {{type: string}}"));
        let node = format!("{{type: object, required: [p1], properties: {{{properties}}}{more}}}");
        lower(&node, "")
    };
    let (model, found) = of(1000, "");
    assert_eq!(body(&model, &field(&model).ty).fields.len(), 1000);
    assert_eq!(found, []);
    for more in ["", ", x-kubernetes-preserve-unknown-fields: true"] {
        let (model, found) = of(1001, more);
        assert_eq!(field(&model).ty, Ty::Map(Box::new(Ty::JSON)));
        assert!(!field(&model).rules.pruned);
        assert_eq!(found, [(Code::TooLarge, "x".to_owned())]);
    }
    let (model, found) = of(1001, ", x-kubernetes-embedded-resource: true");
    let body = body(&model, &field(&model).ty);
    let fields: Vec<&str> = body.fields.iter().map(|it| it.wire.as_str()).collect();
    assert_eq!(fields, ["apiVersion", "kind", "metadata"]);
    assert!(body.rest.is_some());
    assert_eq!(found, [(Code::TooLarge, "x".to_owned())]);
}

/// The API server requires a `type` except beside `x-kubernetes-preserve-unknown-fields` and `x-kubernetes-int-or-string`, and does
/// not reject values of another type than the keywords are for.
#[test]
fn properties_without_a_type_that_preserve_unknown_fields_are_any_json() {
    let keep = "x-kubernetes-preserve-unknown-fields: true";
    for keywords in [
        "properties: {a: {type: string}}, required: [a]",
        "additionalProperties: {type: string}",
        "items: {type: string}",
        "properties: {a: {type: string}}, nullable: true",
    ] {
        let (model, found) = lower(&format!("{{{keywords}, {keep}}}"), "");
        assert_eq!(field(&model).ty, Ty::JSON, "{keywords}");
        assert_eq!(found, [(Code::RawJson, "x".to_owned())], "{keywords}");
    }
    lowers_to(&format!("{{properties: {{}}, {keep}}}"), &Ty::JSON);
    // A type says that nothing else is valid.
    let (model, found) = lower(
        &format!("{{type: object, properties: {{a: {{type: string}}}}, {keep}}}"),
        "",
    );
    assert!(body(&model, &field(&model).ty).rest.is_some());
    assert_eq!(found, []);
    // The API server rejects a schema without both, and old ones were written for objects.
    let (model, _) = lower("{properties: {a: {type: string}}}", "");
    assert_eq!(body(&model, &field(&model).ty).fields.len(), 1);
}
