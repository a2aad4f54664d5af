//! What the templates of webhooks need to know about a kind.
use std::collections::{BTreeMap, BTreeSet};

use minijinja::Value;
use quote::{ToTokens, quote};
use serde_json::{Value as Json, json};
use syn::{
    Expr, GenericArgument, Item, ItemTrait, PathArguments, ReturnType, TraitItem, Type, parse_quote,
};

use super::{Parameters, WebhookType};
use crate::{
    base::{diag::Diagnostics, source::Source},
    model::ir::{Kind, Model, Module},
    operator::manifests::Manifests,
    output::{render::File, yaml},
};

/// Returns the webhooks of a kind.
pub(super) fn webhooks_of(model: &Model, kind: &Kind, parameters: &Parameters) -> Vec<WebhookType> {
    let none = BTreeSet::new();
    let types = match &parameters.takeover.webhooks {
        Some(by_crd) => by_crd.get(&kind.crd_name()).unwrap_or(&none),
        None => &parameters.webhooks,
    };
    let mut types: Vec<WebhookType> = types.iter().copied().collect();
    types.retain(|it| *it != WebhookType::Conversion || !conversions(model, kind).is_empty());
    types
}

/// Fails if there is a type without a kind that can have it.
pub(super) fn check(model: &Model, types: &BTreeSet<WebhookType>) -> Result<(), String> {
    if !types.is_empty() && model.kinds.is_empty() {
        return Err("--webhooks needs a CRD; pass one with --file".to_owned());
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
        ("crd", Value::from(kind.crd_name())),
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
            _ => mapping(&ty),
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

/// Makes the mapping of a type of a method: copies, unless one version has a list of what is a plain value in the other.
fn mapping(ty: &Type) -> Expr {
    let [spoke, hub] = arguments(ty)[..] else {
        return parse_quote!(Mapping::copy());
    };
    let is_list = |list: &Type, item: &Type| {
        let is_plain = last_segment(item).is_some_and(|it| PLAIN.contains(&it.as_str()));
        let is_vec = last_segment(list).is_some_and(|it| it == "Vec");
        let items = arguments(list)
            .iter()
            .map(|it| quote!(#it).to_string())
            .collect::<Vec<_>>();
        is_plain && is_vec && items == [quote!(#item).to_string()]
    };
    let first = |list: &Type| -> Expr {
        parse_quote!(|values: #list| values.into_iter().next().unwrap_or_default())
    };
    if is_list(hub, spoke) {
        let first = first(hub);
        return parse_quote!(Mapping::new(|value| vec![value], #first));
    }
    if is_list(spoke, hub) {
        let first = first(spoke);
        return parse_quote!(Mapping::new(#first, |value| vec![value]));
    }
    parse_quote!(Mapping::copy())
}

/// Types of plain values, which have a default.
const PLAIN: [&str; 5] = ["String", "bool", "f64", "i32", "i64"];

/// Returns the type arguments of a path.
fn arguments(ty: &Type) -> Vec<&Type> {
    let Type::Path(path) = ty else {
        return Vec::new();
    };
    let Some(PathArguments::AngleBracketed(arguments)) =
        path.path.segments.last().map(|it| &it.arguments)
    else {
        return Vec::new();
    };
    let types = arguments.args.iter().filter_map(|it| match it {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    types.collect()
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

/// A file of CRDs in which those of several versions name the webhook of an operator as their conversion.
#[derive(Debug)]
pub(crate) struct Converted {
    /// The text; comments and other lines stay.
    pub(crate) text: String,
    /// The names of CRDs of several versions that are not in the file.
    pub(crate) missing: Vec<String>,
}

/// Lets the CRDs of several versions name the webhook of an operator as their conversion, in a file of the user.
///
/// # Errors
/// If the file cannot be read.
pub(crate) fn with_conversions(
    source: &Source,
    model: &Model,
    operator: &str,
    namespace: &str,
) -> Result<Converted, Diagnostics> {
    let names = hubs(model);
    let mut manifests = Manifests::read(source)?;
    let mut found: Vec<Found> = Vec::new();
    for (document, pointer, value) in manifests.objects() {
        let is_crd = value["kind"] == "CustomResourceDefinition"
            && value["apiVersion"] == "apiextensions.k8s.io/v1";
        if is_crd {
            let name = value["metadata"]["name"].as_str().unwrap_or_default();
            found.push(Found {
                document,
                pointer,
                name: name.to_owned(),
                service: service_of(&value).to_owned(),
            });
        }
    }
    let mut missing = names.clone();
    for crd in found {
        let is_hub = names.contains(&crd.name);
        missing.remove(&crd.name);
        if !is_hub || crd.service == service(operator) {
            continue;
        }
        let value = conversion_of(operator, namespace);
        let lines = yaml::document(&json!({ "conversion": value }));
        let lines = lines.lines().map(str::to_owned).collect();
        let spec = format!("{}/spec", crd.pointer);
        manifests.set(crd.document, &spec, "conversion", value, |_| lines);
    }
    Ok(Converted {
        text: manifests.text(),
        missing: missing.into_iter().collect(),
    })
}

/// The names of the CRDs that have conversions.
fn hubs(model: &Model) -> BTreeSet<String> {
    let hubs = model.conversions.iter().map(|it| it.hub);
    let kinds = hubs.filter_map(|id| model.kinds.get(id.0 as usize));
    kinds.map(Kind::crd_name).collect()
}

/// A CRD in a file.
struct Found {
    document: usize,
    pointer: String,
    name: String,
    /// The Service of its conversion.
    service: String,
}

fn service(operator: &str) -> String {
    format!("{operator}-webhook")
}

fn service_of(crd: &Json) -> &str {
    let name = &crd["spec"]["conversion"]["webhook"]["clientConfig"]["service"]["name"];
    name.as_str().unwrap_or_default()
}

fn conversion_of(operator: &str, namespace: &str) -> Json {
    json!({
        "strategy": "Webhook",
        "webhook": {
            "clientConfig": {
                "service": {
                    "name": service(operator),
                    "namespace": namespace,
                    "path": "/convert",
                    "port": 443,
                },
            },
            "conversionReviewVersions": ["v1"],
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{base::options::Options, pipeline};

    const CRD: &str = r"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: foos.example.com
spec:
  group: example.com
  names:
    kind: Foo
    plural: foos
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: string}}}}}}
  - name: v2
    served: true
    storage: false
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {b: {type: string}}}}}}
";

    fn values(text: &str) -> Vec<Json> {
        let mut diagnostics = Diagnostics::new();
        let values = crate::input::yaml::documents(&Source::new("a", text), &mut diagnostics);
        assert!(!diagnostics.has_errors(), "{text}");
        values
    }

    fn converted(text: &str) -> Converted {
        let source = Source::new("crd.yaml", CRD);
        let output = pipeline::run(&[source], &Options::default());
        let source = Source::new("crd.yaml", text);
        with_conversions(&source, &output.model, "my", "my-system").unwrap()
    }

    #[test]
    fn a_conversion_is_set_in_any_layout() {
        let crd = CRD.trim_start();
        let value = values(crd).remove(0);
        let none = "spec:\n  conversion:\n    strategy: None\n  # Group.\n";
        let other = "kind: ConfigMap\nmetadata:\n  name: foos.example.com\n";
        let composite = crd.replace(
            "apiextensions.k8s.io/v1\nkind: Custom",
            "apiextensions.crossplane.io/v1\nkind: Composite",
        );
        let beta = crd.replace(".k8s.io/v1\n", ".k8s.io/v1beta1\n");
        let inner = crd
            .replace("names:", "names: # Names.")
            .replace('\n', "\n    ");
        let four = crd.replace("  ", "    ").replace("- name", "-   name");
        // A text, and what stays of it.
        for (text, kept) in [
            (crd.to_owned(), "  names:\n    kind: Foo\n"),
            (format!("# Ours.\n{crd}"), "# Ours.\n"),
            (crd.replace("spec:\n", none), "  # Group.\n"),
            (crd.replace("spec:\n", "spec: # Ours.\n"), "spec: # Ours.\n"),
            (four, "    group: example.com\n"),
            (crd.replace('\n', "\r\n"), "  group: example.com\r\n"),
            (
                format!("{other}--- # x\n# Ours.\n{crd}"),
                "--- # x\n# Ours.\n",
            ),
            (
                format!("---\n---\n# Ours.\n---  \n{crd}---\n{other}"),
                "# Ours.\n",
            ),
            (
                crd.replacen("name: foos", "labels: {a: my-webhook}\n  name: foos", 1),
                "  labels: {a: my-webhook}\n",
            ),
            (
                crd.replace("\nspec", "\n# name: my-webhook\nspec"),
                "# name: my-webhook\n",
            ),
            // Objects of other kinds stay, and so does a CRD of another version, which has its conversion elsewhere.
            (format!("{composite}---\n{crd}---\n{beta}"), &composite),
            (
                crd.replace(
                    "spec:\n",
                    "spec:\n  conversion: # Why.\n    strategy: None\n",
                ),
                "  conversion: # Why.\n    strategy: Webhook\n",
            ),
            (
                format!("kind: List\nitems:\n  - {}", inner.trim_end()),
                "names: # Names.",
            ),
            (crd.trim_end().to_owned(), "  group: example.com\n"),
            (value.to_string(), ""),
            (serde_json::to_string_pretty(&value).unwrap(), ""),
        ] {
            let mut wanted = values(&text);
            for value in &mut wanted {
                let crd = match value.pointer_mut("/items/0") {
                    Some(_) => &mut value["items"][0],
                    None => value,
                };
                if crd["kind"] == "CustomResourceDefinition"
                    && crd["apiVersion"] == "apiextensions.k8s.io/v1"
                {
                    crd["spec"]["conversion"] = conversion_of("my", "my-system");
                }
            }
            let found = converted(&text);
            assert_eq!(values(&found.text), wanted, "{text}\n=>\n{}", found.text);
            assert!(found.text.contains(kept), "{text}\n=>\n{}", found.text);
            assert!(found.missing.is_empty());
            assert_eq!(converted(&found.text).text, found.text);
        }
    }

    #[test]
    fn a_conversion_needs_its_crd_in_a_valid_file() {
        let beta = CRD.replace(".k8s.io/v1\n", ".k8s.io/v1beta1\n");
        for text in ["kind: ConfigMap\n", &beta] {
            let found = converted(text);
            assert_eq!(found.missing, ["foos.example.com"]);
            assert_eq!(found.text, text);
        }
        let source = Source::new("crd.yaml", "a: [\n");
        assert!(with_conversions(&source, &Model::default(), "my", "my").is_err());
    }
}
