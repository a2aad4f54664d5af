//! Values that an expression returns, as JSON.

use cel::common::{
    types::{
        CelBool, CelDouble, CelInt, CelList, CelMap, CelMapKey, CelOptional, CelString, CelStruct,
        CelUInt,
    },
    value::Val,
};
use serde_json::{Map, Value};

use super::{Object, Preserved};

/// Returns a value as JSON, or why it has no such form.
pub(super) fn of(value: &Object) -> Result<Value, String> {
    Ok(if let Some(it) = value.downcast_ref::<CelBool>() {
        (*it.inner()).into()
    } else if let Some(it) = value.downcast_ref::<CelInt>() {
        (*it.inner()).into()
    } else if let Some(it) = value.downcast_ref::<CelUInt>() {
        (*it.inner()).into()
    } else if let Some(it) = value.downcast_ref::<CelDouble>() {
        (*it.inner()).into()
    } else if let Some(it) = value.downcast_ref::<CelString>() {
        it.inner().into()
    } else if let Some(it) = value.downcast_ref::<CelOptional>() {
        match it.option() {
            Some(inner) => of(inner)?,
            None => Value::Null,
        }
    } else if let Some(it) = value.downcast_ref::<CelList>() {
        let items: Result<Vec<_>, _> = it.inner().iter().map(|item| of(&**item)).collect();
        items?.into()
    } else if let Some(it) = value.downcast_ref::<CelMap>() {
        let mut fields = Map::new();
        for (key, value) in it.inner() {
            let CelMapKey::String(key) = key else {
                return Err("a key of a map is not a string".to_owned());
            };
            fields.insert(key.inner().to_owned(), of(&**value)?);
        }
        fields.into()
    } else if let Some(it) = value.downcast_ref::<CelStruct>() {
        let mut fields = Map::new();
        for (name, value) in it.field_values() {
            fields.insert(name, of(&*value)?);
        }
        fields.into()
    } else if let Some(Preserved(it)) = value.downcast_ref::<Preserved>() {
        it.clone()
    } else if value.get_type().name() == "null_type" {
        Value::Null
    } else {
        let name = value.get_type().name();
        return Err(format!("a value of type '{name}' has no form in JSON"));
    })
}

/// Returns what is wrong with the names of created objects: that of a field's value is the path of the field.
pub(super) fn misnamed(value: &dyn Val, path: &mut Vec<String>, found: &mut Vec<String>) {
    if let Some(it) = value.downcast_ref::<CelStruct>() {
        let (name, expected) = (it.name(), path.join("."));
        if name != expected {
            found.push(format!(
                "unexpected type name {name:?}, expected {expected:?}, which matches field name path from root Object type"
            ));
        }
        for (name, value) in it.field_values() {
            path.push(name);
            misnamed(&*value, path, found);
            path.pop();
        }
    } else if let Some(it) = value.downcast_ref::<CelList>() {
        for item in it.inner() {
            misnamed(&**item, path, found);
        }
    } else if let Some(it) = value.downcast_ref::<CelMap>() {
        for item in it.inner().values() {
            misnamed(&**item, path, found);
        }
    }
}
