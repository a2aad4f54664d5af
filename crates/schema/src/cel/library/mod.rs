//! The functions and macros of rules: those of the API server 1.37.

// `cel` gives the signatures of functions.
#![allow(clippy::needless_pass_by_value, clippy::trivially_copy_pass_by_ref)]

mod comprehensions;
mod format;
mod lists;
mod net;
mod overrides;
mod printf;
mod quantity;
mod regex;
mod semver;
mod sets;
mod url;

use cel::{DeclarationError, Env, extensions};

pub(in crate::cel) use self::{
    comprehensions::{INSERT, insert},
    net::octets,
    overrides::call as overridden,
};

/// The functions whose first name is not a variable; `format` has more.
pub(super) const NAMESPACED: &[&str] = &[
    "ip.isCanonical",
    "lists.range",
    "optional.none",
    "optional.of",
    "optional.ofNonZeroValue",
    "sets.contains",
    "sets.equivalent",
    "sets.intersects",
    "strings.quote",
];

/// Implements a CEL type without operators but equality.
macro_rules! opaque {
    ($type:ident, $name:literal) => {
        impl ::cel::common::value::Val for $type {
            fn get_type(&self) -> &::cel::common::types::Type {
                <Self as ::cel::common::value::Val>::cel_type()
            }

            fn cel_type() -> &'static ::cel::common::types::Type {
                static TYPE: ::cel::common::types::Type =
                    ::cel::common::types::Type::new_unspecified_type($name);
                &TYPE
            }

            fn equals(&self, other: &dyn ::cel::common::value::Val) -> bool {
                other
                    .downcast_ref::<Self>()
                    .is_some_and(|other| self == other)
            }

            fn clone_as_boxed<'v>(&self) -> Box<dyn ::cel::common::value::Val + 'v> {
                Box::new(self.clone())
            }

            fn as_any(&self) -> Option<&dyn ::std::any::Any> {
                Some(self)
            }
        }

        impl ::cel::common::value::StaticVal for $type {}
    };
}
pub(super) use opaque;

type Library = fn(&mut Env) -> Result<(), DeclarationError>;

const LIBRARIES: &[Library] = &[
    extensions::strings,
    extensions::lists,
    lists::add,
    comprehensions::add,
    quantity::add,
    net::add,
    url::add,
    regex::add,
    format::add,
    semver::add,
    sets::add,
];

/// Returns the environment of rules.
#[expect(clippy::expect_used, reason = "a test declares all libraries")]
pub(super) fn env() -> Env {
    let mut env = Env::stdlib();
    env.set_error_on_duplicate_map_keys(false);
    for library in LIBRARIES {
        library(&mut env).expect("each name is declared once");
    }
    env
}
