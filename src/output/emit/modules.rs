//! The `mod.rs` of the root and of each version, which declare exactly the files that the emitters wrote.
//!
//! A group has no file: the root declares its module with those of its versions in it.
use std::collections::BTreeMap;

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::{Chosen, Contents, Exports, OutFile, client, informer, parts::code};
use crate::{
    base::options::{Emitter, Options},
    model::ir::{Model, Module},
};

/// The modules in the folder of a version, by file name without `.rs`.
type Files = BTreeMap<String, Exports>;

/// Makes the `mod.rs` files.
pub(super) fn declare<'m>(
    model: &'m Model,
    files: &[OutFile<'_>],
    options: &'m Options,
    chosen: &Chosen,
) -> Vec<OutFile<'m>> {
    let mut folders: BTreeMap<&str, Files> = BTreeMap::new();
    for file in files {
        if let Some((folder, name)) = file.path.rsplit_once('/')
            && let Some(name) = name.strip_suffix(".rs")
        {
            let folder = folders.entry(folder).or_default();
            folder.insert(name.to_owned(), file.exports);
        }
    }
    let file = |path: String, contents| OutFile {
        path,
        contents,
        exports: Exports::NoModule,
    };
    let versions = model.modules.iter().map(|module| {
        let path = module.path();
        let files = folders.remove(path.as_str()).unwrap_or_default();
        let contents = Contents::rust(move || version(module, &files));
        file(format!("{path}/mod.rs"), contents)
    });
    let mut made: Vec<_> = versions.collect();
    let chosen = chosen.clone();
    let contents = Contents::rust(move || root(model, options, &chosen));
    made.push(file("mod.rs".into(), contents));
    made
}

/// Makes the module of a version.
fn version(module: &Module, files: &Files) -> TokenStream {
    let (version, group) = (&module.version, &module.group);
    let docs = code::file_docs(&format!("Version `{version}` of the API group `{group}`."));
    let kubernetes = oldest_kubernetes(module);
    let mut declared = TokenStream::new();
    let mut exported = TokenStream::new();
    for (file, exports) in files {
        let name = code::ident(file);
        match exports {
            Exports::NoModule => {}
            Exports::Module => declared.extend(quote!(pub mod #name;)),
            Exports::Nothing => declared.extend(quote!(mod #name;)),
            Exports::All => {
                declared.extend(quote!(mod #name;));
                exported.extend(quote!(pub use #name::*;));
            }
        }
    }
    quote! {
        #docs
        #kubernetes
        #declared
        #exported
    }
}

/// Makes the root: the modules of the groups, what spans all of them, and the check that libraries and code fit together.
fn root(model: &Model, options: &Options, chosen: &Chosen) -> TokenStream {
    let groups = model.modules.chunk_by(|a, b| a.group == b.group);
    let groups: TokenStream = groups
        .map(|versions| group(model, versions, options))
        .collect();
    let clientset = chosen
        .contains(&Emitter::Client)
        .then(|| client::clientset(model, options));
    let informers = chosen
        .contains(&Emitter::Informer)
        .then(|| informer::informers(model, options));
    let format = format(chosen);
    quote! {
        #groups
        #clientset
        #informers
        #format
    }
}

/// Makes the module of a group.
fn group(model: &Model, versions: &[Module], options: &Options) -> TokenStream {
    let Some(first) = versions.first() else {
        return TokenStream::new();
    };
    let docs = code::doc(&format!("The API group `{}`.", first.group));
    let mut kinds = versions.iter().flat_map(|it| model.kinds_of(it));
    let attributes = code::root_attributes(kinds.any(|kind| kind.deprecated.is_some()));
    let gate = code::gate(versions, options);
    let name = &first.names().group;
    let versions = versions.iter().map(|version| {
        let gate = code::gate(model.users_of(version), options);
        let name = &version.names().version;
        quote!(#gate pub mod #name;)
    });
    quote! {
        #docs
        #attributes
        #gate
        pub mod #name {
            #(#versions)*
        }
    }
}

/// The form of generated code: a change that makes older crates fail to compile it increases this number, and adds it to those that the
/// macros `generated_code!` accept.
const FORMAT: u32 = 3;

/// Fails to compile with crates that do not know this form, by a sentence instead of errors in generated code.
fn format(chosen: &Chosen) -> TokenStream {
    let format = Literal::u32_unsuffixed(FORMAT);
    let runtime = [Emitter::Client, Emitter::Lister]
        .iter()
        .any(|emitter| chosen.contains(emitter))
        .then(|| quote!(kube_codegen_runtime::generated_code!(#format);));
    quote! {
        kube_codegen_record::generated_code!(#format);
        #runtime
    }
}

/// Fails to compile for a Kubernetes whose types lack fields that the schemas have: they would be lost.
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
