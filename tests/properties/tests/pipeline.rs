//! Runs the pipeline on random schemas: it generates sound code or reports errors.
use kube_codegen::diag::Code;
use kube_codegen::options::{Emitter, Options};
use kube_codegen::pipeline::{self, Output};
use kube_codegen::private::ir::{Body, Field, Ident, Model, Variant};
use kube_codegen::source::Source;
use kube_codegen_properties::{schema, versions};
use proptest::prelude::*;
use serde_json::Value;
use std::collections::BTreeSet;

fn run(root: &Value) -> Output {
    let source = Source::new("random.json", schema::manifest("Random", root).to_string());
    pipeline::run(&[source], &Options::default())
}

/// Checks that every name is an identifier and unique in its namespace.
fn names(model: &Model) -> Result<(), TestCaseError> {
    let mut types = BTreeSet::new();
    for (_, def) in model.types.iter() {
        prop_assert!(types.insert(def.name()), "{} twice", def.name());
        prop_assert!(
            def.name().as_str().chars().count() <= 60,
            "{} is long",
            def.name()
        );
        let mut members = BTreeSet::new();
        let idents: Vec<&Ident> = match &def.body {
            Body::Struct(body) => {
                let fields = body.fields.iter().map(Field::ident);
                fields.chain(&body.rest).collect()
            }
            Body::Union(body) => {
                let arms = body.arms.iter().map(|arm| &arm.ident);
                arms.chain([&body.other]).collect()
            }
            Body::Alias(_) => Vec::new(),
            Body::Enum(body) => {
                let variants = body.variants.iter().map(Variant::ident);
                variants.chain([&body.other]).collect()
            }
        };
        for ident in idents {
            let is_ident = syn::parse_str::<syn::Ident>(ident.as_str()).is_ok();
            prop_assert!(is_ident, "{ident}");
            prop_assert!(members.insert(ident), "{ident} twice");
        }
        let is_ident = syn::parse_str::<syn::Ident>(def.name().as_str()).is_ok();
        prop_assert!(is_ident, "{}", def.name());
    }
    Ok(())
}

/// Returns the types that the text of a file names in the module of a version.
fn named<'t>(text: &'t str, version: &str) -> Vec<&'t str> {
    let code = text.lines().filter(|line| !line.trim().starts_with("//"));
    let prefix = format!("{version}::");
    let names = code.flat_map(|line| {
        let places = line.match_indices(&prefix).collect::<Vec<_>>();
        places.into_iter().map(|(at, prefix)| {
            let name = &line[at + prefix.len()..];
            let end = name.find(|c: char| !(c.is_alphanumeric() || c == '_'));
            &name[..end.unwrap_or(name.len())]
        })
    });
    names.collect()
}

fn texts(output: &Output) -> Vec<(&str, &str)> {
    let files = output.files.iter();
    files
        .map(|file| (file.path.as_str(), &*file.text))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    /// The pipeline parses its own output and reports what does not parse.
    #[test]
    fn valid_schemas_are_generated(root in schema::root(2)) {
        let output = run(&root);
        prop_assert!(!output.diagnostics.has_errors(), "{:#?}", output.diagnostics);
        prop_assert!(!output.files.is_empty());
        names(&output.model)?;
        let again = run(&root);
        prop_assert_eq!(texts(&output), texts(&again));
    }

    #[test]
    fn any_schema_is_generated_or_rejected(root in schema::wild(2)) {
        let output = run(&root);
        if output.diagnostics.has_errors() {
            prop_assert!(output.files.is_empty());
            let own = output.diagnostics.iter().find(|it| matches!(it.code, Code::Unsound | Code::Unrenderable));
            prop_assert!(own.is_none(), "{own:#?}");
        } else {
            prop_assert!(!output.files.is_empty());
            names(&output.model)?;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// What a conversion names exists, whatever moved or is shared with another place.
    #[test]
    fn conversions_name_types_of_their_versions((old, new) in versions::pair(2)) {
        let manifest = schema::manifest_of("Random", &[("v2", &new), ("v1", &old)]);
        let source = Source::new("random.json", manifest.to_string());
        let mut options = Options::default();
        options.emit = vec![Emitter::Conversion];
        let output = pipeline::run(&[source], &options);
        prop_assert!(!output.diagnostics.has_errors(), "{:#?}", output.diagnostics);
        let file = output.files.iter().find(|file| file.path.ends_with("/v2/conversion.rs"));
        prop_assert!(file.is_some());
        for (file, module) in file.iter().flat_map(|file| output.model.modules.iter().map(move |it| (file, it))) {
            let known: BTreeSet<&str> = output.model.locations_of(module)
                .map(|id| output.model.types[id].name().as_str())
                .collect();
            for name in named(&file.text, &module.version) {
                prop_assert!(known.contains(name), "no {}::{name}: {manifest}", module.version);
            }
        }
    }
}
