//! Leads a request to its answer: [`chain`] has the steps.
//!
//! It may use all parts but `transport`, `controllers` and `server`.

mod chain;
mod discovery;
mod openapi;
pub(crate) mod paths;
mod response;
mod shared;

use http::Response;

use crate::values::status;
pub(crate) use chain::serve;
pub(crate) use paths::LARGEST;
pub(crate) use response::Body;
pub use response::Watch;
pub(crate) use shared::{Listener, Shared};

/// The answer to a request whose body does not arrive in time.
pub(crate) fn timed_out() -> Response<Body> {
    response::failed(&status::timed_out())
}
