//! A list in pages that never returns an object twice.
//!
//! A continue token expires after some minutes (410). The server then sends a fresh one, which goes on with the next object at the newest version.
//! Without it, or if it has expired too, everything is listed in one response, as in client-go's pager, without the objects that were already
//! returned. Either way, the pages have two versions. (An informer cannot go on like that: its cache needs one version, to watch from.)
use std::collections::HashSet;

use futures::{Stream, stream};
use kube::{
    Api,
    api::{ListParams, ObjectList},
};
use serde::de::Error as _;
use serde_json::Error;

use super::{ErrorExt, decode::send};
use crate::Object;

struct Pages<K> {
    api: Api<K>,
    /// An error found before the first request.
    invalid: Option<kube::Error>,
    params: ListParams,
    /// Namespaces and names of the returned objects.
    returned: HashSet<(String, String)>,
}

pub(super) fn pages<K: Object<DynamicType = ()>>(
    api: Api<K>,
    check: kube::Result<()>,
    params: ListParams,
    page_size: u32,
) -> impl Stream<Item = kube::Result<ObjectList<K>>> + use<K> {
    let params = ListParams {
        limit: Some(page_size.max(1)),
        ..params
    };
    let first = Pages {
        api,
        invalid: check.err(),
        params,
        returned: HashSet::new(),
    };
    stream::try_unfold(Some(first), |pages| async {
        match pages {
            Some(pages) => pages.next().await.map(Some),
            None => Ok(None),
        }
    })
}

impl<K: Object<DynamicType = ()>> Pages<K> {
    /// Returns the next page, and the rest if there is more.
    async fn next(mut self) -> kube::Result<(ObjectList<K>, Option<Self>)> {
        if let Some(error) = self.invalid.take() {
            return Err(error);
        }
        let mut page = match self.page().await {
            Err(error) if error.is_gone() && self.params.continue_token.is_some() => {
                self.after_expiry(&error).await?
            }
            page => page?,
        };
        page.items.retain(|object| {
            let meta = object.meta();
            self.returned.insert((
                meta.namespace.clone().unwrap_or_default(),
                meta.name.clone().unwrap_or_default(),
            ))
        });
        let more = page
            .metadata
            .continue_
            .clone()
            .filter(|token| !token.is_empty());
        if page.items.is_empty() && more.is_some() && more == self.params.continue_token {
            let message =
                "the pages do not end: the server sends the same one for its continue token";
            return Err(kube::Error::SerdeError(Error::custom(message)));
        }
        let rest = more.map(|token| {
            // The token implies the version.
            self.params.resource_version = None;
            self.params.version_match = None;
            self.params.continue_token = Some(token);
            self
        });
        Ok((page, rest))
    }

    async fn page(&self) -> kube::Result<ObjectList<K>> {
        send(&self.api, "list", |it| it.list(&self.params)).await
    }

    /// Goes on after the token has expired.
    async fn after_expiry(&mut self, gone: &kube::Error) -> kube::Result<ObjectList<K>> {
        if let Some(fresh) = fresh_token(gone) {
            self.params.continue_token = Some(fresh);
            match self.page().await {
                Err(error) if error.is_gone() => {}
                page => return page,
            }
        }
        self.params.continue_token = None;
        self.params.limit = None;
        self.page().await
    }
}

/// The token with which a list can go on, from the error of an expired one; the server may send none.
pub(crate) fn fresh_token(error: &kube::Error) -> Option<String> {
    let metadata = error.status()?.metadata.as_ref()?;
    let token = metadata.continue_.clone();
    token.filter(|token| !token.is_empty())
}
