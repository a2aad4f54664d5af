//! Addresses: IP, CIDR, MAC, email.

use std::net::{Ipv4Addr, Ipv6Addr};

/// Reads an IPv4 address whose numbers may have leading zeros.
fn ipv4(text: &str) -> Option<Ipv4Addr> {
    let parts = text.split('.').map(|part| {
        let is_number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| part.parse::<u8>().ok())?
    });
    let parts: Vec<u8> = parts.collect::<Option<_>>()?;
    Some(Ipv4Addr::from(<[u8; 4]>::try_from(parts).ok()?))
}

/// Reads an IPv6 address; the numbers of an IPv4 address at its end may have leading zeros.
fn ipv6(text: &str) -> Option<Ipv6Addr> {
    match text.rsplit_once(':') {
        Some((head, tail)) if tail.contains('.') => format!("{head}:{}", ipv4(tail)?).parse().ok(),
        _ => text.parse().ok(),
    }
}

/// An IPv4 address, also one mapped to IPv6.
pub(crate) fn is_ipv4(text: &str) -> bool {
    text.contains('.') && (ipv4(text).is_some() || ipv6(text).is_some())
}

pub(crate) fn is_ipv6(text: &str) -> bool {
    text.parse::<Ipv6Addr>().is_ok()
}

pub(crate) fn is_cidr(text: &str) -> bool {
    let Some((address, bits)) = text.split_once('/') else {
        return false;
    };
    let limit = if ipv4(address).is_some() {
        32
    } else if ipv6(address).is_some() {
        128
    } else {
        return false;
    };
    bits.bytes().all(|byte| byte.is_ascii_digit())
        && bits.parse::<u32>().is_ok_and(|bits| bits <= limit)
}

/// 6, 8 or 20 bytes: pairs with `:` or `-`, or fours with `.`.
pub(crate) fn is_mac(text: &str) -> bool {
    let (separator, digits) = match text.as_bytes().get(2) {
        Some(b':') => (':', 2),
        Some(b'-') => ('-', 2),
        _ => ('.', 4),
    };
    let parts: Vec<_> = text.split(separator).collect();
    let is_hex =
        |part: &&str| part.len() == digits && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    matches!(parts.len() * digits, 12 | 16 | 40) && parts.iter().all(is_hex)
}

/// One address of RFC 5322, with or without a display name.
pub(crate) fn is_email(text: &str) -> bool {
    let text = text.trim_matches([' ', '\t']);
    match text.strip_suffix('>') {
        Some(rest) => rest.rsplit_once('<').is_some_and(|(name, address)| {
            is_display_name(name.trim_matches([' ', '\t'])) && is_address(address)
        }),
        None => is_address(text),
    }
}

fn is_display_name(name: &str) -> bool {
    if let Some(quoted) = name.strip_prefix('"') {
        return quoted.strip_suffix('"').is_some_and(is_quoted);
    }
    let is_inner = |letter: char| is_atom_letter(letter) || matches!(letter, '.' | ' ' | '\t');
    name.chars().all(is_inner)
}

fn is_address(address: &str) -> bool {
    let (local, domain) = match address.strip_prefix('"') {
        Some(rest) => match rest.rsplit_once("\"@") {
            Some((local, domain)) if is_quoted(local) => ("quoted", domain),
            _ => return false,
        },
        None => match address.split_once('@') {
            Some(parts) => parts,
            None => return false,
        },
    };
    let literal = domain.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    let is_domain = match literal {
        Some(literal) => match literal.strip_prefix("IPv6:") {
            Some(address) => is_ipv6(address),
            None => literal.parse::<Ipv4Addr>().is_ok(),
        },
        None => is_dot_atom(domain),
    };
    is_dot_atom(local) && is_domain
}

fn is_dot_atom(text: &str) -> bool {
    text.split('.')
        .all(|atom| !atom.is_empty() && atom.chars().all(is_atom_letter))
}

fn is_atom_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(letter) || !letter.is_ascii()
}

/// The inside of a quoted string.
fn is_quoted(text: &str) -> bool {
    let mut is_escaped = false;
    let is_text = text.chars().all(|letter| match letter {
        _ if is_escaped => {
            is_escaped = false;
            !letter.is_control()
        }
        '\\' => {
            is_escaped = true;
            true
        }
        '"' => false,
        letter => !letter.is_control() || letter == '\t',
    });
    is_text && !is_escaped
}
