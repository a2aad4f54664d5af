//! Another client deletes a child.

use std::borrow::Cow;

use futures::future::BoxFuture;
use http::Method;
use serde_json::Value;
use tower::BoxError;

use super::{
    Fault, FaultKind,
    act::{Act, Aftermath, Choice, Offer, Rank, Site},
    likely,
};
use crate::request::send;

pub(super) struct Delete(pub(super) String);

impl Act for Delete {
    fn kind(&self) -> FaultKind {
        FaultKind::Delete
    }

    fn text(&self) -> Cow<'static, str> {
        Cow::Owned(format!("another client deletes {}", self.0))
    }

    fn choices(at: &Offer<'_>) -> Vec<Choice> {
        let path = at.child.map(|(path, _)| path.to_owned());
        let path = path.filter(|_| at.is_write());
        path.map(|path| Choice::new(11, Fault::Delete(path)))
            .into_iter()
            .collect()
    }

    fn rank(&self) -> Rank {
        Rank::First
    }

    fn changes_counts(&self) -> bool {
        true
    }

    fn object(&self) -> Option<&str> {
        Some(&self.0)
    }

    fn interferes<'a>(&'a self, at: &'a dyn Site) -> BoxFuture<'a, Result<(), BoxError>> {
        Box::pin(async move {
            if let Some(path) = at.resolve(&self.0).await? {
                let json = "application/json";
                // A webhook may reject it; then this client deletes nothing.
                let service = at.server().service();
                send(service, Method::DELETE, &path, json, &Value::Null).await?;
                at.touch();
            }
            Ok(())
        })
    }

    fn likely(&self, _: &Aftermath) -> String {
        likely::changed(&self.0)
    }
}
