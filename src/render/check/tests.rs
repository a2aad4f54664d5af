use super::*;

/// All plain shapes.
const PLAIN: &str = r#"//! About.

#![allow(clippy::pedantic, dead_code)]

use super::types::{A, b::*};
pub use aliases::*;
mod r#type;
k8s_openapi::k8s_if_le_1_33! {
    compile_error!("a");
}

/// Docs of "it.
// And a 'comment.
#[deprecated(note = "b\"\u{e9}\\")]
#[derive(Clone)]
pub struct É<'f> {
    /// More.
    pub r#type: Option<Box<Vec<B<'f, String>>>>,
    a_1: &'f mut [C],
}

pub enum D {
    #[default]
    E,
    F(G, H),
}

pub type I = BTreeMap<String, a::J>;

impl<'f> Columns for É<'f> {
    pub const K: &'static [L] = &[M { n: "o", p: -1, q, ..R::default() }];
    type Ty = S;

    /// T.
    pub fn u(&self, v: impl Into<W>, x: &mut [&str]) -> (Y, Z) {
        self.a.b::<C>(&mut d(), true)(include_str!("e"), &())
    }
}

records! { A { 0 = "b": "c", 1 d "e", .. rest } F: i32 { G = -1, H = 2_i64, } }
"#;

#[test]
fn what_is_no_rust_is_told() {
    assert_eq!(parse("struct A;"), Ok(()));
    assert_eq!(parse(PLAIN), Ok(()));
    assert!(parse("struct A").is_err());
    assert!(parse("/// Of nothing.\n").is_err());
    assert!(parse("const A: &str = \"\n/// \"; }\n").is_err());
}

#[test]
fn what_is_generated_is_plain() {
    assert!(items::is_plain(PLAIN));
    let mut folders = vec![concat!(env!("CARGO_MANIFEST_DIR"), "/generated-examples").into()];
    let (mut all, mut plain) = (0, 0);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir::<std::path::PathBuf>(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                if text.starts_with(crate::render::HEADER) {
                    all += 1;
                    plain += usize::from(items::is_plain(&text));
                }
            }
        }
    }
    assert!(plain > 100 && plain * 10 > all * 9, "{plain} of {all}");
}

/// Whatever is taken for plain is Rust: each text here is one slip away from all plain shapes.
#[test]
fn what_is_plain_is_rust() {
    let slips = [
        "", "\"", "'", "\\", "#", "//", "///", "/*", "(", "]", "{", "}", "<", ">", ":", "::", ";",
        ",", "=", ".", "..", "!", "&", "-", "->", "0", "1.", "r", "r#", "'a", "\r", "\n", "\t",
        "\u{a0}", "é", "$", "_", " fn ", " pub ", " self ", " Self ", " a ", " \"a\" ",
    ];
    let mut taken = 0;
    // Each line by itself is soon parsed; a part of an item stands in the item.
    for part in PLAIN.split_inclusive("\n\n") {
        assert!(
            items::is_plain(part) || part.starts_with(['/', ' ', '}', 'i', 'p']),
            "{part}"
        );
        let (part, end) = match part {
            part if part.starts_with("impl") => (part.to_owned(), "}"),
            part if part.starts_with("    /// T") => (format!("impl A {{ {part}"), ""),
            part => (part.to_owned(), ""),
        };
        let part = part + end;
        assert!(items::is_plain(&part), "{part}");
        for (at, c) in part.char_indices() {
            for slip in slips {
                for behind in [at, at + c.len_utf8()] {
                    let text = format!("{}{slip}{}", &part[..at], &part[behind..]);
                    if items::is_plain(&text) {
                        taken += 1;
                        assert!(syn::parse_str::<syn::File>(&text).is_ok(), "{text}");
                    }
                }
            }
        }
    }
    assert!(taken > 1000, "{taken}");
}
