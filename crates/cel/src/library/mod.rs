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
    cost::{Argument, Bounds, LIST, MAP, READ, Values},
};

struct Library {
    functions: &'static [Function],
    /// Declares what has no row: macros, and functions of `cel` with all their overloads.
    declare: Option<Declare>,
}

const fn rows(functions: &'static [Function]) -> Library {
    Library {
        functions,
        declare: None,
    }
}

const LIBRARIES: &[Library] = &[
    rows(operators::FUNCTIONS),
    rows(standard::FUNCTIONS),
    Library {
        functions: strings::FUNCTIONS,
        declare: Some(extensions::strings),
    },
    Library {
        functions: lists::FUNCTIONS,
        declare: Some(extensions::lists),
    },
    Library {
        functions: &[],
        declare: Some(comprehensions::add),
    },
    rows(optional::FUNCTIONS),
    rows(sets::FUNCTIONS),
    rows(regex::FUNCTIONS),
    rows(url::FUNCTIONS),
    rows(ip::FUNCTIONS),
    rows(cidr::FUNCTIONS),
    rows(quantity::FUNCTIONS),
    rows(semver::FUNCTIONS),
    rows(format::FUNCTIONS),
];

/// The functions and macros of expressions, as `cel` knows them.
pub(crate) static ENV: LazyLock<Arc<Env>> = LazyLock::new(|| Arc::new(env()));

#[expect(clippy::expect_used, reason = "a test declares all libraries")]
fn env() -> Env {
    let mut env = Env::stdlib();
    env.set_error_on_duplicate_map_keys(false);
    for library in LIBRARIES {
        let rows = library.functions.iter().filter_map(|row| row.declare);
        for declare in library.declare.into_iter().chain(rows) {
            declare(&mut env).expect("each overload is declared once");
        }
    }
    env
}

static TABLE: LazyLock<HashMap<&'static str, Entry>> = LazyLock::new(|| {
    let mut table: HashMap<_, Entry> = HashMap::new();
    for row in LIBRARIES.iter().flat_map(|library| library.functions) {
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
