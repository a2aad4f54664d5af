//! Rust types, typed clients, listers, informers and controllers from CustomResourceDefinitions.
//!
//! The command line tool `kube-codegen` and the [`Builder`] for build scripts do the same work: they read
//! CustomResourceDefinition manifests and write Rust modules, one per API group and version.
//!
//! # From a build script
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
//! serde_json = "1"
//! ```
//!
//! `build.rs`, with the manifest beside it in `crds/`:
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
//! # As a function
//!
//! [`pipeline::run`] is the whole generator without disk, clock or environment:
//!
//! ```
//! use kube_codegen::{options::Options, pipeline, source::Source};
//!
//! let manifest = Source {
//!     name: "widget.yaml".to_owned(),
//!     path: None,
//!     text: "
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
//! ".to_owned(),
//! };
//! let output = pipeline::run(&[manifest], &Options::default());
//! assert!(!output.diagnostics.has_errors());
//! let types = output.files.iter().find(|file| file.path == "example_com/v1/types.rs").unwrap();
//! assert!(types.text.contains("pub struct WidgetSpec"));
//! ```
mod builder;
#[cfg(feature = "cli")]
pub mod cli;
pub mod crd;
pub mod diag;
pub mod emit;
mod hash;
pub mod ir;
mod keywords;
pub mod lower;
pub mod options;
pub mod pass;
pub mod pipeline;
pub mod render;
#[cfg(feature = "cli")]
pub mod scaffold;
pub mod source;
mod threads;
pub mod write;
pub mod yaml;

pub use builder::{Builder, Error};
pub use options::{Deny, Kubernetes, Override};
