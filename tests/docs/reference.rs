//! Reference pages and lists that follow from the code. `KUBE_CODEGEN_ACCEPT=1` rewrites the pages.
use std::{env, fmt::Write as _, fs, path::Path, process::Command};

use kube_codegen::{diag::Code, options::Settings};

use crate::docs::read;

#[test]
fn the_page_lists_every_emitter() {
    let page = read("docs/generate.md");
    for emitter in kube_codegen::Emitter::all() {
        let row = format!("| `{}` | {} |", emitter.name(), emitter.about());
        assert!(page.contains(&row), "the page lacks: {row}");
    }
}

#[test]
fn configuration_lists_every_key() {
    let page = read("docs/reference/configuration.md");
    for key in Settings::KEYS {
        assert!(
            page.contains(&format!("| `{key}` |")),
            "the page lacks `{key}`"
        );
    }
}

#[test]
fn commands_are_those_of_the_program() {
    // The help of `dev` is that of its own program.
    super::commands::programs();
    let mut page =
        "# Commands\n\nThe help of the program, as `kube-codegen help COMMAND` prints it.\n"
            .to_owned();
    write_command(&mut page, &[]);
    for nested in ["crd init", "deploy check", "deploy chart"] {
        assert!(page.contains(&format!("\n### {nested}\n")), "{nested}");
    }
    assert_page("docs/reference/commands.md", &page);
}

#[test]
fn evolution_lists_every_rule() {
    const START: &str = "<!-- rules: begin -->\n";
    const END: &str = "<!-- rules: end -->";
    let page = read("docs/evolution.md");
    let (before, rest) = page.split_once(START).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let mut table = "| rule | level | meaning | what to do |\n|---|---|---|---|\n".to_owned();
    for [name, level, means, advice] in kube_codegen::private::compat::rules() {
        writeln!(table, "| `{name}` | {level} | {means} | {advice} |").unwrap();
    }
    assert_page(
        "docs/evolution.md",
        &format!("{before}{START}{table}{END}{after}"),
    );
}

#[test]
fn lint_lists_every_rule() {
    const START: &str = "<!-- rules: begin -->\n";
    const END: &str = "<!-- rules: end -->";
    let page = read("docs/lint.md");
    let (before, rest) = page.split_once(START).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let mut table = "| rule | level | what is wrong | what to do |\n|---|---|---|---|\n".to_owned();
    for [name, level, means, advice, source] in kube_codegen::private::lint_rules() {
        writeln!(
            table,
            "| [`{name}`]({source}) | {level} | {means} | {advice} |"
        )
        .unwrap();
    }
    assert_page(
        "docs/lint.md",
        &format!("{before}{START}{table}{END}{after}"),
    );
}

/// Writes the help of a command, and of all commands in it.
fn write_command(page: &mut String, command: &[&str]) {
    let text = help(command);
    if !command.is_empty() {
        let level = "#".repeat(command.len() + 1);
        write!(page, "\n{level} {}\n", command.join(" ")).unwrap();
    }
    write!(page, "\n```text\n{}\n```\n", text.trim()).unwrap();
    let mut above = kube_codegen::cli::command();
    for name in command {
        above = above.find_subcommand(name).unwrap().clone();
    }
    for inner in above.get_subcommands().filter(|it| !it.is_hide_set()) {
        if inner.get_name() != "help" {
            write_command(page, &[command, &[inner.get_name()]].concat());
        }
    }
}

#[test]
fn diagnostics_are_those_of_the_program() {
    let mut page =
        "# Diagnostics\n\nThe text of each is also printed by `kube-codegen explain CODE`.\n"
            .to_owned();
    for code in Code::ALL {
        let (name, severity) = (code.as_str(), code.severity().as_str());
        let text = code
            .explain()
            .replace("\n# ", "\n### ")
            .replace("```yaml", "```text")
            .replace("```sh", "```text");
        write!(
            page,
            "\n## {name}\n\n*{severity}: {}*\n\n{}\n",
            code.title(),
            text.trim()
        )
        .unwrap();
    }
    assert_page("docs/reference/diagnostics.md", &page);
}

/// Returns what `kube-codegen help` prints of a command, without the options that all commands have.
fn help(command: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_kube-codegen"))
        .args(command)
        .arg("--help")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let text = lines.join("\n");
    match (command, text.split_once("\nMessage options:")) {
        ([_, ..], Some((own, _))) => own.to_owned(),
        _ => text,
    }
}

fn assert_page(path: &str, expected: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if env::var_os("KUBE_CODEGEN_ACCEPT").is_some() {
        fs::write(&file, expected).unwrap();
    }
    let found = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        found == expected,
        "{path} is not up to date: run the test with KUBE_CODEGEN_ACCEPT=1"
    );
}
