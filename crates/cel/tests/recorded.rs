//! Compares results with those of kube-apiserver 1.37, recorded for rules, without a schema.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use kube_codegen_cel::{Hidden, Identity, PER_CALL_LIMIT, Program, Type, Value, escape, functions};
use serde_json::json;

fn recorded() -> serde_json::Value {
    let text = include_str!("../../schema/tests/rules.json");
    serde_json::from_str(text).unwrap()
}

/// The type of the object on which the rules are recorded.
fn type_of_object() -> Type {
    let object = |name: &str, fields: &[(&str, Type)]| {
        let fields = fields.iter().cloned();
        Type::object(
            name,
            fields.map(|(name, type_)| (escape(name).unwrap(), type_)),
        )
    };
    let text = || Type::STRING;
    let texts = || Type::list(Type::STRING);
    let item = object("item", &[("name", text()), ("v", Type::INT)]);
    let metadata = object("metadata", &[("name", text()), ("generateName", text())]);
    let resource = [
        ("apiVersion", text()),
        ("kind", text()),
        ("metadata", metadata),
    ];
    let nested = [
        ("namespace", text()),
        ("a-b", text()),
        ("max_size", Type::INT),
        ("d__u", Type::INT),
    ];
    object(
        "object",
        &[
            ("s", text()),
            ("i", Type::INT),
            ("n", Type::DOUBLE),
            ("b", Type::BOOL),
            ("opt", text()),
            ("list", texts()),
            ("map", Type::map(text(), text())),
            ("set", texts()),
            ("objs", Type::list(item)),
            ("t", Type::TIMESTAMP),
            ("d", Type::DURATION),
            ("date", Type::TIMESTAMP),
            ("by", Type::BYTES),
            ("ios", Type::Dyn),
            ("nul", text()),
            ("emb", object("resource", &resource)),
            ("nested", object("nested", &nested)),
        ],
    )
}

/// The object, of which the field `nul` is null and so absent.
fn object() -> Value {
    let texts =
        |texts: &[&str], identity| Value::list(texts.iter().map(|it| Value::from(*it)), identity);
    let map = |fields: &serde_json::Value| {
        let fields = fields.as_object().unwrap();
        let hidden = Hidden {
            size: fields.len(),
            ..Hidden::default()
        };
        Value::object(
            fields
                .iter()
                .map(|(name, value)| (name.as_str(), Value::from(value))),
            hidden,
        )
    };
    let keyed = Identity::Keys(["name".to_owned()].into());
    let items = [json!({"name": "n2", "v": 2}), json!({"name": "n1", "v": 1})];
    let resource = json!({"apiVersion": "v1", "kind": "X", "metadata": {"name": "n"}});
    let fields = [
        ("s", "hello".into()),
        ("i", 3.into()),
        ("n", 2.5.into()),
        ("b", true.into()),
        ("list", texts(&["a", "b", "c"], Identity::Place)),
        ("map", Value::map([("k", Value::from("v"))])),
        ("set", texts(&["x", "y"], Identity::Value)),
        ("objs", Value::list(items.iter().map(map), keyed)),
        ("t", Value::date_time("2024-01-15T10:30:00Z").unwrap()),
        ("d", Value::duration(90_000_000_000)),
        ("date", Value::date("2024-01-01").unwrap()),
        ("by", b"abc".to_vec().into()),
        ("ios", 5.into()),
        ("emb", map(&resource)),
        (
            "nested",
            map(&json!({"namespace": "ns", "a-b": "x", "max_size": 1, "d__u": 1})),
        ),
    ];
    let hidden = Hidden {
        size: 16,
        nulls: vec!["nul".to_owned()],
        ..Hidden::default()
    };
    Value::object(fields, hidden)
}

#[test]
fn expressions_have_the_types_and_results_of_the_api_server() {
    let (recorded, type_, object) = (recorded(), type_of_object(), object());
    let mut differences = Vec::new();
    for answer in recorded["answers"].as_array().unwrap() {
        let source = answer["rule"].as_str().unwrap();
        let program = Program::compile(source).unwrap();
        let checked = program.check(&[("self", type_.clone())]);
        let result = program
            .evaluate(&[("self", &object)], PER_CALL_LIMIT)
            .result;
        let found = match &result {
            Ok(value) => format!("{:?}", value.as_bool()),
            Err(why) => why.to_string(),
        };
        let expected = answer["causes"][0][2].as_str();
        let is_same = match expected {
            None => found == "Some(true)",
            Some(text) if text.contains(": failed rule: ") => found == "Some(false)",
            Some(text) => result.is_err() && text.contains(&found),
        };
        if !is_same || checked.is_err() {
            differences.push(format!(
                "{source}: {found}, {expected:?}, {:?}",
                checked.err()
            ));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// True expressions with the functions that are in no recorded one.
const OTHERS: &str = "
[1, 2].includes(2) && !dyn(1).includes(2)
ip('::').isUnspecified()
'AbÄ'.lowerAscii() == 'abÄ'
[1, 3, 2].max() == 3
!format.byte().validate('YQ==').hasValue() && format.byte().validate('!').hasValue()
!format.date().validate('2026-11-24').hasValue() && format.date().validate('2026-11-31').hasValue()
!format.datetime().validate('2026-11-24T00:00:00Z').hasValue() && format.datetime().validate('').hasValue()
!format.dns1035Label().validate('a1').hasValue() && format.dns1035Label().validate('1a').hasValue()
!format.dns1123LabelPrefix().validate('a-').hasValue() && format.dns1123LabelPrefix().validate('-a').hasValue()
!format.dns1123Subdomain().validate('a.b').hasValue() && format.dns1123Subdomain().validate('a..b').hasValue()
!format.dns1123SubdomainPrefix().validate('a.b-').hasValue() && format.dns1123SubdomainPrefix().validate('A').hasValue()
!format.labelValue().validate('A_b').hasValue() && format.labelValue().validate('_').hasValue()
!format.uuid().validate('6f4fd6c6-2d4b-4f5b-9f4f-0123456789ab').hasValue() && format.uuid().validate('6').hasValue()
";

#[test]
fn each_function_is_in_an_expression() {
    let recorded = recorded();
    let rules = recorded["answers"].as_array().unwrap().iter();
    let all: Vec<_> = rules.map(|it| it["rule"].as_str().unwrap()).collect();
    let all = all.join("\n") + OTHERS;
    let is_missing =
        |name: &&str| !name.starts_with(['_', '@', '!', '-']) && !all.contains(&format!("{name}("));
    let missing: BTreeSet<_> = functions().map(|it| it.name).filter(is_missing).collect();
    assert_eq!(missing, BTreeSet::new());
    for source in OTHERS.trim().lines() {
        let program = Program::compile(source).unwrap();
        let checked = program.check(&[]).unwrap();
        assert_eq!(checked.result(), &Type::BOOL, "{source}");
        let result = program.evaluate(&[], PER_CALL_LIMIT).result.unwrap();
        assert_eq!(result.as_bool(), Some(true), "{source}");
    }
}

/// The table of the README lists what the crate declares.
#[test]
fn the_readme_lists_all_functions() {
    let mut rows: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    for function in functions() {
        let is_known = rows
            .last()
            .is_some_and(|(library, ..)| *library == function.library);
        if !is_known {
            rows.push((function.library, function.since, Vec::new()));
        }
        if let Some((_, _, names)) = rows.last_mut()
            && !names.contains(&function.name)
            && !function.name.starts_with('@')
        {
            names.push(function.name);
        }
    }
    let mut table = "| library | since | functions |\n|---|---|---|\n".to_owned();
    for (library, since, names) in rows {
        let names: Vec<_> = names
            .iter()
            .map(|it| format!("`{}`", it.replace('|', "\\|")))
            .collect();
        table.extend([
            "| ",
            library,
            " | ",
            since,
            " | ",
            &names.join(", "),
            " |\n",
        ]);
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    let readme = std::fs::read_to_string(path).unwrap();
    let (start, end) = ("<!-- functions: begin -->\n", "<!-- functions: end -->");
    let (before, rest) = readme.split_once(start).unwrap();
    let (found, after) = rest.split_once(end).unwrap();
    if found != table && std::env::var_os("KUBE_CODEGEN_ACCEPT").is_some() {
        std::fs::write(path, format!("{before}{start}{table}{end}{after}")).unwrap();
        return;
    }
    assert_eq!(found, table, "KUBE_CODEGEN_ACCEPT=1 rewrites it");
}
