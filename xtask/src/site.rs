//! Writes the site of the project: the README as its first page, and the book below it.
use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use clap::Args;
use kube_codegen_look::{CSS, Escaped, SCRIPT};
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};

use crate::root;

/// Where files are that the site does not have.
const FILES: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/");

/// Where the README begins to speak to those who change kube-codegen.
const END: &str = "\n## Running the tests";

/// Arguments of the task.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Directory for the site; it is created if needed
    #[arg(long, value_name = "DIR", default_value = "target/site")]
    out: PathBuf,
}

/// Writes `index.html`, and the book to `book/`.
pub(crate) fn run(arguments: &Arguments) -> Result<bool, Box<dyn Error>> {
    fs::create_dir_all(&arguments.out)?;
    let out = fs::canonicalize(&arguments.out)?;
    let built = Command::new("mdbook")
        .args(["build", "docs", "--dest-dir"])
        .arg(out.join("book"))
        .current_dir(root())
        .status()
        .map_err(|error| format!("mdbook: {error}. Install it: cargo install mdbook --locked"))?;
    if !built.success() {
        return Ok(false);
    }
    let first = first_page(&fs::read_to_string(root().join("README.md"))?)?;
    fs::write(out.join("index.html"), first)?;
    println!("{}", out.join("index.html").display());
    Ok(true)
}

/// Returns the README as a page, up to what is for those who change kube-codegen.
fn first_page(readme: &str) -> Result<String, Box<dyn Error>> {
    let readme = readme.split_once(END).map_or(readme, |(start, _)| start);
    let title = readme
        .lines()
        .next()
        .and_then(|it| it.strip_prefix("# "))
        .ok_or("README.md does not begin with its title")?;
    let events = Parser::new_ext(readme, Options::ENABLE_TABLES).filter_map(|mut event| {
        match &mut event {
            // What the tests add to an example.
            Event::Html(_) | Event::Start(Tag::HtmlBlock) | Event::End(TagEnd::HtmlBlock) => {
                return None;
            }
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                *dest_url = target(dest_url);
            }
            // What scrolls can have the focus.
            Event::Start(Tag::CodeBlock(_)) => {
                event = Event::Html("<pre tabindex=\"0\"><code>".into());
            }
            Event::End(TagEnd::CodeBlock) => event = Event::Html("</code></pre>\n".into()),
            _ => {}
        }
        Some(event)
    });
    let mut main = String::new();
    html::push_html(&mut main, events);
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>{title}</title>\n<style>\n{CSS}{LAYOUT}</style>\n<script>\n{SCRIPT}</script>\n</head>\n<body>\n\
         <header><a href=\"book/index.html\">Book</a> <a href=\"{}\">Source</a> <button class=\"scripted-only\" data-theme-switch aria-label=\"Switch between light and dark\">◐</button></header>\n\
         <main>\n{main}</main>\n</body>\n</html>\n",
        env!("CARGO_PKG_REPOSITORY"),
        title = Escaped(title),
    ))
}

const LAYOUT: &str = "\
header, main { max-width: 54rem; margin: 0 auto; padding: 1rem 1.25rem }
header { display: flex; gap: 1.25rem; justify-content: flex-end; align-items: center }
main img { max-width: 100%; height: auto; border-radius: .5rem }
";

/// Returns where a link of the README leads on the site: to a page or a picture of the book, or to a file of the repository.
fn target(link: &str) -> CowStr<'static> {
    if link.contains("://") || link.starts_with('#') {
        return link.to_owned().into();
    }
    let (path, anchor) = link
        .split_once('#')
        .map_or((link, String::new()), |(path, anchor)| {
            (path, format!("#{anchor}"))
        });
    let Some(page) = path.strip_prefix("docs/") else {
        return format!("{FILES}{link}").into();
    };
    let page = if page == "SUMMARY.md" {
        "index.html".to_owned()
    } else if Path::new(page).extension().is_some_and(|it| it == "md") {
        Path::new(page)
            .with_extension("html")
            .to_string_lossy()
            .into_owned()
    } else {
        page.to_owned()
    };
    format!("book/{page}{anchor}").into()
}

#[cfg(test)]
mod tests {
    use kube_codegen_browser::{Browser, View};

    use super::*;

    #[test]
    fn links_of_the_readme_lead_to_the_book_or_to_the_repository() {
        let expected = [
            ("docs/tutorial.md", "book/tutorial.html"),
            ("docs/dev.md#the-page", "book/dev.html#the-page"),
            ("docs/SUMMARY.md", "book/index.html"),
            ("docs/plots/a.svg", "book/plots/a.svg"),
            ("https://kube.rs", "https://kube.rs"),
        ];
        for (link, place) in expected {
            assert_eq!(&*target(link), place);
        }
        assert_eq!(&*target("SECURITY.md"), format!("{FILES}SECURITY.md"));
    }

    /// The first page is accessible in light, in dark and on a phone, and no page of the book scrolls to the right.
    #[test]
    fn the_site_fits_all_screens() {
        let Some(mut browser) = Browser::start() else {
            return;
        };
        let required = std::env::var("KUBE_CODEGEN_BROWSER").is_ok_and(|it| it == "required");
        if Command::new("mdbook").arg("--version").output().is_err() && !required {
            eprintln!("SKIPPED: mdbook is not installed");
            return;
        }
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path().to_owned();
        assert!(run(&Arguments { out }).unwrap());
        let site = format!("file://{}", directory.path().display());
        let mut page = browser.open(&format!("{site}/index.html"), View::DESKTOP);
        assert_eq!(page.errors(), Vec::<String>::new());
        let is_seen = page.evaluate("[...document.images].every(it => it.naturalWidth > 0)");
        assert_eq!(is_seen, true);
        for view in [View::DESKTOP, View::DARK, View::PHONE] {
            page.show(view);
            assert_eq!(page.overflow(), 0);
            assert_eq!(page.axe(), Vec::<String>::new());
        }
        drop(page);
        let mut wide = Vec::new();
        let pages = fs::read_dir(directory.path().join("book")).unwrap();
        for path in pages.map(|it| it.unwrap().path()) {
            if path.extension().is_some_and(|it| it == "html") {
                let mut page = browser.open(&format!("file://{}", path.display()), View::PHONE);
                if page.overflow() > 0 {
                    wide.push(path.file_name().unwrap().to_owned());
                }
            }
        }
        assert!(wide.is_empty(), "{wide:?}");
    }
}
