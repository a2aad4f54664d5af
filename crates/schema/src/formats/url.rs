//! Reads URLs as Go's `net/url` does.

/// Returns whether Go's `url.ParseRequestURI` reads a text: an absolute URI or an absolute path.
pub(super) fn is_request_uri(text: &str) -> bool {
    if text.is_empty() || text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return false;
    }
    if text == "*" {
        return true;
    }
    let Some((scheme, rest)) = scheme(text) else {
        return false;
    };
    let rest = rest.split_once('?').map_or(rest, |(rest, _)| rest);
    if !rest.starts_with('/') {
        return !scheme.is_empty();
    }
    let path = match rest.strip_prefix("//").filter(|_| !scheme.is_empty()) {
        Some(rest) => {
            let end = rest.find('/').unwrap_or(rest.len());
            if !is_authority(&rest[..end]) {
                return false;
            }
            &rest[end..]
        }
        None => rest,
    };
    is_escaped(path)
}

/// Splits off the scheme, empty if there is none; `None` if it is missing before a colon.
fn scheme(text: &str) -> Option<(&str, &str)> {
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if index > 0 => {}
            b':' if index > 0 => return Some((&text[..index], &text[index + 1..])),
            b':' => return None,
            _ => break,
        }
    }
    Some(("", text))
}

/// Returns whether each `%` starts two hexadecimal digits.
fn is_escaped(text: &str) -> bool {
    text.split('%').skip(1).all(|part| {
        let digits = part.as_bytes().get(..2);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    })
}

fn is_authority(authority: &str) -> bool {
    let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    let is_user =
        |letter: char| letter.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(letter);
    user.chars().all(is_user) && is_escaped(user) && is_host(host)
}

fn is_host(host: &str) -> bool {
    if let Some(rest) = host.strip_prefix('[') {
        let Some((address, port)) = rest.rsplit_once(']') else {
            return false;
        };
        let (address, zone) = address.split_once("%25").unwrap_or((address, ""));
        return address.parse::<std::net::Ipv6Addr>().is_ok() && is_escaped(zone) && is_port(port);
    }
    let (name, port) = match host.rfind(':') {
        Some(index) => host.split_at(index),
        None => (host, ""),
    };
    let is_name = |letter: char| {
        letter.is_ascii_alphanumeric()
            || "-_.~!$&'()*+,;=:[]<>\"%".contains(letter)
            || !letter.is_ascii()
    };
    // Escapes in a host are for bytes beyond ASCII.
    let is_beyond_ascii =
        |part: &str| part.starts_with(|digit: char| "89abcdefABCDEF".contains(digit));
    name.chars().all(is_name)
        && is_escaped(name)
        && name.split('%').skip(1).all(is_beyond_ascii)
        && is_port(port)
}

fn is_port(port: &str) -> bool {
    port.is_empty()
        || port
            .strip_prefix(':')
            .is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}
