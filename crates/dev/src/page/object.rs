//! What the page shows of one object: two versions as YAML, conditions, and the fields of each manager.

use serde_json::{Value, json};

use crate::history::Versions;

/// Returns the version with this index, the newest by default, and the one before it.
pub(super) fn shown(object: &Versions, index: Option<usize>, scale: bool) -> Value {
    let last = object.versions.len().saturating_sub(1);
    let index = index.unwrap_or(last).min(last);
    let parse = |index: usize| -> Option<Value> {
        serde_json::from_str(&object.versions.get(index)?.text).ok()
    };
    let value = parse(index).unwrap_or_default();
    let before = index.checked_sub(1).and_then(parse);
    let at: Vec<u64> = object.versions.iter().map(|it| it.at).collect();
    let is_pod = object.plural == "pods" && object.root == "/api/v1";
    json!({
        "index": index,
        "at": at,
        "deleted": object.deleted,
        "text": yaml(&value),
        "before": before.as_ref().map(yaml),
        "conditions": value["status"]["conditions"],
        "managers": managers(&value),
        "scale": scale.then(|| value["spec"]["replicas"].as_i64()).flatten(),
        "pod": is_pod.then(|| value["metadata"]["annotations"]["kube-codegen.dev/pod"].as_str() == Some("crash")),
    })
}

/// Returns an object as YAML, without its managed fields.
fn yaml(object: &Value) -> String {
    let mut object = object.clone();
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.remove("managedFields");
    }
    let text = serde_yaml::to_string(&object).unwrap_or_default();
    text.trim_end().to_owned()
}

fn managers(object: &Value) -> Vec<Value> {
    let managers = object["metadata"]["managedFields"].as_array();
    let managers = managers.into_iter().flatten().map(|manager| {
        let mut paths = Vec::new();
        fields(&manager["fieldsV1"], "", &mut paths);
        json!({
            "name": manager["manager"],
            "operation": manager["operation"],
            "subresource": manager["subresource"],
            "time": manager["time"],
            "fields": paths,
        })
    });
    managers.collect()
}

/// Adds the paths of the leaves of a set of fields.
fn fields(set: &Value, path: &str, paths: &mut Vec<String>) {
    let mut is_leaf = true;
    for (key, inner) in set.as_object().into_iter().flatten() {
        let step = match key.split_once(':') {
            Some(("f", name)) => format!(".{name}"),
            Some(("k" | "v", key)) => format!("[{key}]"),
            Some(("i", index)) => format!("[{index}]"),
            // The object itself.
            _ => continue,
        };
        is_leaf = false;
        fields(inner, &format!("{path}{step}"), paths);
    }
    if is_leaf && !path.is_empty() {
        paths.push(path.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn managers_have_their_fields() {
        let object = json!({"metadata": {"managedFields": [{
            "manager": "op", "operation": "Apply",
            "fieldsV1": {"f:spec": {"f:ports": {"k:{\"port\":80}": {".": {}, "f:name": {}}}, "f:args": {"v:\"-x\"": {}}}},
        }]}});
        assert_eq!(
            managers(&object)[0]["fields"],
            json!([".spec.args[\"-x\"]", ".spec.ports[{\"port\":80}].name"])
        );
        assert_eq!(yaml(&object), "metadata: {}");
    }
}
