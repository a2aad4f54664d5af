//! `quantity('1Gi')` and its methods.

use std::cmp::Ordering;

use cel::{
    ExecutionError, add_member_overload, add_overload,
    common::types::{CelBool, CelDouble, CelInt, CelString},
};
use kube_codegen_quantity::{ParseQuantityError, ParsedQuantity};

use super::function::{Function, function};
use crate::{errors::error, value::opaque};

#[derive(Clone, Debug, PartialEq)]
struct Quantity(ParsedQuantity);

opaque!(Quantity, "kubernetes.Quantity");

pub(super) const FUNCTIONS: &[Function] = &[
    function("quantity", "string kubernetes.Quantity")
        .costs(|it| it.scan(0))
        .declared(|env| add_overload!(env, fn quantity: (CelString) -> Result<Quantity>)),
    function("isQuantity", "string bool")
        .costs(|it| it.scan(0))
        .declared(|env| add_overload!(env, fn is_quantity: (CelString) -> CelBool)),
    function("sign", "kubernetes.Quantity int")
        .declared(|env| add_overload!(env, fn sign: (Quantity) -> CelInt)),
    function("isGreaterThan", ".kubernetes.Quantity,kubernetes.Quantity bool")
        .declared(|env| add_member_overload!(env, fn is_greater_than: (Quantity, Quantity) -> CelBool)),
    function("isLessThan", ".kubernetes.Quantity,kubernetes.Quantity bool")
        .declared(|env| add_member_overload!(env, fn is_less_than: (Quantity, Quantity) -> CelBool)),
    function("compareTo", ".kubernetes.Quantity,kubernetes.Quantity int")
        .declared(|env| add_member_overload!(env, fn compare_to: (Quantity, Quantity) -> CelInt)),
    function("asApproximateFloat", ".kubernetes.Quantity double")
        .declared(|env| add_member_overload!(env, fn as_approximate_float: (Quantity) -> CelDouble)),
    function("asInteger", ".kubernetes.Quantity int")
        .declared(|env| add_member_overload!(env, fn as_integer: (Quantity) -> Result<CelInt>)),
    function("isInteger", ".kubernetes.Quantity bool")
        .declared(|env| add_member_overload!(env, fn is_integer: (Quantity) -> CelBool)),
    function("add", ".kubernetes.Quantity,kubernetes.Quantity kubernetes.Quantity | .kubernetes.Quantity,int kubernetes.Quantity")
        .declared(|env| {
        add_member_overload!(env, fn plus: (Quantity, Quantity) -> Quantity, name = "add")?;
        add_member_overload!(env, fn plus_int: (Quantity, CelInt) -> Quantity, name = "add")
    }),
    function("sub", ".kubernetes.Quantity,kubernetes.Quantity kubernetes.Quantity | .kubernetes.Quantity,int kubernetes.Quantity")
        .declared(|env| {
        add_member_overload!(env, fn minus: (Quantity, Quantity) -> Quantity, name = "sub")?;
        add_member_overload!(env, fn minus_int: (Quantity, CelInt) -> Quantity, name = "sub")
    }),
];

fn quantity(text: &CelString<'_>) -> Result<Quantity, ExecutionError> {
    let parsed = text.inner().parse();
    parsed
        .map(Quantity)
        .map_err(|why: ParseQuantityError| error("quantity", why.message()))
}

fn is_quantity(text: &CelString<'_>) -> CelBool {
    text.inner().parse::<ParsedQuantity>().is_ok().into()
}

fn sign(this: &Quantity) -> CelInt {
    order(this.0.cmp(&ParsedQuantity::ZERO))
}

fn order(order: Ordering) -> CelInt {
    CelInt::from(match order {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    })
}

fn is_greater_than(this: &Quantity, other: &Quantity) -> CelBool {
    (this.0 > other.0).into()
}

fn is_less_than(this: &Quantity, other: &Quantity) -> CelBool {
    (this.0 < other.0).into()
}

fn compare_to(this: &Quantity, other: &Quantity) -> CelInt {
    order(this.0.cmp(&other.0))
}

fn as_approximate_float(this: &Quantity) -> CelDouble {
    this.0.as_approximate_f64().into()
}

fn as_integer(this: &Quantity) -> Result<CelInt, ExecutionError> {
    let integer = this.0.as_i64().map(CelInt::from);
    integer.ok_or_else(|| error("asInteger", "cannot convert value to integer"))
}

fn is_integer(this: &Quantity) -> CelBool {
    this.0.as_i64().is_some().into()
}

fn plus(this: &Quantity, other: &Quantity) -> Quantity {
    Quantity(this.0 + other.0)
}

fn plus_int(this: &Quantity, other: &CelInt) -> Quantity {
    Quantity(this.0 + ParsedQuantity::from(*other.inner()))
}

fn minus(this: &Quantity, other: &Quantity) -> Quantity {
    Quantity(this.0 - other.0)
}

fn minus_int(this: &Quantity, other: &CelInt) -> Quantity {
    Quantity(this.0 - ParsedQuantity::from(*other.inner()))
}
