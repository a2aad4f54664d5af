//! Reads YAML as the API server does, and as other readers where they agree with it.
#![allow(clippy::expect_used, clippy::panic, reason = "helpers of tests")]
use kube_codegen::diag::{Code, Diagnostics};
use kube_codegen::private::crd::{self, Crd};
use kube_codegen::source::Source;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

fn parse(text: &str) -> (Vec<Crd>, Diagnostics) {
    let sources = [Source::new("text.yaml", text)];
    let mut diagnostics = Diagnostics::new();
    let crds = crd::parse(&sources, &mut diagnostics);
    diagnostics.locate(&sources);
    (crds, diagnostics)
}

fn files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, into);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "yaml")
        {
            into.push(path);
        }
    }
}

/// Converts floats without a fraction to integers.
fn with_integers(value: Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => match number.as_f64() {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "small numbers in the corpus"
            )]
            Some(whole) if whole.fract() == 0.0 => json!(whole as i64),
            _ => Value::Number(number),
        },
        Value::Array(items) => items.into_iter().map(with_integers).collect(),
        Value::Object(map) => map
            .into_iter()
            .map(|(key, value)| (key, with_integers(value)))
            .collect(),
        other => other,
    }
}

#[test]
fn manifests_are_read_as_by_another_reader() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = vec![root.join("fixtures/crdkind.yaml")];
    if let Some(corpus) = crate::common::corpus("crds") {
        files(&corpus, &mut paths);
    }
    for path in paths {
        let text = fs::read_to_string(&path).expect("readable");
        let (crds, diagnostics) = parse(&text);
        if diagnostics
            .iter()
            .any(|finding| finding.code == Code::YamlSpelling)
        {
            continue;
        }
        for crd in crds {
            let other: Value = serde_yaml::from_str(&text).expect("one document");
            assert_eq!(manifest(&crd), with_integers(other), "{}", path.display());
        }
    }
}

const CRD: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: foos.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {plural: foos, kind: Foo}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: SPEC}}}}
";

fn manifest(crd: &Crd) -> Value {
    let mut manifest = serde_json::Deserializer::from_str(&crd.manifest);
    manifest.disable_recursion_limit();
    Value::deserialize(&mut manifest).expect("JSON")
}

/// Reads a schema of `spec` that is written in flow style.
fn spec(schema: &str) -> Value {
    let (crds, diagnostics) = parse(&CRD.replace("SPEC", schema));
    let crd = crds.first().unwrap_or_else(|| panic!("{diagnostics:?}"));
    manifest(crd)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"].clone()
}

#[test]
fn plain_scalars_are_read_as_by_the_api_server() {
    assert_eq!(
        spec("{enum: [on, n, \"y\", 'no', 0755, 1_000, 1.0, null, ~, 2024-01-01, 1:30]}"),
        json!({"enum": [true, false, "y", "no", 493, 1000, 1, null, null, "2024-01-01", "1:30"]})
    );
    assert_eq!(
        spec("{properties: {y: {type: string}, 1: {}, off: {}}}"),
        json!({"properties": {"true": {"type": "string"}, "1": {}, "false": {}}}),
    );
}

#[test]
fn anchors_and_merges_are_applied() {
    assert_eq!(
        spec(
            "{default: {a: &a {x: 1, y_: 2}, b: {<<: *a, x: 3}, c: {x: 4, <<: [{x: 5, z: 6}, *a]}, d: *a, \"<<\": 7}}"
        ),
        json!({"default": {
            "a": {"x": 1, "y_": 2},
            "b": {"x": 3, "y_": 2},
            "c": {"x": 5, "y_": 2, "z": 6},
            "d": {"x": 1, "y_": 2},
            "<<": 7,
        }})
    );
}

#[test]
fn empty_documents_are_counted_but_not_reported() {
    let text =
        format!("# first\n---\n---\nnull\n--- {{}}\n...\n---{CRD}").replace("SPEC", "{type: text}");
    let (crds, diagnostics) = parse(&text.replace("--- {}\n...\n", ""));
    assert_eq!(crds.len(), 1);
    let [finding] = diagnostics.iter().collect::<Vec<_>>()[..] else {
        panic!("{diagnostics:?}");
    };
    assert_eq!(finding.code, Code::UnknownType);
    let line = text
        .replace("--- {}\n...\n", "")
        .lines()
        .position(|line| line.contains("text"))
        .expect("there");
    assert_eq!(finding.place.position.map(|at| at.line), Some(line + 1));
}

#[test]
fn json_values_may_follow_one_another() {
    let (crds, _) = parse(&CRD.replace("SPEC", "{type: object}"));
    let mut other = manifest(&crds[0]);
    other["metadata"]["name"] = "bars.example.com".into();
    other["spec"]["names"] = json!({"plural": "bars", "kind": "B\u{e4}r"});
    let text = format!("{:#}\n{other:#}", crds[0].manifest);
    let (crds, diagnostics) = parse(&text);
    assert_eq!(crds.len(), 1);
    let [finding] = diagnostics.iter().collect::<Vec<_>>()[..] else {
        panic!("{diagnostics:?}");
    };
    assert_eq!(finding.code, Code::InvalidName);
    let line = text
        .lines()
        .position(|line| line.contains("B\u{e4}r"))
        .expect("there");
    assert_eq!(finding.place.position.map(|at| at.line), Some(line + 1));
    assert_eq!(finding.place.position.map(|at| at.length), Some(5));
}

#[test]
fn v1beta1_is_read_as_v1() {
    let text = "
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: {name: networks.samplecrd.k8s.io}
spec:
  group: samplecrd.k8s.io
  versions:
  - {name: v1, served: true, storage: true}
  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}
  names: {plural: networks, kind: Network}
  preserveUnknownFields: false
  subresources: {status: {}}
  additionalPrinterColumns: [{name: CIDR, type: string, JSONPath: .spec.cidr}]
  conversion: {strategy: Webhook, conversionReviewVersions: [v1], webhookClientConfig: {url: https://example.com}}
  validation: {openAPIV3Schema: {properties: {spec: {type: object, properties: {cidr: {type: string}}}}}}
";
    let (crds, diagnostics) = parse(text);
    let codes: Vec<_> = diagnostics.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, [Code::LegacyApi]);
    let shared = json!({
        "additionalPrinterColumns": [{"name": "CIDR", "type": "string", "jsonPath": ".spec.cidr"}],
        "subresources": {"status": {}},
    });
    let version = |name: &str, storage: bool, schema: Value| {
        let mut version = shared.clone();
        version["name"] = name.into();
        version["served"] = true.into();
        version["storage"] = storage.into();
        version["schema"]["openAPIV3Schema"] = schema;
        version
    };
    assert_eq!(
        manifest(&crds[0]),
        json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "networks.samplecrd.k8s.io"},
            "spec": {
                "group": "samplecrd.k8s.io",
                "scope": "Namespaced",
                "names": {"plural": "networks", "kind": "Network"},
                "conversion": {
                    "strategy": "Webhook",
                    "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": {"url": "https://example.com"}},
                },
                "versions": [
                    version("v1", true, json!({
                        "type": "object",
                        "properties": {"spec": {"type": "object", "properties": {"cidr": {"type": "string"}}}},
                    })),
                    version("v2", false, json!({"type": "object"})),
                ],
            },
        })
    );
}

#[test]
fn broken_texts_never_panic() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = vec![root.join("fixtures/crdkind.yaml")];
    files(&root.join("fixtures/invalid"), &mut paths);
    let mut rejected = 0;
    for path in paths {
        let text = fs::read_to_string(&path).expect("readable");
        // Reaching the limit on copies takes long.
        if text.len() > 1000 || path.ends_with("alias-bomb.yaml") {
            continue;
        }
        let ends = text.char_indices().map(|(index, _)| index).step_by(97);
        for end in ends {
            let (front, rest) = text.split_at(end);
            for broken in [
                "", "\t", "\"", "{", "]", "*a", "&a ", "- ", "? ", "!!int ", "\u{0}", "|\n", "\r",
                "…",
            ] {
                let (_, diagnostics) = parse(&format!("{front}{broken}{rest}"));
                rejected += usize::from(diagnostics.has_errors());
            }
            parse(front);
        }
    }
    assert!(rejected > 500, "{rejected}");
}

#[test]
fn excessive_nesting_is_rejected() {
    for (open, close) in [
        ("[", "]"),
        ("{a: ", "}"),
        ("- ", ""),
        ("? ", ""),
        ("a: &a ", ""),
    ] {
        let (_, diagnostics) = parse(&format!(
            "a: {}{}",
            open.repeat(50_000),
            close.repeat(50_000)
        ));
        assert!(diagnostics.has_errors(), "{open}");
    }
    let lists = format!("{{\"a\": {}{}}}", "[".repeat(50_000), "]".repeat(50_000));
    assert!(parse(&lists).1.has_errors());
}
