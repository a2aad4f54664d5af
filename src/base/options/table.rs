//! The table of options: one row gives the field, its default, the flag, the key of the config file and the builder's method.

/// Hands all rows to a macro, which takes of each what its face needs.
///
/// ```text
/// /// Help of the flag, doc of the field.
/// field: Type = default, key "key", flag(clap attributes), builder method(argument: Type) { how it changes the field }
/// ```
/// Rows under `run` are for whoever reads inputs and writes files; rows under `pipeline` are for the pure pipeline.
macro_rules! each_option {
    ($then:ident) => {
        $then! {
            run {
                /// CustomResourceDefinitions: files, directories, glob patterns, `git:REVISION:PATH`, `cluster` or `cluster:PATTERN`, or `-`
                /// for standard input; can be repeated
                file: Vec<PathBuf> = Vec::new(), key "file",
                flag(short = 'f', value_name = "FILE|DIR|GLOB|-"),
                builder file(path: impl Into<PathBuf>) { file.push(path.into()); };

                /// Files to skip in directories and patterns: a glob pattern of a path or its end, such as `tests` or `crds/*_old.yaml`;
                /// can be repeated
                exclude: Vec<String> = Vec::new(), key "exclude",
                flag(value_name = "GLOB"),
                builder exclude(pattern: impl Into<String>) { exclude.push(pattern.into()); };

                /// Output directory [default: generated]
                output: PathBuf = PathBuf::from("generated"), key "output",
                flag(short = 'o', value_name = "DIR"),
                builder out_dir(directory: impl Into<PathBuf>) { *output = directory.into(); };

                /// Diagnostics to treat as errors: codes, or `warnings` for all warnings
                deny: Vec<Deny> = Vec::new(), key "deny",
                flag(value_delimiter = ',', value_name = "LIST", value_parser = denied(), hide_possible_values = true),
                builder deny(what: Deny) { deny.push(what); };

                /// Warnings and notes to hide: a code, or `warnings` for all warnings. `=GLOB` limits this to files, by a glob pattern of a
                /// path or its end, such as `KC0402=crds/foreign`; can be repeated
                allow: Vec<Allow> = Vec::new(), key "allow",
                flag(value_delimiter = ',', value_name = "CODE[=GLOB]"),
                builder allow(what: Allow) { allow.push(what); };
            }
            pipeline {
                /// Emitters to run [default: all but `schema`]
                emit: Vec<Emitter> = Vec::new(), key "emit",
                flag(value_delimiter = ',', value_name = "LIST", value_parser = emitters(), help = emitters_help(), hide_possible_values = true),
                builder emit(emitters: impl IntoIterator<Item = Emitter>) { emit.extend(emitters); };

                /// Reuse types of k8s-openapi where they are equal [default: true]
                reuse: bool = true, key "reuse",
                flag(num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", hide_possible_values = true),
                builder reuse(on: bool) { *reuse = on; };

                /// Oldest Kubernetes version to support; types of k8s-openapi are reused with the fields they have in it
                /// [default: 1.33]
                kubernetes: Kubernetes = Kubernetes::default(), key "kubernetes",
                flag(value_name = "VERSION", value_parser = versions(), hide_possible_values = true),
                builder kubernetes(oldest: Kubernetes) { *kubernetes = oldest; };

                /// Let equal schemas of a group share a type [default: true]
                dedup: bool = true, key "dedup",
                flag(num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", hide_possible_values = true),
                builder dedup(on: bool) { *dedup = on; };

                /// Add a method `with_FIELD` to each struct for each of its fields, to build values in one expression
                builders: bool = false, key "builders",
                flag(num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", hide_possible_values = true),
                builder builders(on: bool) { *builders = on; };

                /// Keep the descriptions in the CRDs that `crd()` returns; without them, programs are smaller [default: true]
                crd_descriptions: bool = true, key "crd-descriptions",
                flag(num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", hide_possible_values = true),
                builder crd_descriptions(kept: bool) { *crd_descriptions = kept; };

                /// Give each group and version its own cargo feature, such as `example-com-v1`
                feature_gates: bool = false, key "feature-gates",
                flag(num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", hide_possible_values = true),
                builder feature_gates(gated: bool) { *feature_gates = gated; };

                /// If a file has errors, generate from the others, and exit with code 1 all the same. Code that was generated earlier from
                /// a file that has errors now stays
                keep_going: bool = false, key "keep-going",
                flag(num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", hide_possible_values = true),
                builder keep_going(on: bool) { *keep_going = on; };

                /// Override for one schema location, with the keys of the config file:
                /// `{ path = "Kind.spec.field", rust-type = "…" }`; can be repeated
                overrides: Vec<Override> = Vec::new(), key "override",
                flag(value_name = "TABLE", value_parser = inline_table::<Override>),
                builder override_(entry: Override) { overrides.push(entry); };

                /// Conversion of one path between the versions of a kind, with the keys of the config file:
                /// `{ kind = "Kind", rename = "spec.old -> spec.new" }`; can be repeated
                conversions: Vec<Conversion> = Vec::new(), key "conversion",
                flag(value_name = "TABLE", value_parser = inline_table::<Conversion>),
                builder conversion(entry: Conversion) { conversions.push(entry); };
            }
        }
    };
}

pub(crate) use each_option;
