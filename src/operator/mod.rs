//! Tools for the author of an operator: the crate, its deployment, and migration from other frameworks.
//!
//! `scaffold` writes an operator crate and merges newer templates into it, `deploy` builds charts, bundles and RBAC rules, and `takeover`
//! reads existing operators built with kubebuilder or kube-derive. They use the generator and `api`; neither uses them.
mod cargo;
pub(crate) mod deploy;
pub(crate) mod kustomization;
mod manifests;
pub(crate) mod scaffold;
pub(crate) mod takeover;
