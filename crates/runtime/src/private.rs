//! What generated code uses beside the public API. Not for use by hand: it changes whenever the generator does.
pub use crate::__generated_by as generated_by;
pub use crate::client::status::MarkedStatus;

/// Checks the version of this API that code was generated for; any other version is a compile error.
///
/// ```
/// kube_codegen_runtime::private::generated_by!(1);
/// ```
///
/// ```compile_fail
/// kube_codegen_runtime::private::generated_by!(2);
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! __generated_by {
    (1) => {};
    ($version:literal) => {
        ::core::compile_error! { ::core::concat!(
            "this code was generated for API ", $version, " of kube-codegen-runtime, but the version in use has API 1: \
             use kube-codegen and kube-codegen-runtime of the same release, and generate the code again",
        ) }
        $crate::record::private::see_the_error_above! {}
    };
}
