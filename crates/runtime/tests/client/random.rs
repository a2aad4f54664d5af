//! Random objects, and random changes, made to the type and to the JSON.
//!
//! Also used by the tests against a real API server.
use std::collections::BTreeMap;

use kube::{
    Api, Client,
    api::{ApiResource, DynamicObject, Patch, PatchParams, PostParams},
};
use kube_codegen_runtime::client::TypedClient;
use serde_json::{Map, Value, json};

use super::gadget::{Gadget, GadgetSpec, Port};

/// A change of an object. Parts are those with a list of ports and a size: the spec and the status.
#[derive(Clone, Debug)]
enum Change {
    Label(String, Option<String>),
    Size(Option<i64>),
    Mode(String),
    Tag(String, Option<String>),
    Weight(i64),
    Note(String),
    NoInner,
    PortNumber(String, i64),
    PortNote(String, String),
    AddPort { first: bool, name: String },
    RemovePort(String),
    ReversePorts,
}

use Change::{
    AddPort, Label, Mode, NoInner, Note, PortNote, PortNumber, RemovePort, ReversePorts, Size, Tag,
    Weight,
};

/// Changes the JSON of the object as a person would edit it: nothing else changes.
fn edit(object: &mut Value, part: &str, change: &Change) {
    if let Label(key, value) = change {
        return entry(&mut object["metadata"], "labels", key, value.as_deref());
    }
    if object.get(part).is_none() {
        let is_noop = match change {
            Size(size) => size.is_none() && part == "spec",
            Mode(mode) => mode.is_empty(),
            Tag(_, value) => value.is_none(),
            Weight(_) | Note(_) | AddPort { .. } => false,
            _ => part == "spec",
        };
        if is_noop {
            return;
        }
        object[part] = json!({});
    }
    let part = &mut object[part];
    let fields = part.as_object_mut().unwrap();
    match change {
        Label(..) => {}
        Size(Some(size)) => _ = fields.insert("size".into(), (*size).into()),
        Size(None) => _ = fields.remove("size"),
        Mode(mode) if mode.is_empty() && !fields.contains_key("mode") => {}
        Mode(mode) => _ = fields.insert("mode".into(), mode.as_str().into()),
        Tag(key, value) => entry(part, "tags", key, value.as_deref()),
        Weight(weight) => {
            let weights = fields.entry("weights").or_insert_with(|| json!([]));
            weights.as_array_mut().unwrap().push((*weight).into());
        }
        Note(note) => annotate(fields, note),
        NoInner => _ = fields.remove("inner"),
        PortNumber(name, number) => {
            let found = port(fields, name);
            if let Some(port) = found.filter(|port| *number != 0 || port.get("number").is_some()) {
                port["number"] = (*number).into();
            }
        }
        PortNote(name, note) => {
            if let Some(port) = port(fields, name) {
                annotate(port.as_object_mut().unwrap(), note);
            }
        }
        AddPort { first, name } => {
            let ports = fields.entry("ports").or_insert_with(|| json!([]));
            let ports = ports.as_array_mut().unwrap();
            let index = if *first { 0 } else { ports.len() };
            ports.insert(index, json!({"name": name, "number": 0}));
        }
        RemovePort(name) => {
            if let Some(Value::Array(ports)) = fields.get_mut("ports") {
                ports.retain(|port| port["name"] != **name);
            }
        }
        ReversePorts => {
            if let Some(Value::Array(ports)) = fields.get_mut("ports") {
                ports.reverse();
            }
        }
    }
}

fn port<'p>(fields: &'p mut Map<String, Value>, name: &str) -> Option<&'p mut Value> {
    let ports = fields.get_mut("ports")?.as_array_mut()?;
    ports.iter_mut().find(|port| port["name"] == *name)
}

fn entry(parent: &mut Value, map: &str, key: &str, value: Option<&str>) {
    let parent = parent.as_object_mut().unwrap();
    match value {
        Some(value) => parent.entry(map).or_insert_with(|| json!({}))[key] = value.into(),
        None => {
            if let Some(Value::Object(map)) = parent.get_mut(map) {
                map.remove(key);
            }
        }
    }
}

fn annotate(parent: &mut Map<String, Value>, note: &str) {
    let inner = parent.entry("inner").or_insert_with(|| json!({"kind": ""}));
    inner["note"] = note.into();
}

/// Makes the change to the typed object.
fn change(gadget: &mut Gadget, part: &str, change: &Change) {
    let GadgetSpec {
        mode,
        size,
        tags,
        ports,
        weights,
        inner,
    } = &mut gadget.spec;
    let (size, ports) = if part == "spec" {
        (size, ports)
    } else {
        let status = gadget.status.get_or_insert_default();
        (&mut status.size, &mut status.ports)
    };
    let index_of = |name: &str, ports: &'_ mut Option<Vec<Port>>| {
        let ports = ports.as_ref()?;
        ports.iter().position(|it| it.name == *name)
    };
    let set = |map: &mut Option<BTreeMap<_, _>>, key: &String, value: &Option<String>| match value {
        Some(value) => {
            _ = map
                .get_or_insert_default()
                .insert(key.clone(), value.clone());
        }
        None => _ = map.as_mut().and_then(|map| map.remove(key)),
    };
    match change {
        Label(key, value) => set(&mut gadget.metadata.labels, key, value),
        Size(new) => *size = *new,
        Mode(new) => mode.clone_from(new),
        Tag(key, value) => set(tags, key, value),
        Weight(weight) => weights.push(*weight),
        Note(note) => inner.get_or_insert_default().note = Some(note.clone()),
        NoInner => *inner = None,
        PortNumber(name, number) => {
            if let Some(index) = index_of(name, ports) {
                ports.as_mut().unwrap()[index].number = *number;
            }
        }
        PortNote(name, note) => {
            if let Some(index) = index_of(name, ports) {
                let inner = &mut ports.as_mut().unwrap()[index].inner;
                inner.get_or_insert_default().note = Some(note.clone());
            }
        }
        AddPort { first, name } => {
            let ports = ports.get_or_insert_default();
            let index = if *first { 0 } else { ports.len() };
            let name = name.clone();
            ports.insert(
                index,
                Port {
                    name,
                    ..Port::default()
                },
            );
        }
        RemovePort(name) => {
            if let Some(ports) = ports {
                ports.retain(|port| port.name != *name);
            }
        }
        ReversePorts => {
            if let Some(ports) = ports {
                ports.reverse();
            }
        }
    }
}

/// Makes random objects and changes.
pub(crate) struct Random(fastrand::Rng);

impl Random {
    pub(crate) fn with_seed(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    fn changes(&mut self, part: &str) -> Vec<Change> {
        let count = self.0.usize(0..5);
        let mut changes: Vec<_> = (0..count).map(|added| self.change(part, added)).collect();
        // Only the result counts: a field that is changed back is not sent, nor is an object that is removed and added again replaced.
        let mut seen = Vec::new();
        changes.retain(|change| {
            let field = match change {
                Mode(_) => "mode",
                Note(_) | NoInner => "inner",
                PortNumber(name, _) => name,
                _ => return true,
            };
            let is_first = !seen.contains(&field.to_owned());
            seen.push(field.to_owned());
            is_first
        });
        changes
    }

    fn change(&mut self, part: &str, added: usize) -> Change {
        let rng = &mut self.0;
        let name = format!("p{}", rng.u8(0..4));
        let text = rng.u8(0..4).to_string();
        match rng.u8(if part == "spec" { 0..14 } else { 7..14 }) {
            0 => Label(text, rng.bool().then(|| "x".into())),
            1 => Mode(["", "a", "b"][rng.usize(0..3)].into()),
            2 | 3 => Tag(text, rng.bool().then(|| "x".into())),
            4 => Weight(rng.i64(0..9)),
            5 => Note(text),
            6 => NoInner,
            7 => Size(rng.bool().then(|| rng.i64(0..3))),
            8 | 9 => PortNumber(name, rng.i64(0..3)),
            10 => PortNote(name, text),
            11 => {
                let name = format!("new{added}");
                AddPort {
                    first: rng.bool(),
                    name,
                }
            }
            12 => RemovePort(name),
            _ => ReversePorts,
        }
    }

    /// Returns an object with some of the fields of its type, required or not, and fields that the type does not have.
    fn object(&mut self, name: &str) -> Value {
        let mut object = json!({"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": {"name": name, "labels": {"l": "m"}}});
        for part in ["spec", "status"] {
            if self.0.u8(0..5) > 0 {
                object[part] = self.part(part == "spec");
            }
        }
        object
    }

    fn part(&mut self, is_spec: bool) -> Value {
        let ports: Vec<Value> = (0..self.0.u8(0..4)).map(|index| self.port(index)).collect();
        let mut part = vec![("size", 1.into()), ("ports", ports.into())];
        if is_spec {
            part.push(("mode", "a".into()));
            part.push(("tags", json!({"0": "x", "1": "y"})));
            part.push(("weights", json!([1, 2])));
            part.push(("inner", self.inner()));
        }
        self.some(part)
    }

    fn port(&mut self, index: u8) -> Value {
        let inner = self.inner();
        let mut port = self.some(vec![("number", 1.into()), ("inner", inner)]);
        port["name"] = format!("p{index}").into();
        port
    }

    fn inner(&mut self) -> Value {
        self.some(vec![("kind", "k".into()), ("note", "n".into())])
    }

    /// Returns some of the fields, and maybe unknown ones.
    fn some(&mut self, mut fields: Vec<(&'static str, Value)>) -> Value {
        fields.push(("unknown", self.0.u8(0..9).into()));
        fields.push(("unknownToo", json!({"list": [{"name": "p0", "number": 1}]})));
        fields.retain(|_| self.0.u8(0..3) > 0);
        fields
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect()
    }
}

/// Modifies a random object in all ways, and compares what the server then has with the changes made by hand.
pub(crate) async fn check(client: &Client, namespace: &str, seed: u64) -> kube::Result<()> {
    let mut random = Random::with_seed(seed);
    let name = format!("g{seed}");
    let kind = ApiResource::erase::<Gadget>(&());
    let raw = Api::<DynamicObject>::namespaced_with(client.clone(), namespace, &kind);
    let stored = random.object(&name);
    let of = |value: &Value| serde_json::from_value::<DynamicObject>(value.clone()).unwrap();
    raw.create(&PostParams::default(), &of(&stored)).await?;
    if let Some(status) = stored.get("status") {
        let status = Patch::Merge(json!({"status": status}));
        raw.patch_status(&name, &PatchParams::default(), &status)
            .await?;
    }
    let gadgets = TypedClient::<Gadget>::namespaced(client.clone(), namespace);
    for round in 0..6 {
        let cached = gadgets.get(&name).await?;
        let is_stale = random.0.bool();
        if is_stale {
            let other = random.0.u8(0..9);
            let newer = Patch::Merge(
                json!({"spec": {"unknown": other}, "metadata": {"labels": {"other": other.to_string()}}}),
            );
            raw.patch(&name, &PatchParams::default(), &newer).await?;
        }
        let part = ["spec", "status"][round % 2];
        let changes = random.changes(part);
        let mut expected = json(&raw.get(&name).await?);
        for change in &changes {
            edit(&mut expected, part, change);
        }
        let apply = |gadget: &mut Gadget| changes.iter().for_each(|it| change(gadget, part, it));
        let from_cache = random.0.bool();
        let returned = match (part, from_cache) {
            ("spec", false) => gadgets.modify(&name, apply).await?,
            ("spec", true) => gadgets.modify_from(&cached, apply).await?,
            (_, false) => gadgets.modify_status(&name, apply).await?,
            (_, true) => gadgets.modify_status_from(&cached, apply).await?,
        };
        let found = raw.get(&name).await?;
        let context = format!(
            "seed {seed}, round {round}, {part}, from cache: {from_cache}, stale: {is_stale}: {changes:?}"
        );
        assert_eq!(json(&found), expected, "{context}");
        if !(changes.is_empty() && from_cache && is_stale) {
            let typed: Gadget =
                serde_json::from_value(serde_json::to_value(&found).unwrap()).unwrap();
            if returned.metadata.resource_version == found.metadata.resource_version {
                assert_eq!(returned, typed, "{context}");
            }
        }
    }
    Ok(())
}

/// Returns the JSON of an object without what the server sets.
fn json(object: &DynamicObject) -> Value {
    let mut object = serde_json::to_value(object).unwrap();
    let metadata = object["metadata"].as_object_mut().unwrap();
    for field in ["resourceVersion", "generation", "managedFields"] {
        metadata.remove(field);
    }
    object
}
