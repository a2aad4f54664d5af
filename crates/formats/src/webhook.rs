//! Where the API server calls a webhook: URLs, and paths of Services, with the messages of apiserver.

use crate::names;

const FORM: &str = "; desired format: https://host[/path]";

/// Returns the violations of a URL: each with the part of it that the server shows.
///
/// ```
/// # use kube_codegen_formats::webhook;
/// assert!(webhook::url("https://example.com/convert").is_empty());
/// assert_eq!(webhook::url("https://a?b")[0].0, "b");
/// ```
pub fn url(url: &str) -> Vec<(String, String)> {
    let (url, fragment) = url.split_once('#').unwrap_or((url, ""));
    let (url, query) = url.split_once('?').unwrap_or((url, ""));
    let (scheme, rest) = url.split_once("://").unwrap_or_default();
    let authority = rest.split('/').next().unwrap_or_default();
    let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    let mut found = Vec::new();
    if scheme != "https" {
        let why = format!("'https' is the only allowed URL scheme{FORM}");
        found.push((scheme.to_owned(), why));
    }
    if host.is_empty() {
        found.push((String::new(), format!("host must be specified{FORM}")));
    }
    for (part, what) in [
        (user, "user information is"),
        (fragment, "fragments are"),
        (query, "query parameters are"),
    ] {
        if !part.is_empty() {
            let why = format!("{what} not permitted in the URL");
            found.push((part.to_owned(), why));
        }
    }
    found
}

/// Returns the violations of the path of a Service: each part is a DNS subdomain.
///
/// ```
/// # use kube_codegen_formats::webhook;
/// assert!(webhook::path("/convert/").is_empty());
/// assert_eq!(webhook::path("//"), ["segment[0] may not be empty"]);
/// ```
pub fn path(path: &str) -> Vec<String> {
    if matches!(path, "" | "/") {
        return Vec::new();
    }
    if path == "//" {
        return vec!["segment[0] may not be empty".to_owned()];
    }
    let mut found = Vec::new();
    if !path.starts_with('/') {
        found.push("must start with a '/'".to_owned());
    }
    // The server leaves out the first byte, also if it is another one.
    let mut letters = path.chars();
    letters.next();
    let rest = letters.as_str();
    let parts = rest.strip_suffix('/').unwrap_or(rest).split('/');
    for (index, part) in parts.enumerate() {
        if part.is_empty() {
            found.push(format!("segment[{index}] may not be empty"));
            continue;
        }
        let why = names::dns_1123_subdomain(part).into_iter();
        found.extend(why.map(|why| format!("segment[{index}]: {why}")));
    }
    found
}
