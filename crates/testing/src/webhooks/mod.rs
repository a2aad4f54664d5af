//! Calls webhooks of admission and conversion: over HTTP and HTTPS, or in the same process.
//!
//! It knows their configurations and reviews as JSON, and may use `values`.

pub(crate) mod condition;
mod http;
mod in_process;
#[cfg(feature = "tls")]
mod tls;

pub(crate) use self::http::post;
pub(crate) use self::in_process::{Subject, Webhook, Webhooks};
