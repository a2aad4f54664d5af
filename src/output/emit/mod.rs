//! Makes the generated files from the frozen model, one emitter per kind of output.
mod choices;
mod client;
mod columns;
mod conversion;
mod informer;
mod lister;
mod modules;
mod parts;
mod resource;
mod schema;
mod types;

#[cfg(feature = "cli")]
pub(crate) use parts::{
    code::int as int_type,
    docs::{description, line, sentences, span},
};

use std::sync::Arc;

use proc_macro2::TokenStream;

use crate::{
    base::options::{Emitter, Options},
    model::ir::{Model, Module},
};

/// A file to be written, relative to the output directory.
pub(crate) struct OutFile<'m> {
    /// Path with `/`, below the output directory.
    pub(crate) path: String,
    /// The contents.
    pub(crate) contents: Contents<'m>,
    /// How the module of its folder shows it.
    pub(crate) exports: Exports,
}

impl<'m> OutFile<'m> {
    /// A file in the folder of each version.
    fn of_versions(
        model: &'m Model,
        name: &str,
        exports: impl Fn(&Module) -> Exports,
        make: fn(&Model, &Module) -> TokenStream,
    ) -> Vec<Self> {
        let file = |module: &'m Module| Self {
            path: format!("{}/{name}", module.path()),
            contents: Contents::rust(move || make(model, module)),
            exports: exports(module),
        };
        model.modules.iter().map(file).collect()
    }

    /// A public module of all versions.
    fn of_all(
        model: &'m Model,
        options: &'m Options,
        name: &str,
        make: fn(&Model, &Options) -> TokenStream,
    ) -> Self {
        Self {
            path: name.into(),
            contents: Contents::rust(move || make(model, options)),
            exports: Exports::Module,
        }
    }
}

/// What a file holds. It is made when the file is rendered, so that files are made in parallel and none takes memory
/// before its turn.
pub(crate) enum Contents<'m> {
    /// Rust code, to be formatted.
    Rust(Make<'m, TokenStream>),
    /// Rust code with a layout of its own.
    Table(Make<'m, String>),
    /// Text of another format, shared with the model.
    Text(Arc<str>),
}

/// Makes what a file holds; the same each time.
pub(crate) type Make<'m, T> = Box<dyn Fn() -> T + Send + Sync + 'm>;

impl<'m> Contents<'m> {
    fn rust(make: impl Fn() -> TokenStream + Send + Sync + 'm) -> Self {
        Self::Rust(Box::new(make))
    }
}

/// How the module of the folder shows a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Exports {
    /// Not at all: the file is not a module.
    NoModule,
    /// As a public module.
    Module,
    /// As a private module, which has impls only.
    Nothing,
    /// As a private module whose public items are re-exported.
    All,
    /// As a private module of which these names are re-exported.
    Names(Vec<String>),
}

/// Runs the chosen emitters and those they need, and declares the modules of what they wrote.
pub(crate) fn emit<'m>(model: &'m Model, options: &'m Options) -> Vec<OutFile<'m>> {
    let mut files: Vec<OutFile<'_>> = Emitter::with_needed(&options.emit)
        .into_iter()
        .flat_map(|emitter| run(emitter, model, options))
        .collect();
    let modules = modules::declare(model, &files, options);
    files.extend(modules);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// Runs one emitter. Each is one module of this folder, one line here and one row of the table in `options`.
fn run<'m>(emitter: Emitter, model: &'m Model, options: &'m Options) -> Vec<OutFile<'m>> {
    match emitter {
        Emitter::Types => types::emit(model, options),
        Emitter::Resource => resource::emit(model, options),
        Emitter::Client => client::emit(model, options),
        Emitter::Lister => lister::emit(model),
        Emitter::Informer => informer::emit(model, options),
        Emitter::Columns => columns::emit(model),
        Emitter::Choices => choices::emit(model),
        Emitter::Conversion => conversion::emit(model, options),
        Emitter::Schema => schema::emit(model),
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        base::{
            options::{Emitter, Options},
            source::Source,
        },
        pipeline,
    };
    use std::collections::BTreeSet;

    #[test]
    fn every_module_of_the_folder_is_an_emitter() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/output/emit");
        let modules: BTreeSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .map(|name| name.trim_end_matches(".rs").to_owned())
            .filter(|name| !matches!(name.as_str(), "mod" | "modules" | "parts"))
            .collect();
        let emitters: BTreeSet<String> = Emitter::all().map(|it| it.to_string()).collect();
        assert_eq!(modules, emitters);
    }

    #[test]
    fn the_status_subresource_is_a_trait_of_kinds_that_have_it() {
        const STATUS: &str = "status: {type: object, properties: {ready: {type: boolean}}}";
        let traits = |subresources: &str, root: &str| {
            let crd = format!(
                "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: widgets.example.com}}
spec:
  group: example.com
  scope: Namespaced
  names: {{kind: Widget, plural: widgets}}
  versions:
  - {{name: v1, served: true, storage: true, subresources: {{{subresources}}}, schema: {{openAPIV3Schema: {root}}}}}
"
            );
            let output = pipeline::run(&[Source::new("crd.yaml", crd)], &Options::default());
            assert!(!output.files.is_empty(), "{:?}", output.diagnostics);
            let has = |name: &str| {
                let named = format!("{name} for Widget");
                output.files.iter().any(|file| file.text.contains(&named))
            };
            [has("::HasStatus"), has("::MarkedStatus")]
        };
        let optional = format!("{{type: object, properties: {{{STATUS}}}}}");
        let required = format!("{{type: object, required: [status], properties: {{{STATUS}}}}}");
        let none = "{type: object}";
        let open = "{type: object, x-kubernetes-preserve-unknown-fields: true}";
        assert_eq!(traits("status: {}", &optional), [true, false]);
        // The others have a mark, since kube's trait needs an optional field.
        for root in [&required, none, open] {
            assert_eq!(traits("status: {}", root), [false, true], "{root}");
        }
        // Without the subresource, a client must offer no verb for it.
        for root in [&optional, &required, none, open] {
            assert_eq!(traits("", root), [false, false], "{root}");
        }
    }
}
