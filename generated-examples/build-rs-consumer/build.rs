//! Generates the modules for one definition into `OUT_DIR`.
fn main() -> Result<(), kube_codegen::Error> {
    kube_codegen::Builder::new()
        .file("../../fixtures/crdkind.yaml")
        .compile()
}
