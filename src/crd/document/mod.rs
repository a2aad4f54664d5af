//! The text of a source comes in, its documents go out as JSON values; what they mean is nobody's business here.
mod compose;
mod json;
mod number;
mod scalar;
mod yaml;

use crate::diag::{Code, Diagnostics, Place, Position};
use crate::source::{Source, SourceId};
use serde_json::Value;

/// How deep lists and maps may lie in one another: several times what is in use, and bounded, since schemas are gone
/// through by recursion. The scanner of YAML has a bound of its own, just above.
const MAX_DEPTH: usize = 250;

fn too_deep() -> String {
    format!("lists and maps lie in one another more than {MAX_DEPTH} deep")
}

/// One document of a source.
#[derive(Debug)]
pub(super) struct Document {
    /// Its root; never null.
    pub(super) value: Value,
    /// Index in the source, empty documents counted.
    pub(super) index: usize,
    /// Scalars that YAML 1.1 reads as something else than they look.
    pub(super) spellings: Vec<Spelling>,
}

/// A plain scalar that the API server's reader takes for a boolean or an octal number.
#[derive(Debug)]
pub(super) struct Spelling {
    /// As it is written.
    text: String,
    /// As it is read.
    value: Value,
    /// Where it stands.
    position: Position,
}

impl Spelling {
    pub(super) fn report(self, place: &Place, diagnostics: &mut Diagnostics) {
        let Self {
            text,
            value,
            position,
        } = self;
        let place = Place {
            position: Some(position),
            ..place.clone()
        };
        let kind = if value.is_boolean() {
            "boolean"
        } else {
            "number"
        };
        diagnostics
            .report(
                Code::YamlSpelling,
                place,
                format!("plain `{text}` is read as the {kind} {value}"),
            )
            .hint(format!(
                "write \"{text}\" if the text is meant, {value} if the {kind} is"
            ));
    }
}

/// Reads all documents of a source; one with a syntax error is left out, JSON ends there.
pub(super) fn read(source: &Source, id: SourceId, diagnostics: &mut Diagnostics) -> Vec<Document> {
    let named_json = source
        .path
        .as_deref()
        .and_then(|path| path.extension())
        .is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    let looks_json = source.text.trim_start().starts_with('{');
    let mut sink = Sink {
        source: id,
        diagnostics,
    };
    if named_json || looks_json {
        match json::read(&source.text) {
            Ok(read) => return read.report(&mut sink),
            Err(failure) if named_json => return failure.report(&mut sink),
            // A map in braces may still be YAML.
            Err(_) => {}
        }
    }
    yaml::read(&source.text, &mut sink)
}

/// Where the readers leave their findings.
struct Sink<'a> {
    source: SourceId,
    diagnostics: &'a mut Diagnostics,
}

impl Sink<'_> {
    fn report(
        &mut self,
        code: Code,
        place: Place,
        message: impl Into<String>,
    ) -> &mut crate::diag::Diagnostic {
        let place = Place {
            source: Some(self.source),
            ..place
        };
        self.diagnostics.report(code, place, message)
    }
}

#[cfg(test)]
mod tests;
