//! Templates come in, text goes out: a value is either a plain word or has gone through the filter of the language it is put in.
use super::yaml;
use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Error, ErrorKind, UndefinedBehavior, Value};
use std::fs;
use std::path::Path;

/// A file of the crate that is made from a template.
#[derive(Debug)]
pub(super) struct Template {
    /// Its name in the folder of templates.
    pub(super) name: &'static str,
    /// Where it goes; `KIND` stands for the name of a controller's module.
    pub(super) path: &'static str,
    /// Whether there is one per kind.
    pub(super) per_kind: bool,
    text: &'static str,
}

macro_rules! templates {
    ($(#[$doc:meta])* $all:ident in $folder:literal: $($name:literal => $path:literal, per_kind: $per_kind:literal;)*) => {
        $(#[$doc])*
        pub(super) const $all: &[Template] = &[$(Template {
            name: $name,
            path: $path,
            per_kind: $per_kind,
            text: include_str!(concat!("../../templates/", $folder, "/", $name)),
        },)*];
    };
}

templates! {
    /// Those of a crate of types and clients.
    LIBRARY in "library":
    "Cargo.toml.j2" => "Cargo.toml", per_kind: false;
    "README.md.j2" => "README.md", per_kind: false;
    "gitignore.j2" => ".gitignore", per_kind: false;
    "config.toml.j2" => ".cargo/config.toml", per_kind: false;
}

templates! {
    /// Those of an operator, in the order their files are told.
    OPERATOR in "operator":
    "Cargo.toml.j2" => "Cargo.toml", per_kind: false;
    "README.md.j2" => "README.md", per_kind: false;
    "gitignore.j2" => ".gitignore", per_kind: false;
    "kube-codegen.toml.j2" => "kube-codegen.toml", per_kind: false;
    "deployment.yaml.j2" => "deploy/deployment.yaml", per_kind: false;
    "rbac.yaml.j2" => "deploy/rbac.yaml", per_kind: false;
    "lib.rs.j2" => "src/lib.rs", per_kind: false;
    "main.rs.j2" => "src/main.rs", per_kind: false;
    "controller.rs.j2" => "src/KIND.rs", per_kind: true;
    "test.rs.j2" => "tests/KIND.rs", per_kind: true;
}

/// The templates, ready to be rendered.
#[derive(Debug)]
pub(super) struct Templates {
    environment: Environment<'static>,
}

impl Templates {
    /// The built-in ones, or those of the same names in a folder.
    pub(super) fn new(all: &[Template], folder: Option<&Path>) -> Result<Self, String> {
        let mut environment = environment().map_err(|error| told(&error))?;
        for template in all {
            let own = folder
                .map(|folder| folder.join(template.name))
                .filter(|path| path.exists());
            let added = match own {
                None => environment.add_template(template.name, template.text),
                Some(path) => {
                    let text = fs::read_to_string(&path)
                        .map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
                    environment.add_template_owned(template.name, text)
                }
            };
            added.map_err(|error| told(&error))?;
        }
        Ok(Self { environment })
    }

    /// The text of a file about the whole crate, or about one of its kinds.
    pub(super) fn render(&self, template: &Template, context: Value) -> Result<String, String> {
        self.environment
            .get_template(template.name)
            .and_then(|template| template.render(context))
            .map_err(|error| told(&error))
    }
}

/// No built-in filter: none of them may declare a text harmless.
fn environment() -> Result<Environment<'static>, Error> {
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .keep_trailing_newline(true)
        .build()?;
    let mut environment = Environment::empty();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_syntax(syntax);
    environment.set_formatter(|out, _, value| {
        if is_harmless(value) {
            write!(out, "{value}").map_err(Error::from)
        } else {
            let message =
                format!("{value:?} is no plain word; put it through `yaml`, `toml` or `rust`");
            Err(Error::new(ErrorKind::InvalidOperation, message))
        }
    });
    environment.add_filter("yaml", |text: String| {
        Value::from_safe_string(yaml::string(&text))
    });
    environment.add_filter("toml", |text: String| {
        Value::from_safe_string(yaml::quote(&text))
    });
    environment.add_filter("rust", |text: String| {
        Value::from_safe_string(format!("{text:?}"))
    });
    Ok(environment)
}

/// Whether a value is the same text in every language, or was written in the right one by a filter.
fn is_harmless(value: &Value) -> bool {
    value.is_safe()
        || value.is_integer()
        || value.as_str().is_some_and(|text| {
            let text = text.strip_prefix("r#").unwrap_or(text);
            !text.is_empty()
                && text
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/'))
        })
}

fn told(error: &Error) -> String {
    let name = error.name().unwrap_or("template");
    let line = error
        .line()
        .map_or_else(String::new, |line| format!(":{line}"));
    format!("{name}{line}: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use minijinja::context;

    fn render(text: &str, value: &str) -> Result<String, String> {
        environment()
            .unwrap()
            .render_str(text, context! { value })
            .map_err(|error| error.to_string())
    }

    #[test]
    fn text_is_never_code() {
        let evil = "x\"\n}; fn main() { panic!() } //'#{}$(rm)";
        assert!(
            render("{{ value }}", evil)
                .unwrap_err()
                .contains("is no plain word")
        );
        assert_eq!(
            render("{{ value }}", "crdkind-operator").unwrap(),
            "crdkind-operator"
        );
        for (filter, read) in [
            (
                "yaml",
                (|text| serde_yaml::from_str(text).unwrap()) as fn(&str) -> String,
            ),
            ("toml", |text| {
                toml::from_str::<toml::Table>(&format!("a = {text}")).unwrap()["a"]
                    .as_str()
                    .unwrap()
                    .to_owned()
            }),
            ("rust", |text| {
                syn::parse_str::<syn::LitStr>(text).unwrap().value()
            }),
        ] {
            let text = render(&format!("{{{{ value|{filter} }}}}"), evil).unwrap();
            assert_eq!(read(&text), evil, "{filter}");
        }
    }

    #[test]
    fn what_is_not_there_is_an_error() {
        assert!(render("{{ nothing }}", "").is_err());
        assert!(render("{{ value|safe }}", "x y").is_err());
    }
}
