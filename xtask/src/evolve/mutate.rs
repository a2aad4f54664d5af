//! Random changes of a schema.
use crate::trial::walk;
use fastrand::Rng;
use serde_json::{Value, json};

/// Changes a random node; returns what it changed.
pub(super) fn change(schema: &mut Value, random: &mut Rng) -> Option<String> {
    let mut nodes = Vec::new();
    walk(schema, &mut String::new(), &mut |pointer, _| {
        // What every object has is the same in each CRD.
        if !matches!(pointer, "/properties/apiVersion" | "/properties/kind") {
            nodes.push(pointer.to_owned());
        }
    });
    let pointer = random.choice(&nodes)?.clone();
    let node = schema.pointer_mut(&pointer)?;
    let is_root = pointer.is_empty();
    let type_ = node["type"].as_str().unwrap_or_default().to_owned();
    let what = match random.u8(..6) {
        0 => toggle(node, random),
        1 if !is_root => default(node, &type_, random),
        2 => rule(node, &type_, random),
        _ => match type_.as_str() {
            "string" => text(node, random),
            "integer" | "number" => number(node, random),
            "array" => list(node, random),
            "object" => object(node, random, is_root),
            _ => return None,
        },
    }?;
    Some(format!("{pointer}: {what}"))
}

fn set(node: &mut Value, keyword: &str, value: Value) -> Option<String> {
    let what = format!("{keyword}: {} -> {value}", node[keyword]);
    if value.is_null() {
        node.as_object_mut()?.remove(keyword);
    } else {
        node[keyword] = value;
    }
    Some(what)
}

fn toggle(node: &mut Value, random: &mut Rng) -> Option<String> {
    let keyword = random.choice([
        "nullable",
        "x-kubernetes-preserve-unknown-fields",
        "description",
    ])?;
    let value = match (keyword, &node[keyword]) {
        ("description", _) => json!(format!("Text {}.", random.u8(..))),
        (_, Value::Bool(true)) => Value::Null,
        _ => json!(true),
    };
    set(node, keyword, value)
}

fn default(node: &mut Value, type_: &str, random: &mut Rng) -> Option<String> {
    let values = match type_ {
        "string" => json!([null, "a", "", "x-1", "10s"]),
        "integer" => json!([null, 0, 1, 7]),
        "number" => json!([null, 0.5, 1]),
        "boolean" => json!([null, true, false]),
        "array" => json!([null, []]),
        "object" => json!([null, {}]),
        _ => return None,
    };
    let value = random.choice(values.as_array()?)?.clone();
    set(node, "default", value)
}

fn rule(node: &mut Value, type_: &str, random: &mut Rng) -> Option<String> {
    if let Some(rules) = node["x-kubernetes-validations"].as_array_mut()
        && !rules.is_empty()
        && random.bool()
    {
        let index = random.usize(..rules.len());
        return Some(format!("without {}", rules.remove(index)));
    }
    let text = match type_ {
        "string" => *random.choice(&["self != 'a'", "self.size() < 20", "self == oldSelf"])?,
        "integer" => *random.choice(&["self != 1", "self < 50", "self >= 0"])?,
        "boolean" => "self",
        _ => return None,
    };
    let rules = &mut node["x-kubernetes-validations"];
    if rules.is_null() {
        *rules = json!([]);
    }
    rules.as_array_mut()?.push(json!({"rule": text}));
    Some(format!("rule {text}"))
}

fn text(node: &mut Value, random: &mut Rng) -> Option<String> {
    match random.u8(..5) {
        0 => {
            let value = random.choice([json!(null), json!(0), json!(1), json!(5)])?;
            set(node, "minLength", value)
        }
        1 => {
            let value = random.choice([json!(null), json!(3), json!(63), json!(253)])?;
            set(node, "maxLength", value)
        }
        2 => {
            let patterns = [
                json!(null),
                json!("^[a-z]+$"),
                json!("^[a-z0-9-]{1,10}$"),
                json!("^.*$"),
            ];
            set(node, "pattern", random.choice(patterns)?)
        }
        3 => {
            let formats = [
                json!(null),
                json!("date-time"),
                json!("uri"),
                json!("other"),
            ];
            set(node, "format", random.choice(formats)?)
        }
        _ => match node["enum"].as_array_mut() {
            Some(values) if values.len() > 1 && random.bool() => {
                let index = random.usize(..values.len());
                Some(format!("enum without {}", values.remove(index)))
            }
            Some(values) => {
                values.push(json!(format!("Value{}", random.u8(..))));
                Some("enum with another value".to_owned())
            }
            None => set(node, "enum", json!(["a", "b"])),
        },
    }
}

fn number(node: &mut Value, random: &mut Rng) -> Option<String> {
    let keyword = random.choice(["minimum", "maximum", "multipleOf", "format", "type"])?;
    let value = match keyword {
        "minimum" => random.choice([json!(null), json!(0), json!(1), json!(-10)])?,
        "maximum" => random.choice([json!(null), json!(10), json!(65535), json!(1000)])?,
        "multipleOf" => random.choice([json!(null), json!(2), json!(5)])?,
        "format" => random.choice([json!(null), json!("int32"), json!("int64")])?,
        _ => random.choice([json!("integer"), json!("number"), json!("string")])?,
    };
    set(node, keyword, value)
}

fn list(node: &mut Value, random: &mut Rng) -> Option<String> {
    let keyword = random.choice(["minItems", "maxItems", "x-kubernetes-list-type"])?;
    let value = match keyword {
        "minItems" => random.choice([json!(null), json!(0), json!(1)])?,
        "maxItems" => random.choice([json!(null), json!(1), json!(2), json!(10)])?,
        _ => {
            let is_scalar = node["items"]["type"] != "object" && node["items"]["type"] != "array";
            let types = [json!("atomic"), json!("set")];
            let value = random.choice(types)?;
            if value == "set" && !is_scalar {
                return None;
            }
            if let Some(fields) = node.as_object_mut() {
                fields.remove("x-kubernetes-list-map-keys");
            }
            value
        }
    };
    set(node, keyword, value)
}

fn object(node: &mut Value, random: &mut Rng, is_root: bool) -> Option<String> {
    let own = |name: &str| is_root && matches!(name, "apiVersion" | "kind" | "metadata");
    let names: Vec<String> = node["properties"]
        .as_object()?
        .keys()
        .filter(|name| !own(name))
        .cloned()
        .collect();
    let name = random.choice(&names)?.clone();
    match random.u8(..6) {
        0 => {
            node["properties"].as_object_mut()?.remove(&name);
            if let Some(required) = node["required"].as_array_mut() {
                required.retain(|it| *it != *name);
            }
            Some(format!("without {name}"))
        }
        1 => {
            let field = json!({"type": "string"});
            node["properties"]["addedField"] = field;
            if random.bool() {
                require(node, "addedField")?;
            }
            Some("addedField".to_owned())
        }
        2 => {
            let field = node["properties"].as_object_mut()?.remove(&name)?;
            node["properties"][format!("{name}New")] = field;
            if let Some(required) = node["required"].as_array_mut() {
                required.retain(|it| *it != *name);
            }
            Some(format!("{name} is {name}New"))
        }
        3 => {
            if let Some(required) = node["required"].as_array_mut()
                && let Some(index) = required.iter().position(|it| *it == *name)
            {
                required.remove(index);
                if required.is_empty() {
                    node.as_object_mut()?.remove("required");
                }
                return Some(format!("{name} is optional"));
            }
            require(node, &name)
        }
        4 => {
            let value = random.choice([json!(null), json!(1), json!(3)])?;
            let keyword = random.choice(["minProperties", "maxProperties"])?;
            set(node, keyword, value)
        }
        _ => {
            let branches: Vec<Value> = names
                .iter()
                .take(2)
                .map(|it| json!({"required": [it]}))
                .collect();
            let keyword = random.choice(["oneOf", "anyOf"])?;
            let value = if node[keyword].is_null() {
                json!(branches)
            } else {
                Value::Null
            };
            set(node, keyword, value)
        }
    }
}

fn require(node: &mut Value, name: &str) -> Option<String> {
    if node["required"].is_null() {
        node["required"] = json!([]);
    }
    node["required"].as_array_mut()?.push(json!(name));
    Some(format!("{name} is required"))
}
