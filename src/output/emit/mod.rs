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

use std::{collections::BTreeSet, sync::Arc};

use proc_macro2::TokenStream;
use quote::quote;

use crate::{
    base::options::{Emitter, Options},
    model::ir::{Model, Module},
};
use parts::{code, imports::Imports};

/// A file to be written, relative to the output directory.
pub(crate) struct OutFile<'m> {
    /// Path with `/`, below the output directory.
    pub(crate) path: String,
    /// The contents.
    pub(crate) contents: Contents<'m>,
    /// How the module of its folder shows it.
    pub(crate) exports: Exports,
}

/// What a file holds. It is made when the file is rendered, so that files are made in parallel and none takes memory
/// before its turn.
pub(crate) enum Contents<'m> {
    /// Rust code, to be formatted.
    Rust(Make<'m, TokenStream>),
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exports {
    /// Not at all: the file is not a module.
    NoModule,
    /// As a public module.
    Module,
    /// As a private module, whose items others re-export.
    Nothing,
    /// As a private module whose public items are re-exported.
    All,
}

/// The emitters that run.
type Chosen = BTreeSet<Emitter>;

/// What an emitter adds to a file that others add to, too: words for the head of the file, and the items.
type Part = (
    Emitter,
    &'static [&'static str],
    fn(&Model, &Module, &mut Imports<'_>) -> TokenStream,
);

/// The parts of `resource.rs`.
const RESOURCE: [Part; 2] = [
    (
        Emitter::Resource,
        &["names", "manifests", "API traits"],
        resource::part,
    ),
    (Emitter::Columns, &["printer columns"], columns::part),
];

/// The parts of `client.rs`.
const CLIENT: [Part; 3] = [
    (Emitter::Client, &["typed clients"], client::part),
    (Emitter::Lister, &["listers"], lister::part),
    (Emitter::Informer, &["shared informers"], informer::part),
];

/// Runs the chosen emitters and those they need, and declares the modules of what they wrote.
pub(crate) fn emit<'m>(model: &'m Model, options: &'m Options) -> Vec<OutFile<'m>> {
    let chosen = Emitter::with_needed(&options.emit);
    let mut files = Vec::new();
    for module in &model.modules {
        files.extend(types::files(model, module, options, &chosen));
        files.extend(joint_file(model, module, "resource.rs", &RESOURCE, &chosen));
        files.extend(joint_file(model, module, "client.rs", &CLIENT, &chosen));
    }
    if chosen.contains(&Emitter::Resource) {
        files.extend(resource::manifests(model, options));
    }
    if chosen.contains(&Emitter::Conversion) {
        files.extend(conversion::emit(model, options));
    }
    if chosen.contains(&Emitter::Schema) {
        files.extend(schema::emit(model));
    }
    let modules = modules::declare(model, &files, options, &chosen);
    files.extend(modules);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// Makes a file of a version from the parts of the chosen emitters, unless all of them are empty.
fn joint_file<'m>(
    model: &'m Model,
    module: &'m Module,
    name: &str,
    parts: &'static [Part],
    chosen: &Chosen,
) -> Option<OutFile<'m>> {
    let has_part = |emitter: &Emitter| match emitter {
        Emitter::Columns => columns::has(model, module),
        _ => true,
    };
    let parts: Vec<&Part> = parts
        .iter()
        .filter(|(emitter, ..)| chosen.contains(emitter) && has_part(emitter))
        .collect();
    if parts.is_empty() {
        return None;
    }
    let make = move || {
        let about = parts.iter().flat_map(|(_, about, _)| about.iter().copied());
        let about = capitalized(&code::enumerated(&about.collect::<Vec<_>>()));
        let docs = code::file_docs(&format!("{about} of `{}`.", module.api_version()));
        let mut imports = Imports::beside(model, module);
        let parts = parts
            .iter()
            .map(|(.., make)| make(model, module, &mut imports));
        let parts: Vec<TokenStream> = parts.collect();
        // Interpolation would copy every token.
        let mut file = quote!(#docs #imports);
        file.extend(parts);
        file
    };
    Some(OutFile {
        path: format!("{}/{name}", module.path()),
        contents: Contents::rust(make),
        exports: Exports::All,
    })
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
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
