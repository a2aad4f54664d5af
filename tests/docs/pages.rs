//! The pages of the book: all are in its table of contents, their links lead somewhere, and their examples can be checked.
use std::{
    collections::BTreeSet,
    fmt::Write as _,
    fs,
    path::{Component, Path, PathBuf},
};

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::docs::read;

/// Languages of examples, and what checks them.
const LANGUAGES: &[&str] = &[
    "console", // `commands.rs` runs it
    "json",    // below
    "rust",    // `tests/book` compiles and runs it
    "sh",      // only in the README, for commands that take minutes
    "text",    // not code
    "toml",    // below
    "yaml",    // below
];

/// Returns the pages of the book, without the table of contents.
pub(crate) fn pages() -> Vec<String> {
    let mut found = Vec::new();
    for folder in ["docs", "docs/reference"] {
        let folder_path = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for entry in fs::read_dir(folder_path).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if Path::new(&name).extension().is_some_and(|it| it == "md") && name != "SUMMARY.md" {
                found.push(format!("{folder}/{name}"));
            }
        }
    }
    found.sort();
    found
}

fn events(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES)
}

/// Returns the targets of the links of a page.
fn links(text: &str) -> Vec<String> {
    let links = events(text).filter_map(|event| match event {
        Event::Start(Tag::Link { dest_url, .. }) => Some(dest_url.to_string()),
        _ => None,
    });
    links.collect()
}

/// Returns the anchors of a page: its headings, as GitHub and mdBook write them.
fn anchors(text: &str) -> BTreeSet<String> {
    let (mut found, mut heading) = (BTreeSet::new(), None::<String>);
    for event in events(text) {
        match (event, &mut heading) {
            (Event::Start(Tag::Heading { .. }), _) => heading = Some(String::new()),
            (Event::End(TagEnd::Heading(HeadingLevel::H1 | _)), Some(title)) => {
                let kept = title.to_lowercase();
                let kept = kept
                    .chars()
                    .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
                found.insert(kept.collect::<String>().replace(' ', "-"));
                heading = None;
            }
            (Event::Text(text) | Event::Code(text), Some(title)) => title.push_str(&text),
            _ => {}
        }
    }
    found
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let listed: BTreeSet<String> = (links(&read("docs/SUMMARY.md")).iter())
        .map(|link| format!("docs/{link}"))
        .collect();
    let pages: BTreeSet<String> = pages().into_iter().collect();
    assert_eq!(listed, pages);
}

#[test]
fn links_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut broken = Vec::new();
    let examples = fs::read_dir(root.join("generated-examples")).unwrap();
    let examples = examples.filter_map(|entry| {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let page = format!("generated-examples/{name}/README.md");
        root.join(&page).exists().then_some(page)
    });
    for page in pages()
        .into_iter()
        .chain(["README.md".to_owned(), "CONTRIBUTING.md".to_owned()])
        .chain(examples)
    {
        for link in links(&read(&page)) {
            if link.contains("://") {
                continue;
            }
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match path {
                "" => PathBuf::from(&page),
                _ => plain(&Path::new(&page).parent().unwrap().join(path)),
            };
            let exists = root.join(&target).exists();
            let text = || read(target.to_str().unwrap());
            if !exists || !anchor.is_empty() && !anchors(&text()).contains(anchor) {
                broken.push(format!("{page}: {link}"));
            }
        }
    }
    assert!(broken.is_empty(), "broken links:\n{}", broken.join("\n"));
}

/// Code below a comment such as `<!-- from ../tests/main.rs:recipe -->` is what that file has between its anchors, so that a forge shows it, too.
/// `KUBE_CODEGEN_ACCEPT=1` copies it.
#[test]
fn copied_code_is_that_of_its_file() {
    let mut outdated = Vec::new();
    for page in pages() {
        let text = read(&page);
        let mut parts = text.split("<!-- from ");
        let mut current = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (from, rest) = part.split_once(" -->\n```rust\n").unwrap();
            let (_, rest) = rest.split_once("```\n").unwrap();
            let (path, anchor) = from.split_once(':').unwrap();
            let path = plain(&Path::new(&page).parent().unwrap().join(path));
            let file = read(path.to_str().unwrap());
            let (_, code) = file.split_once(&format!("// ANCHOR: {anchor}\n")).unwrap();
            let (code, _) = code
                .split_once(&format!("// ANCHOR_END: {anchor}\n"))
                .unwrap();
            let _ = write!(current, "<!-- from {from} -->\n```rust\n{code}```\n{rest}");
        }
        if current != text {
            if std::env::var_os("KUBE_CODEGEN_ACCEPT").is_some() {
                fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(&page), current).unwrap();
            }
            outdated.push(page);
        }
    }
    let accepts = std::env::var_os("KUBE_CODEGEN_ACCEPT").is_some();
    assert!(
        accepts || outdated.is_empty(),
        "not the code of the files; KUBE_CODEGEN_ACCEPT=1 copies it: {outdated:?}"
    );
}

/// Removes `..` from a path.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(plain.pop()),
            component => plain.push(component),
        }
    }
    plain
}

#[test]
fn examples_can_be_checked() {
    let mut wrong = Vec::new();
    for page in pages().into_iter().chain(["README.md".to_owned()]) {
        let text = read(&page);
        let mut language = None;
        for event in events(&text) {
            match event {
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                    let name = info.split(',').next().unwrap_or_default().to_owned();
                    let is_known =
                        LANGUAGES.contains(&&*name) && (name != "sh" || page == "README.md");
                    // What is not checked is text.
                    if !is_known || info.contains("ignore") {
                        wrong.push(format!("{page}: a block of `{info}`"));
                    }
                    language = Some(name);
                }
                Event::Text(code) => {
                    if let Some(problem) = problem(language.as_deref(), &code) {
                        wrong.push(format!("{page}: {problem}\n{code}"));
                    }
                }
                Event::End(TagEnd::CodeBlock) => language = None,
                _ => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Says why data is not in its language.
fn problem(language: Option<&str>, code: &str) -> Option<String> {
    match language? {
        "json" => serde_json::from_str::<serde_json::Value>(code)
            .err()
            .map(|error| error.to_string()),
        "toml" => toml::from_str::<toml::Table>(code)
            .err()
            .map(|error| error.to_string()),
        "yaml" => {
            let mut documents = serde_yaml::Deserializer::from_str(code);
            documents.find_map(|document| {
                let value: Result<serde_yaml::Value, _> = serde::Deserialize::deserialize(document);
                value.err().map(|error| error.to_string())
            })
        }
        _ => None,
    }
}
