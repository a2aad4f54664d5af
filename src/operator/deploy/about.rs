//! What the `Cargo.toml` of an operator says about it, for catalogues.
use std::path::Path;

use toml::{Table, Value};

use crate::operator::cargo::{self, MANIFEST};

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
    /// Reads the package in a directory; inherited fields come from the closest workspace above it.
    ///
    /// `None` if there is no manifest.
    ///
    /// # Errors
    /// If its manifest cannot be read, has no package, or inherits a field that the workspace lacks.
    pub(crate) fn read(package: &Path) -> Result<Option<Self>, String> {
        let Some(manifest) = cargo::manifest(package)? else {
            return Ok(None);
        };
        let inherits = |package: &Table| package.values().any(inherits);
        let inherited = match manifest.get("package").and_then(Value::as_table) {
            Some(package_table) if inherits(package_table) => workspace(package, package_table)?,
            _ => Table::new(),
        };
        let about = Self::parse(&manifest, &inherited);
        about
            .map(Some)
            .map_err(|error| format!("`{}` {error}", package.join(MANIFEST).display()))
    }

    /// Reads the name of the package in a directory; empty if it has none.
    pub(crate) fn name(package: &Path) -> String {
        cargo::package_name(package)
    }

    fn parse(manifest: &Table, inherited: &Table) -> Result<Self, String> {
        let package = manifest.get("package").and_then(Value::as_table);
        let package = package.ok_or("has no [package]")?;
        let get = |key: &str| match package.get(key) {
            Some(value) if inherits(value) => match inherited.get(key) {
                None => Err(format!(
                    "inherits `{key}`, which no [workspace.package] above it has"
                )),
                some => Ok(some),
            },
            own => Ok(own),
        };
        let text = |key: &str| {
            let value = get(key)?.and_then(Value::as_str);
            Ok::<_, String>(value.unwrap_or_default().to_owned())
        };
        let list = |key: &str| {
            let values = get(key)?.and_then(Value::as_array);
            let values = values.into_iter().flatten().filter_map(Value::as_str);
            Ok::<_, String>(values.map(str::to_owned).collect::<Vec<_>>())
        };
        // Cargo's default.
        let version = match text("version")? {
            version if version.is_empty() => "0.0.0".to_owned(),
            version => version,
        };
        let authors = list("authors")?.into_iter();
        let authors = authors.filter_map(|author| {
            let (name, rest) = author.split_once('<')?;
            Some((
                name.trim().to_owned(),
                rest.trim_end_matches('>').to_owned(),
            ))
        });
        Ok(Self {
            name: text("name")?,
            version,
            description: text("description")?,
            license: text("license")?,
            repository: text("repository")?,
            keywords: list("keywords")?,
            authors: authors.collect(),
        })
    }
}

/// Whether a field is that of the workspace: `version.workspace = true`.
fn inherits(field: &Value) -> bool {
    field.get("workspace").and_then(Value::as_bool) == Some(true)
}

/// Returns `[workspace.package]` of the workspace that a package names, or else of the closest one above it.
fn workspace(directory: &Path, package: &Table) -> Result<Table, String> {
    let directory = std::path::absolute(directory).map_err(|error| error.to_string())?;
    let named = package.get("workspace").and_then(Value::as_str);
    let found = match named {
        Some(root) => cargo::workspace([directory.join(root).as_path()]),
        None => cargo::workspace(directory.ancestors()),
    };
    let inherited = found?.and_then(|(_, workspace)| workspace.get("package")?.as_table().cloned());
    Ok(inherited.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn read(files: &[(&str, &str)]) -> Result<Option<About>, String> {
        let directory = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = directory.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        fs::create_dir_all(directory.path().join("a/b")).unwrap();
        About::read(&directory.path().join("a/b"))
    }

    #[test]
    fn a_package_says_what_it_is() {
        let text = "[package]\nversion = \"1.2.3\"\nkeywords = [\"a\"]\nauthors = [\"Jane Doe <jane@example.com>\", \"Only a Name\"]";
        let about = read(&[("a/b/Cargo.toml", text)]).unwrap().unwrap();
        assert_eq!(
            (about.version.as_str(), about.license.as_str()),
            ("1.2.3", "")
        );
        assert_eq!(about.keywords, ["a"]);
        let jane = ("Jane Doe".to_owned(), "jane@example.com".to_owned());
        assert_eq!(about.authors, [jane]);
        let about = read(&[("a/b/Cargo.toml", "[package]\nname = \"b\"")])
            .unwrap()
            .unwrap();
        assert_eq!(about.version, "0.0.0");
    }

    #[test]
    fn fields_are_inherited_from_the_closest_workspace() {
        let package =
            "[package]\nname = \"b\"\nversion.workspace = true\nkeywords = { workspace = true }";
        let workspace = |version: &str| {
            format!(
                "[workspace.package]\nversion = \"{version}\"\nkeywords = [\"{version}\"]\nlicense = \"MIT\""
            )
        };
        let (near, far) = (workspace("2.0.0"), workspace("3.0.0"));
        let own = format!("{package}\n{}", workspace("1.0.0"));
        let named = format!("{package}\nworkspace = \"../../c\"");
        let far = ("Cargo.toml", far.as_str());
        for (files, expected) in [
            (vec![("a/b/Cargo.toml", package), far], "3.0.0"),
            (
                vec![
                    ("a/b/Cargo.toml", package),
                    ("a/Cargo.toml", near.as_str()),
                    far,
                ],
                "2.0.0",
            ),
            (
                vec![
                    ("a/b/Cargo.toml", package),
                    ("a/Cargo.toml", "[package]\nname = \"a\""),
                    far,
                ],
                "3.0.0",
            ),
            (vec![("a/b/Cargo.toml", own.as_str()), far], "1.0.0"),
            (
                vec![
                    ("a/b/Cargo.toml", named.as_str()),
                    ("c/Cargo.toml", near.as_str()),
                    far,
                ],
                "2.0.0",
            ),
        ] {
            let about = read(&files).unwrap().unwrap();
            assert_eq!(about.version, expected);
            assert_eq!(
                (about.keywords.as_slice(), about.license.as_str()),
                (&[expected.to_owned()][..], "")
            );
        }
    }

    #[test]
    fn an_unknown_version_is_an_error() {
        assert!(read(&[]).unwrap().is_none());
        for (files, expected) in [
            (vec![("a/b/Cargo.toml", "[package")], "cannot read `"),
            (vec![("a/b/Cargo.toml", "[workspace]")], "has no [package]"),
            (
                vec![
                    ("a/b/Cargo.toml", "[package]\nversion.workspace = true"),
                    ("a/Cargo.toml", "[workspace]"),
                ],
                "inherits `version`, which no [workspace.package] above it has",
            ),
            (
                vec![
                    ("a/b/Cargo.toml", "[package]\nversion.workspace = true"),
                    ("a/Cargo.toml", "["),
                ],
                "cannot read `",
            ),
        ] {
            let error = read(&files).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
