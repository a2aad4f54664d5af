//! Reads the markers `+kubebuilder:rbac` and `+kubebuilder:webhook`.
use std::collections::BTreeMap;

use crate::base::diag::Position;

/// A marker in a comment.
#[derive(Clone, Debug)]
pub(super) struct Marker {
    pub(super) is_webhook: bool,
    /// The values by key.
    values: BTreeMap<String, Vec<String>>,
    pub(super) at: Position,
}

impl Marker {
    /// Returns the values of a key.
    pub(super) fn list(&self, key: &str) -> &[String] {
        self.values.get(key).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the only value of a key, or an empty text.
    pub(super) fn text(&self, key: &str) -> &str {
        self.list(key)
            .first()
            .map(String::as_str)
            .unwrap_or_default()
    }
}

const RBAC: [&str; 7] = [
    "groups",
    "resources",
    "resourceNames",
    "urls",
    "verbs",
    "namespace",
    "roleName",
];
/// Reads a comment, unless it is another one. An error has its offset in the text.
pub(super) fn marker(text: &str) -> Option<Result<Marker, (usize, String)>> {
    let rbac = "+kubebuilder:rbac:";
    let webhook = "+kubebuilder:webhook:";
    if text.starts_with(rbac) {
        Some(read(text, rbac.len(), false))
    } else if text.starts_with(webhook) {
        Some(read(text, webhook.len(), true))
    } else {
        None
    }
}

fn read(text: &str, start: usize, is_webhook: bool) -> Result<Marker, (usize, String)> {
    let name = if is_webhook { "webhook" } else { "rbac" };
    let mut values = BTreeMap::new();
    let mut at = start;
    for argument in arguments(&text[start..]) {
        let Some((key, value)) = argument.split_once('=') else {
            let argument = argument.escape_debug();
            return Err((
                at,
                format!("`{argument}` in a `{name}` marker has no value"),
            ));
        };
        let key = key.trim();
        // Those of a webhook become more with controller-gen.
        if !is_webhook && !RBAC.contains(&key) {
            let key = key.escape_debug();
            return Err((
                at,
                format!(
                    "`{key}` is unknown in a `{name}` marker; its arguments are {}",
                    RBAC.join(", ")
                ),
            ));
        }
        let unquoted = |value: &str| value.trim().trim_matches(['"', '`', '{', '}']).to_owned();
        let list = value.split(';').map(unquoted).collect();
        // controller-gen takes the last value, too.
        values.insert(key.to_owned(), list);
        at += argument.len() + 1;
    }
    let needed: &[&str] = if is_webhook {
        &["groups", "mutating", "name", "resources", "versions"]
    } else {
        &["verbs"]
    };
    let missing: Vec<&str> = needed
        .iter()
        .filter(|key| !values.contains_key(**key))
        .copied()
        .collect();
    if !missing.is_empty() {
        return Err((
            0,
            format!("the `{name}` marker lacks {}", missing.join(", ")),
        ));
    }
    if !is_webhook && !values.contains_key("resources") && !values.contains_key("urls") {
        return Err((
            0,
            "the `rbac` marker has neither resources nor urls".to_owned(),
        ));
    }
    Ok(Marker {
        is_webhook,
        values,
        at: Position::default(),
    })
}

/// Splits arguments at commas outside of quotes and braces.
fn arguments(text: &str) -> Vec<&str> {
    let mut quote = None;
    let mut depth = 0_usize;
    text.split(|letter| {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (None, '"' | '`') => quote = Some(letter),
            (None, '{') => depth += 1,
            (None, '}') => depth = depth.saturating_sub(1),
            (None, ',') => return depth == 0,
            _ => {}
        }
        false
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_have_lists_and_quotes() {
        let text =
            "+kubebuilder:rbac:groups=\"\";apps,resources=pods;deployments/status,verbs=get;list";
        let marker = marker(text).unwrap().unwrap();
        assert_eq!(marker.list("groups"), ["", "apps"]);
        assert_eq!(marker.list("resources"), ["pods", "deployments/status"]);
        assert_eq!(marker.text("verbs"), "get");
    }

    #[test]
    fn errors_have_their_offset() {
        for (text, at, expected) in [
            (
                "+kubebuilder:rbac:groups=apps,resources",
                30,
                "`resources` in a `rbac` marker has no value",
            ),
            (
                "+kubebuilder:rbac:group=apps",
                18,
                "`group` is unknown in a `rbac` marker",
            ),
            (
                "+kubebuilder:rbac:groups=apps,resources=pods",
                0,
                "lacks verbs",
            ),
            (
                "+kubebuilder:rbac:verbs=get",
                0,
                "neither resources nor urls",
            ),
            (
                "+kubebuilder:webhook:path=/x",
                0,
                "lacks groups, mutating, name, resources, versions",
            ),
        ] {
            let (offset, message) = marker(text).unwrap().unwrap_err();
            assert_eq!(offset, at, "{text}");
            assert!(message.contains(expected), "{message}");
        }
        assert!(marker("+kubebuilder:object:root=true").is_none());
    }
}
