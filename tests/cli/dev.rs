//! `kube-codegen dev` runs another program.
#![cfg(unix)]

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path, process::Command};

use tempfile::TempDir;

use super::{stderr, stdout};

/// Copies a program. If this process wrote it, a test beside this one that starts another process could keep it open, and it could not be run (`ETXTBSY`).
fn copy(from: &Path, to: &Path) {
    let copied = Command::new("cp").args([from, to]).status().unwrap();
    assert!(copied.success());
}

#[test]
fn dev_runs_the_program_beside_it_or_says_how_to_install_it() {
    let folder = TempDir::new().unwrap();
    // Its neighbours are those of its path, not those of the build.
    let program = folder.path().join("kube-codegen");
    copy(env!("CARGO_BIN_EXE_kube-codegen").as_ref(), &program);
    let mut command = Command::new(&program);
    command.env("PATH", "/usr/bin:/bin");
    command.args([
        "--color=never",
        "dev",
        "--once",
        "--quiet",
        "dir",
        "--",
        "sh",
        "-c",
        "a b",
    ]);

    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        stderr(&output),
        "error: `dev` needs the program kube-codegen-dev, which is not installed; install it with `cargo install --locked --git https://github.com/kube-codegen/kube-codegen kube-codegen-dev`, \
         or from a checkout with `cargo install --locked --path crates/dev`\n"
    );

    let other = folder.path().join("kube-codegen-dev");
    let script = folder.path().join("script");
    fs::write(&script, "#!/bin/sh\nprintf '<%s>' \"$@\"\nexit 7\n").unwrap();
    copy(&script, &other);
    fs::set_permissions(&other, fs::Permissions::from_mode(0o755)).unwrap();
    let output = command.output().unwrap();
    assert_eq!(
        (output.status.code(), stdout(&output).as_str()),
        (
            Some(7),
            "<--color=never><--once><--quiet><dir><--><sh><-c><a b>"
        )
    );
    let output = Command::new(&program)
        .args(["dev", "--help"])
        .output()
        .unwrap();
    assert_eq!(stdout(&output), "<--help>");
    let output = Command::new(&program)
        .args(["dev", "--", "../operator", "--", "-q"])
        .output()
        .unwrap();
    assert_eq!(stdout(&output), "<--><../operator><--><-q>");
}
