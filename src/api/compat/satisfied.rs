//! Finds rules that hold for every object of the first release: they are about what the second one adds, or follow from a rule of the first one.
use kube_codegen_cel::{Facts, Presence, Program, escape};
use serde_json::Value;

use super::implied;

/// What objects have at a place: those of the first release, as the second one reads them.
#[derive(Clone, Copy)]
struct PlaceValues<'a> {
    old: &'a Value,
    new: &'a Value,
}

/// The value of an update, and that before it.
const VARIABLES: [&str; 2] = ["self", "oldSelf"];

/// Returns whether a rule of a place holds for every object of the first release.
pub(super) fn holds(rule: &Value, old: &Value, new: &Value) -> bool {
    let compile = |rule: &Value| Program::compile(rule["rule"].as_str()?).ok();
    let Some(program) = compile(rule) else {
        return false;
    };
    let known = old["x-kubernetes-validations"].as_array();
    let mut known = known.into_iter().flatten();
    let facts = PlaceValues { old, new };
    if program.decide(&VARIABLES, &facts) == Some(true) {
        return true;
    }
    let program = program.reduced(&VARIABLES, &facts);
    let mut bounds = implied::bounds(old).into_iter();
    bounds.any(|it| Program::compile(&it).is_ok_and(|it| it.implies(&program)))
        || known.any(|it| {
            it["optionalOldSelf"] == rule["optionalOldSelf"]
                && compile(it).is_some_and(|it| it.implies(&program))
        })
}

/// Returns a schema without the alternatives that no object of the first release meets: those that require a field that is new.
pub(super) fn without_new(schema: &Value, old: &Value, new: &Value) -> Value {
    let Value::Object(fields) = schema else {
        return schema.clone();
    };
    let facts = PlaceValues { old, new };
    let is_new = |branch: &Value| {
        let required = branch["required"].as_array().into_iter().flatten();
        let mut required = required.filter_map(|it| escape(it.as_str()?));
        required.any(|name| matches!(facts.field(&name), Presence::Never))
    };
    let kept = fields.iter().map(|(keyword, value)| {
        let value = match (keyword.as_str(), value) {
            ("oneOf" | "anyOf", Value::Array(branches)) => {
                let branches = branches.iter().filter(|it| !is_new(it));
                branches.map(|it| without_new(it, old, new)).collect()
            }
            ("allOf", Value::Array(parts)) => {
                parts.iter().map(|it| without_new(it, old, new)).collect()
            }
            ("not", inner) => without_new(inner, old, new),
            (_, value) => value.clone(),
        };
        (keyword.clone(), value)
    });
    Value::Object(kept.collect())
}

impl PlaceValues<'_> {
    fn default(&self) -> Option<&Value> {
        self.new.get("default").filter(|it| !it.is_null())
    }
}

impl Facts for PlaceValues<'_> {
    fn field(&self, name: &str) -> Presence<Self> {
        let properties = self.old["properties"].as_object();
        let mut properties = properties.into_iter().flatten();
        let of_new = |declared: &str| &self.new["properties"][declared];
        let is_named = |declared: &str| escape(declared).as_deref() == Some(name);
        if let Some((declared, old)) = properties.find(|(declared, _)| is_named(declared)) {
            let new = of_new(declared);
            let field = Self { old, new };
            let required = self.old["required"].as_array();
            let is_required = required.is_some_and(|it| it.contains(&declared.as_str().into()));
            let is_null = old["nullable"] == true;
            return if (is_required && !is_null) || field.default().is_some() {
                Presence::Always(field)
            } else if is_null {
                Presence::Unknown
            } else {
                Presence::Sometimes(field)
            };
        }
        // Objects have some fields without a declaration.
        let is_head = ["apiVersion", "kind", "metadata"].contains(&name);
        let keeps = |keyword: &str| self.old.get(keyword).is_some_and(|it| *it != false);
        let keeps_others =
            keeps("additionalProperties") || keeps("x-kubernetes-preserve-unknown-fields");
        let added = self.new["properties"].as_object().into_iter().flatten();
        let mut added = added.filter(|(declared, _)| is_named(declared));
        let has_default = added.any(|(_, it)| it.get("default").is_some());
        if is_head || keeps_others || has_default {
            Presence::Unknown
        } else {
            Presence::Never
        }
    }

    fn items(&self) -> Option<Self> {
        self.old.get("items").map(|old| Self {
            old,
            new: &self.new["items"],
        })
    }

    fn values(&self) -> Option<Vec<Value>> {
        let mut values = self.old["enum"].as_array()?.clone();
        values.extend(self.default().cloned());
        Some(values)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_rule_about_new_fields_and_values_holds() {
        let field = json!({"type": "string"});
        let old = json!({"type": "object", "required": ["kind_", "list", "nullable"], "properties": {
            "kind_": {"type": "string", "enum": ["A", "B"]},
            "optional": {"type": "string", "enum": ["A", "B"]},
            "nullable": {"type": "string", "enum": ["A"], "nullable": true},
            "list": {"type": "array", "items": {"type": "object", "properties": {"old": field}}},
            "map": {"type": "object", "additionalProperties": field},
            "kept": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
            "inner": {"type": "object", "properties": {"a": field}},
        }, "x-kubernetes-validations": [{"rule": "self.list.size() > 3"}, {"rule": "self.list.all(it, it.old == 'a')"}]});
        let mut new = old.clone();
        for name in ["a", "b", "c-d"] {
            new["properties"][name] = field.clone();
        }
        new["properties"]["filled"] = json!({"type": "string", "default": "x"});
        new["properties"]["set"] = json!({"type": "string", "default": "x"});
        new["properties"]["kind_"]["enum"] = json!(["A", "B", "C"]);
        let holds = |text: &str| holds(&json!({"rule": text}), &old, &new);
        for rule in [
            "!(has(self.a) && has(self.b))",
            "!has(self.c__dash__d) || self.c__dash__d == 'x'",
            "self.kind_ == 'C' ? has(self.a) : !has(self.a)",
            "!(self.kind_ == 'C' && !has(self.a))",
            "self.kind_ in ['A', 'B', 'D']",
            "self.list.all(it, !has(it.name) || self.list.exists_one(other, has(other.name) && other.name == it.name))",
            "!self.list.exists(it, has(it.name))",
            "has(self.a) == has(self.b) || !has(self.a)",
            "!has(self.inner) || !has(self.inner.b)",
            "has(self.inner) ? !has(self.inner.b) : true",
            "!(has(self.inner) && has(self.inner.b) && self.inner.b == 'x')",
            "!has(self.optional) || self.optional != 'C'",
            "(has(self.a) ? 1 : 0) + (has(self.b) ? 1 : 0) + (has(self.inner) ? 1 : 0) <= 1",
            "!has(oldSelf.a) || has(self.a)",
            // Follow from a rule that there was.
            "self.list.size() > 3 || self.kind_ == 'C'",
            "self.list.all(it, it.old == 'a' || has(it.name))",
            "self.list.size() > 2",
        ] {
            assert!(holds(rule), "{rule}");
        }
        for rule in [
            // An object without the field: the expression fails.
            "(has(self.a) ? 1 : 0) + (has(self.optional) ? 1 : 0) + (has(self.inner) ? 1 : 0) <= 1",
            "!has(oldSelf.inner) || has(self.inner)",
            "!has(self.inner.b)",
            "has(self.inner.b) || !has(self.inner)",
            "!has(self.inner) || self.list.all(self, !has(self.inner.b))",
            "self.list.size() > 4",
            "!(self.optional == 'C')",
            "self.nullable == 'A'",
            "self.a != 'x'",
            "self.map.all(key, !has(self.a.b))",
            "self.kind_ == 'A'",
            "self.kind_ in ['A']",
            "!has(self.filled)",
            "!has(self.kept) || !has(self.kept.b)",
            "!has(self.metadata.name)",
            "self.list.all(it, !has(it.old))",
            "self.list.all(it, it.old == 'x') || self.list.size() > 5",
            "has(self.a)",
            "not an expression",
        ] {
            assert!(!holds(rule), "{rule}");
        }
    }
}
