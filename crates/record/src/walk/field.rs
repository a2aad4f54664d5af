//! Selectable fields of a CRD, and field selectors for them.
use std::{
    fmt::{self, Display},
    marker::PhantomData,
};

use super::{node::Node, path::Path};
use crate::value::Record;

/// A field by which the API server can select objects (`selectableFields` of the CRD; KEP-4358).
///
/// ```
/// # struct CrdKind;
/// # use kube_codegen_record::walk::SelectableField;
/// const CHOICE: SelectableField<CrdKind> = SelectableField::new("spec.choice");
/// let params = kube::api::ListParams::default().fields(&CHOICE.equals("mysql"));
/// assert_eq!(params.field_selector.as_deref(), Some("spec.choice=mysql"));
/// ```
pub struct SelectableField<K> {
    path: &'static str,
    kind: PhantomData<fn(&K)>,
}

impl<K> SelectableField<K> {
    /// Creates the field at `path`, such as `spec.choice`; a leading dot, as in CRDs, is dropped.
    pub const fn new(path: &'static str) -> Self {
        let path = match path.as_bytes() {
            [b'.', ..] => path.split_at(1).1,
            _ => path,
        };
        Self {
            path,
            kind: PhantomData,
        }
    }

    /// Returns the path, as in selectors.
    pub const fn path(&self) -> &'static str {
        self.path
    }

    /// Returns a selector for objects whose field has this value. An absent field counts as empty. To combine selectors, join them with
    /// commas.
    #[must_use]
    pub fn equals(&self, value: impl Display) -> String {
        format!("{}={}", self.path, escape(&value.to_string()))
    }

    /// Returns a selector for objects whose field has another value, or none.
    #[must_use]
    pub fn not_equals(&self, value: impl Display) -> String {
        format!("{}!={}", self.path, escape(&value.to_string()))
    }
}

impl<K: Record> SelectableField<K> {
    /// Returns the value of the field in the form used in selectors; `None` if it is absent, or not a string, number or boolean.
    pub fn value(&self, object: &K) -> Option<String> {
        let found = Path::parse(self.path).ok()?.first(object)?;
        if let Some(text) = found.as_text() {
            return Some(text.into_owned());
        }
        scalar(&found)
    }
}

fn scalar(node: &Node<'_>) -> Option<String> {
    match node.to_json() {
        serde_json::Value::Bool(value) => Some(value.to_string()),
        serde_json::Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Escapes a value as `fields.EscapeValue` of apimachinery does.
fn escape(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for c in value.chars() {
        if matches!(c, '\\' | ',' | '=') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

impl<K> Clone for SelectableField<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for SelectableField<K> {}

impl<K> fmt::Debug for SelectableField<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SelectableField").field(&self.path).finish()
    }
}
