//! What the workloads of a kind are made of: its objects, and their changes.

use serde_json::Value;

use super::{primary::Primary, step::Step, workload::Workload};

/// What the workloads of a kind are made of.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    pub(super) primary: Primary,
    /// The path of the objects.
    pub(super) collection: String,
    pub(super) names: Vec<String>,
    /// Names with a long common beginning, and names that are unusual, as far as the server accepts them.
    pub(super) other_names: Vec<Vec<String>>,
    /// What a user writes besides the name.
    pub(super) body: Value,
    /// Whether the server accepts the objects.
    pub(super) is_valid: bool,
    pub(super) changes: Vec<Changed>,
}

/// A change that the server accepts.
#[derive(Clone, Debug)]
pub(super) struct Changed {
    pub(super) name: String,
    /// Patches.
    pub(super) there: Value,
    pub(super) back: Value,
    /// What the object is made of after it.
    pub(super) body: Value,
}

impl Template {
    /// Returns the name of the first workload.
    pub(crate) fn first_workload(&self) -> String {
        format!("{} deleted and created again", self.primary.plural)
    }

    pub(super) fn path(&self, name: &str) -> String {
        format!("{}/{name}", self.collection)
    }

    pub(super) fn create_one(&self, workload: Workload, name: &str) -> Workload {
        self.create_as(workload, name, &self.body)
    }

    fn create_as(&self, workload: Workload, name: &str, body: &Value) -> Workload {
        let object = self.primary.object(name, body);
        if self.is_valid {
            workload.create(&self.collection, object)
        } else {
            workload.step(Step::Seed { object })
        }
    }

    /// Creates all objects.
    pub(super) fn create(&self, workload: Workload) -> Workload {
        let names = self.names.iter();
        names.fold(workload, |workload, name| self.create_one(workload, name))
    }

    /// Deletes all objects, after which nothing is left.
    pub(super) fn delete(&self, workload: Workload) -> Workload {
        let names = self.names.iter();
        names
            .fold(workload, |workload, name| workload.delete(&self.path(name)))
            .leaves_nothing()
    }

    /// Changes all objects, or changes them back.
    pub(super) fn change(&self, workload: Workload, is_there: bool) -> Workload {
        let Some(change) = self.changes.first() else {
            return workload;
        };
        let patch = if is_there {
            &change.there
        } else {
            &change.back
        };
        let names = self.names.iter();
        names.fold(workload, |workload, name| {
            workload.patch(&self.path(name), patch.clone())
        })
    }

    /// Returns the workloads of this kind: its objects are created, one field changes and changes back, one object is deleted and
    /// created again, all are deleted, and created as they were after the change.
    pub(crate) fn workloads(&self, most: usize) -> Vec<Workload> {
        let Some((one, others)) = self.names.split_first() else {
            return Vec::new();
        };
        let first = self.path(one);
        let end = |workload: Workload| self.delete(workload.phase("delete"));
        let again = self
            .create(Workload::new(&self.first_workload()))
            .phase("delete one")
            .delete(&first)
            .phase("create it again");
        let again = self.create_one(again, one).same_as("create");
        let mut workloads = vec![end(again)];
        for change in self.changes.iter().take(most - 1) {
            let name = format!("{} {}", self.primary.plural, change.name);
            let workload = self
                .create(Workload::new(&name))
                .phase("change")
                .patch(&first, change.there.clone())
                .phase("change back")
                .patch(&first, change.back.clone())
                .same_as("create");
            let recreated = end(workload).phase("create as changed");
            let recreated = self.create_as(recreated, one, &change.body);
            let recreated = others
                .iter()
                .fold(recreated, |workload, name| self.create_one(workload, name));
            workloads.push(recreated.same_as("change"));
        }
        workloads
    }
}
