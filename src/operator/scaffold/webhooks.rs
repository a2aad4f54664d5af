//! What the templates of webhooks need to know about a kind.
use std::collections::{BTreeMap, BTreeSet};

use clap::ValueEnum;
use minijinja::Value;
use quote::{ToTokens, quote};
use serde::{Deserialize, Serialize};
use serde_json::json;
use syn::{Expr, Item, ItemTrait, ReturnType, TraitItem, Type, parse_quote};

use super::{Parameters, controlled::crd_name};
use crate::{
    model::ir::{Kind, Model, Module},
    output::{render::File, yaml},
};

/// What the webhooks of an operator do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum WebhookType {
    /// Fill in fields that the author of an object left out
    Defaulting,
    /// Refuse objects for reasons that a schema cannot express
    Validating,
    /// Convert objects between the versions of their kind
    Conversion,
}

impl WebhookType {
    /// Returns the name on the command line.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Defaulting => "defaulting",
            Self::Validating => "validating",
            Self::Conversion => "conversion",
        }
    }
}

/// Returns the webhooks of a kind.
pub(super) fn webhooks_of(model: &Model, kind: &Kind, parameters: &Parameters) -> Vec<WebhookType> {
    let none = BTreeSet::new();
    let types = match &parameters.takeover.webhooks {
        Some(by_crd) => by_crd.get(&crd_name(kind)).unwrap_or(&none),
        None => &parameters.webhooks,
    };
    let mut types: Vec<WebhookType> = types.iter().copied().collect();
    types.retain(|it| *it != WebhookType::Conversion || !conversions(model, kind).is_empty());
    types
}

/// Fails if there is a type without a kind that can have it.
pub(super) fn check(model: &Model, types: &BTreeSet<WebhookType>) -> Result<(), String> {
    if !types.is_empty() && model.kinds.is_empty() {
        return Err("--webhooks needs a kind of a CRD; use --file".to_owned());
    }
    let has_conversion = types.contains(&WebhookType::Conversion);
    if has_conversion && model.conversions.is_empty() {
        return Err("`--webhooks conversion` needs a CRD that serves several versions".to_owned());
    }
    Ok(())
}

/// Returns the conversions of a kind, whose hub it is.
fn conversions<'m>(model: &'m Model, kind: &Kind) -> Vec<&'m crate::model::ir::Conversion> {
    let is_of = |id: crate::model::ir::KindId| {
        let hub = model.kinds.get(id.0 as usize);
        hub.is_some_and(|hub| hub.group == kind.group && hub.plural == kind.plural)
    };
    let all = model.conversions.iter();
    all.filter(|it| is_of(it.hub)).collect()
}

/// Returns the module of the webhooks of a kind, by that of its controller.
pub(crate) fn module(controller: &str) -> String {
    match controller.strip_suffix("controller") {
        Some(prefix) => format!("{prefix}webhooks"),
        None => format!("{controller}_webhooks"),
    }
}

/// Returns the template variables of a kind; `generated` are the files of the generated modules.
pub(super) fn variables(
    model: &Model,
    module: &Module,
    kind: &Kind,
    types: &[WebhookType],
    generated: &[File],
) -> Vec<(&'static str, Value)> {
    let names = types.iter().map(|it| Value::from(it.as_str()));
    let lower = kind.kind.to_lowercase();
    let path = format!("{}-{}-{lower}", kind.group.replace('.', "-"), kind.version);
    let is_built_in = !kind.group.contains('.') || kind.group.ends_with(".k8s.io");
    let conversion = types
        .contains(&WebhookType::Conversion)
        .then(|| conversion(model, module, kind, generated));
    vec![
        ("webhooks", names.collect()),
        ("webhook_path", Value::from(path)),
        ("lower_kind", Value::from(lower)),
        ("built_in_group", Value::from(is_built_in)),
        ("conversion", conversion.unwrap_or_else(|| Value::from(()))),
    ]
}

/// Returns the code that converts a kind.
fn conversion(model: &Model, module: &Module, kind: &Kind, generated: &[File]) -> Value {
    let spokes = conversions(model, kind);
    let function = spokes.first().map_or("", |it| it.function.as_str());
    let path = format!("{}/conversion.rs", module.path());
    let file = generated.iter().find(|file| file.path == path);
    let file = file.and_then(|file| syn::parse_file(&file.text).ok());
    let items = file.map(|file| file.items).unwrap_or_default();
    let prefix = format!("crate::generated::{}", module.names().group);
    let mut code = Vec::new();
    let mut used: BTreeSet<String> = ["Converter".to_owned()].into();
    let mut arguments = Vec::new();
    for spoke in &spokes {
        let Some(decisions) = items.iter().find_map(|item| match item {
            Item::Trait(item) if item.ident == spoke.name.as_str() => Some(item),
            _ => None,
        }) else {
            continue;
        };
        arguments.push("&Conversion");
        code.push(implementation(decisions, &prefix, &mut used));
    }
    let code: Vec<String> = code.into_iter().map(formatted).collect();
    let safe = |text: String| Value::from_safe_string(text);
    let used: Vec<String> = used.into_iter().collect();
    let imports = match &used[..] {
        [one] => one.clone(),
        several => format!("{{{}}}", several.join(", ")),
    };
    Value::from(BTreeMap::from([
        ("function", Value::from(function)),
        ("arguments", safe(arguments.join(", "))),
        ("imports", safe(imports)),
        ("code", safe(code.join("\n"))),
        ("crd", Value::from(crd_name(kind))),
    ]))
}

fn formatted(item: Item) -> String {
    prettyplease::unparse(&syn::File {
        shebang: None,
        frontmatter: None,
        attrs: Vec::new(),
        items: vec![item],
    })
}

/// Implements a trait of decisions by copying values.
fn implementation(decisions: &ItemTrait, prefix: &str, used: &mut BTreeSet<String>) -> Item {
    let name = &decisions.ident;
    let methods = decisions.items.iter().filter_map(|item| {
        let TraitItem::Fn(method) = item else {
            return None;
        };
        let ReturnType::Type(_, ty) = &method.sig.output else {
            return None;
        };
        let mut ty: Type = parse_quote!(#ty);
        let outer = last_segment(&ty)?;
        let copy: Expr = match outer.as_str() {
            "IfAbsent" => parse_quote!(IfAbsent::absent()),
            "Narrowing" => parse_quote!(Narrowing::copy()),
            _ => parse_quote!(Mapping::copy()),
        };
        used.insert(outer);
        qualify(&mut ty, prefix, true);
        let docs = method.attrs.iter().take(1);
        let name = &method.sig.ident;
        Some(quote!(#(#docs)* fn #name(&self) -> #ty { #copy }))
    });
    let methods: Vec<_> = methods.collect();
    parse_quote!(impl conversion::#name for Conversion { #(#methods)* })
}

/// The crates that the types of generated code are from.
const CRATES: [&str; 4] = ["k8s_openapi", "kube_codegen_record", "serde_json", "std"];

fn last_segment(ty: &Type) -> Option<String> {
    let Type::Path(path) = ty else {
        return None;
    };
    Some(path.path.segments.last()?.ident.to_string())
}

/// Names the types of versions, such as `v1::Size`, from the root of the crate.
fn qualify(ty: &mut Type, prefix: &str, is_outer: bool) {
    let Type::Path(path) = ty else {
        return;
    };
    for segment in &mut path.path.segments {
        if let syn::PathArguments::AngleBracketed(arguments) = &mut segment.arguments {
            for argument in &mut arguments.args {
                if let syn::GenericArgument::Type(ty) = argument {
                    qualify(ty, prefix, false);
                }
            }
        }
    }
    let first = path.path.segments.first().map(|it| it.ident.to_string());
    let is_of_version = path.path.segments.len() > 1
        && first.is_some_and(|first| !CRATES.contains(&first.as_str()));
    if is_of_version && !is_outer {
        let text = format!("{prefix}::{}", path.to_token_stream());
        if let Ok(qualified) = syn::parse_str(&text) {
            *ty = qualified;
        }
    }
}

/// Lets the CRDs of several versions name the webhook of an operator as their conversion. Other lines of the text stay.
pub(crate) fn with_conversions(
    text: &str,
    model: &Model,
    operator: &str,
    namespace: &str,
) -> String {
    let hubs = model.conversions.iter().map(|it| it.hub);
    let kinds = hubs.filter_map(|id| model.kinds.get(id.0 as usize));
    let names: BTreeSet<String> = kinds.map(crd_name).collect();
    let is_named = |line: &str| {
        let name = line.trim().strip_prefix("name: ");
        name.is_some_and(|name| names.contains(name.trim_matches(['"', '\''])))
    };
    let documents = text.split_inclusive("\n---\n").map(|document| {
        let is_converted = document.contains(&format!("name: {operator}-webhook"));
        if is_converted || !document.lines().any(is_named) {
            return document.to_owned();
        }
        with_conversion(document, operator, namespace)
    });
    documents.collect()
}

/// Sets `spec.conversion` in the YAML document of a CRD to the webhook of an operator. Other lines stay.
fn with_conversion(document: &str, operator: &str, namespace: &str) -> String {
    let value = json!({
        "conversion": {
            "strategy": "Webhook",
            "webhook": {
                "clientConfig": {
                    "service": {
                        "name": format!("{operator}-webhook"),
                        "namespace": namespace,
                        "path": "/convert",
                        "port": 443,
                    },
                },
                "conversionReviewVersions": ["v1"],
            },
        },
    });
    let lines: Vec<&str> = document.lines().collect();
    let Some(spec) = lines.iter().position(|line| line.trim_end() == "spec:") else {
        return document.to_owned();
    };
    let end = |start: usize, indent: &str| {
        let rest = lines[start..].iter();
        let inside = rest.take_while(|line| line.starts_with(indent) || line.trim().is_empty());
        start + inside.count()
    };
    let conversion =
        (spec + 1..end(spec + 1, " ")).find(|index| lines[*index].starts_with("  conversion:"));
    let text = yaml::document(&value);
    let block: Vec<String> = text.lines().map(|line| format!("  {line}")).collect();
    let (before, after) = match conversion {
        Some(start) => (start, end(start + 1, "   ")),
        None => (spec + 1, spec + 1),
    };
    let mut out = String::new();
    let kept = lines[..before].iter().copied();
    let block = block.iter().map(String::as_str);
    for line in kept.chain(block).chain(lines[after..].iter().copied()) {
        out.push_str(line);
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversion_is_added_or_replaced_in_the_spec() {
        let plain = "kind: CustomResourceDefinition\n# Ours.\nspec:\n  group: g\n  names: {}\n";
        let none = "kind: CustomResourceDefinition\n# Ours.\nspec:\n  conversion:\n    strategy: None\n  group: g\n  names: {}\n";
        for text in [plain, none] {
            let with = with_conversion(text, "my-operator", "my-system");
            let value: serde_json::Value = serde_yaml::from_str(&with).unwrap();
            let service = &value["spec"]["conversion"]["webhook"]["clientConfig"]["service"];
            assert_eq!(service["name"], "my-operator-webhook", "{with}");
            assert_eq!(value["spec"]["group"], "g");
            assert!(with.contains("# Ours.\n"));
            assert_eq!(with_conversion(&with, "my-operator", "my-system"), with);
        }
    }
}
