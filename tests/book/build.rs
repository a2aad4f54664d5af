//! Lists the pages of the book whose examples are documentation tests.
use std::{
    env,
    error::Error,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

/// Pages whose examples are files of a crate, which a test of their own creates.
const ELSEWHERE: &[&str] = &["tutorial.md"];

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
    fs::write(
        PathBuf::from(env::var("OUT_DIR")?).join("pages.rs"),
        modules,
    )?;
    Ok(())
}
