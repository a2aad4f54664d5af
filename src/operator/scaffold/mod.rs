//! Renders the files of new crates from templates; nothing is written here.
mod baseline;
mod client_crate;
mod controlled;
mod core_kinds;
mod crd;
mod dependencies;
mod feature;
mod location;
mod marks;
mod merge;
mod name;
mod operator;
mod templates;
mod webhooks;

pub(crate) use super::cargo::MANIFEST;
pub(crate) use baseline::{
    BASELINE, Baseline, DeployScope, Parameters, Recorded, Takeover, WebhookType,
};
pub(crate) use client_crate::{ClientCrate, ClientCrateRequest, SOURCE, client_crate};
pub use core_kinds::is_cluster_scoped;
pub(crate) use core_kinds::{
    CoreKind, all_kinds, core_kind, core_kind_of_go, is_core_group, kind_in_group,
};
pub(crate) use crd::{CrdNames, as_written, crd_skeleton, definitions, joined, plural};
pub(crate) use dependencies::{dependencies, missing_dependencies};
pub(crate) use feature::Feature;
pub(crate) use location::{Location, RuntimeArgs};
pub(crate) use merge::{Merged, beside, merge};
pub(crate) use name::PackageName;
pub(crate) use operator::{DEFINITIONS, GENERATED, Operator, PROGRAM, TAKEOVER};
pub(crate) use templates::{files_of, webhooks_module};
pub(crate) use webhooks::with_conversions;

use std::collections::BTreeMap;

use minijinja::Value;

use crate::{base::options::Kubernetes, model::ir::Model};

/// What the crates of both commands are made from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Package<'a> {
    /// The name of the package.
    pub(crate) name: &'a PackageName,
    /// The kinds.
    pub(crate) model: &'a Model,
    /// The oldest Kubernetes version to support.
    pub(crate) kubernetes: Kubernetes,
    /// What depends on the directory of the package.
    pub(crate) location: &'a Location,
}

impl Package<'_> {
    /// Returns the template variables that both kinds of crates have.
    fn variables(&self) -> BTreeMap<&'static str, Value> {
        BTreeMap::from([
            ("name", Value::from(self.name.as_str())),
            ("crate", Value::from(self.name.ident())),
            ("own_workspace", Value::from(self.location.needs_workspace)),
            (
                "versions",
                dependencies::variables(self.kubernetes, &self.location.crates),
            ),
        ])
    }
}

fn no_kind() -> String {
    "the input contains no served kind".to_owned()
}
