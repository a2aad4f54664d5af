//! Options of a run: one table for flags, config keys and builder methods.
mod allow;
mod conversion;
mod deny;
mod emitter;
mod kubernetes;
mod overrides;
mod table;

pub use allow::Allow;
pub use conversion::Conversion;
pub use deny::Deny;
pub use emitter::Emitter;
pub use kubernetes::Kubernetes;
pub use overrides::Override;
pub(crate) use table::each_option;

use std::fmt;
use std::path::PathBuf;

/// Why a text is not a value of an option; `Display` says which values there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidValue(pub(crate) String);

impl fmt::Display for InvalidValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidValue {}

macro_rules! structs {
    (
        run { $($(#[doc = $run_doc:literal])* $run:ident: $run_ty:ty = $run_default:expr, key $run_key:literal, flag($($_rf:tt)*),
            builder $_rb:ident($($_ra:tt)*) $_rs:block;)* }
        pipeline { $($(#[doc = $doc:literal])* $field:ident: $ty:ty = $default:expr, key $key:literal, flag($($_f:tt)*),
            builder $_b:ident($($_a:tt)*) $_s:block;)* }
    ) => {
        /// Options of the pipeline.
        ///
        /// Start with [`Options::default`] and set fields: later versions have more of them.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Options {
            $($(#[doc = $doc])* pub $field: $ty,)*
        }

        impl Default for Options {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        /// Options of a run: inputs, output, and the [`Options`] of the pipeline.
        ///
        /// Start with [`Settings::default`] and set fields: later versions have more of them.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Settings {
            $($(#[doc = $run_doc])* pub $run: $run_ty,)*
            /// Options of the pipeline.
            pub options: Options,
        }

        impl Default for Settings {
            fn default() -> Self {
                Self { $($run: $run_default,)* options: Options::default() }
            }
        }

        impl Settings {
            /// The keys of the config file, which are also the names of flags.
            pub const KEYS: &'static [&'static str] = &[$($run_key,)* $($key,)*];
        }
    };
}

each_option!(structs);

impl Settings {
    /// Returns the inputs, each parsed as a file, directory, pattern or standard input.
    pub fn inputs(&self) -> Vec<crate::base::source::Input> {
        use crate::base::source::Input;
        self.file
            .iter()
            .map(|path| match path.to_str() {
                Some(text) => Input::parse(text),
                None if path.is_dir() => Input::Directory(path.clone()),
                None => Input::File(path.clone()),
            })
            .collect()
    }
}
