//! Prints a frozen model as text, for support and tests.
use super::{
    Body, Choice, DefaultImpl, Enum, EnumBase, Field, Ident, Kind, Model, Module, Presence, Rules,
    Ty, TypeId,
};
use kube_codegen_formats::printable;
use std::fmt::Write;

impl Model {
    /// Returns the frozen model as text: its modules with their kinds, types and aliases. The format is stable for equal input, but not
    /// between versions of this tool.
    pub fn dump(&self) -> String {
        let mut out = String::new();
        for module in &self.modules {
            dump_module(&mut out, module);
            for kind in self.kinds_of(module) {
                dump_kind(&mut out, kind);
            }
            for id in self.types_of(module) {
                self.dump_type(&mut out, id);
            }
            for (id, ty) in self.aliases_of(module) {
                let target = match ty {
                    Ty::Named(id) if self.types[*id].shared.is_some() => {
                        self.types[*id].defined_name().to_string()
                    }
                    ty => self.type_text(ty, module),
                };
                line(&mut out, 1, &format!("alias {} = {target}", self.head(id)));
            }
        }
        out
    }

    fn dump_type(&self, out: &mut String, id: TypeId) {
        let def = &self.types[id];
        let head = self.head(id);
        let mut derives: Vec<&str> = def.derives.more.iter().map(String::as_str).collect();
        derives.extend((def.derives.default == DefaultImpl::Derived).then_some("Default"));
        let derives = match derives.as_slice() {
            [] => String::new(),
            derives => format!(", derives {}", derives.join(" ")),
        };
        let Some(module) = self.module_of(id) else {
            return;
        };
        match &def.body {
            Body::Struct(body) => {
                line(out, 1, &format!("struct {head}{derives}"));
                for field in &body.fields {
                    self.dump_field(out, field, module);
                }
                if let Some(rest) = &body.rest {
                    line(out, 2, &format!("{rest}: all other fields"));
                }
                for (choice, view) in body.choices.iter().zip(&def.views) {
                    dump_choice(out, choice, view);
                }
            }
            Body::Enum(body) => {
                let base = match body.base {
                    EnumBase::Text => "strings".to_owned(),
                    EnumBase::Int(width) => format!("{width:?} integers"),
                    EnumBase::Mixed => "strings, numbers and booleans".to_owned(),
                };
                line(out, 1, &format!("enum {head} of {base}{derives}"));
                dump_variants(out, body);
            }
            Body::Union(body) => {
                line(out, 1, &format!("union {head}{derives}"));
                for arm in &body.arms {
                    let ty = self.type_text(&arm.ty, module);
                    line(out, 2, &format!("{}({ty})", arm.ident));
                }
                line(out, 2, &format!("{}: any other JSON", body.other));
            }
            // `types_of` returns no alias.
            Body::Alias(_) => {}
        }
    }

    fn dump_field(&self, out: &mut String, field: &Field, module: &Module) {
        let mut text = format!("{} {:?}: ", field.ident(), field.wire);
        text.push_str(match field.presence {
            Presence::Required => "",
            Presence::Optional => "optional ",
            Presence::Nullable => "nullable ",
            Presence::OptionalNullable => "optional nullable ",
        });
        if field.boxed {
            text.push_str("boxed ");
        }
        text.push_str(&self.type_text(&field.ty, module));
        if let Some(default) = &field.default {
            _ = write!(text, " = {default}");
        }
        line(out, 2, &text);
        dump_rules(out, &field.rules);
    }

    /// Returns the name and the schema location of a type.
    fn head(&self, id: TypeId) -> String {
        let def = &self.types[id];
        let kind = self.kind_of(id).map_or("", |kind| &kind.kind);
        let path = match def.origin.path.to_string() {
            path if path.is_empty() => String::new(),
            path => format!(".{path}"),
        };
        let shared = match &def.shared {
            Some(name) => format!(", shared as {name}"),
            None => String::new(),
        };
        format!("{} ({kind}{path}{shared})", def.name())
    }

    fn type_text(&self, ty: &Ty, module: &Module) -> String {
        match ty {
            Ty::Scalar(scalar) => format!("{scalar:?}"),
            Ty::List(inner) => format!("List<{}>", self.type_text(inner, module)),
            Ty::Map(inner) => format!("Map<{}>", self.type_text(inner, module)),
            Ty::Nullable(inner) => format!("Nullable<{}>", self.type_text(inner, module)),
            Ty::External(path) => path.clone(),
            Ty::Named(id) => {
                let name = self.types[*id].name();
                match self.module_of(*id).filter(|other| *other != module) {
                    Some(other) => format!("{}::{name}", other.names().version),
                    None => name.to_string(),
                }
            }
        }
    }
}

fn dump_choice(out: &mut String, choice: &Choice, view: &Ident) {
    let count = if choice.is_required {
        "exactly"
    } else {
        "at most"
    };
    let (view, method) = (view.as_str(), choice.method());
    line(out, 2, &format!("{count} one: {view} of {method}()"));
    for member in &choice.members {
        let mut text = format!("{} {:?}", member.variant(), member.wire);
        if let Some(constructor) = &member.constructor {
            _ = write!(text, ", created by {constructor}()");
        }
        for (wire, value) in &member.sets {
            _ = write!(text, " with {wire:?}: {value:?}");
        }
        line(out, 3, &text);
    }
}

fn dump_module(out: &mut String, module: &Module) {
    let names = module.names();
    let text = format!(
        "module {} ({}::{}, for Kubernetes {} and newer)",
        module.api_version(),
        names.group,
        names.version,
        module.kubernetes,
    );
    line(out, 0, &text);
    let text = format!(
        "names: client {}, informers {}, method {}, feature {}",
        names.client,
        names.informers,
        names.method,
        module.feature(),
    );
    line(out, 1, &text);
}

fn dump_kind(out: &mut String, kind: &Kind) {
    let mut text = format!("kind {} ({:?}", kind.kind, kind.scope);
    let flags = [
        ("storage version", kind.storage),
        ("deprecated", kind.deprecated.is_some()),
        ("status", kind.status),
        ("scale", kind.scale.is_some()),
    ];
    for (flag, _) in flags.into_iter().filter(|(_, is_set)| *is_set) {
        _ = write!(text, ", {flag}");
    }
    text.push(')');
    line(out, 1, &text);
    let names = kind.names();
    let text = format!(
        "names: list {}, lister {}, methods {} and {}, manifest {}",
        names.list, names.lister, names.method, names.method_all, names.manifest,
    );
    line(out, 2, &text);
    for column in &kind.columns {
        let text = format!(
            "column {:?}: {} {}",
            column.name, column.type_, column.json_path
        );
        line(out, 2, &text);
    }
    for field in &kind.selectable_fields {
        line(out, 2, &format!("selectable field {}", field.json_path));
    }
    dump_rules(out, &kind.rules);
}

fn dump_variants(out: &mut String, body: &Enum) {
    for (index, variant) in body.variants.iter().enumerate() {
        let default = if body.default == Some(index) {
            ", the default"
        } else {
            ""
        };
        let text = format!("{} {}{default}", variant.ident(), variant.value);
        line(out, 2, &text);
    }
    line(out, 2, &format!("{}: any other value", body.other));
}

fn dump_rules(out: &mut String, rules: &Rules) {
    let mut depth = 3;
    let mut next = Some(rules);
    while let Some(rules) = next {
        for (keyword, value) in &rules.constraints {
            line(out, depth, &format!("{keyword}: {value}"));
        }
        for validation in &rules.validations {
            line(
                out,
                depth,
                &format!("x-kubernetes-validations: {validation}"),
            );
        }
        for (keyword, value) in [
            ("x-kubernetes-list-type", &rules.list_type),
            ("x-kubernetes-map-type", &rules.map_type),
        ] {
            if let Some(value) = value {
                line(out, depth, &format!("{keyword}: {value}"));
            }
        }
        if !rules.list_map_keys.is_empty() {
            let keys = rules.list_map_keys.join(", ");
            line(out, depth, &format!("x-kubernetes-list-map-keys: {keys}"));
        }
        next = rules.element.as_ref().map(|element| &element.rules);
        depth += 1;
    }
}

/// Appends an indented line, and escapes the control characters that names in a CRD can have.
fn line(out: &mut String, depth: usize, text: &str) {
    out.push_str(&"  ".repeat(depth));
    out.push_str(&printable::line(text));
    out.push('\n');
}
