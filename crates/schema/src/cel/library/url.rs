//! `url('https://example.com')` and its methods.

use std::collections::HashMap;

use cel::{
    DeclarationError, Env, ExecutionError, add_member_overload, add_overload,
    common::{
        types::{CelBool, CelList, CelMap, CelMapKey, CelString},
        value::Val,
    },
};

use super::opaque;
use crate::{
    cel::rule::error,
    formats::url::{self, Url},
};

opaque!(Url, "kubernetes.URL");

pub(super) fn add(env: &mut Env) -> Result<(), DeclarationError> {
    add_overload!(env, fn url: (CelString) -> Result<Url>)?;
    add_overload!(env, fn is_url: (CelString) -> CelBool, name = "isURL")?;
    add_member_overload!(env, fn get_scheme: (Url) -> CelString)?;
    add_member_overload!(env, fn get_host: (Url) -> CelString)?;
    add_member_overload!(env, fn get_hostname: (Url) -> CelString)?;
    add_member_overload!(env, fn get_port: (Url) -> CelString)?;
    add_member_overload!(env, fn get_escaped_path: (Url) -> CelString)?;
    add_member_overload!(env, fn get_query: (Url) -> CelMap)
}

fn url(text: &CelString<'_>) -> Result<Url, ExecutionError> {
    let refuse = |why| {
        error(
            "url",
            format!("URL parse error during conversion from string: {why}"),
        )
    };
    url::parse_request_uri(text.inner()).map_err(refuse)?;
    url::parse(text.inner()).map_err(refuse)
}

fn is_url(text: &CelString<'_>) -> CelBool {
    url::parse_request_uri(text.inner()).is_ok().into()
}

fn get_scheme(this: &Url) -> CelString<'static> {
    this.scheme.clone().into()
}

fn get_host(this: &Url) -> CelString<'static> {
    this.host.clone().into()
}

/// Splits the port off the host.
fn parts(this: &Url) -> (&str, &str) {
    let end = this.host.rfind(']').map_or(0, |end| end + 1);
    match this.host[end..].rfind(':') {
        Some(colon) => (&this.host[..end + colon], &this.host[end + colon + 1..]),
        None => (&this.host, ""),
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
    this.path.clone().into()
}

fn get_query(this: &Url) -> CelMap<'static> {
    let mut query: HashMap<String, Vec<Box<dyn Val>>> = HashMap::new();
    let pairs = this
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
