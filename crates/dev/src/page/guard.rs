//! Who may use the page: browsers on this machine that know its token, and pages of its own origin.

use std::hash::{BuildHasher as _, RandomState};

use http::{HeaderMap, HeaderValue, Method, Request, header};

/// What a request needs.
pub(super) struct Guard {
    port: u16,
    token: String,
}

impl Guard {
    pub(super) fn new(port: u16) -> Self {
        // 128 bits that another process cannot guess: the keys of the standard hasher come from the system.
        let random = || RandomState::new().hash_one(0_u8);
        Self {
            port,
            token: format!("{:016x}{:016x}", random(), random()),
        }
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.token)
    }

    fn is_own(&self, host: &str) -> bool {
        ["127.0.0.1", "localhost"]
            .iter()
            .any(|name| host == format!("{name}:{}", self.port))
    }

    /// Returns the path after the token, or why the request is rejected.
    pub(super) fn admit<'r, B>(&self, request: &'r Request<B>) -> Result<&'r str, &'static str> {
        let headers = request.headers();
        // Another name could be one that a page elsewhere lets point to this machine.
        if !self.is_own(text(headers, header::HOST)) {
            return Err("the header Host names another server");
        }
        let origin = text(headers, header::ORIGIN);
        let own = |origin: &str| {
            origin
                .strip_prefix("http://")
                .is_some_and(|host| self.is_own(host))
        };
        if headers.contains_key(header::ORIGIN) && !own(origin) {
            return Err("the request is from a page of another origin");
        }
        let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
        if site.is_some_and(|site| site != b"same-origin" && site != b"none") {
            return Err("the request is from a page of another origin");
        }
        let is_write = request.method() != Method::GET;
        if is_write && origin.is_empty() {
            return Err("a change needs the header Origin");
        }
        if is_write && text(headers, header::CONTENT_TYPE) != "application/json" {
            return Err("a change needs the content type application/json");
        }
        let mut parts = request.uri().path().splitn(3, '/').skip(1);
        if !same(parts.next().unwrap_or_default(), &self.token) {
            return Err("the address lacks the token that `kube-codegen dev` has printed");
        }
        parts
            .next()
            .ok_or("the address lacks the slash after the token")
    }
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> &str {
    headers
        .get(name)
        .and_then(|it| it.to_str().ok())
        .unwrap_or_default()
}

/// Compares in a time that does not depend on where the texts differ.
fn same(one: &str, other: &str) -> bool {
    let pairs = one.bytes().zip(other.bytes());
    one.len() == other.len() && pairs.fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_pages_own_requests_are_admitted() {
        let guard = Guard::new(8080);
        let path = format!("/{}/events", guard.token);
        let admit = |method: &str, path: &str, headers: &[(&str, &str)]| {
            let mut request = Request::builder().method(method).uri(path);
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            guard.admit(&request.body(()).unwrap()).map(str::to_owned)
        };
        let host = ("host", "127.0.0.1:8080");
        let origin = ("origin", "http://127.0.0.1:8080");
        let json = ("content-type", "application/json");
        let events = Ok("events".to_owned());
        assert_eq!(admit("GET", &path, &[host]), events);
        assert_eq!(admit("GET", &path, &[("host", "localhost:8080")]), events);
        assert_eq!(admit("POST", &path, &[host, origin, json]), events);
        for (method, path, headers) in [
            ("GET", path.as_str(), &[][..]),
            ("GET", &path, &[("host", "evil.example.com:8080")]),
            ("GET", &path, &[("host", "127.0.0.1:8081")]),
            ("GET", &path, &[host, ("origin", "http://evil.example.com")]),
            ("GET", &path, &[host, ("origin", "null")]),
            ("GET", &path, &[host, ("sec-fetch-site", "cross-site")]),
            ("GET", &path, &[host, ("sec-fetch-site", "same-site")]),
            ("GET", "/", &[host]),
            ("GET", "/events", &[host]),
            ("GET", "/00000000000000000000000000000000/events", &[host]),
            ("POST", &path, &[host, json]),
            ("POST", &path, &[host, origin]),
            (
                "POST",
                &path,
                &[host, origin, ("content-type", "text/plain")],
            ),
        ] {
            assert!(
                admit(method, path, headers).is_err(),
                "{method} {path} {headers:?}"
            );
        }
        assert_ne!(Guard::new(1).token, Guard::new(1).token);
    }
}
