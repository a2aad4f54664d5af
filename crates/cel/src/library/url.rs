//! `url('https://example.com')` and its methods.

use std::collections::HashMap;

use cel::{
    ExecutionError, add_member_overload, add_overload,
    common::{
        types::{CelBool, CelList, CelMap, CelMapKey, CelString},
        value::Val,
    },
};

use kube_codegen_formats::{Rejected, url};

use super::function::{Function, function};
use crate::{errors::error, value::opaque};

#[derive(Clone, Debug, PartialEq)]
struct Url(url::Url);

opaque!(Url, "kubernetes.URL");

pub(super) const FUNCTIONS: &[Function] = &[
    function("url", "string kubernetes.URL")
        .costs(|it| it.scan(0))
        .sized(|it| Some(it.bounds(0)))
        .declared(|env| add_overload!(env, fn url: (CelString) -> Result<Url>)),
    function("isURL", "string bool")
        .declared(|env| add_overload!(env, fn is_url: (CelString) -> CelBool, name = "isURL")),
    function("getScheme", ".kubernetes.URL string")
        .declared(|env| add_member_overload!(env, fn get_scheme: (Url) -> CelString)),
    function("getHost", ".kubernetes.URL string")
        .declared(|env| add_member_overload!(env, fn get_host: (Url) -> CelString)),
    function("getHostname", ".kubernetes.URL string")
        .declared(|env| add_member_overload!(env, fn get_hostname: (Url) -> CelString)),
    function("getPort", ".kubernetes.URL string")
        .declared(|env| add_member_overload!(env, fn get_port: (Url) -> CelString)),
    function("getEscapedPath", ".kubernetes.URL string")
        .declared(|env| add_member_overload!(env, fn get_escaped_path: (Url) -> CelString)),
    function("getQuery", ".kubernetes.URL map(string list(string))")
        .declared(|env| add_member_overload!(env, fn get_query: (Url) -> CelMap)),
];

fn url(text: &CelString<'_>) -> Result<Url, ExecutionError> {
    let reject = |why: Rejected| {
        error(
            "url",
            format!("URL parse error during conversion from string: {why}"),
        )
    };
    url::parse_request_uri(text.inner()).map_err(reject)?;
    url::parse(text.inner()).map(Url).map_err(reject)
}

fn is_url(text: &CelString<'_>) -> CelBool {
    url::parse_request_uri(text.inner()).is_ok().into()
}

fn get_scheme(this: &Url) -> CelString<'static> {
    this.0.scheme.clone().into()
}

fn get_host(this: &Url) -> CelString<'static> {
    this.0.host.clone().into()
}

/// Splits the port off the host.
fn parts(this: &Url) -> (&str, &str) {
    let end = this.0.host.rfind(']').map_or(0, |end| end + 1);
    match this.0.host[end..].rfind(':') {
        Some(colon) => (&this.0.host[..end + colon], &this.0.host[end + colon + 1..]),
        None => (&this.0.host, ""),
    }
}

fn get_hostname(this: &Url) -> CelString<'static> {
    let (name, _) = parts(this);
    let address = name.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    address.unwrap_or(name).to_owned().into()
}

fn get_port(this: &Url) -> CelString<'static> {
    parts(this).1.to_owned().into()
}

fn get_escaped_path(this: &Url) -> CelString<'static> {
    this.0.path.clone().into()
}

fn get_query(this: &Url) -> CelMap<'static> {
    let mut query: HashMap<String, Vec<Box<dyn Val>>> = HashMap::new();
    let pairs = this
        .0
        .query
        .split('&')
        .filter(|pair| !pair.is_empty() && !pair.contains(';'));
    for pair in pairs {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        if let (Some(key), Some(value)) = (url::unescape(key, true), url::unescape(value, true)) {
            let values = query.entry(key).or_default();
            values.push(Box::new(CelString::from(value)));
        }
    }
    let query = query.into_iter().map(|(key, values)| {
        let values: Box<dyn Val> = Box::new(CelList::from(values));
        (CelMapKey::String(CelString::from(key)), values)
    });
    CelMap::from(query.collect::<HashMap<_, _>>())
}
