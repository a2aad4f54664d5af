//! Whether a new package lies in somebody's workspace: cargo refuses one that is neither a member nor excluded.
use super::runtime::resolve;
use std::fs;
use std::path::Path;

/// What the directories above a new package say of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Membership {
    /// There is no workspace above, or it has the package as a member or excludes it.
    Settled,
    /// A workspace above knows nothing of it: the package must be a workspace of its own.
    Stranger,
}

impl Membership {
    /// Looks from the directory of the package up.
    pub fn of(package: &Path) -> Self {
        let Ok(package) = resolve(package) else {
            return Self::Settled;
        };
        for root in package.ancestors().skip(1) {
            let Some(workspace) = workspace(root) else {
                continue;
            };
            let below = package.strip_prefix(root).unwrap_or(&package);
            let lists = |key: &str, fits: &dyn Fn(&str) -> bool| {
                workspace
                    .get(key)
                    .and_then(toml::Value::as_array)
                    .into_iter()
                    .flatten()
                    .filter_map(toml::Value::as_str)
                    .any(fits)
            };
            let excluded = lists("exclude", &|entry| below.starts_with(entry));
            let member = lists("members", &|entry| {
                glob::Pattern::new(entry.trim_end_matches('/'))
                    .is_ok_and(|pattern| pattern.matches_path(below))
            });
            return if excluded || member {
                Self::Settled
            } else {
                Self::Stranger
            };
        }
        Self::Settled
    }
}

fn workspace(directory: &Path) -> Option<toml::Table> {
    let text = fs::read_to_string(directory.join("Cargo.toml")).ok()?;
    match text.parse::<toml::Table>().ok()?.remove("workspace")? {
        toml::Value::Table(workspace) => Some(workspace),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    #[test]
    fn members_and_excluded_packages_are_settled() {
        let root = TempDir::new().unwrap();
        let of = |path: &str| Membership::of(&root.path().join(path));
        assert_eq!(of("a"), Membership::Settled);
        let text = "[workspace]\nmembers = ['runtime', 'examples/*']\nexclude = ['target']\n";
        fs::write(root.path().join("Cargo.toml"), text).unwrap();
        assert_eq!(of("examples/a"), Membership::Settled);
        assert_eq!(of("target/tmp/a"), Membership::Settled);
        assert_eq!(of("a"), Membership::Stranger);
        assert_eq!(of("other/deep/a"), Membership::Stranger);
    }
}
