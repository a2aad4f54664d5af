//! Leaves out the code of tests, whose names are not those in the cluster.

use std::collections::BTreeSet;

use syn::{Attribute, Item, ext::IdentExt};

/// Removes what only tests have, and collects the modules of tests that are files.
pub(super) fn without_tests(
    all: &mut Vec<Item>,
    module: &[String],
    files: &mut BTreeSet<Vec<String>>,
) {
    all.retain_mut(|item| {
        let attributes = match item {
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            Item::Mod(item) => &item.attrs,
            Item::Const(item) => &item.attrs,
            Item::Static(item) => &item.attrs,
            _ => return true,
        };
        let is_test = attributes.iter().any(is_test);
        if let Item::Mod(item) = item {
            let module = [module, &[item.ident.unraw().to_string()]].concat();
            match &mut item.content {
                Some((_, inner)) if !is_test => without_tests(inner, &module, files),
                None if is_test => drop(files.insert(module)),
                _ => {}
            }
        }
        !is_test
    });
}

/// Returns whether an attribute is `#[test]`, `#[tokio::test]` or `#[cfg(test)]`.
fn is_test(attribute: &Attribute) -> bool {
    if attribute.path().is_ident("cfg") {
        let list = attribute.meta.require_list();
        return list.is_ok_and(|it| it.tokens.to_string() == "test");
    }
    let last = attribute.path().segments.last();
    last.is_some_and(|it| it.ident == "test")
}
