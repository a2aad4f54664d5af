//! `ip('10.0.0.1')`, `cidr('10.0.0.0/8')` and their methods.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use cel::{
    DeclarationError, Env, ExecutionError, add_member_overload, add_overload,
    common::{
        types::{CelBool, CelInt, CelString},
        value::Val,
    },
};

use super::opaque;
use crate::{cel::rule::error, go::quote};

#[derive(Clone, Debug, PartialEq)]
struct Ip(IpAddr);

#[derive(Clone, Debug, PartialEq)]
struct Cidr {
    address: IpAddr,
    bits: u32,
}

opaque!(Ip, "net.IP");
opaque!(Cidr, "net.CIDR");

/// Returns how many octets the prefix of a CIDR has; 1 for other values.
pub(in crate::cel) fn octets(value: &(dyn Val + 'static)) -> u64 {
    let cidr = value.downcast_ref::<Cidr>();
    cidr.map_or(1, |cidr| u64::from(cidr.bits.div_ceil(8)))
}

pub(super) fn add(env: &mut Env) -> Result<(), DeclarationError> {
    add_overload!(env, fn ip: (CelString) -> Result<Ip>)?;
    add_overload!(env, fn is_ip: (CelString) -> CelBool, name = "isIP")?;
    add_overload!(env, fn is_canonical: (CelString) -> Result<CelBool>, name = "ip.isCanonical")?;
    add_overload!(env, fn ip_text: (Ip) -> CelString, name = "string")?;
    add_member_overload!(env, fn family: (Ip) -> CelInt)?;
    add_member_overload!(env, fn is_unspecified: (Ip) -> CelBool)?;
    add_member_overload!(env, fn is_loopback: (Ip) -> CelBool)?;
    add_member_overload!(env, fn is_link_local_multicast: (Ip) -> CelBool)?;
    add_member_overload!(env, fn is_link_local_unicast: (Ip) -> CelBool)?;
    add_member_overload!(env, fn is_global_unicast: (Ip) -> CelBool)?;
    add_overload!(env, fn cidr: (CelString) -> Result<Cidr>)?;
    add_overload!(env, fn is_cidr: (CelString) -> CelBool, name = "isCIDR")?;
    add_overload!(env, fn cidr_text: (Cidr) -> CelString, name = "string")?;
    add_member_overload!(env, fn contains_ip: (Cidr, Ip) -> CelBool, name = "containsIP")?;
    add_member_overload!(env, fn contains_ip_text: (Cidr, CelString) -> Result<CelBool>, name = "containsIP")?;
    add_member_overload!(env, fn contains_cidr: (Cidr, Cidr) -> CelBool, name = "containsCIDR")?;
    add_member_overload!(env, fn contains_cidr_text: (Cidr, CelString) -> Result<CelBool>, name = "containsCIDR")?;
    add_member_overload!(env, fn address: (Cidr) -> Ip, name = "ip")?;
    add_member_overload!(env, fn masked: (Cidr) -> Cidr)?;
    add_member_overload!(env, fn prefix_length: (Cidr) -> CelInt)
}

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
            let why = refusal(text);
            Err(format!(
                "IP Address {} parse error during conversion from string: {why}",
                quote(text)
            ))
        }
    }
}

/// Returns Go's reason why a text is not an address.
fn refusal(text: &str) -> String {
    let why = match text.find(['.', ':', '%']) {
        Some(at) if text[at..].starts_with('.') => ipv4_refusal(text),
        Some(at) if text[at..].starts_with(':') => ipv6_refusal(text),
        Some(_) => "missing IPv6 address".to_owned(),
        None => "unable to parse IP".to_owned(),
    };
    format!("ParseAddr({}): {why}", quote(text))
}

fn ipv4_refusal(text: &str) -> String {
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
fn ipv6_refusal(text: &str) -> String {
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
            return ipv4_refusal(rest);
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
fn is_mapped(address: Ipv6Addr) -> bool {
    address.to_ipv4_mapped().is_some()
}

fn mapped(text: &str) -> String {
    format!("IPv4-mapped IPv6 address {} is not allowed", quote(text))
}

fn ip(text: &CelString<'_>) -> Result<Ip, ExecutionError> {
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

fn parse_cidr(text: &str) -> Result<Cidr, String> {
    let refuse = |why: &str| {
        Err(format!(
            "network address parse error during conversion from string: netip.ParsePrefix({}): {why}",
            quote(text)
        ))
    };
    let Some((address, bits)) = text.rsplit_once('/') else {
        return refuse("no '/'");
    };
    if address.contains('%') {
        return refuse("IPv6 zones cannot be present in a prefix");
    }
    let address: IpAddr = match address.parse() {
        Ok(address) => address,
        Err(_) => {
            return refuse(&refusal(address));
        }
    };
    let limit = if address.is_ipv4() { 32 } else { 128 };
    let is_number = !bits.is_empty()
        && bits.bytes().all(|digit| digit.is_ascii_digit())
        && (bits.len() == 1 || !bits.starts_with('0'));
    match bits.parse() {
        Ok(length) if is_number && length <= limit => match address {
            IpAddr::V6(address) if is_mapped(address) => Err(mapped(text)),
            address => Ok(Cidr {
                address,
                bits: length,
            }),
        },
        Ok(_) if is_number => refuse("prefix length out of range"),
        _ => refuse(&format!("bad bits after slash: {}", quote(bits))),
    }
}

fn cidr(text: &CelString<'_>) -> Result<Cidr, ExecutionError> {
    parse_cidr(text.inner()).map_err(|why| {
        error(
            "cidr",
            format!("network address parse error during conversion from string: {why}"),
        )
    })
}

fn is_cidr(text: &CelString<'_>) -> CelBool {
    parse_cidr(text.inner()).is_ok().into()
}

fn cidr_text(this: &Cidr) -> CelString<'static> {
    format!("{}/{}", this.address, this.bits).into()
}

/// Returns the first `bits` of an address.
fn prefix(address: IpAddr, bits: u32) -> IpAddr {
    match address {
        IpAddr::V4(address) => {
            let mask = u32::MAX.checked_shl(32 - bits).unwrap_or_default();
            IpAddr::V4(Ipv4Addr::from_bits(address.to_bits() & mask))
        }
        IpAddr::V6(address) => {
            let mask = u128::MAX.checked_shl(128 - bits).unwrap_or_default();
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & mask))
        }
    }
}

fn contains(this: &Cidr, address: IpAddr) -> bool {
    this.address.is_ipv4() == address.is_ipv4()
        && prefix(this.address, this.bits) == prefix(address, this.bits)
}

fn contains_ip(this: &Cidr, other: &Ip) -> CelBool {
    contains(this, other.0).into()
}

fn contains_ip_text(this: &Cidr, text: &CelString<'_>) -> Result<CelBool, ExecutionError> {
    // The server does not say that the text is not an address.
    let other = ip(text).map_err(|_| {
        let types = vec!["net.CIDR".to_owned(), "string".to_owned()];
        ExecutionError::no_such_member_overload("containsIP", types)
    })?;
    Ok(contains_ip(this, &other))
}

fn contains_cidr(this: &Cidr, other: &Cidr) -> CelBool {
    (this.bits <= other.bits && contains(this, other.address)).into()
}

fn contains_cidr_text(this: &Cidr, text: &CelString<'_>) -> Result<CelBool, ExecutionError> {
    Ok(contains_cidr(this, &cidr(text)?))
}

fn address(this: &Cidr) -> Ip {
    Ip(this.address)
}

fn masked(this: &Cidr) -> Cidr {
    Cidr {
        address: prefix(this.address, this.bits),
        bits: this.bits,
    }
}

fn prefix_length(this: &Cidr) -> CelInt {
    i64::from(this.bits).into()
}
