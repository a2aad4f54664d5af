//! Finds the names of an installation in calls: which finalizers, field managers and reporters a file has, and which kinds it reconciles.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use proc_macro2::{TokenStream, TokenTree};
use syn::{
    Expr, ExprCall, ExprStruct, FieldValue, File, GenericArgument, Ident, Lit, Macro, Member,
    PathArguments, Type, TypePath,
    visit::{self, Visit},
};

use super::DerivedCrate;

/// The functions of `Controller` that make one.
const CONTROLLERS: [&str; 3] = ["new", "for_stream", "for_shared_stream"];

/// The texts of constants by their names. The same name may have another value in another file, or for another type.
#[derive(Debug, Default)]
pub(super) struct Constants(BTreeMap<String, BTreeMap<PathBuf, BTreeSet<String>>>);

impl Constants {
    /// Adds a constant if its value is a text.
    pub(super) fn add(&mut self, file: &Path, name: &Ident, value: &Expr) {
        if let Expr::Lit(value) = value
            && let Lit::Str(text) = &value.lit
        {
            let files = self.0.entry(name.to_string()).or_default();
            files
                .entry(file.to_owned())
                .or_default()
                .insert(text.value());
        }
    }

    /// The text of an argument such as `"a"`, `NAME`, `&NAME`, `NAME.to_owned()` or `String::from(NAME)`.
    fn text(&self, argument: &Expr, file: &Path) -> Option<String> {
        match argument {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(text.value()),
                _ => None,
            },
            Expr::Path(path) => self.named(&path.path.segments.last()?.ident, file),
            Expr::Reference(inner) => self.text(&inner.expr, file),
            Expr::Paren(inner) => self.text(&inner.expr, file),
            Expr::MethodCall(call) => self.text(&call.receiver, file),
            Expr::Call(call) if call.args.len() == 1 => self.text(call.args.first()?, file),
            _ => None,
        }
    }

    /// The value of a constant of the file or else of another one, if that is unambiguous.
    fn named(&self, name: &Ident, file: &Path) -> Option<String> {
        let files = self.0.get(&name.to_string())?;
        let values: BTreeSet<&String> = match files.get(file) {
            Some(own) => own.iter().collect(),
            None => files.values().flatten().collect(),
        };
        let only = values.first().filter(|_| values.len() == 1)?;
        Some((*only).clone())
    }

    /// The texts of a list in a macro such as `json!`.
    fn texts(&self, list: TokenStream, file: &Path) -> Vec<String> {
        let expressions = syn::parse::Parser::parse2(
            syn::punctuated::Punctuated::<Expr, syn::Token![,]>::parse_terminated,
            list,
        );
        let expressions = expressions.into_iter().flatten();
        expressions.filter_map(|it| self.text(&it, file)).collect()
    }
}

impl DerivedCrate {
    /// Finds controllers, finalizers, field managers and reporters in a file.
    pub(super) fn calls(&mut self, parsed: &File, file: &Path, constants: &Constants) {
        let mut found = Found {
            constants,
            file,
            has_controller: false,
            shared: BTreeSet::new(),
            finalizers: BTreeSet::new(),
            managers: Vec::new(),
            reporters: BTreeSet::new(),
        };
        found.visit_file(parsed);
        let roots = self.types.iter().map(|it| &it.root);
        let reconciled: BTreeSet<String> = roots
            .filter(|it| found.shared.contains(*it))
            .cloned()
            .collect();
        for finalizer in found.finalizers {
            let kinds = self.finalizers.entry(finalizer).or_default();
            kinds.extend(reconciled.iter().cloned());
        }
        for manager in found.managers {
            *self.field_managers.entry(manager).or_default() += 1;
        }
        self.reporters.extend(found.reporters);
        if found.has_controller {
            self.controllers.insert(file.to_owned(), reconciled);
        }
    }
}

/// What one file has.
struct Found<'a> {
    constants: &'a Constants,
    file: &'a Path,
    has_controller: bool,
    /// The names of the types in an `Arc`, as a reconcile gets its object.
    shared: BTreeSet<String>,
    finalizers: BTreeSet<String>,
    managers: Vec<String>,
    reporters: BTreeSet<String>,
}

impl Found<'_> {
    fn text(&self, argument: Option<&Expr>) -> Option<String> {
        self.constants.text(argument?, self.file)
    }

    /// Finds `"finalizers": […]` in the tokens of a macro, at any depth.
    fn finalizers_in(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for (at, token) in tokens.iter().enumerate() {
            let TokenTree::Group(group) = token else {
                continue;
            };
            let key = at.checked_sub(2).map(|at| tokens[at].to_string());
            if key.as_deref() == Some("\"finalizers\"") {
                let texts = self.constants.texts(group.stream(), self.file);
                self.finalizers.extend(texts);
            }
            self.finalizers_in(group.stream());
        }
    }
}

impl<'ast> Visit<'ast> for Found<'_> {
    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        if let Expr::Path(path) = &*call.func {
            let names: Vec<String> = path
                .path
                .segments
                .iter()
                .map(|it| it.ident.to_string())
                .collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            match names.as_slice() {
                [.., "Controller", function] if CONTROLLERS.contains(function) => {
                    self.has_controller = true;
                }
                [.., "PatchParams", "apply"] => {
                    self.managers.extend(self.text(call.args.first()));
                }
                [.., "Recorder", "new"] => self.reporters.extend(self.text(call.args.get(1))),
                [.., "finalizer"] => self.finalizers.extend(self.text(call.args.get(1))),
                _ => {}
            }
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_struct(&mut self, value: &'ast ExprStruct) {
        let is_reporter = value
            .path
            .segments
            .last()
            .is_some_and(|it| it.ident == "Reporter");
        for FieldValue { member, expr, .. } in &value.fields {
            let Member::Named(name) = member else {
                continue;
            };
            match (name.to_string().as_str(), expr) {
                // The argument of `Some`.
                ("field_manager", Expr::Call(_)) => self.managers.extend(self.text(Some(expr))),
                ("reporter", _) => self.reporters.extend(self.text(Some(expr))),
                ("controller", _) if is_reporter => self.reporters.extend(self.text(Some(expr))),
                _ => {}
            }
        }
        visit::visit_expr_struct(self, value);
    }

    fn visit_type_path(&mut self, path: &'ast TypePath) {
        if let Some(last) = path.path.segments.last()
            && last.ident == "Arc"
            && let PathArguments::AngleBracketed(arguments) = &last.arguments
            && let Some(GenericArgument::Type(Type::Path(inner))) = arguments.args.first()
        {
            let name = inner.path.segments.last().map(|it| it.ident.to_string());
            self.shared.extend(name);
        }
        visit::visit_type_path(self, path);
    }

    fn visit_macro(&mut self, invocation: &'ast Macro) {
        self.finalizers_in(invocation.tokens.clone());
        visit::visit_macro(self, invocation);
    }
}
