//! One override and one place come in, the model is changed there.
use super::places::Target;
use crate::ir::{Body, Field, Model, Ty};
use crate::options::Override;

/// Applies all that the override says, or says why it cannot.
pub(super) fn apply(model: &mut Model, target: &Target, chosen: &Override) -> Result<(), String> {
    let Override {
        path: _,
        type_name,
        field_name,
        rust_type,
        skip,
        boxed,
        derives,
    } = chosen;
    if let Some(name) = type_name {
        let id = target.def.ok_or("there is no struct or enum to name")?;
        syn::parse_str::<syn::Ident>(name)
            .map_err(|_| format!("`{name}` is not a name for a type"))?;
        model.types[id].name.clone_from(name);
    }
    if !derives.is_empty() {
        let id = target
            .def
            .ok_or("there is no struct or enum to derive for")?;
        for path in derives {
            syn::parse_str::<syn::Path>(path)
                .map_err(|_| format!("`{path}` is not the path of a trait"))?;
        }
        let more = &mut model.types[id].derives.more;
        more.extend(derives.iter().cloned());
    }
    if let Some(name) = field_name {
        syn::parse_str::<syn::Ident>(name)
            .map_err(|_| format!("`{name}` is not a name for a field"))?;
        whole_field(model, target)?.ident.clone_from(name);
    }
    if let Some(boxed) = boxed {
        whole_field(model, target)?.boxed = Some(*boxed);
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

/// The field itself, not an item or a value in it.
fn whole_field<'a>(model: &'a mut Model, target: &Target) -> Result<&'a mut Field, String> {
    if target.depth > 0 {
        return Err("this is an item or a value, not a field".into());
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
        // The API machinery itself reads and writes it.
        Some(field) if field.ty == Ty::ObjectMeta => Err("`metadata` is fixed".into()),
        Some(field) => Ok(field),
        None => Err("there is no field".into()),
    }
}

/// The type of the place, as deep in the field as it stands.
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
