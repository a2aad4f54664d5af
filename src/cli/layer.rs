//! Merges the options of the flags with those of the config file.
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{
    CommandError,
    values::{Values, given},
};
use crate::base::options::{
    Allow, Conversion, Deny, Emitter, Kubernetes, Override, Settings, each_option,
};
use crate::{
    api::{compat, lint},
    base::{diag::Code, source::Input},
};

/// A table of the config file with levels by the name of their rule: `[diff]` or `[lint]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    deny_unknown_fields,
    bound(deserialize = "Rule: Deserialize<'de> + Ord, Level: Deserialize<'de>")
)]
pub(super) struct LevelTable<Rule, Level> {
    #[serde(default)]
    pub(super) levels: BTreeMap<Rule, Level>,
}

macro_rules! layer {
    (
        run { $($(#[doc = $run_doc:literal])* $run:ident: $run_ty:ty = $run_default:expr, key $run_key:literal, flag($($run_flag:tt)*),
            builder $_rb:ident($($_ra:tt)*) $_rs:block;)* }
        pipeline { $($(#[doc = $doc:literal])* $field:ident: $ty:ty = $default:expr, key $key:literal, flag($($flag:tt)*),
            builder $_b:ident($($_a:tt)*) $_s:block;)* }
    ) => {
        /// All options, each of them optional.
        #[derive(Clone, Debug, Default, PartialEq, clap::Args, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        #[group(skip)]
        pub(super) struct Layer {
            $(
                $(#[doc = $run_doc])*
                #[arg(long = $run_key, $($run_flag)*)]
                #[serde(rename = $run_key, default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
                pub(super) $run: Option<$run_ty>,
            )*
            $(
                $(#[doc = $doc])*
                #[arg(long = $key, $($flag)*)]
                #[serde(rename = $key, default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
                pub(super) $field: Option<$ty>,
            )*
            /// What only `diff` reads.
            #[arg(skip)]
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub(super) diff: Option<LevelTable<compat::Rule, compat::Level>>,
            /// What only `lint` reads.
            #[arg(skip)]
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub(super) lint: Option<LevelTable<lint::Rule, lint::Level>>,
        }

        impl Layer {
            /// Returns these options, and those of `below` where they are unset.
            pub(super) fn over(self, below: Self) -> Self {
                Self {
                    $($run: self.$run.or(below.$run),)*
                    $($field: self.$field.or(below.$field),)*
                    diff: self.diff.or(below.diff),
                    lint: self.lint.or(below.lint),
                }
            }

            pub(super) fn or_default(self) -> Settings {
                let mut settings = Settings::default();
                $(if let Some(value) = self.$run { settings.$run = value; })*
                $(if let Some(value) = self.$field { settings.options.$field = value; })*
                settings
            }
        }
    };
}

each_option!(layer);

impl Layer {
    /// Returns the settings, with defaults for options that are not set.
    ///
    /// # Errors
    /// If there is no input.
    pub(super) fn settings(self) -> Result<Settings, CommandError> {
        let settings = self.or_default();
        if settings.file.is_empty() {
            let message = "no input; use --file or set the key `file` of the config file";
            return Err(message.to_owned().into());
        }
        Ok(settings)
    }

    /// Makes relative paths relative to `directory`.
    pub(super) fn rebase(&mut self, directory: &Path) {
        let files = self.file.iter_mut().flatten();
        for path in files.chain(&mut self.output) {
            rebase(path, directory);
        }
    }
}

fn rebase(path: &mut PathBuf, directory: &Path) {
    let is_path = |text| {
        matches!(
            Input::parse(text),
            Input::File(_) | Input::Directory(_) | Input::Glob(_)
        )
    };
    let text = path.to_str().unwrap_or_default();
    if !is_path(text) || directory.as_os_str().is_empty() {
        return;
    }
    let is_pattern = text.contains(['*', '?', '[']) && !directory.join(&path).exists();
    // The directory itself is not a pattern, even if its name looks like one.
    *path = match directory.to_str() {
        Some(text) if is_pattern => Path::new(&glob::Pattern::escape(text)).join(&path),
        _ => directory.join(&path),
    };
}

fn emitters() -> Values<Emitter> {
    Values::new(Emitter::all().map(Emitter::name))
}

fn emitters_help() -> String {
    let names = Emitter::all().map(|it| format!("`{}`", it.name()));
    let names = names.collect::<Vec<_>>().join(", ");
    format!("Emitters to run: {names} [default: all but `schema`]")
}

fn versions() -> Values<Kubernetes> {
    Values::new(Kubernetes::ALL.map(Kubernetes::as_str))
}

pub(super) fn denied() -> Values<Deny> {
    let codes = Code::ALL.iter().map(|code| code.as_str());
    Values::new(["warnings"].into_iter().chain(codes))
}

/// Parses the argument of `--override` or `--conversion`, an inline table of TOML.
fn inline_table<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    #[derive(Deserialize)]
    struct Line<T> {
        entry: T,
    }
    toml::from_str::<Line<T>>(&format!("entry = {text}"))
        .map(|line| line.entry)
        .map_err(|error| error.message().to_owned())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::{CommandFactory, Parser};

    use super::*;
    use crate::{Builder, base::options::Options};

    #[derive(Debug, clap::Parser)]
    struct Flags {
        #[command(flatten)]
        layer: Layer,
    }

    /// Settings without a default value.
    fn everything() -> Settings {
        let overrides = vec![
            Override::at("Kind.spec.a[].b").type_name("B"),
            Override {
                path: "example.com/v1/Kind.spec.\"quoted\"\n".into(),
                type_name: Some("A".into()),
                field_name: Some("b".into()),
                rust_type: Some("crate::C<'static>".into()),
                skip: true,
                boxed: Some(false),
                no_choice: true,
                derives: BTreeSet::from(["Eq".into(), "Hash".into()]),
            },
        ];
        Settings {
            file: vec!["a b.yaml".into(), "crds/*.json".into(), "-".into()],
            exclude: vec!["tests".into(), "crds/*_old.yaml".into()],
            output: "src/gen".into(),
            deny: vec![Deny::Warnings, Deny::Code(Code::RawJson)],
            allow: vec![
                "KC0402".parse().unwrap(),
                "warnings=crds/foreign".parse().unwrap(),
            ],
            options: Options {
                emit: vec![Emitter::Types, Emitter::Client],
                reuse: false,
                kubernetes: Kubernetes::V1_35,
                dedup: false,
                builders: true,
                crd_descriptions: false,
                feature_gates: true,
                keep_going: true,
                overrides,
                conversions: vec![
                    Conversion::of("Kind")
                        .rename("spec.a", "spec.b")
                        .scale(2.into()),
                    Conversion::of("example.com/Kind")
                        .from("v1")
                        .to("v2")
                        .path("spec.mode")
                        .values([("Old".into(), "New".into())]),
                ],
            },
        }
    }

    /// The same as a config file.
    const TOML: &str = r#"
        file = ["a b.yaml", "crds/*.json", "-"]
        output = "src/gen"
        deny = ["warnings", "KC0401"]
        allow = ["KC0402", "warnings=crds/foreign"]
        emit = ["types", "client"]
        reuse = false
        kubernetes = "1.35"
        dedup = false
        builders = true
        crd-descriptions = false
        feature-gates = true
        keep-going = true
        exclude = ["tests", "crds/*_old.yaml"]
        [[override]]
        path = "Kind.spec.a[].b"
        type-name = "B"
        [[override]]
        path = "example.com/v1/Kind.spec.\"quoted\"\n"
        type-name = "A"
        field-name = "b"
        rust-type = "crate::C<'static>"
        skip = true
        boxed = false
        no-choice = true
        derives = ["Eq", "Hash"]
        [[conversion]]
        kind = "Kind"
        rename = "spec.a -> spec.b"
        scale = 2
        [[conversion]]
        kind = "example.com/Kind"
        from = "v1"
        to = "v2"
        path = "spec.mode"
        values = { Old = "New" }
    "#;

    /// The same as flags.
    const FLAGS: &[&str] = &[
        "test",
        "-fa b.yaml",
        "--file=crds/*.json",
        "-f-",
        "--output=src/gen",
        "--deny=warnings,KC0401",
        "--allow=KC0402,warnings=crds/foreign",
        "--emit=types,client",
        "--reuse=false",
        "--kubernetes=1.35",
        "--dedup=false",
        "--builders",
        "--crd-descriptions=false",
        "--feature-gates",
        "--keep-going",
        "--exclude=tests",
        "--exclude=crds/*_old.yaml",
        "--override={ path = 'Kind.spec.a[].b', type-name = 'B' }",
        "--override={ path = \"example.com/v1/Kind.spec.\\\"quoted\\\"\\n\", type-name = 'A', field-name = 'b', \
         rust-type = \"crate::C<'static>\", skip = true, boxed = false, no-choice = true, derives = ['Eq', 'Hash'] }",
        "--conversion={ kind = 'Kind', rename = 'spec.a -> spec.b', scale = 2 }",
        "--conversion={ kind = 'example.com/Kind', from = 'v1', to = 'v2', path = 'spec.mode', values = { Old = 'New' } }",
    ];

    fn from_flags(flags: &[&str]) -> Layer {
        Flags::try_parse_from(flags).unwrap().layer
    }

    fn from_toml(text: &str) -> Layer {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn flags_config_file_and_builder_give_the_same_settings() {
        let settings = everything();
        assert_eq!(from_flags(FLAGS).or_default(), settings);
        assert_eq!(from_toml(TOML).or_default(), settings);
        let mut builder = Builder::new()
            .out_dir(&settings.output)
            .deny(Deny::Warnings)
            .deny(Deny::Code(Code::RawJson))
            .allow("KC0402".parse().unwrap())
            .allow("warnings=crds/foreign".parse().unwrap())
            .reuse(false)
            .kubernetes(Kubernetes::V1_35)
            .dedup(false)
            .builders(true)
            .crd_descriptions(false)
            .emit([Emitter::Types])
            .emit(vec![Emitter::Client])
            .feature_gates(true)
            .keep_going(true)
            .exclude("tests")
            .exclude("crds/*_old.yaml");
        for file in &settings.file {
            builder = builder.file(file);
        }
        for entry in &settings.options.overrides {
            builder = builder.override_(entry.clone());
        }
        for entry in &settings.options.conversions {
            builder = builder.conversion(entry.clone());
        }
        assert_eq!(*builder.settings(), settings);
    }

    #[test]
    fn every_option_is_a_flag_and_a_config_key() {
        let table: toml::Table = toml::from_str(TOML).unwrap();
        let command = Flags::command();
        let flags: BTreeSet<_> = command
            .get_arguments()
            .filter_map(clap::Arg::get_long)
            .collect();
        let keys: BTreeSet<_> = Settings::KEYS.iter().copied().collect();
        assert_eq!(
            table.keys().map(String::as_str).collect::<BTreeSet<_>>(),
            keys
        );
        assert_eq!(flags, keys);
    }

    #[test]
    fn flags_take_precedence_over_the_config_file() {
        let flags = from_flags(&["test", "-f", "x", "--deny=KC0401"]);
        let settings = flags.over(from_toml(TOML)).or_default();
        assert_eq!(settings.file, [PathBuf::from("x")]);
        assert_eq!(settings.deny, [Deny::Code(Code::RawJson)]);
        assert_eq!(settings.output, everything().output);
    }

    #[test]
    fn a_list_may_be_its_only_item() {
        let one = "file = 'a.yaml'\nexclude = 'b'\nemit = 'types'\ndeny = 'warnings'\noverride = { path = 'K.a', skip = true }";
        let many = "file = ['a.yaml']\nexclude = ['b']\nemit = ['types']\ndeny = ['warnings']\n[[override]]\npath = 'K.a'\nskip = true";
        assert_eq!(from_toml(one), from_toml(many));
        let flags = from_flags(&["test", "--emit=types, client", "--deny", " KC0401 , 402"]);
        assert_eq!(flags.emit, Some(vec![Emitter::Types, Emitter::Client]));
        let codes = [Code::RawJson, Code::LeftoverKeyword].map(Deny::Code);
        assert_eq!(flags.deny, Some(codes.to_vec()));
    }

    #[test]
    fn unset_options_have_their_defaults() {
        assert_eq!(from_flags(&["test"]).or_default(), Settings::default());
        assert_eq!(from_toml("").or_default(), Settings::default());
    }

    #[test]
    fn paths_in_a_config_file_are_relative_to_it() {
        let mut layer = from_toml(
            "file = ['a.yaml', 'crds/*', '-', '/abs', 'git:HEAD:crds', 'cluster:*']\noutput = 'src'",
        );
        layer.rebase(Path::new("dir[1]"));
        let settings = layer.or_default();
        assert_eq!(
            settings.file,
            [
                "dir[1]/a.yaml",
                "dir[[]1[]]/crds/*",
                "-",
                "/abs",
                "git:HEAD:crds",
                "cluster:*"
            ]
            .map(PathBuf::from)
        );
        assert_eq!(settings.output, PathBuf::from("dir[1]/src"));
    }
}
