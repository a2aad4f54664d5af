//! Builds the LIST and WATCH requests of an informer.
use std::time::Duration;

use http::{HeaderMap, HeaderValue, Request, header};
use kube::{
    api::{ListParams, VersionMatch, WatchParams},
    core,
};

use super::response::GZIP;
#[cfg(feature = "protobuf")]
use super::response::PROTOBUF;
use crate::informer::InformerConfig;

const JSON: &str = "application/json";

/// The requests of one kind, scope and configuration.
#[derive(Clone)]
pub(in crate::informer) struct Requests {
    inner: core::Request,
    metadata_only: bool,
    /// The forms of a list and of an event, in the order of preference.
    accept: [HeaderValue; 2],
    /// Lists are compressed.
    gzip: bool,
    label_selector: Option<String>,
    field_selector: Option<String>,
    timeout: u32,
}

impl Requests {
    /// Creates the requests of the collection at `path`: of whole objects, or of their metadata alone (`PartialObjectMetadata`).
    pub(in crate::informer) fn new(
        path: &str,
        metadata_only: bool,
        config: &InformerConfig,
    ) -> Self {
        Self {
            inner: core::Request::new(path),
            metadata_only,
            accept: ["PartialObjectMetadataList", "PartialObjectMetadata"]
                .map(|kind| accept(config, metadata_only.then_some(kind))),
            #[cfg(feature = "gzip")]
            gzip: config.gzip,
            #[cfg(not(feature = "gzip"))]
            gzip: false,
            label_selector: config.label_selector.clone(),
            field_selector: config.field_selector.clone(),
            timeout: u32::try_from(config.watch_timeout.as_secs())
                .unwrap_or(u32::MAX / 2)
                .max(1),
        }
    }

    /// Returns a LIST: not older than `version`, or the most recent state in pages.
    pub(super) fn list(
        &self,
        version: Option<&str>,
        limit: Option<u32>,
        continue_: Option<String>,
        shards: Option<&str>,
    ) -> Result<Request<Vec<u8>>, kube::Error> {
        let params = ListParams {
            label_selector: self.label_selector.clone(),
            field_selector: self.field_selector.clone(),
            limit,
            continue_token: continue_,
            version_match: version.map(|_| VersionMatch::NotOlderThan),
            resource_version: version.map(str::to_owned),
            ..ListParams::default()
        };
        let request = if self.metadata_only {
            self.inner.list_metadata(&params)
        } else {
            self.inner.list(&params)
        };
        let mut request = request.map_err(kube::Error::BuildRequest)?;
        request.extensions_mut().insert("list");
        select(&mut request, shards)?;
        let headers = request.headers_mut();
        headers.insert(header::ACCEPT, self.accept[0].clone());
        if self.gzip {
            compress(headers, GZIP);
        }
        Ok(request)
    }

    /// Returns a WATCH from `version` on, and how long the server will keep it open. `initial` requests a streaming list.
    pub(super) fn watch(
        &self,
        version: &str,
        initial: bool,
        spread: u32,
        shards: Option<&str>,
    ) -> Result<(Request<Vec<u8>>, Duration), kube::Error> {
        let seconds = self.timeout.saturating_add(spread % self.timeout);
        let params = WatchParams {
            label_selector: self.label_selector.clone(),
            field_selector: self.field_selector.clone(),
            timeout: Some(seconds),
            bookmarks: true,
            send_initial_events: initial,
        };
        let request = if self.metadata_only {
            self.inner.watch_metadata(&params, version)
        } else {
            self.inner.watch(&params, version)
        };
        let mut request = request.map_err(kube::Error::BuildRequest)?;
        request.extensions_mut().insert("watch");
        select(&mut request, shards)?;
        let headers = request.headers_mut();
        headers.insert(header::ACCEPT, self.accept[1].clone());
        // Compressing small events saves nothing, and a decoder of the client may delay them.
        let compression = if initial && self.gzip {
            GZIP
        } else {
            "identity"
        };
        compress(headers, compression);
        Ok((request, Duration::from_secs(seconds.into())))
    }
}

/// Returns the forms to ask for, with JSON for a server that does not have the others. `metadata` is the kind of metadata alone.
fn accept(config: &InformerConfig, metadata: Option<&str>) -> HeaderValue {
    let mut options = String::new();
    if let Some(kind) = metadata {
        options = format!(";as={kind};g=meta.k8s.io;v=v1");
    }
    if !config.keep_managed_fields {
        // KEP-5958. Servers without it ignore the option.
        options += ";drop=metadata.managedFields";
    }
    let forms = [
        // Metadata in protobuf is decoded without managed fields.
        #[cfg(feature = "protobuf")]
        (metadata.is_some() && !config.keep_managed_fields).then_some(PROTOBUF),
        Some(JSON),
    ];
    let forms = forms.into_iter().flatten();
    let forms: Vec<_> = forms.map(|form| format!("{form}{options}")).collect();
    HeaderValue::try_from(forms.join(",")).unwrap_or(HeaderValue::from_static(JSON))
}

fn compress(headers: &mut HeaderMap, compression: &'static str) {
    let compression = HeaderValue::from_static(compression);
    headers.insert(header::ACCEPT_ENCODING, compression);
}

/// Asks for the objects of some shards alone (KEP-5866). A server without this feature ignores it, and sends all objects.
fn select(request: &mut Request<Vec<u8>>, shards: Option<&str>) -> Result<(), kube::Error> {
    let Some(shards) = shards else {
        return Ok(());
    };
    let uri = request.uri();
    let mut query = form_urlencoded::Serializer::new(uri.query().unwrap_or_default().to_owned());
    let query = query.append_pair("shardSelector", shards).finish();
    let uri = format!("{}?{query}", uri.path());
    *request.uri_mut() = uri
        .parse()
        .map_err(|error: http::uri::InvalidUri| kube::Error::HttpError(error.into()))?;
    Ok(())
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
