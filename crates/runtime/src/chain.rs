//! Shows an error with its causes.
use std::{error::Error, fmt};

/// An error of a function that the user passed in.
pub(crate) type BoxError = Box<dyn Error + Send + Sync>;

/// Shows an error and its causes, with colons between them.
pub(crate) struct Chain<'e>(pub(crate) &'e (dyn Error + 'static));

impl fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = self.0.to_string();
        f.write_str(&shown)?;
        let mut next = self.0.source();
        while let Some(cause) = next {
            let text = cause.to_string();
            // Some errors show their cause themselves.
            if !shown.ends_with(&text) {
                write!(f, ": {text}")?;
            }
            shown = text;
            next = cause.source();
        }
        Ok(())
    }
}
