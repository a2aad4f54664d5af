//! Compares `ParsedQuantity` with what Go's `resource.Quantity` makes of the same texts; `record.go` recorded it.
#![allow(clippy::unwrap_used)]

use kube_codegen_quantity::{ParsedQuantity, QuantityFormat, stored};
use std::cmp::Ordering;

const RECORDED: &str = include_str!("go.tsv");

/// The recorded lines of a sort, each as its columns.
fn recorded<const N: usize>(sort: &str) -> impl Iterator<Item = [&str; N]> {
    let lines = RECORDED.lines().map(|line| line.split('\t'));
    lines.filter_map(move |mut columns| {
        let is_wanted = columns.next() == Some(sort);
        let columns = columns.chain(std::iter::repeat(""));
        is_wanted.then(|| {
            let columns: Vec<&str> = columns.take(N).collect();
            columns.try_into().unwrap()
        })
    })
}

fn parsed(text: &str) -> ParsedQuantity {
    text.parse().unwrap()
}

#[test]
fn texts_are_parsed_as_in_go() {
    let mut count = 0;
    for [
        text,
        canonical,
        value,
        milli,
        float,
        kept,
        integer,
        approximate,
        rounded,
    ] in recorded("text")
    {
        let text: String = serde_json::from_str(text).unwrap();
        count += 1;
        if canonical == "error" {
            let error = text.parse::<ParsedQuantity>().unwrap_err();
            assert_eq!(error.message(), value, "{text}");
            let shown = error.to_string();
            assert!(shown.starts_with(&format!("`{text}` is not a quantity: ")));
            assert_eq!(stored(&text), Err(error));
            continue;
        }
        let quantity: ParsedQuantity = text.parse().unwrap();
        if !is_beyond_suffixes(quantity) {
            assert_eq!(quantity.to_string(), canonical, "{text}");
            assert_eq!(parsed(canonical), quantity, "{text}");
        }
        let same = |ours: f64, go: &str| {
            let go: f64 = go.parse().unwrap();
            // Without the sign of zero.
            assert_eq!(
                ours.to_bits() << 1,
                go.to_bits() << 1,
                "{text}: {ours} {go}"
            );
        };
        same(quantity.as_f64(), float);
        same(quantity.as_approximate_f64(), approximate);
        assert_eq!(stored(&text).unwrap(), kept, "{text}");
        let ours = quantity
            .as_i64()
            .map_or("-".to_owned(), |it| it.to_string());
        assert_eq!(ours, integer, "{text}");
        let up = quantity.rounded_to_milli();
        let up = if up == quantity {
            stored(&text).unwrap()
        } else {
            up.to_string()
        };
        assert_eq!(up, rounded, "{text}");
        // Go rounds a negative fraction by the way it holds the number, and wraps integers beyond 64 bits.
        if quantity < ParsedQuantity::ZERO {
            if let Some(opposite) = (-quantity).integer() {
                assert_eq!(quantity.integer(), Some(-opposite), "{text}");
            }
            continue;
        }
        if let (Some(integer), true) = (quantity.integer(), value != "-") {
            assert_eq!(integer.to_string(), value, "{text}");
        }
        if milli != "-" {
            assert_eq!(quantity.milli().unwrap().to_string(), milli, "{text}");
        }
    }
    assert!(count > 3500);
}

/// Go drops the suffix of such values, so that `1000E` is written as `1`.
fn is_beyond_suffixes(quantity: ParsedQuantity) -> bool {
    let most = parsed("999E");
    quantity.format() != QuantityFormat::DecimalExponent && (quantity > most || quantity < -most)
}

#[test]
fn arithmetic_and_order_are_those_of_go() {
    let mut count = 0;
    for [a, b, times, order, sum, difference, product, negative] in recorded("pair") {
        let (one, other) = (parsed(a), parsed(b));
        let line = format!("{a} {b} {times}");
        let times: i64 = times.parse().unwrap();
        for (ours, go) in [
            (one + other, sum),
            (one - other, difference),
            (one * times, product),
            (-one, negative),
        ] {
            if !is_beyond_suffixes(ours) && is_exact(ours) {
                assert_eq!(ours.to_string(), go, "{line}");
            }
        }
        let expected = match order {
            "-1" => Ordering::Less,
            "0" => Ordering::Equal,
            _ => Ordering::Greater,
        };
        assert_eq!(one.cmp(&other), expected, "{line}");
        assert_eq!(one == other, expected == Ordering::Equal, "{line}");
        count += 1;
    }
    assert!(count > 1000);
}

/// A sum or product of more than 38 digits is rounded.
fn is_exact(quantity: ParsedQuantity) -> bool {
    let digits = |text: String| text.bytes().filter(u8::is_ascii_digit).count();
    digits(quantity.to_string()) < 38
}

/// Go drops the suffix of such values, so that `1000E` is written as `1`.
#[test]
fn values_beyond_the_suffixes_keep_the_largest_one() {
    for (text, canonical) in [
        ("1000E", "1000E"),
        ("1e21", "1e21"),
        ("1234000E", "1234000E"),
        ("-1000000000E", "-1000000000E"),
    ] {
        assert_eq!(parsed(text).to_string(), canonical);
    }
    let most = parsed("7Ei") + parsed("7Ei");
    assert_eq!(most.to_string(), "14Ei");
    assert_eq!((most * 1024).to_string(), "14336Ei");
}

#[test]
fn no_number_is_too_large() {
    let most = parsed("1e2147483647");
    assert!(most > parsed("9e400") && -most < parsed("-9e400"));
    assert_eq!(most.to_string(), "10e2147483646");
    assert_eq!(
        parsed("1e30") + parsed("1"),
        parsed("1000000000000000000000000000001")
    );
    // Beyond 38 digits, sums and products are rounded.
    for large in [
        most + parsed("1n"),
        most - most * 2 + most * 2,
        most * 2 - parsed("1e2147483640"),
    ] {
        assert!(large >= most, "{large}");
    }
    let long = parsed(&"9".repeat(1000));
    assert_eq!(long, parsed("1e1000"));
    assert_eq!((long * i64::MIN).nanos(), i128::MIN);
    assert_eq!((long.integer(), long.milli()), (None, None));
    assert_eq!(long.nanos(), i128::MAX);
    assert!(parsed("2e2147483647").as_f64().is_infinite());
    let widest = ParsedQuantity::from_nanos(i128::MAX);
    assert!(widest + widest > widest && -widest - widest < -widest);
    assert!(ParsedQuantity::from_nanos(i128::MIN) < -widest + parsed("2n"));
    // More digits than any integer holds.
    let long = format!("0.{}1Ki", "0".repeat(1000));
    assert_eq!(parsed(&long).nanos(), 1);
    assert_eq!(parsed("0e2147483647"), parsed("0"));
}

#[test]
fn a_value_is_written_in_the_chosen_format() {
    let gibibyte = ParsedQuantity::from(1 << 30);
    assert_eq!(gibibyte.to_string(), "1073741824");
    let binary = gibibyte.with_format(QuantityFormat::BinarySi);
    assert_eq!(
        (binary.to_string(), binary.format()),
        ("1Gi".into(), QuantityFormat::BinarySi)
    );
    assert_eq!(format!("{binary:>5}"), "  1Gi");
    let total: ParsedQuantity = ["512Mi", "1Gi", "512Mi"].map(parsed).into_iter().sum();
    assert_eq!(total.to_string(), "2Gi");
    let mut rest = total;
    rest -= parsed("1Gi");
    rest += parsed("1");
    assert_eq!(rest.to_string(), "1073741825");
    assert_eq!(ParsedQuantity::default(), ParsedQuantity::ZERO);
}
