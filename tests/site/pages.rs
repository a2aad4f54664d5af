//! The files of reference pages: links that resolve, text that stays text, sizes, and what is stale.
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use pulldown_cmark::{Event, Tag};
use serde_json::Value;
use tempfile::TempDir;

use super::{ROOT, docs, html, largest, pages_of, pages_of_fixtures};
use crate::{
    common::corpus,
    output::injection::{PAYLOADS, definition},
};

/// Returns the texts of all files below a directory, by their paths.
fn files(root: &Path) -> BTreeMap<PathBuf, String> {
    let mut files = BTreeMap::new();
    let mut pending = vec![root.to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                pending.push(path);
            } else {
                let text = fs::read_to_string(&path).unwrap();
                files.insert(path.strip_prefix(root).unwrap().to_owned(), text);
            }
        }
    }
    files
}

/// Returns a path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path {
        if part == ".." {
            out.pop();
        } else if part != "." {
            out.push(part);
        }
    }
    out
}

/// Checks that each link leads to a page and an anchor, that no anchor is there twice, and that the search finds what exists.
fn check_links(root: &Path) -> usize {
    let files = files(root);
    let mut anchors: HashMap<&Path, HashSet<String>> = HashMap::new();
    for (path, text) in files
        .iter()
        .filter(|(path, _)| path.extension().is_some_and(|it| it == "html"))
    {
        let mut ids = HashSet::new();
        for tag in html::tags(text) {
            if let Some(id) = tag.attribute("id") {
                assert!(ids.insert(id.to_owned()), "{}: {id} twice", path.display());
            }
        }
        anchors.insert(path, ids);
    }
    let check = |from: &Path, href: &str| {
        let (file, anchor) = href.split_once('#').unwrap_or((href, ""));
        let target = if file.is_empty() {
            from.to_owned()
        } else {
            normal(&from.parent().unwrap().join(file))
        };
        assert!(
            files.contains_key(&target),
            "{}: {href} leads to no file",
            from.display()
        );
        let known = anchors
            .get(&*target)
            .is_none_or(|ids| anchor.is_empty() || ids.contains(anchor));
        assert!(known, "{}: {href} leads to no anchor", from.display());
    };
    let mut count = 0;
    for path in anchors.keys() {
        for tag in html::tags(&files[*path]) {
            let links = ["href", "src"]
                .into_iter()
                .filter_map(|name| tag.attribute(name));
            for link in
                links.filter(|link| !link.starts_with("https://") && !link.starts_with("http://"))
            {
                check(path, link);
                count += 1;
            }
        }
    }
    let index = &files[Path::new("search.js")];
    let index = index
        .strip_prefix("window.kubeCodegenIndex = ")
        .unwrap()
        .trim_end()
        .trim_end_matches(';');
    let index: Value = serde_json::from_str(index).unwrap();
    for page in index["pages"].as_array().unwrap() {
        let mut names: Vec<&str> = Vec::new();
        for line in page["fields"].as_str().unwrap().lines() {
            let text = line.trim_start();
            names.truncate(line.len() - text.len());
            names.push(text.split(' ').next().unwrap());
            let href = format!("{}#{}", page["path"].as_str().unwrap(), names.join("."));
            check(Path::new("index.html"), &href);
            count += 1;
        }
    }
    count
}

#[test]
fn all_links_of_fixtures_resolve() {
    let directory = pages_of_fixtures(&[]);
    assert!(check_links(&directory.path().join("site")) > 500);
}

#[test]
fn all_links_of_hostile_schemas_resolve() {
    let Some(corpus) = corpus("adversarial") else {
        return;
    };
    let mut made = 0;
    for entry in fs::read_dir(corpus).unwrap() {
        let path = entry.unwrap().path();
        let directory = TempDir::new().unwrap();
        // Some of them have errors, which `generate` reports in the same way.
        let output = Command::new(env!("CARGO_BIN_EXE_kube-codegen"))
            .current_dir(directory.path())
            .args(["docs", "-o", "site", "-f"])
            .arg(&path)
            .output()
            .unwrap();
        if output.status.success() {
            check_links(&directory.path().join("site"));
            made += 1;
        } else {
            let code = output.status.code();
            assert_eq!(
                code,
                Some(1),
                "{}: {}",
                path.display(),
                String::from_utf8_lossy(&output.stderr)
            );
            assert!(
                !directory.path().join("site").exists(),
                "{}",
                path.display()
            );
        }
    }
    assert!(made > 30, "{made}");
}

#[test]
fn the_largest_real_page_has_less_than_a_megabyte() {
    let Some(site) = largest() else { return };
    for (path, text) in files(site)
        .iter()
        .filter(|(path, _)| path.extension().is_some_and(|it| it == "html"))
    {
        assert!(
            text.len() < 1_000_000,
            "{}: {} bytes",
            path.display(),
            text.len()
        );
    }
    check_links(site);
}

/// The elements that templates and descriptions have.
const ELEMENTS: &[&str] = &[
    "a", "b", "body", "br", "button", "code", "dd", "details", "div", "dl", "dt", "em", "footer",
    "h1", "h2", "h3", "head", "header", "html", "input", "kbd", "li", "link", "main", "meta",
    "nav", "ol", "p", "pre", "script", "section", "small", "span", "strong", "summary", "table",
    "tbody", "td", "th", "thead", "title", "tr", "ul",
];

#[test]
fn texts_that_inject_stay_text() {
    let more = [
        "</textarea><svg onload=alert(1)>",
        "[x](javascript:alert(1)) <a href=javascript:alert(1)>",
        "{{ 7 * 7 }}{% raw %}",
        "\u{202e}x\u{2069}",
    ];
    for payload in PAYLOADS.iter().chain(&more) {
        let directory = pages_of(&definition(payload).to_string(), &[]);
        for (path, text) in files(&directory.path().join("site")) {
            let hidden = text
                .chars()
                .find(|c| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\0'));
            let is_page = path.extension().is_some_and(|it| it == "html");
            if !is_page {
                continue;
            }
            assert_eq!(hidden, None, "{payload:?} in {}", path.display());
            let mut scripts = 0;
            for tag in html::tags(&text) {
                assert!(ELEMENTS.contains(&tag.name), "{payload:?}: <{}>", tag.name);
                assert!(
                    !tag.names()
                        .any(|name| name.starts_with("on") || name == "style"),
                    "{payload:?}: {tag:?}"
                );
                let link = tag.attribute("href").unwrap_or("#");
                let is_known = [
                    "https://",
                    "http://",
                    "#",
                    "../",
                    "site.css",
                    "index.html",
                    "example.com",
                    "v1-",
                ];
                assert!(
                    is_known.iter().any(|start| link.starts_with(start)),
                    "{payload:?}: {link}"
                );
                scripts += usize::from(tag.name == "script");
            }
            assert_eq!(scripts, 1, "{payload:?}");
        }
        check_links(&directory.path().join("site"));
    }
}

#[test]
fn markdown_has_no_tags_of_descriptions() {
    for payload in [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "![i](http://x)",
        "a | b",
    ] {
        let directory = pages_of(&definition(payload).to_string(), &["--format", "markdown"]);
        let page =
            fs::read_to_string(directory.path().join("site/example.com/foos/v1.md")).unwrap();
        let mut images_and_tags = 0;
        let mut in_code = false;
        for line in page.lines() {
            // Code is text, whatever is in it.
            in_code ^= line.starts_with("```");
            let mut events = pulldown_cmark::Parser::new(line);
            images_and_tags += events
                .by_ref()
                .filter(|event| {
                    !in_code
                        && match event {
                            Event::Html(tag) | Event::InlineHtml(tag) => {
                                !tag.starts_with("<a id=") && !matches!(&**tag, "</a>" | "<br>")
                            }
                            Event::Start(Tag::Image { .. }) => true,
                            Event::Start(Tag::Link { dest_url, .. }) => {
                                dest_url.starts_with("javascript")
                            }
                            _ => false,
                        }
                })
                .count();
        }
        assert_eq!(images_and_tags, 0, "{payload}:\n{page}");
    }
}

#[test]
fn pages_follow_the_crds() {
    let directory = TempDir::new().unwrap();
    let (site, crd) = (
        directory.path().join("site"),
        directory.path().join("crd.yaml"),
    );
    let text = fs::read_to_string(format!("{ROOT}/fixtures/crdkind.yaml")).unwrap();
    fs::write(&crd, &text).unwrap();
    docs(directory.path(), &["-f", "crd.yaml"]);
    let before = files(&site);
    assert!(docs(directory.path(), &["-f", "crd.yaml"]).contains(": 0 files written"));
    docs(directory.path(), &["-f", "crd.yaml", "--check"]);
    // A page whose CRD is gone goes, too, and so does its directory.
    let other = definition("plain words").to_string();
    fs::write(&crd, other).unwrap();
    docs(directory.path(), &["-f", "crd.yaml"]);
    let after = files(&site);
    assert!(!site.join("iksoon.test.com").exists(), "{:?}", after.keys());
    assert!(after.contains_key(Path::new("example.com/foos/v1.html")));
    // After an error, nothing has changed.
    fs::write(&crd, "kind: [").unwrap();
    let failed = Command::new(env!("CARGO_BIN_EXE_kube-codegen"))
        .current_dir(directory.path())
        .args(["docs", "-f", "crd.yaml", "-o", "site"])
        .output()
        .unwrap();
    assert_eq!((failed.status.code(), files(&site)), (Some(1), after));
    fs::write(&crd, text).unwrap();
    docs(directory.path(), &["-f", "crd.yaml"]);
    assert_eq!(files(&site), before);
}

#[test]
fn templates_replace_parts() {
    let directory = TempDir::new().unwrap();
    let templates = directory.path().join("parts");
    fs::create_dir(&templates).unwrap();
    fs::write(
        templates.join("fields.html.j2"),
        "{% for row in rows %}<li>{{ row.description }}{{ row.name }}</li>{% endfor %}",
    )
    .unwrap();
    fs::write(templates.join("site.css"), "main { color: red }").unwrap();
    fs::write(
        directory.path().join("crd.yaml"),
        definition("<b>&").to_string(),
    )
    .unwrap();
    docs(
        directory.path(),
        &["-f", "crd.yaml", "--templates", "parts"],
    );
    let files = files(&directory.path().join("site"));
    let page = &files[Path::new("example.com/foos/v1.html")];
    assert!(
        page.contains("spec</li>") && !page.contains("<b>&"),
        "{page}"
    );
    assert!(files[Path::new("site.css")].ends_with("main { color: red }"));
    fs::write(templates.join("field.html.j2"), "").unwrap();
    let failed = Command::new(env!("CARGO_BIN_EXE_kube-codegen"))
        .current_dir(directory.path())
        .args(["docs", "-f", "crd.yaml", "--templates", "parts"])
        .output()
        .unwrap();
    let message = String::from_utf8_lossy(&failed.stderr).into_owned();
    assert!(
        message.contains("`field.html.j2`") && message.contains("fields.html.j2"),
        "{message}"
    );
}
