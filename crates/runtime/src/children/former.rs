//! Fields that a former operator has set by `Update`: who applies takes them over, as client-go's `csaupgrade` does.
//!
//! Server-side apply removes a field that its manager no longer sets, but only if it owned the field by an apply. What a program in Go has written by
//! `Create` and `Update` is owned in another way, and would stay for ever.
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry;
use kube::api::{Patch, PatchParams};
use serde_json::{Map, Value, json};

use super::{ChildError, Children, has_other_uid, request};
use crate::{Object, cache::ObjectKey, client::ErrorExt as _, record::apply::Fields};

impl<K: Object<DynamicType = ()> + Fields> Children<K> {
    /// Takes over the fields that the given field managers have set by `Create`, `Update` or `Patch`, for example those of a Go operator
    /// that you replace. Each child is taken over before it is first corrected, so that fields you no longer apply are removed.
    ///
    /// A client-go program that sets no field manager is named after its executable: kubebuilder's is `manager`. Other programs may use
    /// the same name, so only children are searched for it.
    ///
    /// Each start of the program sends one `get` per child until you remove the name here.
    ///
    /// ```
    /// # use k8s_openapi::api::apps::v1::Deployment;
    /// # use kube_codegen_runtime::manager::Manager;
    /// # fn example(manager: &Manager) {
    /// let children = manager.children::<Deployment>().take_over_from(["manager"]);
    /// # }
    /// ```
    #[must_use]
    pub fn take_over_from(mut self, managers: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.former = managers.into_iter().map(Into::into).collect();
        self
    }

    /// Makes the fields of former managers those of an apply. Returns `false` if the child has been changed or deleted meanwhile.
    pub(super) async fn take_over(
        &self,
        key: &ObjectKey,
        uid: Option<&str>,
    ) -> Result<bool, ChildError> {
        if self.former.is_empty() {
            return Ok(true);
        }
        let is_known = self
            .last
            .lock()
            .get(key)
            .is_some_and(|(last, _)| Some(&**last) == uid);
        if is_known {
            return Ok(true);
        }
        let Some(live) = self.live(key).await? else {
            return Ok(false);
        };
        let meta = live.meta();
        let entries = meta.managed_fields.as_deref().unwrap_or_default();
        let Some(entries) = taken_over(entries, &self.former, &self.manager) else {
            return Ok(true);
        };
        // With the uid and the version, only the state that was read is changed.
        let patch = json!({"metadata": {
            "managedFields": entries, "uid": uid, "resourceVersion": meta.resource_version,
        }});
        let params = PatchParams {
            field_manager: Some(self.manager.to_string()),
            ..PatchParams::default()
        };
        let request = request::<K>(key)?;
        let request = request.patch(&key.name, &params, &Patch::Merge(patch));
        match self.send::<K>(request).await {
            Ok(_) => Ok(true),
            Err(error) if error.is_conflict() || error.is_not_found() || has_other_uid(&error) => {
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// Returns the managed fields after the change of owners; `None` if the former managers own nothing.
fn taken_over(
    entries: &[ManagedFieldsEntry],
    former: &[String],
    own: &str,
) -> Option<Vec<ManagedFieldsEntry>> {
    let is_of_object =
        |it: &ManagedFieldsEntry| it.subresource.as_deref().unwrap_or_default().is_empty();
    let is_former = |it: &ManagedFieldsEntry| {
        let name = it.manager.as_ref();
        is_of_object(it)
            && it.operation.as_deref() == Some("Update")
            && name.is_some_and(|name| former.contains(name))
    };
    let is_own = |it: &ManagedFieldsEntry| {
        is_of_object(it)
            && it.operation.as_deref() == Some("Apply")
            && it.manager.as_deref() == Some(own)
    };
    let (taken, mut kept): (Vec<_>, Vec<_>) = entries.iter().cloned().partition(is_former);
    let first = taken.first()?.clone();
    let at = kept.iter().position(is_own).unwrap_or_else(|| {
        kept.push(ManagedFieldsEntry {
            manager: Some(own.to_owned()),
            operation: Some("Apply".to_owned()),
            ..first
        });
        kept.len() - 1
    });
    let target = kept.get_mut(at)?;
    // Paths of one version say nothing about another one.
    let same_version = taken
        .iter()
        .filter(|it| it.api_version == target.api_version);
    if let Some(fields) = &mut target.fields_v1 {
        for entry in same_version {
            if let (Value::Object(all), Some(more)) = (&mut fields.0, &entry.fields_v1) {
                unite(all, &more.0);
            }
        }
    }
    Some(kept)
}

/// Adds the fields of one set to another.
fn unite(all: &mut Map<String, Value>, more: &Value) {
    for (step, below) in more.as_object().into_iter().flatten() {
        match all.entry(step).or_insert_with(|| json!({})) {
            Value::Object(known) => unite(known, below),
            other => *other = below.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(manager: &str, operation: &str, version: &str, fields: &Value) -> Value {
        json!({"manager": manager, "operation": operation, "apiVersion": version, "fieldsType": "FieldsV1", "fieldsV1": fields})
    }

    fn upgrade(entries: Value) -> Option<Value> {
        let entries: Vec<ManagedFieldsEntry> = serde_json::from_value(entries).unwrap();
        let taken = taken_over(&entries, &["manager".to_owned()], "own")?;
        Some(serde_json::to_value(taken).unwrap())
    }

    #[test]
    fn fields_of_updates_become_those_of_an_apply() {
        let kubectl = entry("kubectl", "Update", "v1", &json!({"f:c": {}}));
        let before = json!([
            entry(
                "manager",
                "Update",
                "v1",
                &json!({"f:data": {".": {}, "f:a": {}}})
            ),
            kubectl,
        ]);
        let after = json!([
            kubectl,
            entry(
                "own",
                "Apply",
                "v1",
                &json!({"f:data": {".": {}, "f:a": {}}})
            ),
        ]);
        assert_eq!(upgrade(before).unwrap(), after);
    }

    #[test]
    fn sets_of_one_version_are_united() {
        let before = json!([
            entry("own", "Apply", "v1", &json!({"f:data": {"f:b": {}}})),
            entry("manager", "Update", "v1", &json!({"f:data": {"f:a": {}}})),
            entry("manager", "Update", "v1beta1", &json!({"f:old": {}})),
        ]);
        let after = json!([entry(
            "own",
            "Apply",
            "v1",
            &json!({"f:data": {"f:a": {}, "f:b": {}}})
        )]);
        assert_eq!(upgrade(before).unwrap(), after);
    }

    #[test]
    fn applies_and_subresources_stay() {
        let mut status = entry("manager", "Update", "v1", &json!({"f:status": {}}));
        status["subresource"] = "status".into();
        let apply = entry("manager", "Apply", "v1", &json!({"f:data": {}}));
        assert_eq!(upgrade(json!([status, apply])), None);
    }
}
