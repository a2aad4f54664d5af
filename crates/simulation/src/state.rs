//! The state of a server in a form that two runs can be compared in.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::Arc,
};

use kube_codegen_testing::ApiServer;
use serde_json::{Map, Value};

use crate::names::{Names, add_numbered, is_uid};

/// The label that [`crate::Fault::Touch`] sets.
pub(crate) const TOUCHED: &str = "simulation.kube-codegen.dev/touched";

/// The uid of an owner that does not exist.
const NO_OWNER: &str = "(no living object)";

/// Objects by group, kind, namespace and name, without what differs from run to run.
pub(crate) type State = BTreeMap<String, Value>;

/// Places that differ between runs without faults: object and path.
pub(crate) type Mask = BTreeSet<(String, String)>;

/// Returns the text at a path of field names; `Value::pointer` allocates for each of them.
pub(crate) fn text<'a>(object: &'a Value, pointer: &str) -> &'a str {
    let mut names = pointer.split('/').skip(1);
    let found = names.try_fold(object, |value, name| value.get(name));
    found.and_then(Value::as_str).unwrap_or_default()
}

/// Returns `apps/Deployment default/a`; a generated name becomes its prefix and `*`.
pub(crate) fn id(object: &Value) -> String {
    let group = text(object, "/apiVersion")
        .rsplit_once('/')
        .map_or("", |(group, _)| group);
    let slash = if group.is_empty() { "" } else { "/" };
    let prefix = text(object, "/metadata/generateName");
    let name = match prefix {
        "" => text(object, "/metadata/name").to_owned(),
        prefix => format!("{prefix}*"),
    };
    let namespace = text(object, "/metadata/namespace");
    let place = if namespace.is_empty() {
        name
    } else {
        format!("{namespace}/{name}")
    };
    format!("{group}{slash}{} {place}", text(object, "/kind"))
}

/// Whether a plural is that of a kind: it begins with its letters, but for the last one of `Policy`.
pub(crate) fn is_plural(resource: &str, kind: &str) -> bool {
    let kind = kind.to_lowercase();
    resource.starts_with(kind.strip_suffix('y').unwrap_or(&kind))
}

/// Whether objects of this kind are part of no comparison: they report, or belong to the setup.
pub(crate) fn is_ignored(kind: &str) -> bool {
    matches!(
        kind,
        "Event" | "Lease" | "LeaseCandidate" | "CustomResourceDefinition"
    )
}

/// Returns the state of all objects of a server.
pub(crate) fn state(server: &ApiServer, names: &Names) -> State {
    let mut owners = BTreeMap::new();
    let objects = server.filter_map(|object| {
        owners.insert(text(object, "/metadata/uid").to_owned(), id(object));
        let copied = || (id(object), copy(object));
        (!is_ignored(text(object, "/kind"))).then(copied)
    });
    let mut state = State::new();
    let mut numbered = Vec::new();
    for (mut key, mut object) in objects {
        normalize(&mut object, &owners);
        if let Some(general) = general(names, &key) {
            object["metadata"]["name"] = general.rsplit(['/', ' ']).next().into();
            key = general;
        }
        if key.ends_with('*') {
            numbered.push((key, object));
        } else {
            state.insert(key, object);
        }
    }
    add_numbered(&mut state, numbered);
    state
}

/// Names the owner of an owner reference.
pub(crate) fn owner_name(reference: &Value) -> String {
    format!("{} {}", text(reference, "/kind"), text(reference, "/name"))
}

/// Returns the objects of a server that have the same keys as these.
pub(crate) fn find(server: &ApiServer, keys: &BTreeMap<String, Value>) -> BTreeMap<String, Value> {
    if keys.is_empty() {
        return BTreeMap::new();
    }
    let found = server.filter_map(|object| {
        let key = id(object);
        keys.contains_key(&key).then(|| (key, object.clone()))
    });
    found.into_iter().collect()
}

/// Returns a key with `*` for what differs from run to run.
pub(crate) fn general(names: &Names, key: &str) -> Option<String> {
    let (kind, place) = key.split_once(' ')?;
    Some(format!("{kind} {}", names.general(place)?))
}

/// Copies an object without the metadata that differs from run to run, most of which is large.
fn copy(object: &Value) -> Value {
    let fields = object.as_object().into_iter().flatten();
    let copied = fields.map(|(name, value)| {
        let value = match value {
            Value::Object(metadata) if name == "metadata" => {
                let kept = metadata.iter().filter(|(name, _)| {
                    !matches!(
                        name.as_str(),
                        "creationTimestamp"
                            | "generateName"
                            | "managedFields"
                            | "resourceVersion"
                            | "uid"
                    )
                });
                let mut kept: Map<_, _> = kept
                    .map(|(name, value)| (name.clone(), value.clone()))
                    .collect();
                let prefix = text(object, "/metadata/generateName");
                if !prefix.is_empty() {
                    kept.insert("name".to_owned(), format!("{prefix}*").into());
                }
                Value::Object(kept)
            }
            value => value.clone(),
        };
        (name.clone(), value)
    });
    Value::Object(copied.collect())
}

/// Removes from a copied object what differs from run to run.
fn normalize(object: &mut Value, owners: &BTreeMap<String, String>) {
    let mut generation = None;
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        generation = metadata.remove("generation");
        let references = metadata
            .get_mut("ownerReferences")
            .and_then(Value::as_array_mut);
        if let Some(references) = references {
            for reference in references.iter_mut() {
                let uid = text(reference, "/uid");
                reference["uid"] = match owners.get(uid) {
                    Some(owner) => owner.clone().into(),
                    None => NO_OWNER.into(),
                };
            }
            // The garbage collector removes those of owners that are gone while another one lives.
            let is_gone = |it: &Value| text(it, "/uid") == NO_OWNER;
            if !references.iter().all(is_gone) {
                references.retain(|it| !is_gone(it));
            }
            // Who came first decides their order.
            references.sort_by_cached_key(Value::to_string);
        }
    }
    // Allocated by the server, in the order of requests.
    if let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) {
        for name in ["clusterIP", "clusterIPs", "healthCheckNodePort"] {
            spec.remove(name);
        }
        let ports = spec.get_mut("ports").and_then(Value::as_array_mut);
        for port in ports.into_iter().flatten().filter_map(Value::as_object_mut) {
            port.remove("nodePort");
        }
    }
    conceal(object, generation.as_ref());
}

/// Returns an object without its metadata that changes with each write; times stay.
pub(crate) fn comparable(object: &Value) -> Value {
    let mut object = copy(object);
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("generation");
    }
    object
}

/// Replaces times, uids and generations, which differ from run to run, and removes [`TOUCHED`], which operators copy with other labels.
pub(crate) fn conceal(value: &mut Value, generation: Option<&Value>) {
    match value {
        Value::String(text) if is_time(text) => "(time)".clone_into(text),
        Value::String(text) if is_uid(text) => "(uid)".clone_into(text),
        Value::Array(items) => items.iter_mut().for_each(|item| conceal(item, generation)),
        Value::Object(fields) => {
            fields.retain(|_, field| {
                let Value::Object(labels) = field else {
                    return true;
                };
                labels.remove(TOUCHED).is_none() || !labels.is_empty()
            });
            for (name, field) in fields {
                if name == "observedGeneration" {
                    let current = Some(&*field) == generation;
                    *field = if current { "(current)" } else { "(outdated)" }.into();
                } else {
                    conceal(field, generation);
                }
            }
        }
        _ => {}
    }
}

fn is_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 20
        && bytes.len() <= 35
        && bytes[4] == b'-'
        && bytes[7] == b'-'
        && bytes[10] == b'T'
        && bytes[13] == b':'
        && bytes[..4].iter().all(u8::is_ascii_digit)
}

/// One difference between two states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) object: String,
    /// Empty for the whole object.
    pub(crate) path: String,
    pub(crate) expected: Option<String>,
    pub(crate) found: Option<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { object, path, .. } = self;
        match (path.as_str(), &self.expected, &self.found) {
            ("", Some(_), None) => write!(f, "{object} is missing"),
            ("", None, _) => write!(f, "{object} exists, but must not exist"),
            ("", Some(_), Some(_)) => write!(f, "{object} was replaced by another object"),
            (path, Some(expected), Some(found)) => {
                write!(f, "{object}: {path} is {found}, but must be {expected}")
            }
            (path, Some(expected), None) => {
                write!(f, "{object}: {path} is absent, but must be {expected}")
            }
            (path, None, found) => {
                let found = found.as_deref().unwrap_or_default();
                write!(f, "{object}: {path} is {found}, but must be absent")
            }
        }
    }
}

/// Names the first difference, and how many more there are. A whole object says more than a field, and a child more than a status.
pub(crate) fn headline(differences: &[Difference]) -> Option<String> {
    let rank = |it: &&Difference| (!it.path.is_empty(), it.path.starts_with("status"));
    let first = differences.iter().min_by_key(rank)?;
    Some(match differences.len() - 1 {
        0 => first.to_string(),
        more => format!("{first} (and {more} more)"),
    })
}

/// Returns the differences that are not masked.
pub(crate) fn differences(expected: &State, found: &State, mask: &Mask) -> Vec<Difference> {
    let mut differences = Vec::new();
    let keys: BTreeSet<&String> = expected.keys().chain(found.keys()).collect();
    for key in keys {
        compare(key, "", expected.get(key), found.get(key), &mut differences);
    }
    differences
        .retain(|difference| !mask.contains(&(difference.object.clone(), difference.path.clone())));
    differences
}

/// Returns how an entry of a system outside of the cluster has changed.
pub(crate) fn changes(object: &str, before: &Value, after: &Value) -> Vec<Difference> {
    let mut differences = Vec::new();
    compare(object, "", Some(before), Some(after), &mut differences);
    differences
}

/// Returns the places of the pull policies of containers whose image changes: Kubernetes sets a policy by the image of a new object, and [keeps it
/// when the image changes](https://kubernetes.io/docs/concepts/containers/images/#imagepullpolicy-defaulting).
pub(crate) fn pull_policies(states: &[Arc<State>]) -> Mask {
    let mut mask = Mask::new();
    for (at, one) in states.iter().enumerate() {
        let others = states[at + 1..].iter();
        let found = others.flat_map(|other| differences(one, other, &Mask::new()));
        let images = found.filter(|it| it.path.ends_with("].image"));
        mask.extend(images.map(|it| (it.object, it.path + "PullPolicy")));
    }
    mask
}

/// Shows a value as JSON, of which the end is left out if it is long.
pub(crate) fn brief(value: &Value) -> String {
    excerpt(shown(value), 0)
}

/// Shows a value as JSON, but quotes in texts as they are: a text often has JSON in it.
fn shown(value: &Value) -> String {
    let json = value.to_string();
    match value {
        Value::String(_) => json.replace("\\\"", "\""),
        _ => json,
    }
}

fn compare(
    object: &str,
    path: &str,
    expected: Option<&Value>,
    found: Option<&Value>,
    differences: &mut Vec<Difference>,
) {
    let empty = Map::new();
    let (left, right) = match (expected, found) {
        (left, right) if left == right => return,
        (Some(Value::Object(left)), Some(Value::Object(right))) => (left, right),
        (Some(Value::Array(left)), Some(Value::Array(right))) => {
            for index in 0..left.len().max(right.len()) {
                let path = format!("{path}[{index}]");
                compare(
                    object,
                    &path,
                    left.get(index),
                    right.get(index),
                    differences,
                );
            }
            return;
        }
        // Fields of a section that only one side has, one by one; whole objects as one line.
        (Some(Value::Object(left)), None) if !path.is_empty() => (left, &empty),
        (None, Some(Value::Object(right))) if !path.is_empty() => (&empty, right),
        (expected, found) => {
            let (left, right) = (expected.map(shown), found.map(shown));
            let same = match (&left, &right) {
                (Some(left), Some(right)) => {
                    let letters = left.chars().zip(right.chars());
                    letters.take_while(|(left, right)| left == right).count()
                }
                _ => 0,
            };
            differences.push(Difference {
                object: object.to_owned(),
                path: path.to_owned(),
                expected: left.map(|text| excerpt(text, same)),
                found: right.map(|text| excerpt(text, same)),
            });
            return;
        }
    };
    let names: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
    for name in names {
        let dot = if path.is_empty() { "" } else { "." };
        compare(
            object,
            &format!("{path}{dot}{name}"),
            left.get(name),
            right.get(name),
            differences,
        );
    }
}

/// Returns a text, of which only the part after the first `same` letters differs from another one.
fn excerpt(text: String, same: usize) -> String {
    const LONGEST: usize = 160;
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= LONGEST {
        return text;
    }
    let from = if same < LONGEST { 0 } else { same - 40 };
    let to = letters.len().min(from + LONGEST);
    let mut shown = String::new();
    if from > 0 {
        shown.push('…');
    }
    shown.extend(&letters[from..to]);
    if to < letters.len() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn server(spec: &Value) -> ApiServer {
        let server = ApiServer::new();
        let object = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a", "generation": 3}, "spec": spec});
        server.seed(&object).unwrap();
        server
    }

    #[test]
    fn runs_differ_in_what_the_operator_decides_only() {
        let state_of = |spec: Value| state(&server(&spec), &Names::default());
        let one = state_of(json!({"replicas": 1, "at": "2026-01-01T00:00:00Z"}));
        let other = state_of(json!({"replicas": 2, "at": "2026-01-01T00:00:09Z"}));
        let found = differences(&one, &other, &Mask::new());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].object, "apps/Deployment default/a");
        assert_eq!(found[0].path, "spec.replicas");
        let mask = Mask::from([(found[0].object.clone(), found[0].path.clone())]);
        assert!(differences(&one, &other, &mask).is_empty());
    }

    #[test]
    fn of_long_texts_the_part_that_differs_is_shown() {
        let state_of = |end: &str| {
            let data = "x".repeat(300) + end + &"y".repeat(300);
            State::from([("a".to_owned(), json!({"data": data}))])
        };
        let found = differences(&state_of("one"), &state_of("two"), &Mask::new());
        assert!(found[0].expected.as_ref().unwrap().contains("xoney"));
        assert!(found[0].found.as_ref().unwrap().contains("xtwoy"));
    }

    #[test]
    fn quotes_in_texts_are_shown_as_they_are() {
        let state_of = |size: i32| {
            let text = json!({ "size": size }).to_string();
            State::from([("a".to_owned(), json!({"data": text}))])
        };
        let found = differences(&state_of(1), &state_of(2), &Mask::new());
        assert_eq!(found[0].expected.as_deref(), Some(r#""{"size":1}""#));
    }

    #[test]
    fn labels_that_an_operator_copies_are_no_difference() {
        let state_of = |labels: Value| {
            let template = json!({"metadata": {"labels": labels}});
            state(&server(&json!({"template": template})), &Names::default())
        };
        let touched = state_of(json!({"app": "a", TOUCHED: "60013"}));
        assert_eq!(touched, state_of(json!({"app": "a"})));
    }

    #[test]
    fn generated_names_are_no_difference() {
        let state_of = |name: &str| {
            let server = ApiServer::new();
            let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "a-", "name": name}, "data": {"key": "value"}});
            server.seed(&object).unwrap();
            state(&server, &Names::default())
        };
        let (one, other) = (state_of("a-htlwq"), state_of("a-fwndb"));
        assert_eq!(differences(&one, &other, &Mask::new()), []);
        assert_eq!(one["ConfigMap default/a-*1"]["metadata"]["name"], "a-*");
    }

    #[test]
    fn an_object_that_is_missing_is_one_difference() {
        let one = state(&server(&json!({})), &Names::default());
        let found = differences(&one, &State::new(), &Mask::new());
        assert_eq!((found.len(), found[0].path.as_str()), (1, ""));
    }
}
