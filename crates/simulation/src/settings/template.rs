//! What the workloads of a kind are made of: its objects, and their changes, by a sample or its schema.

use http::Method;
use kube_codegen_schema::{Extent, Schema};
use kube_codegen_testing::ApiServer;
use serde_json::{Value, json};

use super::{
    primary::Primary,
    values::{self, Change},
};
use crate::workload::{Step, Workload};
use crate::{request::send, state::text};

/// The size of a sample with all fields from which on one with required fields only is preferred, in bytes of JSON.
const LARGE: usize = 2_000;

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

/// What the objects of a workload are made of.
#[derive(Clone, Debug)]
struct Base {
    /// The name of an object, in which [`PROBE`] is replaced by that of the workload's object.
    name: String,
    /// What a user writes besides the name.
    body: Value,
}

/// The name that an object has unless a rule demands another one.
const PROBE: &str = "probe";

impl Primary {
    /// Returns what workloads of this kind are made of. `sample` is the object to start from; without it, the schema makes one.
    ///
    /// Where the server accepts no object, they are stored without validation, and change no more.
    pub(crate) async fn template(
        &self,
        server: &ApiServer,
        sample: Option<&Value>,
        objects: usize,
        most: usize,
    ) -> Option<Template> {
        let (base, is_valid) = self.base(server, sample).await?;
        let mut names: Vec<String> = ('a'..='z')
            .map(|letter| base.name.replace(PROBE, &letter.to_string()))
            .take(objects)
            .collect();
        // Where a rule demands one name, there is one object.
        names.dedup();
        let mut template = Template {
            primary: self.clone(),
            collection: self.collection(),
            names,
            other_names: Vec::new(),
            body: base.body,
            is_valid,
            changes: Vec::new(),
        };
        if !is_valid {
            return Some(template);
        }
        for change in spread(self.changes(&template.body)) {
            if template.changes.len() >= most {
                break;
            }
            let mut changed = template.body.clone();
            let place = place(&mut changed, &change.path);
            let old = std::mem::replace(place, change.value.clone());
            if change.value.is_null() {
                remove(&mut changed, &change);
            }
            if !self
                .is_valid(server, &self.object(&base.name, &changed))
                .await
            {
                continue;
            }
            template.changes.push(Changed {
                name: format!("{}: {old} → {}", change.path.join("."), change.value),
                there: nested(&change, change.value.clone()),
                back: nested(&change, old),
                body: changed,
            });
        }
        for names in other_names() {
            let mut accepted = Vec::new();
            for name in names {
                if self
                    .is_valid(server, &self.object(&name, &template.body))
                    .await
                {
                    accepted.push(name);
                }
            }
            template.other_names.push(accepted);
        }
        Some(template)
    }

    /// Returns what the objects are made of, and whether the server accepts it.
    async fn base(&self, server: &ApiServer, sample: Option<&Value>) -> Option<(Base, bool)> {
        let bases: Vec<Base> = match sample {
            Some(sample) => [PROBE, text(sample, "/metadata/name")]
                .into_iter()
                .map(|name| Base::of(sample, name))
                .collect(),
            None => self.samples(),
        };
        for base in &bases {
            let object = self.object(&base.name, &base.body);
            if self.is_valid(server, &object).await {
                return Some((base.clone(), true));
            }
        }
        bases.into_iter().next().map(|base| (base, false))
    }

    /// Returns objects of the kind, the preferred one first.
    fn samples(&self) -> Vec<Base> {
        let Ok(schema) = Schema::new(&self.schema) else {
            let body = match (self.group.as_str(), self.kind.as_str()) {
                ("", "ConfigMap" | "Secret") => json!({"data": {"key": "dmFsdWU="}}),
                _ => json!({}),
            };
            return vec![Base::of(&body, PROBE)];
        };
        let mut samples = [Extent::Full, Extent::Minimal].map(|extent| {
            let (sample, _) = schema.sample(extent, &self.object(PROBE, &json!({})));
            Base::of(&sample, text(&sample, "/metadata/name"))
        });
        if samples[0].body.to_string().len() > LARGE {
            samples.reverse();
        }
        samples.into()
    }

    /// Returns the changes that users make to an object.
    fn changes(&self, base: &Value) -> Vec<Change> {
        if !self.schema.is_null() {
            return values::changes(&self.schema, base);
        }
        let change = |path: &[&str], value: Value| Change {
            path: path.iter().map(|name| (*name).to_owned()).collect(),
            value,
        };
        // One label alone: others may have labels, too.
        let mut changes = vec![change(&["metadata", "labels", "changed"], json!("yes"))];
        let data = base.get("data").and_then(Value::as_object);
        if let Some((key, _)) = data.and_then(|data| data.iter().next()) {
            // Valid in a ConfigMap, and as base64 in a Secret.
            changes.insert(0, change(&["data", key], json!("Y2hhbmdlZA==")));
            changes.push(change(&["data", "more"], json!("bW9yZQ==")));
            changes.push(change(&["data", key], Value::Null));
        }
        changes
    }

    async fn is_valid(&self, server: &ApiServer, object: &Value) -> bool {
        let path = format!("{}?dryRun=All&fieldValidation=Strict", self.collection());
        let answer = send(
            server.service(),
            Method::POST,
            &path,
            "application/json",
            object,
        );
        answer.await.is_ok_and(|(status, _)| status == 201)
    }
}

impl Base {
    fn of(object: &Value, name: &str) -> Self {
        let mut body = object.clone();
        if let Some(fields) = body.as_object_mut() {
            fields.retain(|name, _| {
                !matches!(name.as_str(), "apiVersion" | "kind" | "metadata" | "status")
            });
        }
        let name = name.to_owned();
        Self { name, body }
    }
}

/// Returns names that are valid and unusual: those that differ in their end only, and those that children may not be able to have.
fn other_names() -> [Vec<String>; 2] {
    let start = "a-name-that-agrees-with-another-in-its-first-letters";
    let alike = ["x", "y"].map(|end| format!("{}-{end}", &start[..50]));
    let long = |length: usize| "n".repeat(length);
    let dotted = [long(63), long(63), long(63), long(61)].join(".");
    let unusual = vec!["7".to_owned(), "a.b".to_owned(), long(63), dotted];
    [alike.into(), unusual]
}

/// Orders the changes so that each field has its turn before any field has a second one.
fn spread(changes: Vec<Change>) -> Vec<Change> {
    let mut turns: Vec<(usize, usize, Change)> = Vec::new();
    for (index, change) in changes.into_iter().enumerate() {
        let turn = turns
            .iter()
            .filter(|(_, _, other)| other.path == change.path)
            .count();
        turns.push((turn, index, change));
    }
    turns.sort_by_key(|(turn, index, _)| (*turn, *index));
    turns.into_iter().map(|(_, _, change)| change).collect()
}

/// Returns the field with this path; objects on the way are created.
fn place<'a>(object: &'a mut Value, path: &[String]) -> &'a mut Value {
    path.iter()
        .fold(object, |place, name| &mut place[name.as_str()])
}

fn remove(object: &mut Value, change: &Change) {
    if let Some((last, parents)) = change.path.split_last()
        && let Some(fields) = place(object, parents).as_object_mut()
    {
        fields.remove(last);
    }
}

fn nested(change: &Change, value: Value) -> Value {
    change
        .path
        .iter()
        .rev()
        .fold(value, |value, name| json!({ name.as_str(): value }))
}
