//! The ways to list: a streaming list with its way back, one answer from the watch cache, or exact pages. Leaves the core with a whole new content.
use super::{ANSWER_SILENCE, Source, Watch, wire};
use crate::informer::{InitialList, Object, ObjectKey, core::Listed, error::WatchFailure};
use std::time::Duration;
use tracing::debug;

/// Page size where exactness forces a read of etcd (client-go's default).
const PAGE: u32 = 500;
/// Silence within a streaming list that tells of a server which will never close it by a bookmark.
const LIST_SILENCE: Duration = Duration::from_secs(30);

impl<K: Object> Source<K> {
    /// Lists once, in the best way that the server offers. A streaming list hands out the watch that it has become.
    pub(super) async fn list(&mut self) -> Result<Option<Watch>, WatchFailure> {
        if self.list == InitialList::Streaming {
            match self.list_streaming().await {
                Ok(watch) => {
                    self.fresh = false;
                    return Ok(Some(watch));
                }
                Err(failure) if refuses_streaming(&failure) => {
                    debug!(kind = %K::kind(&()), %failure, "no streaming lists here, using plain ones from now on");
                    self.list = InitialList::WatchCache;
                }
                // The server may have ignored the request for initial events: a plain list makes progress either way.
                Err(failure @ (WatchFailure::ListCutShort | WatchFailure::Silence(_))) => {
                    self.core.list_failed(failure);
                }
                Err(failure) => return Err(failure),
            }
        }
        self.list_plain().await?;
        self.fresh = false;
        Ok(None)
    }

    async fn list_streaming(&self) -> Result<Watch, WatchFailure> {
        let mut watch = self.watch(true).await?;
        let mut listed = Listed::default();
        let silence = LIST_SILENCE.min(watch.silence);
        while let Some(line) = watch.lines.next(silence).await? {
            match wire::Frame::parse(line) {
                Ok(wire::Frame::Applied(raw)) => self.core.list_one(&mut listed, wire::decode(raw)),
                Ok(wire::Frame::Deleted(raw)) => {
                    listed.remove(wire::decode::<K>(raw).map(|object| ObjectKey::of(&object)));
                }
                Ok(wire::Frame::Bookmark {
                    version,
                    initial_end: true,
                }) => {
                    self.core.replace(listed, &version);
                    return Ok(watch);
                }
                Ok(wire::Frame::Error(status)) => return Err(WatchFailure::Status(status)),
                Ok(_) => {}
                Err(error) if error.is_eof() => break,
                Err(error) => return Err(error.into()),
            }
        }
        Err(WatchFailure::ListCutShort)
    }

    async fn list_plain(&self) -> Result<(), WatchFailure> {
        let (version, mut limit) = match self.list {
            InitialList::Paged(limit) => (None, Some(limit.max(1))),
            _ if self.fresh => (None, Some(PAGE)),
            _ => (
                Some(
                    Some(self.core.version())
                        .filter(|version| !version.is_empty())
                        .unwrap_or_else(|| "0".to_owned()),
                ),
                None,
            ),
        };
        let mut listed = Listed::default();
        let mut next = None;
        loop {
            let paging = next.is_some();
            let (version, token) = match self
                .list_page(version.as_deref(), limit, next, &mut listed)
                .await
            {
                Ok(page) => page,
                // The list took longer than the server keeps history: one answer for all of it is all that is left.
                Err(failure) if paging && failure.is_expired() => {
                    (listed, limit, next) = (Listed::default(), None, None);
                    continue;
                }
                Err(failure) => return Err(failure),
            };
            if token.is_none() {
                let version = version.ok_or(WatchFailure::NoResourceVersion)?;
                self.core.replace(listed, &version);
                return Ok(());
            }
            next = token;
        }
    }

    /// One page; gives its version and the token of the next.
    async fn list_page(
        &self,
        version: Option<&str>,
        limit: Option<u32>,
        token: Option<String>,
        listed: &mut Listed<K>,
    ) -> Result<(Option<String>, Option<String>), WatchFailure> {
        let request = self.requests.list(version, limit, token)?;
        let body = self.send(request).await?.rest(ANSWER_SILENCE).await?;
        let page: wire::List<'_> = serde_json::from_slice(&body)?;
        for raw in page.items.unwrap_or_default() {
            self.core.list_one(listed, wire::decode(raw));
        }
        let filled = |text: Option<String>| text.filter(|text| !text.is_empty());
        Ok((
            filled(page.metadata.resource_version),
            filled(page.metadata.continue_),
        ))
    }
}

/// Whether the server does not offer streaming lists at all (422 where the feature gate is off), as against being out of order or forbidding the watch.
fn refuses_streaming(failure: &WatchFailure) -> bool {
    failure
        .status()
        .is_some_and(|status| matches!(status.code, 400 | 405 | 406 | 415 | 422 | 501))
}
