//! `ip('10.0.0.1')` and its methods.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use cel::{
    ExecutionError, add_member_overload, add_overload,
    common::types::{CelBool, CelInt, CelString},
};

use kube_codegen_formats::go::quote;

use super::function::{Function, function};
use crate::{errors::error, value::opaque};

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ip(pub(super) IpAddr);

opaque!(Ip, "net.IP");

pub(super) const FUNCTIONS: &[Function] = &[
    function("ip", "string net.IP")
        .costs(|it| if it.is_string(0) { it.scan(0) } else { 1 })
        .declared(|env| add_overload!(env, fn ip: (CelString) -> Result<Ip>)),
    function("isIP", "string bool")
        .costs(|it| it.scan(0))
        .declared(|env| add_overload!(env, fn is_ip: (CelString) -> CelBool, name = "isIP")),
    function("ip.isCanonical", "string bool")
        .costs(|it| it.scan_twice(0))
        .declared(|env| add_overload!(env, fn is_canonical: (CelString) -> Result<CelBool>, name = "ip.isCanonical")),
    function("string", "net.IP string")
        .declared(|env| add_overload!(env, fn ip_text: (Ip) -> CelString, name = "string")),
    function("family", ".net.IP int")
        .declared(|env| add_member_overload!(env, fn family: (Ip) -> CelInt)),
    function("isUnspecified", ".net.IP bool")
        .declared(|env| add_member_overload!(env, fn is_unspecified: (Ip) -> CelBool)),
    function("isLoopback", ".net.IP bool")
        .declared(|env| add_member_overload!(env, fn is_loopback: (Ip) -> CelBool)),
    function("isLinkLocalMulticast", ".net.IP bool")
        .declared(|env| add_member_overload!(env, fn is_link_local_multicast: (Ip) -> CelBool)),
    function("isLinkLocalUnicast", ".net.IP bool")
        .declared(|env| add_member_overload!(env, fn is_link_local_unicast: (Ip) -> CelBool)),
    function("isGlobalUnicast", ".net.IP bool")
        .declared(|env| add_member_overload!(env, fn is_global_unicast: (Ip) -> CelBool)),
];

fn parse_ip(text: &str) -> Result<Ip, String> {
    if let Some((address, zone)) = text.split_once('%')
        && address.parse::<Ipv6Addr>().is_ok()
        && !zone.is_empty()
    {
        return Err(format!(
            "IP address {} with zone value is not allowed",
            quote(text)
        ));
    }
    match text.parse() {
        Ok(IpAddr::V6(address)) if is_mapped(address) => Err(mapped(text)),
        Ok(address) => Ok(Ip(address)),
        Err(_) => {
            let why = rejection(text);
            Err(format!(
                "IP Address {} parse error during conversion from string: {why}",
                quote(text)
            ))
        }
    }
}

/// Returns Go's reason why a text is not an address.
pub(super) fn rejection(text: &str) -> String {
    let why = match text.find(['.', ':', '%']) {
        Some(at) if text[at..].starts_with('.') => ipv4_rejection(text),
        Some(at) if text[at..].starts_with(':') => ipv6_rejection(text),
        Some(_) => "missing IPv6 address".to_owned(),
        None => "unable to parse IP".to_owned(),
    };
    format!("ParseAddr({}): {why}", quote(text))
}

fn ipv4_rejection(text: &str) -> String {
    let mut parts = 0;
    for (index, part) in text.split('.').enumerate() {
        if let Some(at) = part.find(|letter: char| !letter.is_ascii_digit()) {
            let rest = text.split('.').skip(index).collect::<Vec<_>>().join(".");
            return format!("unexpected character (at {})", quote(&rest[at..]));
        }
        if part.is_empty() {
            return "IPv4 field must have at least one digit".to_owned();
        }
        if part.len() > 1 && part.starts_with('0') {
            return "IPv4 field has octet with leading zero".to_owned();
        }
        if part.parse::<u8>().is_err() {
            return "IPv4 field has value >255".to_owned();
        }
        parts += 1;
        if parts > 4 {
            return "IPv4 address too long".to_owned();
        }
    }
    "IPv4 address too short".to_owned()
}

/// Follows `netip.ParseAddr` to the place of the error.
fn ipv6_rejection(text: &str) -> String {
    let at = |why: &str, rest: &str| format!("{why} (at {})", quote(rest));
    let mut ellipsis = text.starts_with("::");
    let mut rest = if ellipsis { &text[2..] } else { text };
    let mut fields = 0;
    while fields < 8 {
        let digits = rest
            .find(|letter: char| !letter.is_ascii_hexdigit())
            .unwrap_or(rest.len());
        if digits > 4 {
            return at("each group must have 4 or less digits", rest);
        }
        if digits == 0 {
            return at(
                "each colon-separated field must have at least one digit",
                rest,
            );
        }
        if rest[digits..].starts_with('.') {
            if !ellipsis && fields != 6 {
                return at(
                    "embedded IPv4 address must replace the final 2 fields of the address",
                    rest,
                );
            }
            if fields > 6 {
                return at(
                    "too many hex fields to fit an embedded IPv4 at the end of the address",
                    rest,
                );
            }
            return ipv4_rejection(rest);
        }
        fields += 1;
        rest = &rest[digits..];
        if rest.is_empty() {
            break;
        }
        let Some(after) = rest.strip_prefix(':') else {
            return at("unexpected character, want colon", rest);
        };
        if after.is_empty() {
            return at("colon must be followed by more characters", rest);
        }
        rest = after;
        if let Some(after) = rest.strip_prefix(':') {
            if ellipsis {
                return at("multiple :: in address", rest);
            }
            ellipsis = true;
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
    }
    if !rest.is_empty() {
        at("trailing garbage after address", rest)
    } else if ellipsis {
        "the :: must expand to at least one field of zeros".to_owned()
    } else {
        "address string too short".to_owned()
    }
}

/// Returns whether an IPv6 address contains an IPv4 address.
pub(super) fn is_mapped(address: Ipv6Addr) -> bool {
    address.to_ipv4_mapped().is_some()
}

pub(super) fn mapped(text: &str) -> String {
    format!("IPv4-mapped IPv6 address {} is not allowed", quote(text))
}

pub(super) fn ip(text: &CelString<'_>) -> Result<Ip, ExecutionError> {
    parse_ip(text.inner()).map_err(|why| error("ip", why))
}

fn is_ip(text: &CelString<'_>) -> CelBool {
    parse_ip(text.inner()).is_ok().into()
}

fn is_canonical(text: &CelString<'_>) -> Result<CelBool, ExecutionError> {
    let address = ip(text)?;
    Ok((address.0.to_string() == text.inner()).into())
}

fn ip_text(this: &Ip) -> CelString<'static> {
    this.0.to_string().into()
}

fn family(this: &Ip) -> CelInt {
    CelInt::from(if this.0.is_ipv4() { 4 } else { 6 })
}

fn is_unspecified(this: &Ip) -> CelBool {
    this.0.is_unspecified().into()
}

fn is_loopback(this: &Ip) -> CelBool {
    this.0.is_loopback().into()
}

fn link_local_multicast(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.octets()[..3] == [224, 0, 0],
        IpAddr::V6(address) => address.segments()[0] & 0xff0f == 0xff02,
    }
}

fn link_local_unicast(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.is_unicast_link_local(),
    }
}

fn is_link_local_multicast(this: &Ip) -> CelBool {
    link_local_multicast(this.0).into()
}

fn is_link_local_unicast(this: &Ip) -> CelBool {
    link_local_unicast(this.0).into()
}

fn is_global_unicast(this: &Ip) -> CelBool {
    let is_broadcast = this.0 == IpAddr::V4(Ipv4Addr::BROADCAST);
    let is_special = this.0.is_unspecified()
        || this.0.is_loopback()
        || this.0.is_multicast()
        || link_local_unicast(this.0);
    (!is_broadcast && !is_special).into()
}
