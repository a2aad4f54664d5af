//! Files and folders directly below a `src/` use each other in one direction: there is no circle, except those listed.
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use proc_macro2::{TokenStream, TokenTree};

/// Circles that are left, by the directory and the number of files and folders in each. None may be added.
const KNOWN: &[(&str, usize)] = &[
    ("crates/runtime/src", 2),
    ("crates/testing/src", 14),
];

type Arrows = BTreeMap<String, BTreeSet<String>>;

/// Returns the files below a directory with the path of the module of each, without tests.
fn modules(directory: &Path, module: &[String]) -> Vec<(Vec<String>, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let inner = [module, std::slice::from_ref(&name)].concat();
        if name == "tests" {
        } else if path.is_dir() {
            found.extend(modules(&path, &inner));
        } else if path.extension().is_some_and(|it| it == "rs") {
            let module = if name == "mod" {
                module.to_vec()
            } else {
                inner
            };
            found.push((module, fs::read_to_string(&path).unwrap()));
        }
    }
    found
}

/// Adds the first names of the paths that start at the root of the crate, in a file of the module at a depth.
fn names(tokens: TokenStream, depth: usize, found: &mut BTreeSet<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is = |at: usize, word: &str| tokens.get(at).is_some_and(|it| it.to_string() == word);
    let is_separator = |at: usize| is(at, ":") && is(at + 1, ":");
    for (at, token) in tokens.iter().enumerate() {
        if let TokenTree::Group(group) = token {
            names(group.stream(), depth, found);
        }
        let (mut next, mut up) = (at, 0);
        while is(next, "super") && is_separator(next + 1) {
            (next, up) = (next + 3, up + 1);
        }
        if is(at, "crate") && is_separator(at + 1) {
            (next, up) = (at + 3, depth);
        }
        let is_inside = at >= 2 && is_separator(at - 2);
        if up != depth || up == 0 || is_inside {
            continue;
        }
        match tokens.get(next) {
            Some(TokenTree::Ident(name)) => drop(found.insert(name.to_string())),
            Some(TokenTree::Group(group)) => {
                let mut is_first = true;
                for token in group.stream() {
                    if let (true, TokenTree::Ident(name)) = (is_first, &token) {
                        found.insert(name.to_string());
                    }
                    is_first = token.to_string() == ",";
                }
            }
            _ => {}
        }
    }
}

/// Returns which files and folders of a `src/` use which others.
fn arrows(src: &Path) -> Arrows {
    let mut arrows = Arrows::new();
    for (module, text) in modules(src, &[]) {
        let Some(part) = module
            .first()
            .filter(|it| !["lib", "main"].contains(&&***it))
        else {
            continue;
        };
        let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        let used = arrows.entry(part.clone()).or_default();
        names(code.parse().unwrap(), module.len(), used);
    }
    arrows
}

/// Returns what a file or folder uses, directly or by way of others.
fn reached(arrows: &Arrows, from: &str) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut pending = vec![from];
    while let Some(part) = pending.pop() {
        for next in arrows.get(part).into_iter().flatten() {
            if arrows.contains_key(next) && reached.insert(next.clone()) {
                pending.push(next);
            }
        }
    }
    reached
}

#[test]
fn arrows_point_one_way() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = vec!["src".to_owned()];
    for entry in fs::read_dir(root.join("crates")).unwrap() {
        let name = entry.unwrap().file_name();
        sources.push(format!("crates/{}/src", name.display()));
    }
    sources.sort();
    let mut circles = BTreeSet::new();
    for src in &sources {
        let arrows = arrows(&root.join(src));
        assert!(!arrows.is_empty(), "{src} has no files");
        let reached: BTreeMap<_, _> = arrows.keys().map(|it| (it, reached(&arrows, it))).collect();
        for (part, others) in &reached {
            let circle: Vec<String> = others
                .iter()
                .filter(|other| reached[other].contains(*part))
                .cloned()
                .collect();
            // A part that names itself is none.
            if circle.len() > 1 {
                circles.insert((src.as_str(), circle));
            }
        }
    }
    let mut found: Vec<(&str, usize)> =
        circles.iter().map(|(src, all)| (*src, all.len())).collect();
    found.sort_unstable();
    assert_eq!(found, KNOWN, "{circles:#?}");
}

#[test]
fn paths_from_the_root_are_found() {
    let code = "use crate::{a::{b, x}, c, self::d}; use super::e::f; fn g() { super::super::h::i(); std::crate_::k(); crate::l() }";
    let mut found = BTreeSet::new();
    names(code.parse().unwrap(), 2, &mut found);
    assert_eq!(Vec::from_iter(found), ["a", "c", "h", "l", "self"]);
}
