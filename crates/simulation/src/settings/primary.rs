//! Makes workloads for a kind from its schema.

use std::any::TypeId;

use http::Method;
use k8s_openapi::{ListableResource, NamespaceResourceScope};
use kube_codegen_schema::{Extent, Schema};
use kube_codegen_testing::ApiServer;
use serde_json::{Value, json};

use super::{
    template::{Changed, Template},
    values::{self, Change},
};
use crate::{request::send, state::text};

/// The size of a sample with all fields from which on one with required fields only is preferred, in bytes of JSON.
const LARGE: usize = 2_000;

/// A kind that workloads are made for.
#[derive(Clone, Debug)]
pub(crate) struct Primary {
    pub(crate) group: String,
    pub(crate) plural: String,
    pub(crate) kind: String,
    version: String,
    pub(super) namespaced: bool,
    /// Null for kinds of Kubernetes itself.
    schema: Value,
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
    /// Reads the storage version of a CRD.
    pub(crate) fn read(crd: &Value) -> Option<Self> {
        let versions = crd.pointer("/spec/versions")?.as_array()?;
        let version = versions
            .iter()
            .find(|version| version["storage"] == true)
            .or(versions.first())?;
        Some(Self {
            group: text(crd, "/spec/group").to_owned(),
            plural: text(crd, "/spec/names/plural").to_owned(),
            kind: text(crd, "/spec/names/kind").to_owned(),
            version: text(version, "/name").to_owned(),
            namespaced: text(crd, "/spec/scope") == "Namespaced",
            schema: version
                .pointer("/schema/openAPIV3Schema")
                .cloned()
                .unwrap_or_default(),
        })
    }

    /// Returns a kind of Kubernetes itself.
    pub(crate) fn of<K: ListableResource<Scope: 'static>>() -> Self {
        Self {
            group: K::GROUP.to_owned(),
            plural: K::URL_PATH_SEGMENT.to_owned(),
            kind: K::KIND.to_owned(),
            version: K::VERSION.to_owned(),
            namespaced: TypeId::of::<K::Scope>() == TypeId::of::<NamespaceResourceScope>(),
            schema: Value::Null,
        }
    }

    pub(super) fn collection(&self) -> String {
        let api = if self.group.is_empty() {
            "/api".to_owned()
        } else {
            format!("/apis/{}", self.group)
        };
        let namespace = if self.namespaced {
            "namespaces/default/"
        } else {
            ""
        };
        format!("{api}/{}/{namespace}{}", self.version, self.plural)
    }

    pub(super) fn object(&self, name: &str, body: &Value) -> Value {
        let slash = if self.group.is_empty() { "" } else { "/" };
        let mut object = body.clone();
        object["apiVersion"] = format!("{}{slash}{}", self.group, self.version).into();
        object["kind"] = self.kind.clone().into();
        object["metadata"]["name"] = name.into();
        if self.namespaced {
            object["metadata"]["namespace"] = "default".into();
        }
        object
    }

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
        let mut changes = vec![change(&["metadata", "labels"], json!({"changed": "yes"}))];
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
