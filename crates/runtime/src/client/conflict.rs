//! The conflicts of an apply: which fields other managers own.
use std::fmt;

use kube::core::{Status, response::StatusCause};

/// A field that an apply did not change because another manager owns it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldConflict {
    /// The field, such as `.spec.replicas` or `.spec.containers[name="a"].image`.
    pub field: String,
    /// The manager that owns the field.
    pub manager: String,
    /// The subresource through which it owns the field; empty for the object itself.
    pub subresource: String,
    /// The API version with which it updates the field; empty if it applies the field.
    pub api_version: String,
}

impl FieldConflict {
    /// Reads causes such as the following, which have the manager in their text alone: `conflict with "one" with subresource "status" using apps/v1 at 2026-05-01T00:00:00Z`.
    fn read(cause: &StatusCause) -> Option<Self> {
        if cause.reason != "FieldManagerConflict" {
            return None;
        }
        let (manager, rest) = quoted(cause.message.strip_prefix("conflict with ")?)?;
        let (subresource, rest) = rest
            .strip_prefix(" with subresource ")
            .and_then(quoted)
            .unwrap_or((String::new(), rest));
        let api_version = rest.strip_prefix(" using ").unwrap_or_default();
        let api_version = api_version.split(' ').next().unwrap_or_default();
        Some(Self {
            field: cause.field.clone(),
            manager,
            subresource,
            api_version: api_version.to_owned(),
        })
    }

    /// Reads the conflicts in a response, and sorts them: the server lists the managers in random order.
    pub(super) fn read_all(status: &Status) -> Vec<Self> {
        let details = status.details.iter();
        let causes = details.flat_map(|details| &details.causes);
        let mut all: Vec<Self> = causes.filter_map(Self::read).collect();
        all.sort_by(|a, b| (&a.field, &a.manager).cmp(&(&b.field, &b.manager)));
        all
    }
}

/// Splits a text that begins with a quoted one, as Go quotes it.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<String>();
    let value = values.next()?.ok()?;
    Some((value, text.get(values.byte_offset()..)?))
}

impl fmt::Display for FieldConflict {
    /// Writes `.spec.replicas (owned by "kubectl" using apps/v1)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (owned by {:?}", self.field, self.manager)?;
        if !self.subresource.is_empty() {
            write!(f, " with subresource {:?}", self.subresource)?;
        }
        if !self.api_version.is_empty() {
            write!(f, " using {}", self.api_version)?;
        }
        f.write_str(")")
    }
}

/// Describes conflicts in one line.
pub(super) fn describe(conflicts: &[FieldConflict]) -> String {
    let fields: Vec<_> = conflicts.iter().map(ToString::to_string).collect();
    let noun = if fields.len() == 1 {
        "a field"
    } else {
        "fields"
    };
    format!(
        "apply conflicts in {noun} of other managers: {}",
        fields.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_read_with_their_managers() {
        for (message, manager, subresource, api_version) in [
            (r#"conflict with "one""#, "one", "", ""),
            (r#"conflict with "a \"b\"" using v1"#, "a \"b\"", "", "v1"),
            (
                r#"conflict with "k" with subresource "scale" using apps/v1 at 2026-05-01T00:00:00Z"#,
                "k",
                "scale",
                "apps/v1",
            ),
        ] {
            let cause = StatusCause {
                reason: "FieldManagerConflict".to_owned(),
                message: message.to_owned(),
                field: ".spec.replicas".to_owned(),
            };
            let read = FieldConflict::read(&cause).unwrap();
            assert_eq!(
                (&*read.manager, &*read.subresource, &*read.api_version),
                (manager, subresource, api_version)
            );
        }
    }
}
