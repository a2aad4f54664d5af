//! Lists: a streaming list with its fallback, one response from the watch cache, or exact pages.
use tracing::debug;

use super::{
    LIST_SILENCE, RESPONSE_SILENCE, Reflector, Watch,
    list_body::{ListBody, ListMeta},
    wire,
};
#[cfg(feature = "protobuf")]
use super::{protobuf, response::Encoding};
use crate::{
    cache::ObjectKey,
    client::ErrorExt,
    informer::{
        InitialList,
        error::WatchFailure,
        part::Aim,
        relist::{Listed, SLICE},
        tasks::give_way,
    },
};

/// Page size of a list that reads etcd (client-go's default).
const PAGE: u32 = 500;
/// Number of pages in a row without a new object after which the list counts as endless. Some may be empty, since the server filters them.
const IDLE_PAGES: usize = 100;

impl Reflector {
    /// Lists once, in the best way that the server supports. A streaming list continues as the returned watch.
    pub(super) async fn list(&mut self) -> Result<Option<Watch>, WatchFailure> {
        if self.list == InitialList::Streaming {
            match self.list_streaming().await {
                Ok(watch) => {
                    self.fresh = false;
                    // The server would compress each event separately. The next watch is not compressed.
                    return Ok(Some(watch).filter(|watch| !watch.reader.is_compressed));
                }
                Err(failure) if rejects_streaming(&failure) => {
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

    async fn list_streaming(&mut self) -> Result<Watch, WatchFailure> {
        let aim = self.scope.aim().await;
        let mut watch = self.watch(true, &aim).await?;
        let mut listed = self.state.start_list(aim.ranges);
        let mut frames = 0_usize;
        let silence = LIST_SILENCE.min(watch.silence);
        let encoding = watch.reader.encoding;
        while let Some(frame) = watch.reader.next(silence).await? {
            match wire::Frame::parse(frame, encoding) {
                Ok(wire::Frame::Applied(raw)) => {
                    if self.foreign(&raw).is_none() {
                        self.state.list_one(&mut listed, self.decode(raw));
                    }
                }
                Ok(wire::Frame::Deleted(raw)) => {
                    listed.remove(
                        self.decode(raw)
                            .map(|object| ObjectKey::of_meta(object.metadata())),
                    );
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
                Err(error) => return Err(error.into()),
            }
            frames += 1;
            if frames.is_multiple_of(SLICE) {
                give_way().await;
            }
        }
        Err(WatchFailure::ListCutShort)
    }

    async fn list_plain(&mut self) -> Result<(), WatchFailure> {
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
        let aim = self.scope.aim().await;
        let mut listed = self.state.start_list(aim.ranges.clone());
        let mut next: Option<String> = None;
        let mut idle_pages = 0;
        loop {
            let paging = next.is_some();
            let before = listed.len();
            let page = self.list_page(version.as_deref(), limit, next.clone(), &aim, &mut listed);
            let (version, token) = match page.await {
                Ok(page) => page,
                // The list took longer than the server keeps history: request all of it in one response.
                Err(failure) if paging && failure.is_gone() => {
                    (listed, limit, next) = (self.state.start_list(aim.ranges.clone()), None, None);
                    continue;
                }
                Err(failure) => return Err(failure),
            };
            if token.is_none() {
                self.state.replace(&self.scope, listed, &version).await;
                return Ok(());
            }
            idle_pages = if listed.len() > before {
                0
            } else {
                idle_pages + 1
            };
            if idle_pages >= IDLE_PAGES || (idle_pages > 0 && token == next) {
                return Err(WatchFailure::EndlessPages);
            }
            next = token;
        }
    }

    /// Requests one page and returns its version, which is empty if the server has none, and the token of the next page.
    async fn list_page(
        &mut self,
        version: Option<&str>,
        limit: Option<u32>,
        token: Option<String>,
        aim: &Aim,
        listed: &mut Listed,
    ) -> Result<(String, Option<String>), WatchFailure> {
        let request = self
            .requests
            .list(version, limit, token, self.shards(aim))?;
        let reader = self.send(request, RESPONSE_SILENCE).await?;
        #[cfg(feature = "protobuf")]
        if reader.encoding == Encoding::Protobuf {
            let body = reader.rest(LIST_SILENCE).await?;
            let page = protobuf::list(&body.into()).map_err(wire::malformed)?;
            let (version, token, items) = page.ok_or(WatchFailure::NotAList)?;
            for (number, item) in items.into_iter().enumerate() {
                self.state
                    .list_one(listed, self.decode(wire::Raw::Protobuf(item)));
                if number.is_multiple_of(SLICE) {
                    give_way().await;
                }
            }
            return Ok((version.unwrap_or_default(), token));
        }
        let mut page = ListBody::new(reader, LIST_SILENCE);
        let mut items = 0_usize;
        while let Some(item) = page.next_item().await? {
            let raw = wire::Raw::Json(item);
            if self.foreign(&raw).is_none() {
                self.state.list_one(listed, self.decode(raw));
            }
            items += 1;
            if items.is_multiple_of(SLICE) {
                give_way().await;
            }
        }
        let ListMeta {
            resource_version,
            continue_,
        } = page.metadata;
        if resource_version.is_none() && !page.has_items {
            return Err(WatchFailure::NotAList);
        }
        Ok((
            resource_version.unwrap_or_default(),
            continue_.filter(|token| !token.is_empty()),
        ))
    }
}

/// Whether the server has no streaming lists (422 if the feature gate is off), rather than being overloaded or forbidding the watch.
fn rejects_streaming(failure: &WatchFailure) -> bool {
    failure
        .status()
        .is_some_and(|status| matches!(status.code, 400 | 405 | 406 | 415 | 422 | 501))
}
