//! A struct of the model and a type of k8s-openapi come in; whether every value of the one survives reading and writing as the other goes out.
//!
//! The definition is exact, and told in `docs/known-types.md`: each condition there has its line here.
use super::types::{self, Type};
use crate::ir::{
    Body, EnumBase, Field, IntWidth, Presence, Rules, Struct, Ty, TypeDef, TypeId, Types,
};
use crate::options::Kubernetes;
use foldhash::{HashMap, HashMapExt};
use serde_json::json;

/// Why a struct is not compatible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Miss {
    /// The field at fault, below the struct; none where it is the struct as a whole.
    pub(super) field: Option<String>,
    /// What is wrong with it.
    pub(super) why: &'static str,
    /// The version of Kubernetes from which on this is not wrong.
    pub(super) before: Option<Kubernetes>,
    /// Whether it is a field of the struct itself, not one of a struct in it.
    pub(super) is_own: bool,
}

/// Compares with the types that all versions from one on have, and remembers what it found.
pub(super) struct Fit<'m> {
    types: &'m Types,
    at: Kubernetes,
    found: HashMap<(TypeId, &'static Type, bool), Result<(), Miss>>,
}

type Answer = Result<(), &'static str>;

impl<'m> Fit<'m> {
    pub(super) fn new(types: &'m Types, at: Kubernetes) -> Self {
        Self {
            types,
            at,
            found: HashMap::new(),
        }
    }

    /// Whether a struct of the model may be this type.
    pub(super) fn of(&mut self, id: TypeId, known: &'static Type) -> Result<(), Miss> {
        self.within(id, known, false)
    }

    /// The same, as a part of a type that goes through its own serde code, or not.
    fn within(&mut self, id: TypeId, known: &'static Type, leaf: bool) -> Result<(), Miss> {
        if let Some(found) = self.found.get(&(id, known, leaf)) {
            return found.clone();
        }
        let answer = self.compare(id, known, leaf || !known.record);
        self.found.insert((id, known, leaf), answer.clone());
        answer
    }

    fn compare(&mut self, id: TypeId, known: &'static Type, leaf: bool) -> Result<(), Miss> {
        let types = self.types;
        let def = &types[id];
        let whole = |why| Miss {
            field: None,
            why,
            before: None,
            is_own: true,
        };
        if !known.is_in(self.at) {
            return Err(whole("not all versions have it"));
        }
        let body = match &def.body {
            Body::Struct(body) => body,
            Body::Enum(_) | Body::Union(_) => return Err(whole("it is an enum")),
            Body::Alias(_) => return Err(whole(BY_HAND)),
        };
        if is_by_hand(def, body) {
            return Err(whole(BY_HAND));
        }
        if body.rest {
            return Err(whole("it keeps fields that are not declared"));
        }
        for field in &body.fields {
            self.field(field, known, leaf)?;
        }
        let declared = |wire: &str| body.fields.iter().any(|field| field.wire == wire);
        let mut fields = known.fields(self.at);
        match fields.find(|field| field.is_required(self.at) && !declared(field.wire)) {
            Some(field) => Err(Miss {
                field: Some(field.wire.to_owned()),
                why: "it is not declared, and always written",
                before: field.required_before,
                is_own: true,
            }),
            None => Ok(()),
        }
    }

    fn field(&mut self, field: &Field, known: &'static Type, leaf: bool) -> Result<(), Miss> {
        let own = |why| Miss {
            field: Some(field.wire.clone()),
            why,
            before: None,
            is_own: true,
        };
        let Some(into) = known.field(&field.wire, self.at) else {
            let newer = known.field_of_any(&field.wire).map(|it| it.since);
            return Err(Miss {
                before: newer,
                ..own("there is no such field")
            });
        };
        match field.presence {
            Presence::Nullable | Presence::OptionalNullable => return Err(own("it may be null")),
            Presence::Optional if into.is_required(self.at) && !is_filled(field, into.ty) => {
                return Err(Miss {
                    before: into.required_before,
                    ..own("it may be absent, and is always written")
                });
            }
            Presence::Optional | Presence::Required => {}
        }
        if let (Some(inner), types::Ty::Struct(known)) = (field.ty.named(), into.ty.inner())
            && matches!(self.types[inner].body, Body::Struct(_))
            && same_containers(&field.ty, into.ty)
        {
            let answer = self.within(inner, known, leaf);
            return answer.map_err(|miss| Miss {
                field: Some(match miss.field {
                    Some(below) => format!("{}.{below}", field.wire),
                    None => field.wire.clone(),
                }),
                is_own: false,
                ..miss
            });
        }
        self.ty(&field.ty, &field.rules, into.ty, leaf).map_err(own)
    }

    /// Whether a value that is no declared struct may be of a type.
    fn ty(&self, ty: &Ty, rules: &Rules, into: types::Ty, leaf: bool) -> Answer {
        use types::Ty as To;
        let fits = |fits: bool| {
            if fits {
                Ok(())
            } else {
                Err("it is of another type")
            }
        };
        match ty {
            Ty::Bool => fits(matches!(into, To::Bool)),
            Ty::Int(width) => match into {
                To::I64 | To::I32 if !integer(*width, rules, into) => {
                    Err("an integer may be out of range")
                }
                To::I64 | To::I32 => Ok(()),
                To::IntOrString => fits(integer(*width, rules, To::I64)),
                _ => fits(false),
            },
            Ty::Str => fits(matches!(into, To::Str | To::IntOrString | To::Quantity)),
            Ty::Bytes => fits(matches!(into, To::Bytes)),
            Ty::Time if leaf && matches!(into, To::Time) => {
                Err("a fraction of a second would be lost")
            }
            Ty::Time => fits(matches!(into, To::Time)),
            Ty::IntOrString => fits(matches!(into, To::IntOrString | To::Quantity)),
            // No type of Kubernetes has such a number; any JSON may be null.
            Ty::Number | Ty::Json => fits(false),
            Ty::ObjectMeta => {
                fits(matches!(into, To::Struct(known) if known.name() == "ObjectMeta" && !leaf))
            }
            Ty::List(inner) => match into {
                To::List(into) => self.ty(inner, element(rules), *into, leaf),
                _ => fits(false),
            },
            Ty::Map(inner) => match into {
                To::Json => Ok(()),
                To::Map(_) if rules.pruned => Ok(()),
                To::Map(into) => self.ty(inner, element(rules), *into, leaf),
                To::Struct(known) if rules.pruned => fits(
                    known
                        .fields(self.at)
                        .all(|field| !field.is_required(self.at)),
                ),
                _ => fits(false),
            },
            Ty::Nullable(_) => Err("it may be null"),
            Ty::Named(id) => match &self.types[*id].body {
                Body::Enum(body) => match body.base {
                    EnumBase::Text => fits(matches!(into, To::Str)),
                    EnumBase::Int(width) => {
                        fits(matches!(into, To::I32 | To::I64) && integer(width, rules, into))
                    }
                    EnumBase::Mixed => fits(false),
                },
                Body::Alias(_) => Err(BY_HAND),
                Body::Struct(_) | Body::Union(_) => fits(false),
            },
            Ty::External(_) => Err(BY_HAND),
        }
    }
}

const BY_HAND: &str = "it is decided by hand";

/// Whether an override has a say in the struct.
fn is_by_hand(def: &TypeDef, body: &Struct) -> bool {
    let mut fields = body.fields.iter();
    !def.name.is_empty()
        || !def.derives.more.is_empty()
        || fields.any(|field| !field.ident.is_empty() || field.boxed.is_some())
}

/// Whether two types are lists of lists, or maps, of the same depth.
fn same_containers(ty: &Ty, into: types::Ty) -> bool {
    match (ty, into) {
        (Ty::List(ty), types::Ty::List(into)) | (Ty::Map(ty), types::Ty::Map(into)) => {
            same_containers(ty, *into)
        }
        (Ty::Named(_), types::Ty::Struct(_)) => true,
        _ => false,
    }
}

/// What is said of each item of a list, or value of a map.
fn element(rules: &Rules) -> &Rules {
    const NOTHING: &Rules = &Rules::NOTHING;
    rules.element.as_ref().map_or(NOTHING, |it| &it.rules)
}

/// Whether the API server fills an absent field in with what is written for it.
fn is_filled(field: &Field, into: types::Ty) -> bool {
    use types::Ty as To;
    let blank = match into {
        To::Bool => json!(false),
        To::I32 | To::I64 => json!(0),
        To::Str | To::Quantity => json!(""),
        To::List(_) => json!([]),
        To::Map(_) => json!({}),
        To::Bytes | To::Time | To::IntOrString | To::Json | To::Other | To::Struct(_) => {
            return false;
        }
    };
    field.default.as_ref() == Some(&blank)
}

/// Whether every integer that the schema lets pass has room.
fn integer(width: IntWidth, rules: &Rules, into: types::Ty) -> bool {
    let (low, high) = rules.integers(width).into_inner();
    let room = if matches!(into, types::Ty::I32) {
        IntWidth::I32
    } else {
        IntWidth::I64
    };
    let (least, most) = room.range().into_inner();
    least <= low && high <= most
}
