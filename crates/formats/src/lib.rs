//! Texts as Go and the Kubernetes API server read and write them: formats of strings, names, patterns, times, URLs and messages.
//!
//! ```
//! use kube_codegen_formats::{check, go, names, pattern};
//!
//! assert_eq!(check("ipv4", "10.0.0.256"), Some(false));
//! assert_eq!(check("unheard-of", ""), None);
//! assert_eq!(go::float(1e6), "1e+06");
//! assert!(names::dns_1123_label("web-1").is_empty());
//! assert!(pattern::compile(r"^\d+$")?.is_match("12"));
//! # Ok::<(), kube_codegen_formats::Rejected>(())
//! ```

pub mod go;
pub mod go_time;
mod known;
pub mod names;
mod net;
pub mod pattern;
pub mod pointer;
pub mod printable;
mod rejected;
mod time;
pub mod url;
pub mod webhook;

pub use known::{check, is_known};
pub use rejected::Rejected;
pub use time::{duration, go_duration};
