//! Kubernetes Events.
