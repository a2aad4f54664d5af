//! Names in, an error out for what would be another path than the one meant.
use kube::core::request::Error::Validation;

/// An error that is found before anything is sent.
pub(super) fn invalid(message: impl Into<String>) -> kube::Error {
    kube::Error::BuildRequest(Validation(message.into()))
}

/// Holds that `text` is one segment of a path, as Kubernetes asks of every name; the server checks the rest.
pub(super) fn segment(what: &str, text: &str) -> kube::Result<()> {
    let foreign =
        |c: char| matches!(c, '/' | '%' | '?' | '#' | '\\') || c.is_whitespace() || c.is_control();
    if text.is_empty() {
        return Err(invalid(format!("the {what} is empty")));
    }
    if text == "." || text == ".." || text.contains(foreign) {
        return Err(invalid(format!("{text:?} cannot be a {what}")));
    }
    Ok(())
}
