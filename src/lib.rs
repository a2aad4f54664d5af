//! kube-codegen
