//! `client.rs` of each version and `clientset.rs` over all of them: typed clients, by the plural of the CRD.
use super::parts::{doc, gate, layout, modules, uses};
use super::{Contents, Emitter, Exports, OutFile};
use crate::ir::{Kind, Model, Module, Scope};
use crate::options::Options;
use std::fmt::Write;

pub(super) struct Emit;

impl Emitter for Emit {
    fn name(&self) -> &'static str {
        "client"
    }

    fn about(&self) -> &'static str {
        "a typed client for each version, and a clientset over all of them"
    }

    fn needs(&self) -> &'static [&'static str] {
        &["types", "resource"]
    }

    fn emit<'m>(&self, model: &'m Model, options: &'m Options) -> Vec<OutFile<'m>> {
        let mut files: Vec<OutFile<'_>> = model
            .modules
            .iter()
            .map(|module| OutFile {
                path: format!("{}/client.rs", module.path()),
                contents: Contents::Rust(Box::new(move || client(model, module))),
                exports: Exports::Names(vec![module.client.clone()]),
            })
            .collect();
        files.push(OutFile {
            path: "clientset.rs".into(),
            contents: Contents::Rust(Box::new(move || clientset(model, options))),
            exports: Exports::Module,
        });
        files
    }
}

fn client(model: &Model, module: &Module) -> String {
    let api_version = module.api_version();
    let head = format!("Typed clients of `{api_version}`.");
    let mut uses = uses::roots(model, module);
    uses.push_str("use kube::Client;\n");
    let mut kinds = model.kinds_of(module);
    uses.push_str(if kinds.any(|kind| kind.scope == Scope::Namespaced) {
        "use kube_codegen_runtime::client::{AllNamespaces, TypedClient};\n"
    } else {
        "use kube_codegen_runtime::client::TypedClient;\n"
    });
    let name = &module.client;
    let mut items = format!(
        r"
/// Typed clients of the kinds of `{api_version}`.
#[derive(Clone)]
pub struct {name} {{
    client: Client,
}}

impl {name} {{
    /// Creates clients that send their requests through `client`.
    pub fn new(client: Client) -> Self {{
        Self {{ client }}
    }}
"
    );
    for kind in model.kinds_of(module) {
        methods(&mut items, model, kind);
    }
    items.push_str("}\n");
    layout::file(&head, &uses, &items)
}

fn methods(out: &mut String, model: &Model, kind: &Kind) {
    let ty = &model.types[kind.root].name;
    let one = &kind.names.method;
    let client = format!("TypedClient<{ty}>");
    match kind.scope {
        Scope::Namespaced => {
            method(
                out,
                &format!("The [`{ty}`] objects of a namespace."),
                (one, &["&self", "namespace: &str"], &client),
                "TypedClient::namespaced(self.client.clone(), namespace)",
            );
            method(
                out,
                &format!("The [`{ty}`] objects of all namespaces."),
                (
                    &kind.names.method_all,
                    &["&self"],
                    &format!("AllNamespaces<{ty}>"),
                ),
                "AllNamespaces::new(self.client.clone())",
            );
        }
        Scope::Cluster => method(
            out,
            &format!("The [`{ty}`] objects of the cluster."),
            (one, &["&self"], &client),
            "TypedClient::cluster(self.client.clone())",
        ),
    }
}

/// A method of one line, after an empty one: docs, then name, parameters and what it returns, then its body.
fn method(out: &mut String, about: &str, (name, takes, gives): (&str, &[&str], &str), body: &str) {
    out.push('\n');
    doc::write(out, layout::MARGIN, &[about]);
    layout::function(out, &format!("pub fn {name}"), takes, gives, " {");
    _ = writeln!(out, "        {body}\n    }}");
}

fn clientset(model: &Model, options: &Options) -> String {
    let mut uses = modules::spared();
    uses.push('\n');
    uses.push_str(&uses::of_modules(model, options, |module| &module.client));
    uses.push_str("use kube::Client;\n");
    let mut items = String::from(
        r"
/// Typed clients that share one connection.
#[derive(Clone)]
pub struct Clientset {
    client: Client,
}

impl Clientset {
    /// Creates clients that send their requests through `client`.
    pub fn new(client: Client) -> Self {
        Self { client }
    }

    /// The client that all requests go through.
    pub fn client(&self) -> &Client {
        &self.client
    }
",
    );
    for module in &model.modules {
        let about = format!("Clients of the kinds of `{}`.", module.api_version());
        items.push('\n');
        doc::write(&mut items, layout::MARGIN, &[about]);
        gate::write(&mut items, layout::MARGIN, [module], options);
        let name = &module.client;
        layout::function(
            &mut items,
            &format!("pub fn {}", module.method),
            &["&self"],
            name,
            " {",
        );
        _ = writeln!(items, "        {name}::new(self.client.clone())\n    }}");
    }
    items.push_str("}\n");
    layout::file("One client for every group and version.", &uses, &items)
}
