//! Turns names into identifiers that Rust accepts.
use crate::model::ir::Ident;
use unicode_ident::is_xid_start;

/// Returns the identifier of a field, method or module. The few keywords that cannot be raw get an underscore.
pub(in crate::model::pass) fn lower(name: &str, digit_prefix: &str) -> Ident {
    if name.starts_with(|c| !is_xid_start(c)) {
        return Ident::new(format!("{digit_prefix}{name}"));
    }
    match name {
        "self" | "super" | "crate" => Ident::new(format!("{name}_")),
        _ => Ident::new(name),
    }
}

/// Returns the identifier of a type or variant.
pub(super) fn upper(name: &str, digit_prefix: &str) -> Ident {
    if name.starts_with(|c| !is_xid_start(c)) {
        return Ident::new(format!("{digit_prefix}{name}"));
    }
    match name {
        "Self" => Ident::new("SelfValue"),
        _ => Ident::new(name),
    }
}

/// Names that generated modules use or that are in the prelude: no type may shadow them.
#[rustfmt::skip]
pub(super) const RESERVED_TYPES: &[&str] = &[
    "AllNamespaces", "ApiResource", "AsMut", "AsRef", "BTreeMap", "Box", "ByteString", "Client",
    "Clone", "Column", "ColumnType", "Columns", "Copy", "CustomResourceDefinition",
    "CustomResourceExt", "DateTime", "Debug", "Default", "Deserialize", "Display",
    "DoubleEndedIterator", "Drop", "Eq", "Err", "ExactSizeIterator", "Extend", "Fn", "FnMut",
    "FnOnce", "From", "FromIterator", "FromStr", "Future", "Hash", "InformerFactory", "IntOrString",
    "Into", "IntoFuture", "IntoIterator", "Iterator", "Lister", "MicroTime", "None", "Nullable",
    "Number", "ObjectMeta", "Ok", "Option", "Ord", "PartialEq", "PartialOrd", "Quantity", "Result",
    "ScaleSubresource", "SelectableField", "Self", "Send", "Serialize", "SharedInformer", "Sized",
    "Some", "StatusSubresource", "String", "Sync", "ToOwned", "ToString", "TryFrom", "TryInto",
    "TypedClient", "Unpin", "Value", "Vec",
];
