//! Generates modules into `OUT_DIR`: those for one CRD with overrides for two fields and a derive, and those for one with fields of any type,
//! which need no dependency more.
use kube_codegen::Override;

fn main() -> Result<(), kube_codegen::Error> {
    kube_codegen::Builder::new()
        .file("../../fixtures/crdkind.yaml")
        .file("../../fixtures/embedded_resource.yaml")
        .override_(Override::at("CrdKind.spec.choice").rust_type("crate::Engine"))
        .override_(Override::at("CrdKind.spec.replicas").rust_type("u8"))
        .override_(Override::at("CrdKind.spec").derive("Hash"))
        .compile()
}
