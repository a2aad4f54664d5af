//! Tests of `enum`, and of branches that list values.
use super::*;

#[test]
fn enums_of_strings() {
    let (model, found) = lower(
        "{type: string, enum: [b, a, b, null], nullable: true, default: a}",
        "",
    );
    assert_eq!(found, [(Code::PlainEnum, "x".to_owned())]);
    let Ty::Named(id) = field(&model).ty else {
        panic!("not an enum");
    };
    let Body::Enum(body) = &model.types[id].body else {
        panic!("not an enum");
    };
    let values: Vec<_> = body.variants.iter().map(|it| it.text()).collect();
    assert_eq!(values, ["b", "a"]);
    assert_eq!(body.default, Some(1));
}

#[test]
fn enums_of_branches_that_list_values() {
    for (node, expected) in [
        (
            "{type: string, allOf: [{enum: [a, b]}, {enum: [b, a]}]}",
            "a b",
        ),
        (
            "{type: string, enum: [a, b, c], allOf: [{enum: [c, b]}]}",
            "b c",
        ),
        (
            "{type: string, oneOf: [{enum: [a], description: First.}, {enum: [b]}]}",
            "a b",
        ),
        // What two branches list, `oneOf` rejects.
        ("{type: string, oneOf: [{enum: [a, b]}, {enum: [b]}]}", "a"),
        (
            "{type: string, anyOf: [{enum: [a, b]}, {enum: [b, c]}]}",
            "a b c",
        ),
        ("{type: integer, anyOf: [{enum: [1]}, {enum: [2]}]}", "1 2"),
    ] {
        let (model, found) = lower(node, "");
        let Ty::Named(id) = field(&model).ty else {
            panic!("not an enum: {node}");
        };
        let Body::Enum(body) = &model.types[id].body else {
            panic!("not an enum: {node}");
        };
        let values: Vec<_> = body.variants.iter().map(|it| it.text()).collect();
        assert_eq!(
            (values.join(" ").as_str(), found.len()),
            (expected, 0),
            "{node}"
        );
        assert_eq!(field(&model).rules.constraints, [], "{node}");
    }
}

#[test]
fn branches_that_say_more_than_values_stay_constraints() {
    for node in [
        "{type: string, anyOf: [{enum: [a]}, {pattern: '^b'}]}",
        "{type: string, oneOf: [{enum: [a], maxLength: 3}, {enum: [b]}]}",
    ] {
        let (model, _) = lower(node, "");
        assert_eq!(field(&model).ty, Ty::STR, "{node}");
        assert_eq!(field(&model).rules.constraints.len(), 1, "{node}");
    }
}

#[test]
fn enums_of_numbers_and_of_several_types() {
    for (node, base, values) in [
        (
            "{type: integer, enum: [1, 2, -3]}",
            EnumBase::Int(IntWidth::I64),
            "1 2 -3",
        ),
        (
            "{type: integer, format: int32, enum: [1]}",
            EnumBase::Int(IntWidth::I32),
            "1",
        ),
        (
            "{type: integer, format: uint8, enum: [300]}",
            EnumBase::Int(IntWidth::I64),
            "300",
        ),
        (
            "{type: integer, enum: [18446744073709551615, 0]}",
            EnumBase::Int(IntWidth::U64),
            "18446744073709551615 0",
        ),
        (
            "{x-kubernetes-int-or-string: true, enum: [a, 1]}",
            EnumBase::Mixed,
            "a 1",
        ),
        ("{enum: [a, 1, true]}", EnumBase::Mixed, "a 1 true"),
        ("{enum: [a, b]}", EnumBase::Text, "a b"),
        ("{enum: [1, 2]}", EnumBase::Int(IntWidth::I64), "1 2"),
    ] {
        let (model, found) = lower(node, "");
        let Ty::Named(id) = field(&model).ty else {
            panic!("not an enum: {node}");
        };
        let Body::Enum(body) = &model.types[id].body else {
            panic!("not an enum: {node}");
        };
        let texts: Vec<_> = body.variants.iter().map(|it| it.text()).collect();
        assert_eq!((body.base, texts.join(" ").as_str()), (base, values));
        assert_eq!(found, [], "{node}");
    }
}

#[test]
fn null_is_a_value_of_an_enum_without_type() {
    let (model, _) = lower("{enum: [a, null]}", "");
    assert_eq!(field(&model).presence, Presence::OptionalNullable);
    let (model, _) = lower("{type: string, enum: [a, null]}", "");
    assert_eq!(field(&model).presence, Presence::Optional);
}

#[test]
fn other_enums_become_constrained_plain_types() {
    for (node, ty, is_constrained, is_reported) in [
        (
            "{type: boolean, enum: [true]}",
            Ty::Scalar(Scalar::Bool),
            true,
            false,
        ),
        (
            "{type: boolean, enum: [true, false]}",
            Ty::Scalar(Scalar::Bool),
            false,
            false,
        ),
        ("{enum: [false]}", Ty::Scalar(Scalar::Bool), true, false),
        (
            "{type: number, enum: [0.5]}",
            Ty::Scalar(Scalar::Number),
            true,
            true,
        ),
        ("{type: string, enum: [1]}", Ty::STR, true, true),
        (
            "{type: integer, enum: [a]}",
            Ty::int(IntWidth::I64),
            true,
            true,
        ),
    ] {
        let (model, findings) = lower(node, "");
        let field = field(&model);
        assert_eq!(field.ty, ty, "{node}");
        let constraints = field.rules.constraints.iter();
        assert_eq!(
            constraints.map(|it| it.0).collect::<Vec<_>>(),
            if is_constrained { vec!["enum"] } else { vec![] },
            "{node}"
        );
        let expected = if is_reported {
            vec![(Code::PlainEnum, "x".to_owned())]
        } else {
            vec![]
        };
        assert_eq!(findings, expected, "{node}");
    }
}
