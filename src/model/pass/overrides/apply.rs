//! Applies one override at one schema location.
use super::places::Target;
use crate::base::options::Override;
use crate::model::ir::{Body, Field, Ident, Model, Ty};

/// Applies an override, or returns why it cannot be applied.
pub(super) fn apply(model: &mut Model, target: &Target, chosen: &Override) -> Result<(), String> {
    let Override {
        path: _,
        type_name,
        field_name,
        rust_type,
        skip,
        boxed,
        no_choice,
        derives,
    } = chosen;
    if let Some(name) = type_name {
        let id = target.def.ok_or("there is no struct or enum to name")?;
        let name = Ident::parse(name).ok_or_else(|| format!("`{name}` is not a type name"))?;
        model.types[id].name = Some(name);
    }
    if *no_choice {
        let id = target.def.filter(|id| !model.types.choices(*id).is_empty());
        let id = id.ok_or("the schema does not prove that at most one of its fields is set")?;
        if let Body::Struct(body) = &mut model.types[id].body {
            body.choices.clear();
        }
    }
    if !derives.is_empty() {
        let id = target
            .def
            .ok_or("there is no struct or enum to derive for")?;
        for path in derives {
            syn::parse_str::<syn::Path>(path)
                .map_err(|_| format!("`{path}` is not a trait path"))?;
        }
        let more = &mut model.types[id].derives.more;
        more.extend(derives.iter().cloned());
    }
    if let Some(name) = field_name {
        let name = Ident::parse(name).ok_or_else(|| format!("`{name}` is not a field name"))?;
        whole_field(model, target)?.ident = Some(name);
    }
    if let Some(boxed) = boxed {
        whole_field(model, target)?.boxed = *boxed;
    }
    if let Some(path) = rust_type {
        syn::parse_str::<syn::Type>(path).map_err(|_| format!("`{path}` is not a Rust type"))?;
        *ty(model, target)? = Ty::External(path.clone());
    }
    if *skip {
        whole_field(model, target)?;
    }
    Ok(())
}

/// Returns the targeted field; an error if the target is an item or a map value of it.
fn whole_field<'a>(model: &'a mut Model, target: &Target) -> Result<&'a mut Field, String> {
    if target.depth > 0 {
        return Err("this is an item or a map value, not a field".into());
    }
    field(model, target)
}

fn field<'a>(model: &'a mut Model, target: &Target) -> Result<&'a mut Field, String> {
    let found = target
        .field
        .and_then(|(id, index)| match &mut model.types[id].body {
            Body::Struct(body) => body.fields.get_mut(index),
            Body::Enum(_) | Body::Union(_) | Body::Alias(_) => None,
        });
    match found {
        Some(field) if field.ty == Ty::OBJECT_META => Err("`metadata` is fixed".into()),
        Some(field) => Ok(field),
        None => Err("there is no field".into()),
    }
}

/// Returns the targeted type, inside the lists and maps of the field.
fn ty<'a>(model: &'a mut Model, target: &Target) -> Result<&'a mut Ty, String> {
    let mut ty = &mut field(model, target)?.ty;
    for _ in 0..target.depth {
        ty = ty.not_null_mut();
        let (Ty::List(inner) | Ty::Map(inner)) = ty else {
            return Err("there is neither a list nor a map".into());
        };
        ty = inner;
    }
    Ok(ty.not_null_mut())
}
