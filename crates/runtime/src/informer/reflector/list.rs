//! Lists: a streaming list with its fallback, one response from the watch cache, or exact pages.
use tracing::debug;

use super::{LIST_SILENCE, RESPONSE_SILENCE, Reflector, Watch, list_body::ListBody, wire};
#[cfg(feature = "protobuf")]
use super::{protobuf, response::Encoding};
use crate::{
    cache::{Object, ObjectKey},
    client::ErrorExt,
    informer::{
        InitialList,
        error::WatchFailure,
        relist::{Listed, SLICE},
        tasks::give_way,
    },
};

/// Page size of a list that reads etcd (client-go's default).
const PAGE: u32 = 500;

impl<K: Object> Reflector<K> {
    /// Lists once, in the best way that the server supports. A streaming list continues as the returned watch.
    pub(super) async fn list(&mut self) -> Result<Option<Watch>, WatchFailure> {
        if self.list == InitialList::Streaming {
            match self.list_streaming().await {
                Ok(watch) => {
                    self.fresh = false;
                    return Ok(Some(watch));
                }
                Err(failure) if refuses_streaming(&failure) => {
                    debug!(kind = %self.state.kind, %failure, "the server has no streaming lists; using plain lists");
                    self.list = InitialList::WatchCache;
                }
                // The server may have ignored `sendInitialEvents`: a plain list makes progress either way.
                Err(failure @ (WatchFailure::ListCutShort | WatchFailure::Silence(_))) => {
                    self.state.list_failed(failure);
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
        let mut listed = self.state.start_list();
        let mut lines = 0_usize;
        let silence = LIST_SILENCE.min(watch.silence);
        let encoding = watch.lines.encoding;
        while let Some(line) = watch.lines.next(silence).await? {
            match wire::Frame::parse(line, encoding) {
                Ok(wire::Frame::Applied(raw)) => {
                    self.state.list_one(&mut listed, self.decode(raw));
                }
                Ok(wire::Frame::Deleted(raw)) => {
                    listed.remove(self.decode(raw).map(|object| ObjectKey::of(&object)));
                }
                Ok(wire::Frame::Bookmark {
                    version,
                    initial_end: true,
                }) => {
                    self.state.replace(&self.scope, listed, &version).await;
                    return Ok(watch);
                }
                Ok(wire::Frame::Error(status)) => return Err(WatchFailure::Status(status)),
                Ok(_) => {}
                Err(error) if error.is_eof() => break,
                Err(error) => return Err(error.into()),
            }
            lines += 1;
            if lines.is_multiple_of(SLICE) {
                give_way().await;
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
                    Some(self.scope.version())
                        .filter(|version| !version.is_empty())
                        .unwrap_or_else(|| "0".to_owned()),
                ),
                None,
            ),
        };
        let mut listed = self.state.start_list();
        let mut next = None;
        loop {
            let paging = next.is_some();
            let (version, token) = match self
                .list_page(version.as_deref(), limit, next, &mut listed)
                .await
            {
                Ok(page) => page,
                // The list took longer than the server keeps history: request all of it in one response.
                Err(failure) if paging && failure.is_gone() => {
                    (listed, limit, next) = (self.state.start_list(), None, None);
                    continue;
                }
                Err(failure) => return Err(failure),
            };
            if token.is_none() {
                let version = version.ok_or(WatchFailure::NoResourceVersion)?;
                self.state.replace(&self.scope, listed, &version).await;
                return Ok(());
            }
            next = token;
        }
    }

    /// Requests one page and returns its version and the token of the next page.
    async fn list_page(
        &self,
        version: Option<&str>,
        limit: Option<u32>,
        token: Option<String>,
        listed: &mut Listed<K>,
    ) -> Result<(Option<String>, Option<String>), WatchFailure> {
        let request = self.requests.list(version, limit, token)?;
        let lines = self.send(request, RESPONSE_SILENCE).await?;
        #[cfg(feature = "protobuf")]
        if lines.encoding == Encoding::Protobuf {
            let body = lines.rest(LIST_SILENCE).await?;
            let (version, token, items) = protobuf::list(&body.into()).map_err(wire::malformed)?;
            for (number, item) in items.into_iter().enumerate() {
                self.state
                    .list_one(listed, self.decode(wire::Raw::Protobuf(item)));
                if number.is_multiple_of(SLICE) {
                    give_way().await;
                }
            }
            return Ok((version, token));
        }
        let mut page = ListBody::new(lines);
        let mut items = 0_usize;
        while let Some(item) = page.next_item(LIST_SILENCE).await? {
            self.state
                .list_one(listed, self.decode(wire::Raw::Json(item)));
            items += 1;
            if items.is_multiple_of(SLICE) {
                give_way().await;
            }
        }
        let non_empty = |text: Option<String>| text.filter(|text| !text.is_empty());
        Ok((
            non_empty(page.metadata.resource_version),
            non_empty(page.metadata.continue_),
        ))
    }
}

/// Whether the server has no streaming lists (422 if the feature gate is off), rather than being overloaded or forbidding the watch.
fn refuses_streaming(failure: &WatchFailure) -> bool {
    failure
        .status()
        .is_some_and(|status| matches!(status.code, 400 | 405 | 406 | 415 | 422 | 501))
}
