//! Random schemas, structural and wild, go through the whole pipeline: it ends, says what it thinks, and what it writes is sound.
use kube_codegen::diag::Code;
use kube_codegen::ir::{Body, Model};
use kube_codegen::options::Options;
use kube_codegen::pipeline::{self, Output};
use kube_codegen::source::Source;
use kube_codegen_properties::schema;
use proptest::prelude::*;
use serde_json::Value;
use std::collections::BTreeSet;

fn run(root: &Value) -> Output {
    let source = Source {
        name: "random.json".to_owned(),
        path: None,
        text: schema::manifest("Random", root).to_string(),
    };
    pipeline::run(&[source], &Options::default())
}

/// Every name is an identifier, and no two of one place are the same.
fn names(model: &Model) -> Result<(), TestCaseError> {
    let mut types = BTreeSet::new();
    for (_, def) in model.types.iter() {
        prop_assert!(types.insert(def.name.as_str()), "{} twice", def.name);
        prop_assert!(def.name.chars().count() <= 60, "{} is long", def.name);
        let mut members = BTreeSet::new();
        let idents: Vec<&str> = match &def.body {
            Body::Struct(body) => (body.fields.iter().map(|field| field.ident.as_str()))
                .chain(body.rest.then_some(body.rest_ident.as_str()))
                .collect(),
            Body::Union(body) => body.arms.iter().map(|arm| arm.ident.as_str()).collect(),
            Body::Alias(_) => Vec::new(),
            Body::Enum(body) => (body.variants.iter().map(|variant| variant.ident.as_str()))
                .chain([body.other_ident.as_str()])
                .collect(),
        };
        for ident in idents.into_iter().chain([def.name.as_str()]) {
            prop_assert!(syn::parse_str::<syn::Ident>(ident).is_ok(), "{ident}");
            prop_assert!(ident == def.name || members.insert(ident), "{ident} twice");
        }
    }
    Ok(())
}

fn texts(output: &Output) -> Vec<(&str, &str)> {
    let files = output.files.iter();
    files
        .map(|file| (file.path.as_str(), file.text.as_str()))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    /// The pipeline itself parses all it writes again, and reports what does not parse.
    #[test]
    fn what_the_server_takes_is_generated(root in schema::root(2)) {
        let output = run(&root);
        prop_assert!(!output.diagnostics.has_errors(), "{:#?}", output.diagnostics);
        prop_assert!(!output.files.is_empty());
        names(&output.model)?;
        let again = run(&root);
        prop_assert_eq!(texts(&output), texts(&again));
    }

    #[test]
    fn whatever_comes_is_answered(root in schema::wild(2)) {
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
