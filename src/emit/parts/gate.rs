//! Modules come in, the attribute that compiles an item only where a feature of theirs is on goes out; nothing if none is asked for.
use crate::ir::Module;
use crate::options::Options;
use proc_macro2::TokenStream;
use quote::quote;

/// The gate of what belongs to any of these modules.
pub(crate) fn of<'m>(
    modules: impl IntoIterator<Item = &'m Module>,
    options: &Options,
) -> TokenStream {
    if !options.feature_gates {
        return TokenStream::new();
    }
    let features: Vec<String> = modules.into_iter().map(Module::feature).collect();
    match features.as_slice() {
        [] => TokenStream::new(),
        [one] => quote!(#[cfg(feature = #one)]),
        all => quote!(#[cfg(any(#(feature = #all),*))]),
    }
}
