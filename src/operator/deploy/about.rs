//! What the `Cargo.toml` of an operator says about it, for catalogues.
use std::{fs, path::Path};

use toml::{Table, Value};

/// The package of an operator; what its `Cargo.toml` does not say is empty.
#[derive(Debug, Default)]
pub(crate) struct About {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) description: String,
    pub(crate) license: String,
    pub(crate) repository: String,
    pub(crate) keywords: Vec<String>,
    /// Names with addresses.
    pub(crate) authors: Vec<(String, String)>,
}

impl About {
    /// Reads the package in a directory.
    pub(crate) fn read(package: &Path) -> Self {
        let text = fs::read_to_string(package.join("Cargo.toml")).unwrap_or_default();
        Self::parse(&text)
    }

    fn parse(manifest: &str) -> Self {
        let manifest: Table = manifest.parse().unwrap_or_default();
        let package = manifest.get("package").and_then(Value::as_table);
        let text = |key: &str| {
            let value = package.and_then(|it| it.get(key)).and_then(Value::as_str);
            value.unwrap_or_default().to_owned()
        };
        let list = |key: &str| {
            let values = package.and_then(|it| it.get(key)).and_then(Value::as_array);
            let values = values.into_iter().flatten().filter_map(Value::as_str);
            values.map(str::to_owned).collect::<Vec<_>>()
        };
        let version = match text("version") {
            version if version.is_empty() => "0.1.0".to_owned(),
            version => version,
        };
        let authors = list("authors").into_iter();
        let authors = authors.filter_map(|author| {
            let (name, rest) = author.split_once('<')?;
            Some((
                name.trim().to_owned(),
                rest.trim_end_matches('>').to_owned(),
            ))
        });
        Self {
            name: text("name"),
            version,
            description: text("description"),
            license: text("license"),
            repository: text("repository"),
            keywords: list("keywords"),
            authors: authors.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::About;

    #[test]
    fn a_package_says_what_it_is() {
        let about = About::parse(
            "[package]\nversion = \"1.2.3\"\nkeywords = [\"a\"]\nauthors = [\"Jane Doe <jane@example.com>\", \"Only a Name\"]",
        );
        assert_eq!(
            (about.version.as_str(), about.license.as_str()),
            ("1.2.3", "")
        );
        assert_eq!(about.keywords, ["a"]);
        let jane = ("Jane Doe".to_owned(), "jane@example.com".to_owned());
        assert_eq!(about.authors, [jane]);
    }

    #[test]
    fn a_missing_or_inherited_version_is_the_first() {
        assert_eq!(About::parse("").version, "0.1.0");
        assert_eq!(
            About::parse("[package]\nversion.workspace = true").version,
            "0.1.0"
        );
    }
}
