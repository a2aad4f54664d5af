//! Calls webhooks of admission and conversion: over HTTP and HTTPS, or in the same process.
//!
//! It knows their configurations and reviews as JSON, and may use `values`.

mod bundle;
pub(crate) mod condition;
mod http;
mod in_process;
#[cfg(feature = "tls")]
mod tls;

use std::error::Error;

pub(crate) use self::bundle::{conversion_flaw, flaw};
pub(crate) use self::http::post;
pub(crate) use self::in_process::{Subject, Webhook, Webhooks};

/// Returns an error with its causes.
fn chain(error: &(dyn Error + 'static)) -> String {
    let mut shown = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let text = cause.to_string();
        if !shown.ends_with(&text) {
            shown = format!("{shown}: {text}");
        }
        source = cause.source();
    }
    shown
}
