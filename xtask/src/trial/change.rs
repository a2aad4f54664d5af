//! The changes of a CRD or of the options that must not break a program.
use fastrand::Rng;
use kube_codegen::options::{Kubernetes, Options};
use kube_codegen_formats::pointer;
use serde_json::{Value, json};

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
    /// Another version, in which objects, lists and enums moved or have another name.
    Move,
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
    pub(super) const ALL: [Self; 6] = [
        Self::Nothing,
        Self::Field,
        Self::Crd,
        Self::Version,
        Self::Move,
        Self::Kubernetes,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Nothing => "no change",
            Self::Field => "a field",
            Self::Crd => "a CRD",
            Self::Version => "a version",
            Self::Move => "moved fields",
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
            Self::Move => "moved",
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
            Self::Version => add_version(&mut crd, random, add_field)?,
            Self::Move => add_version(&mut crd, random, move_fields)?,
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

/// Adds a copy of the storage version, changed in some way.
fn add_version(
    crd: &mut Value,
    random: &mut Rng,
    change: fn(&mut Value, &mut Rng) -> Option<String>,
) -> Option<String> {
    let versions = crd["spec"]["versions"].as_array_mut()?;
    let mut version = versions.iter().find(|it| it["storage"] == true)?.clone();
    let name = if random.bool() { "v99" } else { "v1alpha99" };
    version["name"] = json!(name);
    version["storage"] = json!(false);
    version["served"] = json!(true);
    let what = change(&mut version, random)?;
    versions.push(version);
    Some(format!("{name}: {what}"))
}

/// Moves some objects, lists and enums of a version's schema to other objects or names; returns what it moved.
fn move_fields(version: &mut Value, random: &mut Rng) -> Option<String> {
    let schema = version.pointer_mut("/schema/openAPIV3Schema")?;
    let mut moved = Vec::new();
    for _ in 0..4 {
        let mut objects = find(schema);
        objects.retain(|pointer| is_free(schema, pointer));
        let Some(from) = random.choice(&objects).cloned() else {
            continue;
        };
        let fields = schema.pointer(&from)?["properties"].as_object()?;
        let typed = fields.iter().filter(|(name, field)| {
            let is_given = matches!(name.as_str(), "apiVersion" | "kind" | "metadata");
            let typed = ["properties", "items", "additionalProperties", "enum"];
            !(is_given && from.is_empty()) && typed.iter().any(|keyword| !field[keyword].is_null())
        });
        let typed: Vec<String> = typed.map(|(name, _)| name.clone()).collect();
        let Some(name) = random.choice(&typed) else {
            continue;
        };
        let object = schema.pointer_mut(&from)?;
        if let Some(required) = object.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|it| it != name);
        }
        let field = object["properties"].as_object_mut()?.remove(name)?;
        let other = random.choice(&objects)?;
        // The other object may be in the field.
        let is_elsewhere = random.bool() && schema.pointer(other).is_some();
        let (to, new) = if is_elsewhere {
            (other, name.clone())
        } else {
            (&from, format!("{name}Moved"))
        };
        let fields = schema.pointer_mut(to)?["properties"].as_object_mut()?;
        fields.entry(&new).or_insert(field);
        moved.push(format!("`{name}` of `{from}` to `{new}` of `{to}`"));
    }
    (!moved.is_empty()).then(|| moved.join(", "))
}

/// Returns whether nothing around a field says which fields there are.
fn is_free(schema: &Value, pointer: &str) -> bool {
    let ends = pointer.match_indices('/').map(|(end, _)| end);
    let mut around = ends.chain([pointer.len()]);
    let keywords = [
        "default",
        "oneOf",
        "anyOf",
        "allOf",
        "not",
        "x-kubernetes-list-map-keys",
    ];
    around.all(|end| {
        let schema = schema.pointer(&pointer[..end]);
        schema.is_none_or(|it| {
            keywords
                .iter()
                .all(|keyword| it.get(keyword).is_none_or(Value::is_null))
        })
    })
}

/// Adds an optional field to a random object of a version's schema; returns what it added where.
fn add_field(version: &mut Value, random: &mut Rng) -> Option<String> {
    let schema = version.pointer_mut("/schema/openAPIV3Schema")?;
    let objects = find(schema);
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
fn find(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    walk(schema, &mut String::new(), &mut |pointer, node| {
        let properties = node["properties"].as_object();
        if properties.is_some_and(|it| !it.is_empty()) {
            found.push(pointer.to_owned());
        }
    });
    found
}

/// Visits all nodes of a schema with their pointers, inner ones first, without the metadata of the object, which is not part of its CRD.
fn walk(schema: &Value, pointer: &mut String, visit: &mut dyn FnMut(&str, &Value)) {
    let length = pointer.len();
    let properties = schema["properties"].as_object().into_iter().flatten();
    for (name, property) in properties {
        if length > 0 || name != "metadata" {
            pointer.push_str("/properties");
            pointer::push(pointer, name);
            walk(property, pointer, visit);
            pointer.truncate(length);
        }
    }
    for step in ["items", "additionalProperties"] {
        if schema[step].is_object() {
            pointer.push('/');
            pointer.push_str(step);
            walk(&schema[step], pointer, visit);
            pointer.truncate(length);
        }
    }
    visit(pointer, schema);
}
