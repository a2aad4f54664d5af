//! `resource.rs` of each version: what Kubernetes calls each kind, its manifest, and the traits of `kube`.
use super::parts::{constants, constructor, doc, layout, manifest, uses};
use super::{Contents, Emitter, Exports, OutFile};
use crate::ir::{Body, Kind, Model, Module, Scope, TypeId};
use crate::options::Options;
use proc_macro2::Literal;
use std::collections::BTreeMap;
use std::fmt::Write;

pub(super) struct Emit;

impl Emitter for Emit {
    fn name(&self) -> &'static str {
        "resource"
    }

    fn about(&self) -> &'static str {
        "names and manifest of each kind, and the traits that kube's clients ask for"
    }

    fn needs(&self) -> &'static [&'static str] {
        &["types"]
    }

    fn emit<'m>(&self, model: &'m Model, _: &'m Options) -> Vec<OutFile<'m>> {
        let mut files = Vec::new();
        let mut manifests = BTreeMap::new();
        for module in &model.modules {
            let kinds = model.kinds_of(module);
            files.push(OutFile {
                path: format!("{}/resource.rs", module.path()),
                contents: Contents::Rust(Box::new(move || resources(model, module))),
                exports: Exports::Names(kinds.map(|kind| kind.names.list.clone()).collect()),
            });
            // Beside the versions, as it has all of them.
            let folder = module.group_folder();
            manifests.extend(
                model
                    .kinds_of(module)
                    .map(|kind| (format!("{folder}/{}", kind.names.manifest), kind)),
            );
        }
        files.extend(manifests.into_iter().map(|(path, kind)| OutFile {
            path,
            contents: Contents::Text(Box::new(move || manifest::text(&kind.manifest))),
            exports: Exports::NoModule,
        }));
        files
    }
}

fn resources(model: &Model, module: &Module) -> String {
    let head = format!(
        "Names, manifests and API traits of the kinds of `{}`.",
        module.api_version()
    );
    let mut uses = uses::types(model, used(model, module));
    uses.push_str(
        "use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::core::{ApiResource, CustomResourceExt};
",
    );
    let mut kinds = model.kinds_of(module);
    if kinds.any(|kind| !kind.selectable_fields.is_empty()) {
        uses.push_str("use kube_codegen_record::walk::SelectableField;\n");
    }
    let mut items = String::new();
    for kind in model.kinds_of(module) {
        resource(&mut items, model, kind);
    }
    layout::file(&head, &uses, &items)
}

/// The roots, and what their constructors take.
fn used(model: &Model, module: &Module) -> Vec<TypeId> {
    let kinds = model.kinds_of(module);
    kinds
        .flat_map(|kind| {
            let mut used = vec![kind.root];
            if let Body::Struct(body) = &model.types[kind.root].body {
                used.extend(constructor::types(body, model));
            }
            used
        })
        .collect()
}

fn resource(out: &mut String, model: &Model, kind: &Kind) {
    let root = &model.types[kind.root];
    let name = root.name.as_str();
    out.push('\n');
    doc::write(out, "", &[format!("A list of [`{name}`] objects.")]);
    let list = format!("k8s_openapi::List<{name}>");
    out.push_str(&layout::alias(&kind.names.list, &list));
    _ = writeln!(out, "\nimpl {name} {{");
    constants::write(out, kind);
    match &root.body {
        Body::Struct(body) => constructor::write(out, body, model),
        Body::Enum(_) | Body::Union(_) | Body::Alias(_) => {}
    }
    // The constants leave an empty line behind them.
    out.truncate(out.trim_end().len());
    out.push_str("\n}\n");
    traits(out, kind, name);
    implement(out, "CustomResourceExt", name, &custom_resource(kind));
}

/// An `impl` of what is to be in its braces, after an empty line.
fn implement(out: &mut String, what: &str, name: &str, body: &str) {
    out.push('\n');
    layout::head(out, what, name, if body.is_empty() { "{}" } else { "{" });
    if !body.is_empty() {
        out.extend(["\n", body, "}"]);
    }
    out.push('\n');
}

fn traits(out: &mut String, kind: &Kind, name: &str) {
    let scope = match kind.scope {
        Scope::Namespaced => "NamespaceResourceScope",
        Scope::Cluster => "ClusterResourceScope",
    };
    let resource = format!(
        "    const API_VERSION: &'static str = Self::API_VERSION;
    const GROUP: &'static str = Self::GROUP;
    const KIND: &'static str = Self::KIND;
    const VERSION: &'static str = Self::VERSION;
    const URL_PATH_SEGMENT: &'static str = Self::PLURAL;
    type Scope = k8s_openapi::{scope};
"
    );
    implement(out, "k8s_openapi::Resource", name, &resource);
    let list_kind = Literal::string(&kind.list_kind).to_string();
    let mut list = String::new();
    let head = "const LIST_KIND: &'static str =";
    layout::assigned(&mut list, layout::MARGIN, head, &list_kind, ";");
    implement(out, "k8s_openapi::ListableResource", name, &list);
    implement(out, "k8s_openapi::Metadata", name, METADATA);
    if kind.status {
        let status = "kube_codegen_runtime::client::StatusSubresource";
        implement(out, status, name, "");
    }
    if kind.scale.is_some() {
        let scale = "kube_codegen_runtime::client::ScaleSubresource";
        implement(out, scale, name, "");
    }
}

const METADATA: &str = "    type Ty = ObjectMeta;

    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
";

fn custom_resource(kind: &Kind) -> String {
    let mut out = String::from("    fn crd() -> CustomResourceDefinition {\n");
    let manifest = Literal::string(&format!("../{}", kind.names.manifest)).to_string();
    let read = "kube_codegen_record::private::crd";
    layout::call(&mut out, read, "include_str!", &manifest);
    let crd_name = Literal::string(&format!("{}.{}", kind.plural, kind.group));
    _ = write!(
        out,
        "    }}

    fn crd_name() -> &'static str {{
        {crd_name}
    }}

    fn api_resource() -> ApiResource {{
        ApiResource::erase::<Self>(&())
    }}

    fn shortnames() -> &'static [&'static str] {{
        Self::SHORT_NAMES
    }}
"
    );
    out
}
