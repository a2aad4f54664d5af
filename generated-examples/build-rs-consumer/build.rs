//! Generates the modules for one CRD into `OUT_DIR`, with overrides for two fields and a derive.
use kube_codegen::Override;

fn main() -> Result<(), kube_codegen::Error> {
    kube_codegen::Builder::new()
        .file("../../fixtures/crdkind.yaml")
        .override_(Override::at("CrdKind.spec.choice").rust_type("crate::Engine"))
        .override_(Override::at("CrdKind.spec.replicas").rust_type("u8"))
        .override_(Override::at("CrdKind.spec").derive("Hash"))
        .compile()
}
