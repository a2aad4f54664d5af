//! Cells, as the API server computes and kubectl prints them.
use std::fmt::Debug;

use k8s_openapi::jiff::Timestamp;
use kube_codegen_record::{
    private::Record,
    walk::{Column, ColumnType, Columns},
};

use crate::walk::kind;

/// Defines a record with one column.
macro_rules! column {
    ($name:ident, $type:ident, $path:literal) => {
        #[derive(Debug)]
        struct $name(crate::walk::types::CrdKind);
        impl Record for $name {
            fn names(&self) -> &'static [&'static str] {
                self.0.names()
            }
            fn each<'a>(
                &'a self,
                see: &mut dyn FnMut(usize, kube_codegen_record::private::View<'a>),
            ) {
                self.0.each(see);
            }
            fn at(&mut self, index: usize) -> kube_codegen_record::private::Slot<'_> {
                self.0.at(index)
            }
        }
        impl Columns for $name {
            const COLUMNS: &'static [Column] = &[Column {
                name: "X",
                type_: ColumnType::$type,
                format: None,
                json_path: $path,
                priority: 0,
                description: None,
            }];
        }
        impl $name {
            fn cell(any: &str) -> String {
                let text = format!(
                    r#"{{"spec":{{"any":{any}}},"status":{{"since":"2024-01-01T00:00:00Z"}}}}"#
                );
                let now: Timestamp = "2024-01-06T03:30:00Z".parse().unwrap();
                Self(kind(&text)).row_at(false, now).pop().unwrap()
            }
        }
    };
}
column!(Text, String, ".spec.any");
column!(Whole, Integer, ".spec.any");
column!(Real, Number, ".spec.any");
column!(Flag, Boolean, ".spec.any");
column!(Date, Date, ".spec.any");
column!(Since, Date, ".status.since");
column!(Wrong, String, "][");

#[test]
fn a_string_column_shows_any_value() {
    let cases = [
        (r#""a b""#, "a b"),
        ("5", "5"),
        ("true", "true"),
        ("null", "<no value>"),
        (r#"["a", 1, null]"#, r#"["a",1,null]"#),
        (
            r#"{"b": {"c": 1}, "a": [true]}"#,
            r#"{"a":[true],"b":{"c":1}}"#,
        ),
        (
            r#"[1e21, 0.0000015, 1.5e-7, 2.0, "<&>\n\u0001"]"#,
            r#"[1e+21,0.0000015,1.5e-7,2,"\u003c\u0026\u003e\n\u0001"]"#,
        ),
        ("0.5", "0.5"),
        ("3.0", "3"),
        ("123456.5", "123456.5"),
        ("1234567.5", "1.2345675e+06"),
        ("0.0001", "0.0001"),
        ("0.00001", "1e-05"),
        ("-1e21", "-1e+21"),
    ];
    for (any, expected) in cases {
        assert_eq!(Text::cell(any), expected, "{any}");
    }
}

#[test]
fn other_columns_show_only_their_type() {
    let cases = [
        ("5", "5", "5", ""),
        ("5.9", "5", "5.9", ""),
        ("-2.0", "-2", "-2", ""),
        ("1e6", "1000000", "1000000", ""),
        ("true", "", "", "true"),
        (r#""5""#, "", "", ""),
        ("{}", "", "", ""),
        ("null", "", "", ""),
    ];
    for (any, whole, real, flag) in cases {
        assert_eq!(
            (
                Whole::cell(any).as_str(),
                Real::cell(any).as_str(),
                Flag::cell(any).as_str()
            ),
            (whole, real, flag),
            "{any}"
        );
    }
}

/// Recorded with kubectl and a real API server: the number, and the cells of a number, a string and an integer column.
#[test]
fn numbers_are_shown_as_by_kubectl() {
    let min = "-9223372036854775808";
    let cases = [
        (
            "9007199254740993",
            "9007199254740992",
            "9007199254740993",
            "9007199254740993",
        ),
        (min, "-9.223372036854776e+18", min, min),
        (
            "9223372036854775807",
            "9.223372036854776e+18",
            "9223372036854775807",
            "9223372036854775807",
        ),
        (
            "18446744073709551615",
            "1.8446744073709552e+19",
            "1.8446744073709552e+19",
            min,
        ),
        (
            "9223372036854775808",
            "9.223372036854776e+18",
            "9.223372036854776e+18",
            min,
        ),
        ("100000000000000000000", "1e+20", "1e+20", min),
        ("3.4e38", "3.4e+38", "3.4e+38", min),
        ("0.1", "0.1", "0.1", "0"),
        ("-0.5", "-0.5", "-0.5", "0"),
        ("1.0", "1", "1", "1"),
        ("1e3", "1000", "1000", "1000"),
        ("-0.0", "0", "0", "0"),
        ("123456.0", "123456", "123456", "123456"),
        ("1e6", "1000000", "1000000", "1000000"),
        (
            "0.1234567890123456789012",
            "0.12345678901234568",
            "0.12345678901234568",
            "0",
        ),
    ];
    for (any, real, text, whole) in cases {
        assert_eq!(Real::cell(any), real, "{any}");
        assert_eq!(Text::cell(any), text, "{any}");
        assert_eq!(Whole::cell(any), whole, "{any}");
    }
}

#[test]
fn a_date_column_shows_an_age() {
    let cases = [
        (r#""2024-01-01T00:00:00Z""#, "5d3h"),
        (r#""2024-01-06T03:29:00+00:00""#, "60s"),
        (r#""2024-01-06T04:00:00Z""#, "<invalid>"),
        (r#""yesterday""#, "<invalid>"),
        (r#""""#, "<unknown>"),
        (r#""0001-01-01T00:00:00Z""#, "<unknown>"),
        ("5", ""),
        ("null", ""),
    ];
    for (any, expected) in cases {
        assert_eq!(Date::cell(any), expected, "{any}");
    }
    assert_eq!(Since::cell("1"), "5d3h");
}

#[test]
fn an_invalid_path_leaves_the_cell_empty() {
    assert_eq!(Wrong::cell("1"), "");
}
