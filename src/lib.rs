//! Generates Rust types, typed clients, listers, informers and controllers from CustomResourceDefinitions.
//!
//! The command `kube-codegen`, and the [`Builder`] for build scripts, read CustomResourceDefinitions and write one Rust module per API
//! group and version.
//!
//! # Build scripts
//!
//! ```toml
//! [build-dependencies]
//! kube-codegen = { version = "0.1", default-features = false }
//!
//! [dependencies]
//! k8s-openapi = { version = "0.29", features = ["v1_33"] }
//! kube = { version = "5", default-features = false, features = ["client"] }
//! kube-codegen-record = "0.1"
//! kube-codegen-runtime = "0.1"
//! ```
//!
//! `build.rs`, next to a directory `crds`:
//!
//! ```no_run
//! fn main() -> Result<(), kube_codegen::Error> {
//!     kube_codegen::Builder::new()
//!         .file("crds/crdkind.yaml")
//!         .compile()
//! }
//! ```
//!
//! `src/lib.rs`:
//!
//! ```ignore
//! include!(concat!(env!("OUT_DIR"), "/mod.rs"));
//!
//! pub use iksoon_test_com::v1::{CrdKind, CrdKindSpec};
//! ```
//!
//! # Without a file system
//!
//! [`pipeline::run`] generates from strings, without a disk, clock, environment or network:
//!
//! ```
//! use kube_codegen::{options::Options, pipeline, source::Source};
//!
//! let manifest = Source::new("widget.yaml", "
//! apiVersion: apiextensions.k8s.io/v1
//! kind: CustomResourceDefinition
//! metadata: { name: widgets.example.com }
//! spec:
//!   group: example.com
//!   scope: Namespaced
//!   names: { plural: widgets, singular: widget, kind: Widget, listKind: WidgetList }
//!   versions:
//!   - name: v1
//!     served: true
//!     storage: true
//!     schema:
//!       openAPIV3Schema:
//!         type: object
//!         properties:
//!           spec: { type: object, properties: { size: { type: integer } } }
//! ");
//! let output = pipeline::run(&[manifest], &Options::default());
//! assert!(!output.diagnostics.has_errors());
//! let types = output.files.iter().find(|file| file.path == "example_com/v1/types.rs").unwrap();
//! assert!(types.text.contains("pub struct WidgetSpec"));
//! ```
#[cfg(feature = "cli")]
mod api;
mod base;
mod builder;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
mod input;
mod model;
#[cfg(feature = "cli")]
mod operator;
mod output;
pub mod pipeline;
mod run;

pub use base::{diag, options, source};
pub use builder::{Builder, Error};
pub use options::{Allow, Conversion, Deny, Emitter, Kubernetes, Override};

/// What the tests and tools of this project use of the stages. It is not part of the API.
#[doc(hidden)]
pub mod private {
    #[cfg(feature = "cli")]
    pub mod compat {
        pub use crate::api::compat::rules;
    }
    /// Returns name, level, meaning, advice and source of each rule of `lint`.
    #[cfg(feature = "cli")]
    pub fn lint_rules() -> impl Iterator<Item = [String; 5]> {
        crate::api::lint::Rule::ALL.iter().map(|rule| {
            let [name, level] = [rule.name(), rule.level().name()].map(str::to_owned);
            let [means, advice] = [rule.means(), rule.advice()].map(str::to_owned);
            [name, level, means, advice, rule.source()]
        })
    }
    /// Returns the admission policies of a CRD with their bindings, as `policy` prints them.
    #[cfg(feature = "cli")]
    pub fn policies(crd: &crd::Crd) -> Vec<serde_json::Value> {
        crate::api::policy::export(crd, "Deny").documents
    }
    pub mod crd {
        pub use crate::input::crd::*;
    }
    pub mod printable {
        pub use kube_codegen_formats::printable::*;
    }
    pub mod ir {
        pub use crate::model::ir::*;
    }
    pub mod write {
        pub use crate::output::write::*;
    }
    #[cfg(feature = "cli")]
    pub use crate::operator::scaffold::is_cluster_scoped;
    #[cfg(feature = "cli")]
    pub mod kustomization {
        pub use crate::operator::kustomization::*;
    }
    pub mod yaml {
        #[cfg(feature = "cli")]
        pub use crate::input::list::objects;
        pub use crate::input::yaml::documents;
    }
}
