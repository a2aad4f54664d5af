//! Whether generated code and this crate fit together.

/// Fails to compile if generated code has a form that this crate does not know. Each output of `kube-codegen generate` contains it.
///
/// ```compile_fail
/// kube_codegen_record::generated_code!(999);
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! generated_code {
    (3) => {};
    ($format:literal) => {
        ::core::compile_error!(::core::concat!(
            "this code was generated in format ",
            $format,
            ", which this version of kube-codegen-record does not support: use the same release of kube-codegen, kube-codegen-record \
             and kube-codegen-runtime, and run `kube-codegen generate` again"
        ));
    };
}
