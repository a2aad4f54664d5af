//! Compares `ParsedQuantity` with what Go's `resource.Quantity` makes of the same texts; `record.go` recorded it.
#![allow(clippy::unwrap_used)]
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use kube_codegen_record::{ParsedQuantity, QuantityFormat};
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
    for [text, canonical, value, milli, float] in recorded("text") {
        let text: String = serde_json::from_str(text).unwrap();
        count += 1;
        // Go takes some texts without digits before the suffix for 0.
        let number = text.split(['e', 'E']).next().unwrap();
        if canonical == "error" || !number.contains(|c: char| c.is_ascii_digit()) {
            let error = text.parse::<ParsedQuantity>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("`{text}` is not a quantity: ")));
            continue;
        }
        let quantity: ParsedQuantity = text.parse().unwrap();
        assert_eq!(quantity.to_string(), canonical, "{text}");
        assert_eq!(parsed(canonical), quantity, "{text}");
        let float: f64 = float.parse().unwrap();
        assert_eq!(
            quantity.as_f64().to_bits() << 1,
            float.to_bits() << 1,
            "{text}"
        );
        // Go rounds a negative fraction by the way it holds the number, and wraps integers beyond 64 bits.
        if quantity < ParsedQuantity::ZERO {
            if let Some(opposite) = (-quantity).integer() {
                assert_eq!(quantity.integer(), Some(-opposite), "{text}");
            }
            continue;
        }
        if let Some(integer) = quantity.integer() {
            assert_eq!(integer.to_string(), value, "{text}");
        }
        if milli != "-" {
            assert_eq!(quantity.milli().unwrap().to_string(), milli, "{text}");
        }
    }
    assert!(count > 3000);
}

#[test]
fn arithmetic_and_order_are_those_of_go() {
    let mut count = 0;
    for [a, b, times, order, sum, difference, product, negative] in recorded("pair") {
        let (one, other) = (parsed(a), parsed(b));
        let line = format!("{a} {b} {times}");
        assert_eq!((one + other).to_string(), sum, "{line}");
        assert_eq!((one - other).to_string(), difference, "{line}");
        let times: i64 = times.parse().unwrap();
        assert_eq!((one * times).to_string(), product, "{line}");
        assert_eq!((-one).to_string(), negative, "{line}");
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

#[test]
fn numbers_of_json_have_the_value_of_go() {
    for [number, canonical] in recorded("number") {
        #[derive(Debug)]
        struct Limits {
            cpu: Quantity,
        }
        kube_codegen_record::records! { Limits { 0 cpu "cpu" } }
        let limits: Limits = serde_json::from_str(&format!(r#"{{"cpu": {number}}}"#)).unwrap();
        let value = ParsedQuantity::try_from(&limits.cpu).unwrap();
        assert_eq!(Quantity::from(value).0, canonical, "{number}");
    }
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
fn what_is_beyond_the_range_is_refused_or_saturates() {
    for text in ["1e30", "1e400", "1000000000000E", "-1e2147483647"] {
        let error = text.parse::<ParsedQuantity>().unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("`{text}` is not a quantity: it is out of range")
        );
    }
    let most = parsed("100000000000E");
    assert_eq!((most + most).nanos(), i128::MAX);
    assert_eq!((-most - most).nanos(), i128::MIN);
    assert_eq!((most * -2).nanos(), i128::MIN);
    assert_eq!((-(-most - most)).nanos(), i128::MAX);
    assert_eq!((most.integer(), most.milli()), (None, None));
    // More digits than any integer holds.
    let long = format!("0.{}1Ki", "0".repeat(1000));
    assert_eq!(parsed(&long).nanos(), 1);
    assert!("9".repeat(1000).parse::<ParsedQuantity>().is_err());
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
