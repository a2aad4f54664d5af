//! `make docker-build` of an operator whose crates are those of a checkout.
use std::{fs, process::Command};

use super::{CRDKIND, create, directory};

#[test]
fn an_image_is_refused_while_the_crates_are_those_of_a_checkout() {
    let (directory, package) = directory(CRDKIND);
    create(directory.path(), &[]);
    let build = || {
        let make = Command::new("make")
            .args(["docker-build", "CONTAINER_TOOL=echo container"])
            .current_dir(&package)
            .output()
            .unwrap();
        let output = [make.stdout, make.stderr].concat();
        (make.status.success(), String::from_utf8(output).unwrap())
    };
    let (succeeded, output) = build();
    assert!(
        !succeeded && output.contains("depend on published versions"),
        "{output}"
    );
    assert!(output.contains("kube-codegen-runtime = {"), "{output}");
    assert!(!output.contains("container build"), "{output}");

    let manifest = package.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replace("path = ", "version = ")).unwrap();
    let (succeeded, output) = build();
    assert!(
        succeeded && output.contains("container build -t"),
        "{output}"
    );
}
