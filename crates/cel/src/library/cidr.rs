//! `cidr('10.0.0.0/8')` and its methods.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use cel::{
    ExecutionError, add_member_overload, add_overload,
    common::types::{CelBool, CelInt, CelString},
};
use kube_codegen_formats::go::quote;

use super::{
    cost::{Operands, TEXT, Values, share},
    function::{Function, function},
    ip::{Ip, ip, is_mapped, mapped, rejection},
};
use crate::{
    errors::error,
    value::{Object, opaque},
};

#[derive(Clone, Debug, PartialEq)]
struct Cidr {
    address: IpAddr,
    bits: u32,
}

opaque!(Cidr, "net.CIDR");

/// The most octets of an address.
const OCTETS: u64 = 16;

pub(super) const FUNCTIONS: &[Function] = &[
    function("cidr", "string net.CIDR")
        .costs(|it| it.scan(0))
        .declared(|env| add_overload!(env, fn cidr: (CelString) -> Result<Cidr>)),
    function("isCIDR", "string bool")
        .costs(|it| it.scan(0))
        .declared(|env| add_overload!(env, fn is_cidr: (CelString) -> CelBool, name = "isCIDR")),
    function("string", "net.CIDR string")
        .declared(|env| add_overload!(env, fn cidr_text: (Cidr) -> CelString, name = "string")),
    function("containsIP", ".net.CIDR,net.IP bool | .net.CIDR,string bool")
        .costs_running(|it| compared(octets(it), it))
        .costs_at_most(|it| compared(OCTETS, it))
        .declared(|env| {
        add_member_overload!(env, fn contains_ip: (Cidr, Ip) -> CelBool, name = "containsIP")?;
        add_member_overload!(env, fn contains_ip_text: (Cidr, CelString) -> Result<CelBool>, name = "containsIP")
    }),
    function("containsCIDR", ".net.CIDR,net.CIDR bool | .net.CIDR,string bool")
        .costs_running(|it| masked_and_compared(octets(it), it))
        .costs_at_most(|it| masked_and_compared(OCTETS, it))
        .declared(|env| {
        add_member_overload!(env, fn contains_cidr: (Cidr, Cidr) -> CelBool, name = "containsCIDR")?;
        add_member_overload!(env, fn contains_cidr_text: (Cidr, CelString) -> Result<CelBool>, name = "containsCIDR")
    }),
    function("ip", ".net.CIDR net.IP")
        .declared(|env| add_member_overload!(env, fn address: (Cidr) -> Ip, name = "ip")),
    function("masked", ".net.CIDR net.CIDR")
        .declared(|env| add_member_overload!(env, fn masked: (Cidr) -> Cidr)),
    function("prefixLength", ".net.CIDR int")
        .declared(|env| add_member_overload!(env, fn prefix_length: (Cidr) -> CelInt)),
];

/// Returns how many octets the prefix of the target has.
fn octets(it: &Values<'_>) -> u64 {
    let cidr = it.get(0).and_then(<Object>::downcast_ref::<Cidr>);
    cidr.map_or(1, |cidr| u64::from(cidr.bits.div_ceil(8)))
}

/// Returns what comparing octets with those of an address costs, which may be a text.
fn compared(octets: u64, it: &dyn Operands) -> u64 {
    let parsed = if it.is_string(1) { it.scan(1) } else { 0 };
    share(2 * octets, TEXT).saturating_add(parsed)
}

fn masked_and_compared(octets: u64, it: &dyn Operands) -> u64 {
    compared(octets, it).saturating_add(share(octets, TEXT) + 1)
}

fn parse_cidr(text: &str) -> Result<Cidr, String> {
    let reject = |why: &str| {
        Err(format!(
            "network address parse error during conversion from string: netip.ParsePrefix({}): {why}",
            quote(text)
        ))
    };
    let Some((address, bits)) = text.rsplit_once('/') else {
        return reject("no '/'");
    };
    if address.contains('%') {
        return reject("IPv6 zones cannot be present in a prefix");
    }
    let address: IpAddr = match address.parse() {
        Ok(address) => address,
        Err(_) => {
            return reject(&rejection(address));
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
        Ok(_) if is_number => reject("prefix length out of range"),
        _ => reject(&format!("bad bits after slash: {}", quote(bits))),
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
