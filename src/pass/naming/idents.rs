//! Names become identifiers that Rust accepts where they stand.
use crate::keywords::is_keyword;
use unicode_ident::is_xid_start;

/// A field, method or module of this name: keywords are written raw, the few that cannot be get an underscore.
pub(super) fn lower(name: &str, digit_prefix: &str) -> String {
    if name.starts_with(|c| !is_xid_start(c)) {
        return format!("{digit_prefix}{name}");
    }
    match name {
        "self" | "super" | "crate" => format!("{name}_"),
        _ if is_keyword(name) => format!("r#{name}"),
        _ => name.to_owned(),
    }
}

/// A type or variant of this name.
pub(super) fn upper(name: &str, digit_prefix: &str) -> String {
    if name.starts_with(|c| !is_xid_start(c)) {
        return format!("{digit_prefix}{name}");
    }
    match name {
        "Self" => "SelfValue".to_owned(),
        _ => name.to_owned(),
    }
}

/// Names that generated modules use, or that the prelude gives them: no type may shadow one.
pub(super) const RESERVED_TYPES: &[&str] = &[
    "AllNamespaces",
    "ApiResource",
    "AsMut",
    "AsRef",
    "BTreeMap",
    "Box",
    "ByteString",
    "Client",
    "Clone",
    "Column",
    "ColumnType",
    "Columns",
    "Copy",
    "CustomResourceDefinition",
    "CustomResourceExt",
    "DateTime",
    "Debug",
    "Default",
    "Deserialize",
    "Display",
    "DoubleEndedIterator",
    "Drop",
    "Eq",
    "Err",
    "ExactSizeIterator",
    "Extend",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "FromIterator",
    "FromStr",
    "Future",
    "Hash",
    "InformerFactory",
    "IntOrString",
    "Into",
    "IntoFuture",
    "IntoIterator",
    "Iterator",
    "Lister",
    "MicroTime",
    "None",
    "Nullable",
    "Number",
    "ObjectMeta",
    "Ok",
    "Option",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Quantity",
    "Result",
    "ScaleSubresource",
    "SelectableField",
    "Self",
    "Send",
    "Serialize",
    "SharedInformer",
    "Sized",
    "Some",
    "StatusSubresource",
    "String",
    "Sync",
    "ToOwned",
    "ToString",
    "TryFrom",
    "TryInto",
    "TypedClient",
    "Unpin",
    "Value",
    "Vec",
];
