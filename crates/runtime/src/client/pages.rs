//! A list in pages: the selectors in, a stream of pages out that never holds an object of the same namespace and name twice.
//!
//! A continue token expires after some minutes (410). As client-go's pager does, the rest is then listed in one answer, at the newest version, and of
//! it only what was not yet handed out is given on; so what is handed out in all is no longer of one version, as it would be without the break.
use super::ErrorExt;
use super::Kind;
use futures::{Stream, stream};
use kube::Api;
use kube::api::{ListParams, ObjectList};
use std::collections::HashSet;

struct Pages<K> {
    api: Api<K>,
    /// Why nothing is to be asked for at all.
    refused: Option<kube::Error>,
    params: ListParams,
    /// What was handed out, by namespace and name.
    given: HashSet<(String, String)>,
}

pub(super) fn pages<K: Kind>(
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
        refused: check.err(),
        params,
        given: HashSet::new(),
    };
    stream::try_unfold(Some(first), |pages| async {
        match pages {
            Some(pages) => pages.next().await.map(Some),
            None => Ok(None),
        }
    })
}

impl<K: Kind> Pages<K> {
    /// The next page, and what is to come if there is more.
    async fn next(mut self) -> kube::Result<(ObjectList<K>, Option<Self>)> {
        if let Some(error) = self.refused.take() {
            return Err(error);
        }
        let mut page = match self.api.list(&self.params).await {
            Err(error) if error.is_gone() && self.params.continue_token.is_some() => {
                self.rest().await?
            }
            page => page?,
        };
        page.items.retain(|object| {
            let meta = object.meta();
            self.given.insert((
                meta.namespace.clone().unwrap_or_default(),
                meta.name.clone().unwrap_or_default(),
            ))
        });
        let more = page
            .metadata
            .continue_
            .clone()
            .filter(|token| !token.is_empty());
        let rest = more.map(|token| {
            // The token stands for the version, too.
            self.params.resource_version = None;
            self.params.version_match = None;
            self.params.continue_token = Some(token);
            self
        });
        Ok((page, rest))
    }

    /// All in one answer, after the token has expired.
    async fn rest(&mut self) -> kube::Result<ObjectList<K>> {
        self.params.continue_token = None;
        self.params.limit = None;
        self.api.list(&self.params).await
    }
}
