//! Generates from `fixtures/*.yaml` what the build script compiles and the test `output::golden` compares.
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use kube_codegen::{
    options::{Conversion, Emitter, Kubernetes, Options, Override},
    pipeline,
    source::Source,
};

/// Returns the name and path of every fixture below the root of the repository.
pub(crate) fn all(root: &Path) -> BTreeMap<String, PathBuf> {
    let fixtures: BTreeMap<String, PathBuf> = fs::read_dir(root.join("fixtures"))
        .expect("fixtures")
        .map(|entry| entry.expect("entry").path())
        .filter(|path| path.extension().is_some_and(|it| it == "yaml"))
        .map(|path| {
            (
                path.file_stem().expect("name").to_string_lossy().into(),
                path,
            )
        })
        .collect();
    assert!(fixtures.contains_key("crdkind"));
    fixtures
}

/// Reads a fixture.
pub(crate) fn source(path: &Path) -> Source {
    Source::new(
        path.display().to_string(),
        fs::read_to_string(path).expect("fixture"),
    )
}

/// Returns the output for a fixture, by path.
pub(crate) fn generate(path: &Path) -> BTreeMap<String, String> {
    let output = pipeline::run(&[source(path)], &options(path));
    assert!(
        !output.diagnostics.has_errors(),
        "{:#?}",
        output.diagnostics
    );
    assert!(!output.files.is_empty());
    output
        .files
        .into_iter()
        .map(|file| (file.path, file.text.to_string()))
        .collect()
}

/// Reads the options file beside a fixture.
pub(crate) fn options(fixture: &Path) -> Options {
    #[derive(Default, serde::Deserialize)]
    #[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
    struct OptionsFile {
        kubernetes: Kubernetes,
        emit: Vec<Emitter>,
        builders: bool,
        crd_descriptions: Option<bool>,
        #[serde(rename = "override")]
        overrides: Vec<Override>,
        #[serde(rename = "conversion")]
        conversions: Vec<Conversion>,
    }
    let file: OptionsFile = match fs::read_to_string(fixture.with_extension("toml")) {
        Ok(text) => toml::from_str(&text).expect("options"),
        Err(_) => OptionsFile::default(),
    };
    let mut options = Options::default();
    options.kubernetes = file.kubernetes;
    options.emit = file.emit;
    options.builders = file.builders;
    if let Some(kept) = file.crd_descriptions {
        options.crd_descriptions = kept;
    }
    options.overrides = file.overrides;
    options.conversions = file.conversions;
    options
}
