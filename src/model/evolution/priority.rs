//! Ranks the versions of a group as Kubernetes does.
use std::cmp::Reverse;

/// The "version priority" of the Kubernetes documentation, smallest first: stable versions, then beta, then alpha, each from the
/// highest number down, then all other names.
pub(crate) type Priority<'v> = (Stage, Reverse<(u64, u64)>, &'v str);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    Stable,
    Beta,
    Alpha,
    Other,
}

/// Returns the priority of a version.
pub(crate) fn of(version: &str) -> Priority<'_> {
    let (stage, numbers) = parse(version).unwrap_or((Stage::Other, (0, 0)));
    (stage, Reverse(numbers), version)
}

/// Parses `v1`, `v1beta1` or `v1alpha1`; returns `None` for any other name.
fn parse(version: &str) -> Option<(Stage, (u64, u64))> {
    let rest = version.strip_prefix('v')?;
    let end = rest.find(|c: char| !c.is_ascii_digit());
    let (major, rest) = rest.split_at(end.unwrap_or(rest.len()));
    let major = major.parse().ok()?;
    let (stage, minor) = if rest.is_empty() {
        return Some((Stage::Stable, (major, 0)));
    } else if let Some(minor) = rest.strip_prefix("beta") {
        (Stage::Beta, minor)
    } else {
        (Stage::Alpha, rest.strip_prefix("alpha")?)
    };
    let is_number = minor.bytes().all(|byte| byte.is_ascii_digit());
    Some((stage, (major, is_number.then(|| minor.parse().ok())??)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ranked_as_kubernetes_documents_it() {
        let expected = [
            "v10",
            "v2",
            "v1",
            "v11beta2",
            "v10beta3",
            "v3beta1",
            "v12alpha1",
            "v11alpha2",
            "foo1",
            "foo10",
            "v",
            "v1gamma1",
            "v1beta",
            "v1beta+1",
        ];
        let mut sorted = expected;
        sorted.sort_unstable();
        sorted.sort_by_key(|version| of(version));
        assert_eq!(sorted[..8], expected[..8]);
        assert_eq!(
            sorted[8..],
            ["foo1", "foo10", "v", "v1beta", "v1beta+1", "v1gamma1"]
        );
    }
}
