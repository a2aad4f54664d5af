//! Reads URLs as Go's `net/url` does.

use crate::{Rejected, go::quote};

/// The parts of a URL that rules can read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Url {
    pub scheme: String,
    /// Host and port.
    pub host: String,
    /// The path, percent-encoded.
    pub path: String,
    pub query: String,
    user: String,
    fragment: String,
}

/// Reads an absolute URI or an absolute path, as `url.ParseRequestURI`.
pub fn parse_request_uri(text: &str) -> Result<Url, Rejected> {
    parts(text, true).map_err(|why| rejected(text, &why))
}

/// Reads a URL with a fragment, as `url.Parse`.
pub fn parse(text: &str) -> Result<Url, Rejected> {
    let (rest, fragment) = text.split_once('#').unwrap_or((text, ""));
    parts(rest, false)
        .and_then(|url| {
            check_escapes(fragment)?;
            Ok(Url {
                fragment: fragment.to_owned(),
                ..url
            })
        })
        .map_err(|why| rejected(text, &why))
}

fn rejected(text: &str, why: &str) -> Rejected {
    Rejected::new(format!("parse {}: {why}", quote(text)))
}

fn parts(text: &str, request: bool) -> Result<Url, String> {
    if text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return Err("net/url: invalid control character in URL".to_owned());
    }
    if text.is_empty() && request {
        return Err("empty url".to_owned());
    }
    let (scheme, rest) = scheme(text)?;
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let mut url = Url {
        scheme: scheme.to_lowercase(),
        query: query.to_owned(),
        ..Url::default()
    };
    if text == "*" {
        return Ok(Url {
            path: "*".to_owned(),
            ..url
        });
    }
    if !rest.starts_with('/') {
        if !scheme.is_empty() {
            return Ok(url);
        }
        if request {
            return Err("invalid URI for request".to_owned());
        }
        if rest
            .split('/')
            .next()
            .is_some_and(|segment| segment.contains(':'))
        {
            return Err("first path segment in URL cannot contain colon".to_owned());
        }
    }
    let has_authority = !scheme.is_empty() || !request && !rest.starts_with("///");
    let path = match rest.strip_prefix("//").filter(|_| has_authority) {
        Some(rest) => {
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
            check_user(user)?;
            user.clone_into(&mut url.user);
            url.host = self::host(host)?;
            path
        }
        None => rest,
    };
    check_escapes(path)?;
    url.path = encoded_path(path);
    Ok(url)
}

/// Splits off the scheme, empty if there is none.
fn scheme(text: &str) -> Result<(&str, &str), String> {
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if index > 0 => {}
            b':' if index > 0 => return Ok((&text[..index], &text[index + 1..])),
            b':' => return Err("missing protocol scheme".to_owned()),
            _ => break,
        }
    }
    Ok(("", text))
}

/// Rejects a `%` without two hexadecimal digits.
fn check_escapes(text: &str) -> Result<(), String> {
    for (at, _) in text.match_indices('%') {
        let rest = &text.as_bytes()[at..text.len().min(at + 3)];
        if rest.len() < 3 || !rest[1..].iter().all(u8::is_ascii_hexdigit) {
            let shown = String::from_utf8_lossy(rest);
            return Err(format!("invalid URL escape {}", quote(&shown)));
        }
    }
    Ok(())
}

fn check_user(user: &str) -> Result<(), String> {
    let is_user =
        |letter: char| letter.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(letter);
    if !user.chars().all(is_user) {
        return Err("net/url: invalid userinfo".to_owned());
    }
    check_escapes(user)
}

fn host(host: &str) -> Result<String, String> {
    let check_port = |port: &str| {
        let digits = port.strip_prefix(':').unwrap_or(port);
        let is_port = port.is_empty()
            || port.starts_with(':') && digits.bytes().all(|digit| digit.is_ascii_digit());
        is_port
            .then_some(())
            .ok_or_else(|| format!("invalid port {} after host", quote(port)))
    };
    if let Some(rest) = host.strip_prefix('[') {
        let (address, port) = rest
            .rsplit_once(']')
            .ok_or_else(|| "missing ']' in host".to_owned())?;
        check_port(port)?;
        let (address, zone) = address.split_once("%25").unwrap_or((address, ""));
        if address.parse::<std::net::Ipv6Addr>().is_err() {
            let address = quote(address);
            return Err(format!(
                "invalid host: ParseAddr({address}): unable to parse IP"
            ));
        }
        check_escapes(zone)?;
    } else if let Some(colon) = host.rfind(':') {
        check_port(&host[colon..])?;
    }
    let is_host = |letter: char| {
        letter.is_ascii_alphanumeric()
            || "-_.~!$&'()*+,;=:[]<>\"%".contains(letter)
            || !letter.is_ascii()
    };
    if let Some(letter) = host.chars().find(|letter| !is_host(*letter)) {
        let letter = quote(&letter.to_string());
        return Err(format!("invalid character {letter} in host name"));
    }
    check_escapes(host)?;
    // In a host, only bytes beyond ASCII are escaped.
    for part in host.split('%').skip(1) {
        if !part.starts_with("25")
            && !part.starts_with(|digit: char| "89abcdefABCDEF".contains(digit))
        {
            let shown = part.get(..2).unwrap_or(part);
            return Err(format!(
                "invalid URL escape {}",
                quote(&format!("%{shown}"))
            ));
        }
    }
    Ok(unescape(host, false).unwrap_or_else(|| host.to_owned()))
}

/// Decodes percent-encoding; `None` if it is invalid. In a query, `+` is a space.
pub fn unescape(text: &str, query: bool) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                let digits = std::str::from_utf8(&digits).ok()?;
                u8::from_str_radix(digits, 16).ok()?
            }
            b'+' if query => b' ',
            byte => byte,
        });
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns a path as it is, if it is encoded, or encodes it.
fn encoded_path(path: &str) -> String {
    use std::fmt::Write as _;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~$&+,/:;=@!'()*".contains(&byte);
    if path
        .bytes()
        .all(|byte| is_plain(byte) || b"[]%".contains(&byte))
    {
        return path.to_owned();
    }
    let decoded = unescape(path, false).unwrap_or_else(|| path.to_owned());
    let mut out = String::with_capacity(decoded.len());
    for byte in decoded.bytes() {
        if is_plain(byte) && !b"!'()*".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
