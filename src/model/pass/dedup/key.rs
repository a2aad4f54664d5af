//! The parts of a type that make it equal to another; its location and its own description do not count.
use crate::model::ir::{Body, Choice, EnumBase, Field, Ident, Presence, Rules, Ty, TypeId, Types};
use serde_json::Value;

/// Everything in which a user of two types could see a difference.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Key<'m> {
    /// The name that an override gives.
    name: Option<&'m Ident>,
    form: Form<'m>,
}

#[derive(PartialEq, Eq, Hash)]
enum Form<'m> {
    Struct {
        fields: Vec<Member<'m>>,
        rest: bool,
        choices: &'m [Choice],
    },
    Enum {
        base: EnumBase,
        values: Vec<&'m Value>,
        default: Option<usize>,
    },
    Union(Vec<&'m Ty>),
}

#[derive(PartialEq, Eq, Hash)]
struct Member<'m> {
    wire: &'m str,
    ident: Option<&'m Ident>,
    ty: Ty,
    presence: Presence,
    boxed: bool,
    doc: Option<&'m str>,
    default: Option<&'m Value>,
    rules: &'m Rules,
}

impl<'m> Key<'m> {
    /// Returns the key of a type, where `equal` maps each type in it to the first equal one; `None` for an alias.
    pub(super) fn of(
        types: &'m Types,
        id: TypeId,
        name: Option<&'m Ident>,
        equal: impl Fn(TypeId) -> TypeId,
    ) -> Option<Self> {
        let form = match &types[id].body {
            Body::Struct(body) => Form::Struct {
                fields: body
                    .fields
                    .iter()
                    .map(|field| member(field, types, &equal))
                    .collect(),
                rest: body.rest.is_some(),
                choices: &body.choices,
            },
            Body::Enum(body) => Form::Enum {
                base: body.base,
                values: body.variants.iter().map(|variant| &variant.value).collect(),
                default: body.default,
            },
            Body::Union(body) => Form::Union(body.arms.iter().map(|arm| &arm.ty).collect()),
            Body::Alias(_) => return None,
        };
        Some(Self { name, form })
    }
}

fn member<'m>(field: &'m Field, types: &Types, equal: &impl Fn(TypeId) -> TypeId) -> Member<'m> {
    let mut ty = field.ty.clone();
    if let Some(reference) = ty.named_mut()
        && let Ty::Named(id) = *reference
    {
        *reference = match &types[id].body {
            Body::Alias(reused) => reused.clone(),
            Body::Struct(_) | Body::Enum(_) | Body::Union(_) => Ty::Named(equal(id)),
        };
    }
    Member {
        wire: &field.wire,
        ident: field.ident.as_ref(),
        ty,
        presence: field.presence,
        boxed: field.boxed,
        doc: field.doc.as_deref(),
        default: field.default.as_ref(),
        rules: &field.rules,
    }
}
