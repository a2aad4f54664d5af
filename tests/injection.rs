//! Text of a definition stays text: whatever it says, the code has the same shape, and files of other formats keep their keys.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use kube_codegen::options::Options;
use kube_codegen::pipeline;
use kube_codegen::source::Source;
use proc_macro2::{TokenStream, TokenTree};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// Text that tries to end its literal or comment and continue as code.
const PAYLOADS: &[&str] = &[
    "\"#]\npub fn injected() {}\n",
    "\"##\n#![allow(warnings)]\n",
    "*/ pub fn injected() {} /*",
    "\n```\nlet x: () = injected;\n```\n",
    "~~~rust\npanic!()\n~~~",
    "    panic!(\"indented code\")",
    "{{ injected }} {% include \"/etc/passwd\" %} {# x #}",
    "$(injected) `injected` ${injected} ; injected && | >",
    "line\r\nline\rline\u{2028}line\u{2029}line\u{85}",
    "\u{202e}txet\u{202c} \u{2066}x\u{2069} \u{200b}\u{feff}",
    "nul\0nul \u{1b}[31m \u{7f} \u{1}",
    "#![injected] #[injected]",
    "]] }} )) ] } )",
    "<script>alert(1)</script> <b <!-- --> &amp; Vec<String>",
    "[link](javascript:injected) ![i](http://x) <http://x> http://x [x]: http://y",
    "[`injected`] [injected] [crate::injected] [a][b] [Self::x]()",
    "\\ \\n \\u{0} \\\" ' '\\''",
    "r#\"x\"# b'x' 'a",
    "---\ninjected: true\n...\n# x: &a *a !!x",
    "[section]\ninjected = \"\"\"\n",
    "// injected \n//! injected \n/// injected",
    "{} {:?} {0} {injected} %s \\{}",
    "| a | b |\n|---|---|\n- [ ] x\n> y\n# z\n===\n***",
    "é名前🦀 e\u{301} \u{10ffff}",
];

/// A definition with a text wherever a person may write one.
fn definition(text: &str) -> Value {
    // So that its place among the others is always the same.
    let named = format!("n{text}");
    let limited: String = text.chars().filter(|c| *c != '\0').collect();
    let schema = json!({
        "type": "object",
        "description": text,
        "properties": {
            "spec": {
                "type": "object",
                "title": text,
                "description": text,
                "required": ["fixed"],
                "x-kubernetes-validations": [
                    { "rule": text, "message": text },
                    { "rule": text },
                    { "rule": "true", "messageExpression": text, "fieldPath": text, "reason": text },
                ],
                "properties": {
                    "fixed": { "type": "string", "description": text, "default": text, "pattern": text, "format": text },
                    named: { "type": "integer", "description": text, "example": text, "externalDocs": { "url": text } },
                    "choice": { "type": "string", "enum": [text, "zz-other"], "default": text },
                    "titled": { "title": text, "type": "array", "items": { "type": "string", "description": text, "pattern": text } },
                    "mapped": { "type": "object", "additionalProperties": { "type": "object", "description": text, "properties": { text: { "type": "string" } } } },
                    "raw": { "description": text, "x-kubernetes-preserve-unknown-fields": true, "default": { text: [text] } },
                    "limits": { "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["fixed"],
                        "items": { "type": "object", "required": ["fixed"], "properties": { "fixed": { "type": "string" } } } },
                    "logic": { "type": "object", "properties": { "a": { "type": "string" } }, "oneOf": [{ "required": [text] }, { "required": ["a"] }] },
                },
            },
        },
    });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": "foos.example.com", "annotations": { "note": text }, "labels": { "a": text } },
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": { "kind": "Foo", "plural": "foos", "singular": "foo", "listKind": "FooList", "shortNames": ["fo"], "categories": ["all"] },
            "versions": [{
                "name": "v1", "served": true, "storage": true, "deprecated": true, "deprecationWarning": limited,
                "schema": { "openAPIV3Schema": schema },
                "subresources": { "status": {} },
                "additionalPrinterColumns": [
                    { "name": text, "type": "string", "description": text, "format": text, "jsonPath": ".spec.fixed" },
                ],
            }],
        },
    })
}

fn generate(text: &str) -> BTreeMap<String, String> {
    let definition = definition(text);
    let sources = [Source {
        name: "hostile.json".into(),
        path: Some("hostile.json".into()),
        text: definition.to_string(),
    }];
    let output = pipeline::run(&sources, &Options::default());
    assert!(
        !output.diagnostics.has_errors(),
        "{text:?}: {:#?}",
        output.diagnostics
    );
    output
        .files
        .into_iter()
        .map(|file| (file.path, file.text))
        .collect()
}

/// The tokens without docs, every name and every literal written as one.
fn shape(text: &str) -> String {
    fn walk(tokens: TokenStream, out: &mut String) {
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Punct(mark) if mark.as_char() == '#' => {
                    let inner = tokens.peek().is_some_and(|next| next.to_string() == "!");
                    if let Some(TokenTree::Group(group)) =
                        tokens.next_if(|next| matches!(next, TokenTree::Group(_)))
                    {
                        // Documentation has as many lines as it needs.
                        if group.stream().to_string().starts_with("doc =") {
                            continue;
                        }
                        out.push_str("#[");
                        walk(group.stream(), out);
                        out.push(']');
                    } else if inner {
                        out.push('#');
                    }
                }
                TokenTree::Punct(mark) => out.push(mark.as_char()),
                TokenTree::Ident(_) => out.push_str(" i "),
                TokenTree::Literal(_) => out.push_str(" l "),
                TokenTree::Group(group) => {
                    write!(out, "{:?}(", group.delimiter()).unwrap();
                    walk(group.stream(), out);
                    out.push(')');
                }
            }
        }
    }
    let mut out = String::new();
    walk(text.parse().unwrap(), &mut out);
    // The formatter decides on trailing commas.
    out.replace(",)", ")").replace(",>", ">")
}

#[test]
fn code_has_the_same_shape_whatever_texts_say() {
    let harmless = generate("plain words");
    for payload in PAYLOADS {
        let files = generate(payload);
        assert!(files.keys().eq(harmless.keys()), "{payload:?}");
        for (path, text) in &files {
            if is(path, "rs") {
                let (found, expected) = (shape(text), shape(&harmless[path]));
                assert_eq!(found, expected, "{payload:?} in {path}:\n{text}");
                let steering = text.chars().find(|c| {
                    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
                        || (c.is_control() && *c != '\n')
                });
                assert_eq!(steering, None, "{payload:?} in {path}");
            } else {
                let manifest: Value = serde_json::from_str(text).unwrap();
                assert_eq!(manifest, definition(payload), "{path}");
            }
        }
    }
}

/// Whether a path has that extension.
fn is(path: &str, extension: &str) -> bool {
    Path::new(path)
        .extension()
        .is_some_and(|it| it == extension)
}

/// A value with every text left out.
fn keys(value: &Value) -> Value {
    match value {
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| (key.clone(), keys(value)))
            .collect(),
        Value::Array(list) => list.iter().map(keys).collect(),
        Value::String(_) => json!("text"),
        other => other.clone(),
    }
}

/// What a file says, by its format; code by its shape, other text line by line.
fn said(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap();
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    match &*extension {
        "rs" => json!(shape(&text)),
        "toml" => keys(&toml::from_str::<Value>(&text).unwrap()),
        "yaml" | "yml" => {
            use serde::Deserialize;
            serde_yaml::Deserializer::from_str(&text)
                .map(|document| keys(&Value::deserialize(document).unwrap()))
                .collect()
        }
        _ => json!(text.lines().count()),
    }
}

/// All that `new` writes but the definition itself, and samples that are made of its defaults.
fn scaffold(text: &str) -> BTreeMap<String, Value> {
    let folder = TempDir::new().unwrap();
    fs::write(
        folder.path().join("hostile.json"),
        definition(text).to_string(),
    )
    .unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_kube-codegen"))
        .args(["new", "operator", "-f", "hostile.json"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let root = folder.path().join("operator");
    let mut files = BTreeMap::new();
    let mut waiting = vec![root.clone()];
    while let Some(directory) = waiting.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(&root).unwrap().display().to_string();
            if path.is_dir() {
                waiting.push(path);
            } else if name.starts_with("deploy/crd") || is(&name, "json") {
                let text_of = fs::read_to_string(&path).unwrap();
                let shown: Vec<&str> = text_of
                    .lines()
                    .filter(|line| line.contains("injected: true"))
                    .collect();
                assert!(
                    shown.iter().all(|line| line.starts_with(' ')),
                    "{name}: {shown:?}"
                );
            } else {
                files.insert(name, said(&path));
            }
        }
    }
    files
}

#[test]
fn what_is_scaffolded_has_the_same_shape_whatever_texts_say() {
    let harmless = scaffold("plain words");
    assert!(harmless.contains_key("Cargo.toml"), "{:?}", harmless.keys());
    for payload in PAYLOADS {
        let files = scaffold(payload);
        assert!(files.keys().eq(harmless.keys()), "{payload:?}");
        for (path, found) in &files {
            assert_eq!(*found, harmless[path], "{payload:?} in {path}");
        }
    }
}

/// The fixture that is compiled and documented with the goldens has all of them.
#[test]
fn the_golden_of_hostile_text_has_every_payload() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/hostile_text.yaml");
    let all = definition(&PAYLOADS.join("\n\n"));
    if std::env::var_os("KUBE_CODEGEN_ACCEPT").is_some() {
        let mut text = serde_json::to_string_pretty(&all).unwrap();
        text.push('\n');
        fs::write(&path, text).unwrap();
    }
    let fixture: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(fixture, all);
}
