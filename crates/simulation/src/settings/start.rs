//! Starts a simulation from objects of a file, such as the state in `kube-codegen dev`.

use std::{env, fs};

use serde_json::Value;

use super::simulation::Simulation;

/// Names the file: a `List` in JSON.
const FILE: &str = "SIMULATE_STATE";

/// When the clock of a run starts.
const START: &str = "2026-01-01T00:00:00Z";

impl Simulation {
    /// Reads the file that the environment names, if there is one.
    #[expect(clippy::panic, reason = "a test fails by a panic")]
    pub(super) fn start_from_file(&mut self) {
        let Some(path) = env::var_os(FILE) else {
            return;
        };
        let list = fs::read(&path)
            .map_err(|error| error.to_string())
            .and_then(|bytes| {
                serde_json::from_slice::<Value>(&bytes).map_err(|error| error.to_string())
            });
        match list {
            Ok(mut list) => match list["items"].take() {
                Value::Array(objects) => self.start_from(objects),
                _ => panic!("{FILE}: {} is not a List", path.display()),
            },
            Err(error) => panic!("{FILE}: {}: {error}", path.display()),
        }
    }

    /// The first object of each kind that the operator controls is what workloads start from. Others that no object owns exist from the start,
    /// if the server has their kind; the operator creates its own again.
    fn start_from(&mut self, objects: Vec<Value>) {
        for mut object in objects.into_iter().rev() {
            let owners = object.pointer("/metadata/ownerReferences");
            if owners
                .and_then(Value::as_array)
                .is_some_and(|owners| !owners.is_empty())
            {
                continue;
            }
            if let Some(metadata) = object["metadata"].as_object_mut() {
                metadata.retain(|name, _| {
                    matches!(
                        name.as_str(),
                        "name" | "namespace" | "labels" | "annotations"
                    )
                });
            }
            if self.setup.demands.is_object_of_user(&object) {
                if let Some(fields) = object.as_object_mut() {
                    fields.remove("status");
                }
                self.samples.insert(0, object);
            } else {
                // Without it, the server would write the time of the system's clock, which differs in each run.
                object["metadata"]["creationTimestamp"] = START.into();
                // A kind that is not registered is none that the operator uses.
                let _unknown = self.setup.server.seed(&object);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{ConfigMap, Secret};
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_of_users_are_the_start() {
        let mut simulation = Simulation::new("start").kind::<ConfigMap>();
        simulation.start_from(vec![
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default", "uid": "1", "labels": {"x": "y"}}, "data": {"a": "1"}, "status": {}}),
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "b", "namespace": "default"}}),
            json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "given", "namespace": "default", "uid": "2"}}),
            json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "made", "namespace": "default", "ownerReferences": [{"uid": "1"}]}}),
            json!({"apiVersion": "example.com/v1", "kind": "Other", "metadata": {"name": "c"}}),
        ]);
        assert_eq!(
            simulation.samples[0],
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default", "labels": {"x": "y"}}, "data": {"a": "1"}})
        );
        let server = &simulation.setup.server;
        let given = server.get::<Secret>("default", "given").unwrap();
        let created = given.metadata.creation_timestamp.unwrap();
        assert_eq!(serde_json::to_value(created).unwrap(), START);
        assert!(server.get::<Secret>("default", "made").is_none());
    }
}
