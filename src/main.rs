//! The command line.
fn main() -> std::process::ExitCode {
    kube_codegen::cli::main()
}
