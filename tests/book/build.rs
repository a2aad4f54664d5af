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
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    println!("cargo::rerun-if-changed={}", readme.display());
    let paths = names.iter().map(|name| pages.join(name)).chain([readme]);
    let mut modules = String::new();
    for path in paths {
        let page = whole(&fs::read_to_string(&path)?)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        let module = path.file_stem().unwrap_or_default().to_string_lossy();
        let module = module.replace('-', "_").to_lowercase();
        writeln!(modules, "#[doc = {page:?}]\npub mod {module} {{}}")?;
    }
    fs::write(
        PathBuf::from(env::var("OUT_DIR")?).join("pages.rs"),
        modules,
    )?;
    Ok(())
}

/// Puts what an example needs to compile into it. It comes from the comment above the example, since a forge would show lines that begin with `# `:
///
/// ````text
/// <!-- hidden
/// fn example() {
/// ...
/// }
/// -->
/// ```rust
/// let one = 1;
/// ```
/// ````
fn whole(page: &str) -> Result<String, String> {
    let mut text = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if line != "<!-- hidden" {
            text.extend([line, "\n"]);
            continue;
        }
        let hidden: Vec<&str> = lines.by_ref().take_while(|it| *it != "-->").collect();
        let (before, after) = hidden
            .iter()
            .position(|it| *it == "...")
            .map(|at| (&hidden[..at], &hidden[at + 1..]))
            .ok_or_else(|| format!("no line `...` in the hidden code {hidden:?}"))?;
        let fence = lines.next().unwrap_or_default();
        if !fence.starts_with("```rust") {
            return Err(format!("no example follows the hidden code {hidden:?}"));
        }
        let code = lines.by_ref().take_while(|it| *it != "```");
        let hide = |it: &&str| format!("# {it}");
        // The lines of the markers keep the numbers of those below.
        text.push_str("\n\n\n");
        let example = [fence.to_owned()]
            .into_iter()
            .chain(before.iter().map(hide))
            .chain(code.map(str::to_owned))
            .chain(after.iter().map(hide))
            .chain(["```".to_owned()]);
        for line in example {
            text.extend([&line, "\n"]);
        }
    }
    Ok(text)
}
