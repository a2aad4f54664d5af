//! Typed verbs over `kube::Api`.
