//! Another client changes the object just before a request, which raises its resourceVersion.

use std::borrow::Cow;

use futures::future::BoxFuture;
use http::Method;
use serde_json::json;
use tower::BoxError;

use super::{
    Fault, FaultKind,
    act::{Act, Aftermath, Choice, Offer, Rank, Site},
    likely,
};
use crate::{
    point::PointKind,
    request::{MERGE, Seen, send},
    state::TOUCHED,
};

pub(super) struct Touch;

impl Act for Touch {
    fn kind(&self) -> FaultKind {
        FaultKind::Touch
    }

    fn text(&self) -> Cow<'static, str> {
        Cow::Borrowed("another client has just changed the object")
    }

    fn choices(at: &Offer<'_>) -> Vec<Choice> {
        Choice::only(4, Fault::Touch, at.is_write())
    }

    fn enumerated(at: PointKind) -> Vec<Choice> {
        Choice::only(5, Fault::Touch, at == PointKind::Write)
    }

    fn rank(&self) -> Rank {
        Rank::Third
    }

    fn interferes<'a>(&'a self, at: &'a dyn Site) -> BoxFuture<'a, Result<(), BoxError>> {
        Box::pin(async move {
            if let Some(path) = at.request().and_then(Seen::object_path) {
                // An object that is stored without validation cannot be touched.
                let time = at.elapsed().as_millis().to_string();
                let body = json!({"metadata": {"labels": {TOUCHED: time}}});
                send(at.server().service(), Method::PATCH, &path, MERGE, &body).await?;
            }
            at.touch();
            Ok(())
        })
    }

    fn likely(&self, after: &Aftermath) -> String {
        likely::conflict(after)
    }
}
