//! What a program can name in the generated code beside the types of schemas: functions, traits and their implementations.
use std::collections::{BTreeMap, BTreeSet};

use quote::ToTokens;
use syn::{ImplItem, Item, TraitItem, UseTree, Visibility};

use super::breaks::CrdPart;
use crate::{
    base::options::Options,
    model::ir::{Ident, Model},
    output::emit::{self, Contents},
};

/// Items by their name, such as `ExampleComV1Client::gates`.
pub(super) type Items = BTreeMap<String, Declared>;

/// An item.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    /// What a program relies on.
    pub(super) text: String,
    pub(super) is_function: bool,
    /// The part of the CRD for which it is there.
    pub(super) part: Option<CrdPart>,
}

/// Returns the items of each module, such as `example_com/v1`: what the emitters declare, before it is printed.
pub(super) fn of(model: &Model, options: &Options) -> BTreeMap<String, Items> {
    let mut modules: BTreeMap<String, Items> = BTreeMap::new();
    let mut shared = Vec::new();
    let definitions = model.types.iter();
    let views = definitions.flat_map(|(_, it)| it.views.iter().chain(&it.shared_views));
    let views: BTreeSet<&Ident> = views.collect();
    for file in emit::emit(model, options) {
        let (Some((module, name)), Contents::Rust(make)) =
            (file.path.rsplit_once('/'), &file.contents)
        else {
            continue;
        };
        if name == "mod.rs" {
            continue;
        }
        let has_types = matches!(name, "types.rs" | "shared.rs");
        let Ok(file) = syn::parse2::<syn::File>(make()) else {
            continue;
        };
        for item in &file.items {
            if let Item::Use(it) = item
                && matches!(it.vis, Visibility::Public(_))
            {
                names(&it.tree, "", &mut |of, name| {
                    shared.push((module.to_owned(), of.to_owned(), name.to_owned()));
                });
            }
        }
        let items = modules.entry(module.to_owned()).or_default();
        for item in file.items {
            if !(has_types && is_of_schema(&item, &views)) {
                add(&item, items);
            }
        }
    }
    // What a version shares with another one has the functions of that.
    for (module, of, name) in shared {
        let sibling = module
            .rsplit_once('/')
            .map(|(group, _)| format!("{group}/{of}"));
        let items = sibling.and_then(|it| modules.get(&it));
        let is_of = |item: &&String| {
            let rest = item.strip_prefix(name.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
        };
        let found = items.into_iter().flatten().filter(|(item, _)| is_of(item));
        let found: Items = found
            .map(|(item, declared)| (item.clone(), declared.clone()))
            .collect();
        modules.entry(module).or_default().extend(found);
    }
    modules
}

/// Returns whether the model has what an item beside types declares: a type of a schema, or a trait that each of them implements. The views of
/// fields, which borrow them, and functions are not in the model.
fn is_of_schema(item: &Item, views: &BTreeSet<&Ident>) -> bool {
    match item {
        Item::Struct(_) | Item::Type(_) => true,
        Item::Enum(it) => !views.iter().any(|view| it.ident == view.as_str()),
        Item::Impl(it) => it.trait_.is_some(),
        _ => false,
    }
}

/// Calls a function with each name of a `use`, and the module that it is in.
fn names(tree: &UseTree, module: &str, found: &mut dyn FnMut(&str, &str)) {
    match tree {
        UseTree::Path(path) => names(&path.tree, &path.ident.to_string(), found),
        UseTree::Name(name) => found(module, &name.ident.to_string()),
        UseTree::Group(group) => group.items.iter().for_each(|it| names(it, module, found)),
        UseTree::Rename(_) | UseTree::Glob(_) => {}
    }
}

fn add(item: &Item, items: &mut Items) {
    let mut declare = |name: String, text: String, is_function: bool| {
        let declared = Declared {
            text: plain(&text),
            is_function,
            part: part(item),
        };
        items.insert(name, declared);
    };
    let is_public = |vis: &Visibility| matches!(vis, Visibility::Public(_));
    match item {
        Item::Struct(it) if is_public(&it.vis) => {
            declare(it.ident.to_string(), format!("struct {}", it.ident), false);
        }
        Item::Enum(it) if is_public(&it.vis) => {
            declare(it.ident.to_string(), format!("enum {}", it.ident), false);
        }
        Item::Type(it) if is_public(&it.vis) => {
            let target = it.ty.to_token_stream();
            declare(
                it.ident.to_string(),
                format!("type {} = {target}", it.ident),
                false,
            );
        }
        Item::Fn(it) if is_public(&it.vis) => {
            let text = it.sig.to_token_stream().to_string();
            declare(it.sig.ident.to_string(), text, true);
        }
        Item::Const(it) if is_public(&it.vis) => {
            let ty = it.ty.to_token_stream();
            declare(
                it.ident.to_string(),
                format!("const {}: {ty}", it.ident),
                false,
            );
        }
        Item::Trait(it) if is_public(&it.vis) => {
            // Whoever implements the trait has all its methods.
            let methods = it.items.iter().filter_map(|item| match item {
                TraitItem::Fn(method) => Some(method.sig.to_token_stream().to_string()),
                _ => None,
            });
            let methods: Vec<String> = methods.collect();
            declare(
                it.ident.to_string(),
                format!("trait {} {{ {} }}", it.ident, methods.join("; ")),
                false,
            );
        }
        Item::Impl(it) => {
            let owner = plain(&it.self_ty.to_token_stream().to_string());
            if let Some((implemented, _)) = &it.trait_ {
                let implemented = plain(&implemented.to_token_stream().to_string());
                declare(
                    format!("{owner}: {implemented}"),
                    format!("impl {implemented} for {owner}"),
                    false,
                );
                return;
            }
            for item in &it.items {
                match item {
                    ImplItem::Fn(method) if is_public(&method.vis) => declare(
                        format!("{owner}::{}", method.sig.ident),
                        method.sig.to_token_stream().to_string(),
                        true,
                    ),
                    ImplItem::Const(it) if is_public(&it.vis) => {
                        let ty = it.ty.to_token_stream();
                        declare(
                            format!("{owner}::{}", it.ident),
                            format!("const {}: {ty}", it.ident),
                            false,
                        );
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

/// Returns the part of the CRD for which a trait is implemented.
fn part(item: &Item) -> Option<CrdPart> {
    let Item::Impl(it) = item else {
        return None;
    };
    let (implemented, _) = it.trait_.as_ref()?;
    match implemented.segments.last()?.ident.to_string().as_str() {
        "HasStatus" | "MarkedStatus" => Some(CrdPart::Status),
        "ScaleSubresource" => Some(CrdPart::Scale),
        "Columns" => Some(CrdPart::Columns),
        _ => None,
    }
}

/// Removes the spaces that tokens are printed with.
fn plain(tokens: &str) -> String {
    let mut text = tokens.to_owned();
    for (spaced, plain) in [
        (" :: ", "::"),
        (" < ", "<"),
        (" > ", "> "),
        (" >", ">"),
        (" , ", ", "),
        (" ,", ","),
        (" : ", ": "),
        ("& ", "&"),
        (" (", "("),
        ("( ", "("),
        (" )", ")"),
        ("< ", "<"),
        (" ;", ";"),
    ] {
        text = text.replace(spaced, plain);
    }
    text
}
