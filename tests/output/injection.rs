//! Text of a CRD stays text: whatever it is, the code has the same tokens, and files of other formats have the same keys.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path, process::Command};

use kube_codegen::{options::Options, pipeline, source::Source};
use proc_macro2::{TokenStream, TokenTree};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Texts that try to end the literal, comment or document that holds them.
pub(crate) const PAYLOADS: &[&str] = &[
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

/// Makes a CRD with a text at every place where an author may write one.
pub(crate) fn definition(text: &str) -> Value {
    // It sorts in the same place whatever the text is.
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
    let sources = [Source::file("hostile.json", definition.to_string())];
    let output = pipeline::run(&sources, &Options::default());
    assert!(
        !output.diagnostics.has_errors(),
        "{text:?}: {:#?}",
        output.diagnostics
    );
    output
        .files
        .into_iter()
        .map(|file| (file.path, file.text.to_string()))
        .collect()
}

/// Returns the tokens without docs, with one letter for every name and every literal.
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
                        // Docs may have any number of lines.
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
fn no_text_changes_the_tokens_of_generated_code() {
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

/// Whether a path has this extension.
fn is(path: &str, extension: &str) -> bool {
    Path::new(path)
        .extension()
        .is_some_and(|it| it == extension)
}

/// Returns a value without its texts.
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

/// Returns the shape of a file: tokens of code, keys of data, the number of lines of other text.
fn shape_of(path: &Path) -> Value {
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

/// Returns the shapes of all files that `new` writes, except the CRD and samples with its defaults.
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
    let mut pending = vec![root.clone()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(&root).unwrap().display().to_string();
            if path.is_dir() {
                pending.push(path);
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
                files.insert(name, shape_of(&path));
            }
        }
    }
    files
}

#[test]
fn no_text_changes_the_shape_of_scaffolded_files() {
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

/// The golden crate, which is compiled and documented, has every payload.
#[test]
fn the_hostile_text_fixture_has_every_payload() {
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
