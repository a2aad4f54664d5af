//! Reads operators built with other frameworks, so that `new` can scaffold a replacement.
pub(crate) mod kube_derive;
pub(crate) mod kubebuilder;
