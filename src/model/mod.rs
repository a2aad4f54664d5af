//! From CRDs to the frozen model.
//!
//! `lower` maps each schema form to a type without a name, `pass` applies overrides, reuses Kubernetes types, merges equal types, and
//! assigns names once; `ir` is the data they work on, and `evolution` compares the versions of one kind. After the passes the model no longer
//! changes. It builds on `input`; `output` and the tools in `api` and `operator` read it.
pub(crate) mod evolution;
pub(crate) mod ir;
pub(crate) mod lower;
pub(crate) mod pass;
pub(crate) mod tokens;
