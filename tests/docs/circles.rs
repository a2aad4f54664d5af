//! The files and folders of each folder use each other in one direction: there is no circle, in any crate at any depth.
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use proc_macro2::{TokenStream, TokenTree};

type Arrows = BTreeMap<String, BTreeSet<String>>;

/// A module of a crate: its path, and what it uses by paths from the root of the crate.
struct Module {
    path: Vec<String>,
    used: Vec<Vec<String>>,
}

/// Returns the modules below a directory, without tests.
fn modules(directory: &Path, module: &[String]) -> Vec<Module> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let inner = [module, std::slice::from_ref(&name)].concat();
        if name == "tests" {
        } else if path.is_dir() {
            found.extend(modules(&path, &inner));
        } else if path.extension().is_some_and(|it| it == "rs") {
            let is_root = matches!(&*name, "mod" | "lib" | "main");
            let path_of = if is_root { module.to_vec() } else { inner };
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
            let mut used = Vec::new();
            paths(code.parse().unwrap(), &path_of, &mut used);
            found.push(Module {
                path: path_of,
                used,
            });
        }
    }
    found
}

/// Adds the paths in the code of a module that start with `crate`, `super`, `self` or, in its `use` lines, with a name.
fn paths(tokens: TokenStream, module: &[String], found: &mut Vec<Vec<String>>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is = |at: usize, word: &str| tokens.get(at).is_some_and(|it| it.to_string() == word);
    for (at, token) in tokens.iter().enumerate() {
        if let TokenTree::Group(group) = token {
            paths(group.stream(), module, found);
        }
        let is_inside = at >= 2 && is(at - 1, ":") && is(at - 2, ":");
        let is_use = at >= 1 && is(at - 1, "use");
        let is_start = ["crate", "super", "self"].iter().any(|it| is(at, it));
        if !is_inside && (is_start && is(at + 1, ":") || is_use) {
            tree(&tokens[at..], module, found);
        }
    }
}

/// Adds the paths of a tree such as `super::{a::b, c}`, which starts in `base`.
fn tree(tokens: &[TokenTree], base: &[String], found: &mut Vec<Vec<String>>) {
    let mut path = base.to_vec();
    for (at, token) in tokens.iter().enumerate().step_by(3) {
        match token {
            TokenTree::Ident(name) => match &*name.to_string() {
                "crate" => path.clear(),
                "super" => drop(path.pop()),
                "self" => {}
                name => path.push(name.to_owned()),
            },
            TokenTree::Group(group) => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                for part in inner.split(|it| it.to_string() == ",") {
                    tree(part, &path, found);
                }
                return;
            }
            _ => {}
        }
        let is_followed = (1..3).all(|next| {
            tokens
                .get(at + next)
                .is_some_and(|it| it.to_string() == ":")
        });
        if !is_followed {
            break;
        }
    }
    found.push(path);
}

/// Replaces each path to what a module only has by `use` from elsewhere, as by `pub use`, by the path from where it has it.
fn follow(modules: &mut [Module]) {
    let uses: BTreeMap<Vec<String>, Vec<Vec<String>>> = modules
        .iter()
        .map(|it| (it.path.clone(), it.used.clone()))
        .collect();
    let origin = |path: &[String]| {
        if uses.contains_key(path) {
            return None;
        }
        let mut lengths = (0..path.len()).rev();
        let length = lengths.find(|length| uses.contains_key(&path[..*length]))?;
        let (module, rest) = path.split_at(length);
        let (name, rest) = rest.split_first()?;
        let same = |it: &&Vec<String>| it.last() == Some(name) && !path.starts_with(it);
        let from = uses[module].iter().find(same)?;
        Some([from, rest].concat())
    };
    for path in modules.iter_mut().flat_map(|it| &mut it.used) {
        // Two modules may have the same from each other, by `*`.
        for _ in 0..8 {
            let Some(from) = origin(path) else { break };
            *path = from;
        }
    }
}

/// Returns which files and folders directly below a module use which others.
fn arrows(modules: &[Module], root: &[String]) -> Arrows {
    let below = |path: &[String]| {
        let rest = path.strip_prefix(root)?;
        rest.first().cloned()
    };
    let parts = modules.iter().filter_map(|it| below(&it.path));
    let mut arrows: Arrows = parts.map(|it| (it, BTreeSet::new())).collect();
    for module in modules {
        if let Some(used) = below(&module.path).and_then(|it| arrows.get_mut(&it)) {
            used.extend(module.used.iter().filter_map(|path| below(path)));
        }
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
        let mut modules = modules(&root.join(src), &[]);
        assert!(!modules.is_empty(), "{src} has no files");
        follow(&mut modules);
        let full = |folder: &[String]| [std::slice::from_ref(src), folder].concat().join("/");
        let folders: BTreeSet<&[String]> = modules
            .iter()
            .flat_map(|it| (0..it.path.len()).map(|length| &it.path[..length]))
            .collect();
        for folder in folders {
            let arrows = arrows(&modules, folder);
            let reached: BTreeMap<_, _> =
                arrows.keys().map(|it| (it, reached(&arrows, it))).collect();
            for (part, others) in &reached {
                let circle: Vec<String> = others
                    .iter()
                    .filter(|other| reached[other].contains(*part))
                    .cloned()
                    .collect();
                // A part that names itself is none.
                if circle.len() > 1 {
                    circles.insert((full(folder), circle));
                }
            }
        }
    }
    assert!(circles.is_empty(), "{circles:#?}");
}

#[test]
fn paths_from_the_root_are_found() {
    let code = "use crate::{a::{b, x}, c, self}; pub use d::e; use super::f; fn g() { super::super::h::i(); std::crate_::k(); crate::l() }";
    let mut found = Vec::new();
    let module = ["m".to_owned(), "n".to_owned()];
    paths(code.parse().unwrap(), &module, &mut found);
    let found: Vec<String> = found.iter().map(|it| it.join("::")).collect();
    let expected = ["a::b", "a::x", "c", "", "m::n::d::e", "m::f", "h::i", "l"];
    assert_eq!(found, expected);
}

#[test]
fn what_a_module_has_from_another_counts_as_that_one() {
    let module = |path: &str, used: &[&str]| {
        let parts = |path: &str| path.split("::").map(str::to_owned).collect::<Vec<_>>();
        Module {
            path: parts(path),
            used: used.iter().map(|it| parts(it)).collect(),
        }
    };
    let mut modules = [
        // `pub use b::c::X` in `a`, and `use crate::a::X` in `d`.
        module("a", &["a::b::c::X"]),
        module("a::b", &[]),
        module("a::b::c", &[]),
        module("d", &["a::X", "a::Own::new"]),
    ];
    follow(&mut modules);
    let used: Vec<String> = modules[3].used.iter().map(|it| it.join("::")).collect();
    assert_eq!(used, ["a::b::c::X", "a::Own::new"]);
    let folder = ["a".to_owned()];
    assert_eq!(arrows(&modules, &folder).len(), 1);
    assert_eq!(arrows(&modules, &[])["d"], BTreeSet::from(["a".to_owned()]));
}
