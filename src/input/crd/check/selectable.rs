//! Shows what is wrong with the selectable fields of a version.
use kube_codegen_schema::definition::{Rule, Violation};

use super::View;
use crate::base::diag::Code;
use crate::input::crd::subresources::is_simple;

pub(super) fn view(violation: &Violation, path: &str) -> Option<View> {
    let message = match violation.rule {
        Rule::SelectablePath if !is_simple(path) => {
            format!("{path:?} is not a path of field names such as .spec.color")
        }
        Rule::SelectablePath | Rule::SelectableType => {
            format!("{path:?} does not resolve to a string, integer or boolean")
        }
        Rule::SelectableMetadata => format!("{path:?} is in the metadata"),
        Rule::SelectableTwice => format!("{path:?} is listed twice"),
        Rule::TooManySelectable => {
            let message = format!("{} are allowed", violation.why);
            let hint = "remove those that no client selects by";
            return Some(View::new(Code::SelectableField, message, hint));
        }
        _ => return None,
    };
    let hint = "name a scalar that the schema declares, inside objects only";
    Some(View::new(Code::SelectableField, message, hint))
}
