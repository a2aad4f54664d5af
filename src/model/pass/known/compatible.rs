//! Decides whether every value of a struct survives reading and writing as a type of k8s-openapi.
//!
//! `docs/known-types.md` defines compatibility; each condition there has its line here.
use super::types::{self, Type};
use crate::base::options::Kubernetes;
use crate::model::ir::{
    Body, EnumBase, Field, IntWidth, Presence, Rules, Scalar, Struct, Ty, TypeDef, TypeId, Types,
};
use foldhash::{HashMap, HashMapExt};
use serde_json::json;
use std::fmt;

/// Why a struct is not compatible.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mismatch {
    /// The path of the field below the struct; `None` for the struct itself.
    field: Option<String>,
    why: &'static str,
    /// The first version of Kubernetes that has no such mismatch.
    before: Option<Kubernetes>,
    /// Whether it concerns the struct itself, not a struct in it.
    pub(super) is_own: bool,
}

/// Compares structs with the types that all Kubernetes versions from one on have, and caches the results.
pub(super) struct Comparison<'m> {
    types: &'m Types,
    at: Kubernetes,
    cache: HashMap<(TypeId, &'static Type, bool), Result<(), Mismatch>>,
}

/// Whether a type can be another one, or why not.
type TyResult = Result<(), &'static str>;

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(field) = &self.field {
            write!(f, "`{field}`: ")?;
        }
        f.write_str(self.why)?;
        match self.before {
            Some(version) => write!(f, " before Kubernetes {version}"),
            None => Ok(()),
        }
    }
}

impl<'m> Comparison<'m> {
    pub(super) fn new(types: &'m Types, at: Kubernetes) -> Self {
        Self {
            types,
            at,
            cache: HashMap::new(),
        }
    }

    /// Checks whether a type can replace a struct.
    pub(super) fn check(&mut self, id: TypeId, known: &'static Type) -> Result<(), Mismatch> {
        self.within(id, known, false)
    }

    /// Checks it within a type that is read and written by its own serde code (`leaf`) or field by field.
    fn within(&mut self, id: TypeId, known: &'static Type, leaf: bool) -> Result<(), Mismatch> {
        if let Some(found) = self.cache.get(&(id, known, leaf)) {
            return found.clone();
        }
        let answer = self.compare(id, known, leaf || !known.record);
        self.cache.insert((id, known, leaf), answer.clone());
        answer
    }

    fn compare(&mut self, id: TypeId, known: &'static Type, leaf: bool) -> Result<(), Mismatch> {
        let types = self.types;
        let def = &types[id];
        let whole = |why| Mismatch {
            field: None,
            why,
            before: None,
            is_own: true,
        };
        if !known.is_in(self.at) {
            return Err(whole("not all Kubernetes versions have it"));
        }
        let body = match &def.body {
            Body::Struct(body) => body,
            Body::Enum(_) | Body::Union(_) => return Err(whole("it is an enum")),
            Body::Alias(_) => return Err(whole(OVERRIDDEN)),
        };
        if is_overridden(def, body) {
            return Err(whole(OVERRIDDEN));
        }
        if body.rest.is_some() {
            return Err(whole("it keeps unknown fields"));
        }
        for field in &body.fields {
            self.field(field, known, leaf)?;
        }
        let declared = |wire: &str| body.fields.iter().any(|field| field.wire == wire);
        let mut fields = known.fields(self.at);
        match fields.find(|field| field.is_required(self.at) && !declared(field.wire)) {
            Some(field) => Err(Mismatch {
                field: Some(field.wire.to_owned()),
                why: "it is not declared, but k8s-openapi always writes it",
                before: field.required_before,
                is_own: true,
            }),
            None => Ok(()),
        }
    }

    fn field(&mut self, field: &Field, known: &'static Type, leaf: bool) -> Result<(), Mismatch> {
        let own = |why| Mismatch {
            field: Some(field.wire.clone()),
            why,
            before: None,
            is_own: true,
        };
        let Some(into) = known.field(&field.wire, self.at) else {
            let newer = known.field_of_any(&field.wire).map(|it| it.since);
            return Err(Mismatch {
                before: newer,
                ..own("k8s-openapi has no such field")
            });
        };
        match field.presence {
            Presence::Nullable | Presence::OptionalNullable => return Err(own("it may be null")),
            Presence::Optional if into.is_required(self.at) && !is_filled(field, into.ty) => {
                return Err(Mismatch {
                    before: into.required_before,
                    ..own("it may be absent, but k8s-openapi always writes it")
                });
            }
            Presence::Optional | Presence::Required => {}
        }
        if let (Some(inner), types::Ty::Struct(known)) = (field.ty.named(), into.ty.inner())
            && matches!(self.types[inner].body, Body::Struct(_))
            && same_containers(&field.ty, into.ty)
        {
            let answer = self.within(inner, known, leaf);
            return answer.map_err(|mismatch| Mismatch {
                field: Some(match mismatch.field {
                    Some(below) => format!("{}.{below}", field.wire),
                    None => field.wire.clone(),
                }),
                is_own: false,
                ..mismatch
            });
        }
        self.ty(&field.ty, &field.rules, into.ty, leaf).map_err(own)
    }

    /// Checks a value that is not a declared struct.
    fn ty(&self, ty: &Ty, rules: &Rules, into: types::Ty, leaf: bool) -> TyResult {
        use types::Ty as To;
        let fits = |fits: bool| {
            if fits {
                Ok(())
            } else {
                Err("its type differs")
            }
        };
        match ty {
            Ty::Scalar(scalar) => match scalar {
                Scalar::Bool => fits(matches!(into, To::Bool)),
                Scalar::Int(width) => match into {
                    To::I64 | To::I32 if !holds_all(*width, rules, into) => {
                        Err("an integer may be out of range")
                    }
                    To::I64 | To::I32 => Ok(()),
                    To::IntOrString => fits(holds_all(*width, rules, To::I64)),
                    _ => fits(false),
                },
                Scalar::Str => fits(matches!(into, To::Str | To::IntOrString | To::Quantity)),
                Scalar::Bytes => fits(matches!(into, To::Bytes)),
                Scalar::Time if leaf && matches!(into, To::Time) => {
                    Err("a fraction of a second would be lost")
                }
                Scalar::Time => fits(matches!(into, To::Time)),
                Scalar::IntOrString | Scalar::Quantity => {
                    fits(matches!(into, To::IntOrString | To::Quantity))
                }
                // k8s-openapi has no such number, and JSON may be null.
                Scalar::Number | Scalar::Json => fits(false),
                Scalar::ObjectMeta => {
                    fits(matches!(into, To::Struct(known) if known.name() == "ObjectMeta" && !leaf))
                }
            },
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
                        fits(matches!(into, To::I32 | To::I64) && holds_all(width, rules, into))
                    }
                    EnumBase::Mixed => fits(false),
                },
                Body::Alias(_) => Err(OVERRIDDEN),
                Body::Struct(_) | Body::Union(_) => fits(false),
            },
            Ty::External(_) => Err(OVERRIDDEN),
        }
    }
}

const OVERRIDDEN: &str = "an override applies to it";

/// Returns whether an override applies to the struct or to one of its fields.
fn is_overridden(def: &TypeDef, body: &Struct) -> bool {
    let mut fields = body.fields.iter();
    def.name.is_some()
        || !def.derives.more.is_empty()
        || fields.any(|field| field.ident.is_some() || field.boxed)
}

/// Returns whether two types are structs within equal lists and maps.
fn same_containers(ty: &Ty, into: types::Ty) -> bool {
    match (ty, into) {
        (Ty::List(ty), types::Ty::List(into)) | (Ty::Map(ty), types::Ty::Map(into)) => {
            same_containers(ty, *into)
        }
        (Ty::Named(_), types::Ty::Struct(_)) => true,
        _ => false,
    }
}

/// Returns the constraints on each item of a list or value of a map.
fn element(rules: &Rules) -> &Rules {
    const NONE: &Rules = &Rules::NONE;
    rules.element.as_ref().map_or(NONE, |it| &it.rules)
}

/// Returns whether the API server fills in an absent field with the value that k8s-openapi writes.
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

/// Returns whether a type holds every integer that the schema admits.
fn holds_all(width: IntWidth, rules: &Rules, into: types::Ty) -> bool {
    let (low, high) = rules.integers(width).into_inner();
    let width = if matches!(into, types::Ty::I32) {
        IntWidth::I32
    } else {
        IntWidth::I64
    };
    let (least, most) = width.range().into_inner();
    least <= low && high <= most
}
