//! The face of the table that can be left unsaid: flags fill one, the config file another, and the first wins.
use crate::options::{Deny, Emitter, Kubernetes, Override, Settings, each_option};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

macro_rules! layer {
    (
        run { $($(#[doc = $run_doc:literal])* $run:ident: $run_ty:ty = $run_default:expr, key $run_key:literal, flag($($run_flag:tt)*),
            builder $_rb:ident($($_ra:tt)*) $_rs:block;)* }
        pipeline { $($(#[doc = $doc:literal])* $field:ident: $ty:ty = $default:expr, key $key:literal, flag($($flag:tt)*),
            builder $_b:ident($($_a:tt)*) $_s:block;)* }
    ) => {
        /// Every option, said or unsaid.
        #[derive(Clone, Debug, Default, PartialEq, clap::Args, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        #[group(skip)]
        pub(super) struct Layer {
            $(
                $(#[doc = $run_doc])*
                #[arg(long = $run_key, $($run_flag)*)]
                #[serde(rename = $run_key)]
                pub(super) $run: Option<$run_ty>,
            )*
            $(
                $(#[doc = $doc])*
                #[arg(long = $key, $($flag)*)]
                #[serde(rename = $key)]
                pub(super) $field: Option<$ty>,
            )*
        }

        impl Layer {
            /// This layer, and where it says nothing the one below.
            pub(super) fn over(self, below: Self) -> Self {
                Self {
                    $($run: self.$run.or(below.$run),)*
                    $($field: self.$field.or(below.$field),)*
                }
            }

            /// Lets relative paths start at a directory.
            pub(super) fn rebase(&mut self, directory: &Path) {
                $(if let Some(value) = &mut self.$run { value.rebase(directory); })*
                $(if let Some(value) = &mut self.$field { value.rebase(directory); })*
            }

            /// The settings, with defaults where nothing is said.
            pub(super) fn settings(self) -> Settings {
                let mut settings = Settings::default();
                $(if let Some(value) = self.$run { settings.$run = value; })*
                $(if let Some(value) = self.$field { settings.options.$field = value; })*
                settings
            }
        }

        #[cfg(test)]
        impl Layer {
            /// Settings with everything said.
            pub(super) fn saying(settings: &Settings) -> Self {
                Self {
                    $($run: Some(settings.$run.clone()),)*
                    $($field: Some(settings.options.$field.clone()),)*
                }
            }

            /// The same as flags.
            pub(super) fn flags(&self) -> Vec<String> {
                let mut flags = Vec::new();
                $(for value in self.$run.iter().flat_map(tests::Words::words) {
                    flags.push(format!("--{}={value}", $run_key));
                })*
                $(for value in self.$field.iter().flat_map(tests::Words::words) {
                    flags.push(format!("--{}={value}", $key));
                })*
                flags
            }
        }
    };
}

each_option!(layer);

/// A value in which paths may be relative.
trait Rebase {
    fn rebase(&mut self, directory: &Path);
}

impl Rebase for PathBuf {
    fn rebase(&mut self, directory: &Path) {
        if self.as_os_str() == "-" || directory.as_os_str().is_empty() {
            return;
        }
        // The directory's own name is no pattern, whatever is in it.
        let is_pattern = self
            .to_str()
            .is_some_and(|text| text.contains(['*', '?', '[']))
            && !directory.join(&self).exists();
        *self = match directory.to_str() {
            Some(text) if is_pattern => Path::new(&glob::Pattern::escape(text)).join(&self),
            _ => directory.join(&self),
        };
    }
}

impl Rebase for Vec<PathBuf> {
    fn rebase(&mut self, directory: &Path) {
        for path in self {
            path.rebase(directory);
        }
    }
}

macro_rules! no_paths {
    ($($ty:ty),*) => { $(impl Rebase for $ty { fn rebase(&mut self, _: &Path) {} })* };
}

no_paths!(bool, Kubernetes, Vec<Emitter>, Vec<Deny>, Vec<Override>);

/// Reads the argument of `--override`.
fn inline_override(text: &str) -> Result<Override, String> {
    #[derive(Deserialize)]
    struct Line {
        entry: Override,
    }
    toml::from_str::<Line>(&format!("entry = {text}"))
        .map(|line| line.entry)
        .map_err(|error| error.message().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Builder;
    use crate::options::Options;
    use clap::Parser;
    use std::collections::BTreeSet;

    /// A value as the arguments of its flag.
    pub(super) trait Words {
        fn words(&self) -> Vec<String>;
    }

    impl Words for PathBuf {
        fn words(&self) -> Vec<String> {
            vec![self.display().to_string()]
        }
    }

    impl Words for Vec<PathBuf> {
        fn words(&self) -> Vec<String> {
            self.iter().flat_map(Words::words).collect()
        }
    }

    impl Words for Vec<Deny> {
        fn words(&self) -> Vec<String> {
            self.iter().map(ToString::to_string).collect()
        }
    }

    impl Words for Kubernetes {
        fn words(&self) -> Vec<String> {
            vec![self.to_string()]
        }
    }

    impl Words for bool {
        fn words(&self) -> Vec<String> {
            vec![self.to_string()]
        }
    }

    impl Words for Vec<Emitter> {
        fn words(&self) -> Vec<String> {
            self.iter().map(ToString::to_string).collect()
        }
    }

    impl Words for Vec<Override> {
        fn words(&self) -> Vec<String> {
            self.iter()
                .map(|entry| toml::Value::try_from(entry).unwrap().to_string())
                .collect()
        }
    }

    #[derive(Debug, clap::Parser)]
    struct Flags {
        #[command(flatten)]
        layer: Layer,
    }

    fn everything() -> Settings {
        let overrides = vec![
            Override::at("Kind.spec.a[].b").type_name("B").skip(false),
            Override {
                path: "example.com/v1/Kind.spec.\"quoted\"\n".into(),
                type_name: Some("A".into()),
                field_name: Some("b".into()),
                rust_type: Some("crate::C<'static>".into()),
                skip: true,
                boxed: Some(false),
                derives: BTreeSet::from(["Eq".into(), "Hash".into()]),
            },
        ];
        Settings {
            file: vec!["a b.yaml".into(), "crds/*.json".into(), "-".into()],
            output: "src/gen".into(),
            deny: vec![Deny::Warnings, Deny::Code(crate::diag::Code::RawJson)],
            options: Options {
                emit: vec![Emitter::Types, Emitter::Client],
                no_reuse: true,
                kubernetes: Kubernetes::V1_35,
                no_dedup: true,
                feature_gates: true,
                overrides,
            },
        }
    }

    #[test]
    fn flags_say_what_the_settings_say() {
        for settings in [everything(), Settings::default()] {
            let mut flags = vec!["test".to_owned()];
            flags.extend(Layer::saying(&settings).flags());
            assert_eq!(
                Flags::try_parse_from(flags).unwrap().layer.settings(),
                settings
            );
        }
    }

    #[test]
    fn toml_says_what_the_settings_say() {
        for settings in [everything(), Settings::default()] {
            let text = toml::to_string(&Layer::saying(&settings)).unwrap();
            let layer: Layer = toml::from_str(&text).unwrap();
            assert_eq!(layer.settings(), settings);
        }
    }

    #[test]
    fn the_builder_says_what_the_settings_say() {
        let settings = everything();
        let mut builder = Builder::new()
            .out_dir(&settings.output)
            .deny(Deny::Warnings)
            .deny(Deny::Code(crate::diag::Code::RawJson))
            .no_reuse(true)
            .kubernetes(Kubernetes::V1_35)
            .no_dedup(true)
            .emit([Emitter::Types])
            .emit(vec![Emitter::Client])
            .feature_gates(true);
        for file in &settings.file {
            builder = builder.file(file);
        }
        for entry in &settings.options.overrides {
            builder = builder.override_(entry.clone());
        }
        assert_eq!(*builder.settings(), settings);
    }

    #[test]
    fn every_key_is_a_flag_and_a_key_of_the_file() {
        use clap::CommandFactory;
        let said = toml::Table::try_from(Layer::saying(&everything())).unwrap();
        let mut keys: Vec<_> = said.keys().map(String::as_str).collect();
        let command = Flags::command();
        let mut flags: Vec<_> = command
            .get_arguments()
            .filter_map(clap::Arg::get_long)
            .collect();
        let mut expected = Settings::KEYS.to_vec();
        keys.sort_unstable();
        flags.sort_unstable();
        expected.sort_unstable();
        assert_eq!(keys, expected);
        assert_eq!(flags, expected);
    }

    #[test]
    fn the_upper_layer_wins() {
        let flags = Flags::try_parse_from(["test", "-f", "x", "--deny=KC0401"]).unwrap();
        let settings = flags.layer.over(Layer::saying(&everything())).settings();
        assert_eq!(settings.file, [PathBuf::from("x")]);
        assert_eq!(settings.deny, [Deny::Code(crate::diag::Code::RawJson)]);
        assert_eq!(settings.output, everything().output);
    }

    #[test]
    fn paths_of_the_file_start_beside_it() {
        let mut layer: Layer =
            toml::from_str("file = ['a.yaml', 'crds/*', '-', '/abs']\noutput = 'src'").unwrap();
        layer.rebase(Path::new("dir[1]"));
        let settings = layer.settings();
        assert_eq!(
            settings.file,
            ["dir[1]/a.yaml", "dir[[]1[]]/crds/*", "-", "/abs"].map(PathBuf::from)
        );
        assert_eq!(settings.output, PathBuf::from("dir[1]/src"));
    }
}
