//! "Simulate from here", with a program in place of a simulation: it compiles in a second.
use std::fs;

use serde_json::json;

use super::Page;
use crate::{Dev, directory};

/// Fails without an object of this name, as a simulation does: with a picture.
const PROGRAM: &str = r#"
#[test]
fn the_state_has_the_object() {
    let state = std::fs::read_to_string(std::env::var("SIMULATE_STATE").unwrap()).unwrap();
    if !state.contains("\"name\":\"of-the-page\"") {
        std::fs::create_dir_all("simulate/failures").unwrap();
        std::fs::write("simulate/failures/tiny-1.html", "a picture").unwrap();
        panic!("no object: {state}");
    }
}
"#;
const PACKAGE: &str =
    "[package]\nname = \"tiny\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n";

#[test]
fn a_simulation_starts_from_the_objects_of_the_page() {
    let folder = directory();
    for (path, text) in [
        ("Cargo.toml", PACKAGE),
        ("src/lib.rs", ""),
        ("tests/simulate.rs", PROGRAM),
    ] {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let operator = ["-f", "crd.yaml", "--", "sh", "-c", "exec sleep 1000"];
    let mut dev = Dev::start(folder.path(), &operator);
    let page = Page::of(&mut dev);
    dev.line("run: sh");
    let simulate = || page.ask(&json!({"do": "simulate"}));
    let picture = || {
        let host = format!("Host: {}", page.host);
        page.answer(&format!("GET {}failure.html", page.path), &[&host], "")
    };
    assert!(picture().contains("no simulation has failed"));
    simulate().unwrap();
    assert_eq!(simulate(), Err("a simulation runs".to_owned()));
    page.until("\"simulation\":{\"picture\":false,\"state\":\"running\"}");
    dev.line("error    the simulation has failed");
    page.until("\"simulation\":{\"picture\":true,\"state\":\"failed\"}");
    assert!(picture().ends_with("a picture"), "{}", picture());

    let object = "apiVersion: iksoon.test.com/v1\nkind: CrdKind\nmetadata: {name: of-the-page}\nspec: {choice: mysql, replicas: 1}\n";
    page.ask(&json!({"do": "apply", "text": object})).unwrap();
    page.until("\"crdplural.iksoon.test.com/default/of-the-page\",\"created by");
    simulate().unwrap();
    dev.line("the simulation has found nothing");
    page.until("\"simulation\":{\"picture\":false,\"state\":\"passed\"}");
}
