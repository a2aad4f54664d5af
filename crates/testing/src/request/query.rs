//! The query parameters of a request.

use std::num::{IntErrorKind, ParseIntError};

use crate::values::{
    go,
    status::{Answer, bad_request, cause, invalid_options, malformed_version},
};

/// The bytes of a field manager.
const LONGEST_MANAGER: usize = 128;

/// The decoded query parameters; the first of a name counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    pub(crate) fn read(query: &str) -> Self {
        Self(
            form_urlencoded::parse(query.as_bytes())
                .into_owned()
                .collect(),
        )
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// Returns whether a flag is set: to anything but `0` and `false`.
    pub(crate) fn flag(&self, name: &str) -> bool {
        let value = self.get(name);
        value.is_some_and(|value| value != "0" && !value.eq_ignore_ascii_case("false"))
    }

    /// Returns the resourceVersion; absent and `""` are `None`, `"0"` is `Some(0)`.
    pub(crate) fn resource_version(&self) -> Answer<Option<u64>> {
        match self.get("resourceVersion") {
            None | Some("") => Ok(None),
            Some(text) => text.parse().map(Some).map_err(|_| {
                let mut failure = malformed_version(text);
                let what = format!("resourceVersion: Invalid value: {text:?}: ");
                failure.message.insert_str(0, &what);
                failure
            }),
        }
    }

    /// Checks `resourceVersionMatch` and `sendInitialEvents` as apimachinery's `ValidateListOptions` does.
    pub(crate) fn check_list(&self, is_watch: bool) -> Answer<()> {
        self.number("timeoutSeconds")?;
        let is_set = |name| self.get(name).is_some_and(|it| !it.is_empty());
        let (matching, initial) = ("resourceVersionMatch", "sendInitialEvents");
        let found = self.get(matching).unwrap_or_default();
        let sends = self.get(initial).is_some();
        let mut causes = Vec::new();
        let mut forbid = |field: &str, why: &str| {
            causes.push(cause(
                field,
                "FieldValueForbidden",
                format!("Forbidden: {why}"),
            ));
        };
        if is_watch && sends && found != "NotOlderThan" {
            let why = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
            forbid(matching, why);
        }
        if is_set(matching) {
            if is_watch && !sends {
                forbid(
                    matching,
                    "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
                );
            }
            if !is_watch && !is_set("resourceVersion") {
                forbid(
                    matching,
                    "resourceVersionMatch is forbidden unless resourceVersion is provided",
                );
            }
            if is_set("continue") {
                forbid(
                    matching,
                    "resourceVersionMatch is forbidden when continue is provided",
                );
            }
            if !is_watch && found == "Exact" && self.get("resourceVersion") == Some("0") {
                forbid(
                    matching,
                    "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"",
                );
            }
        }
        if !is_watch && sends {
            forbid(initial, "sendInitialEvents is forbidden for list");
        }
        let known = match found {
            "" | "NotOlderThan" => true,
            "Exact" => !is_watch,
            _ => false,
        };
        if !known {
            let supported = if is_watch {
                "\"NotOlderThan\""
            } else {
                "\"Exact\", \"NotOlderThan\", \"\""
            };
            let message = format!("Unsupported value: {found:?}: supported values: {supported}");
            causes.push(cause(matching, "FieldValueNotSupported", message));
        }
        if causes.is_empty() {
            return Ok(());
        }
        Err(invalid_options("ListOptions", causes))
    }

    /// Checks `dryRun`, `fieldManager` and `fieldValidation` of a write as apimachinery's `ValidateCreateOptions` and its relatives do.
    pub(crate) fn check_write(&self, options: &str) -> Answer<()> {
        let mut causes = Vec::new();
        let dry_runs: Vec<&str> = self.all("dryRun").collect();
        if dry_runs.iter().any(|it| *it != "All") {
            let message = format!("Unsupported value: {dry_runs:?}: supported values: \"All\"");
            causes.push(cause("dryRun", "FieldValueNotSupported", message));
        }
        let manager = self.get("fieldManager").unwrap_or_default();
        if manager.len() > LONGEST_MANAGER {
            let message = format!("Too long: may not be more than {LONGEST_MANAGER} bytes");
            causes.push(cause("fieldManager", "FieldValueTooLong", message));
        }
        for (at, found) in manager.char_indices().filter(|(_, it)| it.is_control()) {
            let message = format!(
                "Invalid value: {}: invalid character U+{:04X} (at position {at})",
                go::quoted(manager),
                u32::from(found)
            );
            causes.push(cause("fieldManager", "FieldValueInvalid", message));
        }
        let strictness = self.get("fieldValidation").unwrap_or_default();
        let known = ["", "Ignore", "Strict", "Warn"];
        if options != "DeleteOptions" && !known.contains(&strictness) {
            let known = known.map(|it| format!("{it:?}")).join(", ");
            let message = format!("Unsupported value: {strictness:?}: supported values: {known}");
            causes.push(cause("fieldValidation", "FieldValueNotSupported", message));
        }
        if causes.is_empty() {
            return Ok(());
        }
        Err(invalid_options(options, causes))
    }

    fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let found = self.0.iter().filter(move |(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Returns a number.
    pub(crate) fn integer(&self, name: &str) -> Answer<Option<i64>> {
        let parsed = self.get(name).map(|text| {
            text.parse().map_err(|error: ParseIntError| {
                let why = match error.kind() {
                    IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => "value out of range",
                    _ => "invalid syntax",
                };
                bad_request(&format!("strconv.ParseInt: parsing {text:?}: {why}"))
            })
        });
        parsed.transpose()
    }

    /// Returns a number that is not negative; a negative one counts as none.
    pub(crate) fn number(&self, name: &str) -> Answer<Option<u64>> {
        let number = self.integer(name)?;
        Ok(number.and_then(|number| number.try_into().ok()))
    }
}
