//! Renders pages from templates. Whatever a template shows is escaped for the language of its file.
use std::{collections::BTreeMap, fs, path::Path};

use kube_codegen_look::Escaped;
use minijinja::{AutoEscape, Environment, Error, UndefinedBehavior, Value, syntax::SyntaxConfig};
use serde::Serialize;

use super::{
    Format,
    list::{Group, Site},
    page::Page,
    prose,
};
use crate::output::{emit, render::File, template};

macro_rules! parts {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../templates/site/", $name)))),*]
    };
}

/// The templates, and the files that are not templates.
const HTML: &[(&str, &str)] = parts![
    "page.html.j2",
    "index.html.j2",
    "group.html.j2",
    "kind.html.j2",
    "fields.html.j2"
];
const MARKDOWN: &[(&str, &str)] =
    parts!["index.md.j2", "group.md.j2", "kind.md.j2", "fields.md.j2"];
const ASSETS: &[(&str, &str)] = parts!["site.css", "site.js"];

/// Parsed templates.
pub(super) struct Renderer {
    environment: Environment<'static>,
    format: Format,
    assets: Vec<File>,
}

impl Renderer {
    /// Parses the templates; files in the directory `overrides` replace built-in ones of the same name.
    pub(super) fn new(format: Format, overrides: Option<&Path>) -> Result<Self, String> {
        if let Some(directory) = overrides {
            let names = [HTML, MARKDOWN, ASSETS].concat();
            let names: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
            template::check_names(directory, &names)?;
        }
        let part = |(name, text): &(&'static str, &'static str)| {
            let path = overrides.map(|directory| directory.join(name));
            match path.filter(|path| path.exists()) {
                None => Ok((*name, (*text).to_owned())),
                Some(path) => match fs::read_to_string(&path) {
                    Ok(text) => Ok((*name, text)),
                    Err(error) => Err(format!("cannot read `{}`: {error}", path.display())),
                },
            }
        };
        let mut environment = environment().map_err(|error| template::message(&error))?;
        let templates = match format {
            Format::Html => HTML,
            Format::Markdown => MARKDOWN,
        };
        for template in templates {
            let (name, text) = part(template)?;
            let added = environment.add_template_owned(name, text);
            added.map_err(|error| template::message(&error))?;
        }
        let mut assets = Vec::new();
        for asset in ASSETS {
            let (name, text) = part(asset)?;
            let look = if name.ends_with("css") {
                kube_codegen_look::CSS
            } else {
                kube_codegen_look::SCRIPT
            };
            assets.push(File {
                path: name.to_owned(),
                text: format!("{look}{text}").into(),
            });
        }
        Ok(Self {
            environment,
            format,
            assets,
        })
    }

    /// Renders the page of a version of a kind.
    pub(super) fn page(&self, page: &Page) -> Result<String, String> {
        self.render("kind", page)
    }

    /// Renders the lists of groups and kinds.
    pub(super) fn indexes(&self, site: &Site) -> Result<Vec<File>, String> {
        #[derive(Serialize)]
        struct All<'a> {
            site: &'a str,
            root: &'static str,
            groups: &'a [Group],
        }
        #[derive(Serialize)]
        struct Single<'a> {
            site: &'a str,
            root: &'static str,
            group: &'a Group,
        }
        let name = match self.format {
            Format::Html => "index.html",
            Format::Markdown => "README.md",
        };
        let root = All {
            site: &site.title,
            root: "",
            groups: &site.groups,
        };
        let mut files = vec![File {
            path: name.to_owned(),
            text: self.render("index", &root)?.into(),
        }];
        for group in &site.groups {
            let single = Single {
                site: &site.title,
                root: "../",
                group,
            };
            let text = self.render("group", &single)?.into();
            files.push(File {
                path: format!("{}/{name}", group.name),
                text,
            });
        }
        Ok(files)
    }

    /// Returns the stylesheet and the script.
    pub(super) fn assets(&self) -> impl Iterator<Item = File> {
        self.assets.iter().cloned()
    }

    fn render(&self, name: &str, variables: &impl Serialize) -> Result<String, String> {
        let extension = match self.format {
            Format::Html => "html",
            Format::Markdown => "md",
        };
        // Cannot fail: all keys are strings.
        let variables = value(serde_json::to_value(variables).unwrap_or_default());
        let template = self
            .environment
            .get_template(&format!("{name}.{extension}.j2"));
        let text = template.and_then(|template| template.render(variables));
        text.map_err(|error| template::message(&error))
    }
}

fn value(json: serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::from(()),
        serde_json::Value::Bool(flag) => Value::from(flag),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(number) => Value::from(number),
            None => Value::from(number.as_f64()),
        },
        serde_json::Value::String(text) => Value::from(text),
        serde_json::Value::Array(list) => list.into_iter().map(value).collect(),
        serde_json::Value::Object(map) => {
            let fields = map.into_iter().map(|(name, inner)| (name, value(inner)));
            Value::from(fields.collect::<BTreeMap<String, Value>>())
        }
    }
}

fn environment() -> Result<Environment<'static>, Error> {
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .build()?;
    let mut environment = Environment::empty();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_syntax(syntax);
    environment.set_auto_escape_callback(|name| {
        if name.ends_with(".md.j2") {
            AutoEscape::Custom("markdown".into())
        } else {
            AutoEscape::Html
        }
    });
    environment.set_formatter(|out, state, value| {
        let is_markdown = matches!(state.auto_escape(), AutoEscape::Custom(_));
        let text = value.to_string();
        let written = if value.is_safe() {
            out.write_str(&text)
        } else if is_markdown {
            out.write_str(&emit::line(&text))
        } else {
            write!(out, "{}", Escaped(&text))
        };
        written.map_err(Error::from)
    });
    let safe = Value::from_safe_string;
    environment.add_filter("prose", move |lines: Vec<String>| {
        safe(prose::blocks(&lines))
    });
    environment.add_filter("inline", move |text: String| safe(prose::inline(&text)));
    // Markdown.
    environment.add_filter("lines", move |lines: Vec<String>| safe(lines.join("\n")));
    environment.add_filter("code", move |text: String| safe(emit::span(&text)));
    environment.add_filter("cell", move |lines: Vec<String>| safe(cell(&lines)));
    // What is Markdown already, and links.
    environment.add_filter("markdown", move |text: String| safe(text));
    environment.add_filter("block", move |text: String| {
        safe(text.replace("```", "'''"))
    });
    environment.add_filter("text", move |text: String| {
        safe(emit::line(&text).replace('|', "\\|"))
    });
    environment.add_filter("pipes", move |text: String| safe(text.replace('|', "\\|")));
    Ok(environment)
}

/// Writes Markdown in one line, for the cell of a table.
fn cell(lines: &[String]) -> String {
    let mut out = String::new();
    let mut in_code = false;
    for line in lines {
        if line.starts_with("```") {
            in_code = !in_code;
            continue;
        }
        let text = line.trim_start();
        let starts = in_code
            || text.is_empty()
            || text.starts_with("- ")
            || text.starts_with(|c: char| c.is_ascii_digit());
        if !out.is_empty() && !out.ends_with("<br>") {
            out.push_str(if starts { "<br>" } else { " " });
        }
        out.push_str(&if in_code {
            emit::span(line)
        } else {
            text.to_owned()
        });
    }
    out.trim_end_matches("<br>").replace('|', "\\|")
}
