//! Lists the pages whose examples are documentation tests: those of the book, and those of the README.
use std::{
    env,
    error::Error,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

/// Pages whose examples are files of a crate, which a test of their own creates or which is one.
const ELSEWHERE: &[&str] = &[
    "cookbook.md",
    "from-kube-derive.md",
    "kube-operators.md",
    "tutorial.md",
];

fn main() -> Result<(), Box<dyn Error>> {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    println!("cargo::rerun-if-changed={}", pages.display());
    let mut names: Vec<String> = Vec::new();
    for entry in fs::read_dir(&pages)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if Path::new(&name).extension().is_some_and(|it| it == "md")
            && !ELSEWHERE.contains(&name.as_str())
        {
            names.push(name);
        }
    }
    names.sort();
    let mut modules = String::new();
    for name in &names {
        let module = name.trim_end_matches(".md").replace('-', "_");
        let path = pages.join(name).canonicalize()?;
        writeln!(
            modules,
            "#[doc = include_str!(\"{}\")]\npub mod {} {{}}",
            path.display(),
            module.to_lowercase()
        )?;
    }
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    println!("cargo::rerun-if-changed={}", readme.display());
    let readme = fs::read_to_string(readme)?;
    let (_, start) = readme
        .split_once("## What the code looks like")
        .ok_or("the README shows no code")?;
    let readme = with_hidden_lines(start.split("\n## ").next().unwrap_or_default());
    writeln!(modules, "#[doc = {readme:?}]\npub mod readme {{}}")?;
    fs::write(
        PathBuf::from(env::var("OUT_DIR")?).join("pages.rs"),
        modules,
    )?;
    Ok(())
}

/// Adds what the examples of the README need to compile: GitHub would show lines that start with `# `.
fn with_hidden_lines(readme: &str) -> String {
    const IMPORTS: &str = "\
# use std::sync::Arc;
# use crdkind_operator::{children::deployment, controller::Error, generated::iksoon_test_com::v1::*};
# use crdkind_operator::{settings::Images, validate::desired_state};
# use k8s_openapi::api::apps::v1::Deployment;
# use kube::{Api, api::PostParams};
# use kube_codegen_runtime::{children::Children, controller::Action, manager::Manager};
";
    let mut parts = readme.split("```rust\n");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (code, rest) = part.split_once("```").unwrap_or((part, ""));
        let (start, end) = if code.contains("fn ") {
            ("", "")
        } else {
            (
                "# async fn example(client: kube::Client) -> kube::Result<()> {\n",
                "# Ok(()) }\n",
            )
        };
        text.extend(["```rust\n", IMPORTS, start, code, end, "```", rest]);
    }
    text
}
