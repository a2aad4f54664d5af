//! The functions and macros of expressions: those of the API server 1.37, one file for each library.
//!
//! A row of a library says all about a function: its types, its result and its costs. Functions without a result are those of `cel`.

// `cel` gives the signatures of functions.
#![allow(clippy::needless_pass_by_value, clippy::trivially_copy_pass_by_ref)]

mod cidr;
mod comprehensions;
mod cost;
mod format;
mod function;
mod ip;
mod lists;
mod operators;
mod optional;
mod patches;
mod printf;
mod quantity;
mod regex;
mod semver;
mod sets;
mod signature;
mod standard;
mod strings;
mod url;

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock},
};

use cel::{
    Env,
    common::ast::{CallExpr, Expr},
    extensions,
};

use self::function::{Declare, Entry, Function};
pub(crate) use self::{
    comprehensions::{INSERT, insert},
    cost::{Argument, Bounds, LIST, MAP, READ, STRUCT, Values},
};

struct Library {
    name: &'static str,
    /// The version of Kubernetes whose API server has it first.
    since: &'static str,
    functions: &'static [Function],
    /// Declares what has no row: macros, and functions of `cel` with all their overloads.
    declare: Option<Declare>,
}

const fn library(
    name: &'static str,
    since: &'static str,
    functions: &'static [Function],
) -> Library {
    Library {
        name,
        since,
        functions,
        declare: None,
    }
}

impl Library {
    const fn with(self, declare: Declare) -> Self {
        Self {
            declare: Some(declare),
            ..self
        }
    }
}

const LIBRARIES: &[Library] = &[
    library("operators", "1.23", operators::FUNCTIONS),
    library("standard", "1.23", standard::FUNCTIONS),
    library("strings, version 2", "1.29", strings::FUNCTIONS).with(extensions::strings),
    library("lists", "1.23", lists::KUBERNETES),
    library("lists, version 1", "1.37", lists::INCLUDES),
    library("lists of cel-go, version 3", "1.34", lists::FUNCTIONS).with(extensions::lists),
    library("comprehensions with two variables", "1.32", &[]).with(comprehensions::add),
    library("optional values", "1.28", optional::FUNCTIONS),
    library("sets", "1.29", sets::FUNCTIONS),
    library("regular expressions", "1.23", regex::FUNCTIONS),
    library("URLs", "1.23", url::FUNCTIONS),
    library("IP addresses", "1.30", ip::FUNCTIONS),
    library("CIDR", "1.30", cidr::FUNCTIONS),
    library("quantities", "1.28", quantity::FUNCTIONS),
    library("semantic versions", "1.33", semver::FUNCTIONS),
    library("named formats", "1.31", format::FUNCTIONS),
];

/// The functions that only the expressions of mutations have.
const PATCHES: Library = library("JSON patches", "1.32", patches::FUNCTIONS);

/// Returns whether only the expressions of mutations have a function.
pub(crate) fn is_of_patches(name: &str) -> bool {
    PATCHES.functions.iter().any(|it| it.name == name)
}

/// A function of a library, for documentation and tests.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Declaration {
    pub library: &'static str,
    /// The version of Kubernetes whose API server has the library first.
    pub since: &'static str,
    pub name: &'static str,
    /// Types of the arguments, separated by commas, and of the result; overloads are separated by ` | `. Those of a member function start with
    /// a point, and the target comes first.
    pub overloads: &'static str,
}

/// Returns all functions and operators, by their libraries, without those of mutations.
///
/// ```
/// let mut functions = kube_codegen_cel::functions();
/// let url = functions.find(|it| it.name == "url").unwrap();
/// assert_eq!(url.overloads, "string kubernetes.URL");
/// ```
pub fn functions() -> impl Iterator<Item = Declaration> {
    LIBRARIES.iter().flat_map(|library| {
        library.functions.iter().map(|function| Declaration {
            library: library.name,
            since: library.since,
            name: function.name,
            overloads: function.overloads,
        })
    })
}

/// The functions and macros of expressions, as `cel` knows them.
pub(crate) static ENV: LazyLock<Arc<Env>> = LazyLock::new(|| Arc::new(env()));

#[expect(clippy::expect_used, reason = "a test declares all libraries")]
fn env() -> Env {
    let mut env = Env::stdlib();
    env.set_error_on_duplicate_map_keys(false);
    for library in LIBRARIES.iter().chain([&PATCHES]) {
        let rows = library.functions.iter().filter_map(|row| row.declare);
        for declare in library.declare.into_iter().chain(rows) {
            declare(&mut env).expect("each overload is declared once");
        }
    }
    env
}

static TABLE: LazyLock<HashMap<&'static str, Entry>> = LazyLock::new(|| {
    let mut table: HashMap<_, Entry> = HashMap::new();
    let libraries = LIBRARIES.iter().chain([&PATCHES]);
    for row in libraries.flat_map(|library| library.functions) {
        match table.get_mut(row.name) {
            Some(known) => known.add(row),
            None => drop(table.insert(row.name, Entry::new(*row))),
        }
    }
    table
});

/// Returns a function or an operator by its name.
pub(crate) fn find(name: &str) -> Option<&'static Entry> {
    TABLE.get(name)
}

/// Returns the name of a function such as `sets.contains`, whose first part looks like a target.
pub(crate) fn namespaced(call: &CallExpr) -> Option<String> {
    let Expr::Ident(space) = &call.target.as_ref()?.expr else {
        return None;
    };
    let name = format!("{space}.{}", call.func_name);
    (find(&name).is_some() || space == "format").then_some(name)
}
