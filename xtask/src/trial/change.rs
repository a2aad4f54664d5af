//! The changes of a CRD or of the options that must not break a program.
use fastrand::Rng;
use kube_codegen::options::{Kubernetes, Options};
use serde_json::{Map, Value, json};

/// A compatible change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// None: the program compiles at first.
    Nothing,
    /// An optional field at a random object of the schema.
    Field,
    /// Another CRD in the group.
    Crd,
    /// Another version, with a field that the others do not have.
    Version,
    /// The newest Kubernetes instead of the oldest.
    Kubernetes,
}

/// The input after a change.
pub(super) struct Input {
    pub(super) text: String,
    pub(super) options: Options,
    /// What was changed where.
    pub(super) what: String,
}

impl Change {
    pub(super) const ALL: [Self; 5] = [
        Self::Nothing,
        Self::Field,
        Self::Crd,
        Self::Version,
        Self::Kubernetes,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Nothing => "no change",
            Self::Field => "a field",
            Self::Crd => "a CRD",
            Self::Version => "a version",
            Self::Kubernetes => "--kubernetes",
        }
    }

    /// Returns the module of the change.
    pub(super) fn module(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Field => "field",
            Self::Crd => "crd",
            Self::Version => "version",
            Self::Kubernetes => "kubernetes",
        }
    }

    /// Applies the change; returns `None` if it does not fit the CRD.
    pub(super) fn apply(self, crd: &Value, random: &mut Rng) -> Option<Input> {
        let mut options = Options::default();
        let mut crd = crd.clone();
        let mut all = Vec::new();
        let what = match self {
            Self::Nothing => String::new(),
            Self::Field => {
                let versions = crd["spec"]["versions"].as_array_mut()?;
                let stored = versions.iter_mut().find(|it| it["storage"] == true)?;
                add_field(stored, random)?
            }
            Self::Crd => {
                let prefix = if random.bool() { "Aa" } else { "Zz" };
                all.push(renamed(&crd, prefix)?.to_string());
                format!("{prefix}…")
            }
            Self::Version => {
                let versions = crd["spec"]["versions"].as_array_mut()?;
                let mut version = versions.iter().find(|it| it["storage"] == true)?.clone();
                let name = if random.bool() { "v99" } else { "v1alpha99" };
                version["name"] = json!(name);
                version["storage"] = json!(false);
                version["served"] = json!(true);
                let what = add_field(&mut version, random)?;
                versions.push(version);
                format!("{name}: {what}")
            }
            Self::Kubernetes => {
                options.kubernetes = Kubernetes::ALL.last().copied()?;
                options.kubernetes.to_string()
            }
        };
        all.push(crd.to_string());
        Some(Input {
            text: all.join("\n---\n"),
            options,
            what,
        })
    }
}

/// Returns the CRD as that of another kind.
fn renamed(crd: &Value, prefix: &str) -> Option<Value> {
    let mut crd = crd.clone();
    let lower = prefix.to_lowercase();
    let group = crd["spec"]["group"].as_str()?.to_owned();
    let names = crd["spec"]["names"].as_object_mut()?;
    for name in ["shortNames", "listKind", "singular"] {
        names.remove(name);
    }
    let kind = format!("{prefix}{}", names["kind"].as_str()?);
    let plural = format!("{lower}{}", names["plural"].as_str()?);
    names.insert("kind".into(), json!(kind));
    names.insert("plural".into(), json!(plural));
    names.insert("singular".into(), json!(kind.to_lowercase()));
    crd["metadata"]["name"] = json!(format!("{plural}.{group}"));
    Some(crd)
}

/// Adds an optional field to a random object of a version's schema; returns what it added where.
fn add_field(version: &mut Value, random: &mut Rng) -> Option<String> {
    let schema = version.pointer_mut("/schema/openAPIV3Schema")?;
    let mut objects = Vec::new();
    find(schema, &mut String::new(), &mut objects);
    let parent = random.choice(&objects)?.clone();
    let (what, field) = match random.u8(..6) {
        0 => ("string", json!({"type": "string"})),
        1 => ("number", json!({"type": "number"})),
        2 => ("enum", json!({"type": "string", "enum": ["A", "B"]})),
        3 => (
            "object",
            json!({"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}),
        ),
        4 => (
            "label selector",
            json!({"type": "object", "description": "A label selector is a label query over a set of resources.", "properties": {
                "matchLabels": {"type": "object", "additionalProperties": {"type": "string"}},
                "matchExpressions": {"type": "array", "items": {"type": "object", "required": ["key", "operator"], "properties": {
                    "key": {"type": "string"}, "operator": {"type": "string"}, "values": {"type": "array", "items": {"type": "string"}},
                }}},
            }}),
        ),
        // A type of the schema gets another location.
        _ => ("copy", schema.pointer(random.choice(&objects)?)?.clone()),
    };
    let properties = schema.pointer_mut(&parent)?["properties"].as_object_mut()?;
    let name = if random.bool() {
        "addedField"
    } else {
        "zzAddedField"
    };
    properties.insert(name.to_owned(), field);
    Some(format!("{what} `{name}` at `{parent}`"))
}

/// Finds the objects with declared properties.
fn find(schema: &Value, pointer: &mut String, found: &mut Vec<String>) {
    let length = pointer.len();
    let mut below = |step: &str, schema: &Value| {
        pointer.push_str(step);
        find(schema, pointer, found);
        pointer.truncate(length);
    };
    let none = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&none);
    for (name, property) in properties {
        // The metadata of an object is not part of its CRD.
        if length > 0 || name != "metadata" {
            let name = name.replace('~', "~0").replace('/', "~1");
            below(&format!("/properties/{name}"), property);
        }
    }
    for step in ["items", "additionalProperties"] {
        if schema[step].is_object() {
            below(&format!("/{step}"), &schema[step]);
        }
    }
    if !properties.is_empty() {
        found.push(pointer.clone());
    }
}
