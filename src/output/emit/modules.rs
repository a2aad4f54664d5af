//! The `mod.rs` files, which declare exactly the files that the emitters wrote.
use std::collections::BTreeMap;

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::{
    Contents, Exports, OutFile,
    parts::{code, imports},
};
use crate::{
    base::options::{Emitter, Options},
    model::ir::{Model, Module},
};

/// A folder of the output.
struct Folder<'m> {
    of: Of<'m>,
    /// The modules in it, by file name without `.rs`.
    modules: BTreeMap<String, Exports>,
}

/// What a folder holds.
#[derive(Clone, Copy)]
enum Of<'m> {
    Root,
    Group(&'m str),
    Version(&'m Module),
}

/// Makes the `mod.rs` of each folder.
pub(super) fn declare<'m>(
    model: &'m Model,
    files: &[OutFile<'_>],
    options: &'m Options,
) -> Vec<OutFile<'m>> {
    let mut folders = folders(model);
    for file in files {
        let (folder, name) = split(&file.path);
        if file.exports != Exports::NoModule
            && let Some(folder) = folders.get_mut(folder)
        {
            let name = name.trim_end_matches(".rs").to_owned();
            folder.modules.insert(name, file.exports.clone());
        }
    }
    let folders = folders.into_iter().map(|(path, folder)| OutFile {
        path: if path.is_empty() {
            "mod.rs".into()
        } else {
            format!("{path}/mod.rs")
        },
        contents: Contents::rust(move || module(model, &folder, options)),
        exports: Exports::NoModule,
    });
    folders.collect()
}

/// Returns the folders of the root, the groups and the versions by path; the upper ones declare the lower ones.
fn folders(model: &Model) -> BTreeMap<String, Folder<'_>> {
    let mut folders = BTreeMap::new();
    let mut add = |path: &str, of| {
        let modules = BTreeMap::new();
        folders
            .entry(path.to_owned())
            .or_insert(Folder { of, modules });
        let (parent, name) = split(path);
        if !path.is_empty()
            && let Some(parent) = folders.get_mut(parent)
        {
            parent.modules.insert(name.to_owned(), Exports::Module);
        }
    };
    add("", Of::Root);
    for module in &model.modules {
        add(module.group_folder(), Of::Group(&module.group));
        add(&module.path(), Of::Version(module));
    }
    folders
}

fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

fn module(model: &Model, folder: &Folder<'_>, options: &Options) -> TokenStream {
    let head = head(model, folder.of);
    let mut declared = TokenStream::new();
    let mut exported = TokenStream::new();
    for (file, exports) in &folder.modules {
        let name = code::ident(file);
        match exports {
            Exports::NoModule => {}
            Exports::Module => {
                // The root may be included into a module of the user, where inner attributes are errors.
                let is_root = matches!(folder.of, Of::Root);
                let skip = is_root.then(|| quote!(#[rustfmt::skip]));
                let gate = code::gate(below(model, folder.of, file), options);
                declared.extend(quote!(#skip #gate pub mod #name;));
            }
            Exports::Nothing => declared.extend(quote!(mod #name;)),
            Exports::All => {
                declared.extend(quote!(mod #name;));
                exported.extend(quote!(pub use #name::*;));
            }
            Exports::Names(names) => {
                declared.extend(quote!(mod #name;));
                let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
                names.sort_unstable();
                exported.extend(imports::import(&quote!(pub use), &quote!(#name), &names));
            }
        }
    }
    let format = matches!(folder.of, Of::Root).then(|| format(options));
    quote! {
        #head
        #declared
        #exported
        #format
    }
}

/// The form of generated code: a change that makes older crates fail to compile it increases this number, and adds it to those that the
/// macros `generated_code!` accept.
const FORMAT: u32 = 2;

/// Refuses to compile with crates that do not know this form, by a sentence instead of errors in generated code.
fn format(options: &Options) -> TokenStream {
    let format = Literal::u32_unsuffixed(FORMAT);
    let emitters = Emitter::with_needed(&options.emit);
    let runtime = [Emitter::Client, Emitter::Lister]
        .iter()
        .any(|emitter| emitters.contains(emitter))
        .then(|| quote!(kube_codegen_runtime::generated_code!(#format);));
    quote! {
        kube_codegen_record::generated_code!(#format);
        #runtime
    }
}

/// Returns the versions that need a module of a folder: those of a group, or a version and those that use its types.
fn below<'m>(model: &'m Model, of: Of<'m>, file: &str) -> Vec<&'m Module> {
    let modules = model.modules.iter();
    match of {
        Of::Root => modules.filter(|it| it.group_folder() == file).collect(),
        Of::Group(group) => {
            let is_it = |it: &&Module| it.group == group && split(&it.path()).1 == file;
            modules
                .filter(is_it)
                .flat_map(|it| model.users_of(it))
                .collect()
        }
        Of::Version(_) => Vec::new(),
    }
}

/// Makes the docs and attributes of a `mod.rs`.
fn head(model: &Model, of: Of<'_>) -> TokenStream {
    match of {
        Of::Root => TokenStream::new(),
        Of::Group(group) => code::file_docs(&format!("The API group `{group}`.")),
        Of::Version(module) => {
            let (version, group) = (&module.version, &module.group);
            let docs = code::file_docs(&format!("Version `{version}` of the API group `{group}`."));
            let mut kinds = model.kinds_of(module);
            let lints = code::lints(kinds.any(|kind| kind.deprecated.is_some()));
            let kubernetes = oldest_kubernetes(module);
            quote!(#docs #lints #kubernetes)
        }
    }
}

/// Refuses to compile for a Kubernetes whose types lack fields that the schemas have: they would be lost.
fn oldest_kubernetes(module: &Module) -> Option<TokenStream> {
    let oldest = module.kubernetes;
    let version = oldest.before()?.as_str().replace('.', "_");
    let check = code::ident(&format!("k8s_if_le_{version}"));
    let message = format!(
        "`{}` needs types of k8s-openapi for Kubernetes {oldest} or newer: enable its feature `{}` or a newer one, or \
         generate this code for an older Kubernetes (`--kubernetes`)",
        module.api_version(),
        oldest.feature(),
    );
    Some(quote! {
        k8s_openapi::#check! {
            compile_error!(#message);
        }
    })
}
