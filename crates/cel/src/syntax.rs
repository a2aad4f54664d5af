//! Names of fields, types and functions in expressions.

use cel::{IdedExpr, common::ast::Expr};

/// Words that CEL reserves.
const RESERVED: [&str; 21] = [
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// Returns the identifier of a field, `None` if it has none
/// ([rules](https://kubernetes.io/docs/reference/using-api/cel/#escaping)).
pub fn escape(name: &str) -> Option<String> {
    if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    if let Some(escaped) = reserved(name) {
        return Some(escaped);
    }
    let is_known = |letter: char| letter.is_ascii_alphanumeric() || "_-./".contains(letter);
    name.chars().all(is_known).then(|| {
        name.replace("__", "__underscores__")
            .replace('.', "__dot__")
            .replace('-', "__dash__")
            .replace('/', "__slash__")
    })
}

/// Returns the identifier of a field that has a reserved word as its name.
pub(crate) fn reserved(name: &str) -> Option<String> {
    RESERVED.contains(&name).then(|| format!("__{name}__"))
}

/// Returns the text `a.b.c` of an expression that is a name.
pub(crate) fn qualified(expr: &IdedExpr) -> Option<String> {
    match &expr.expr {
        Expr::Ident(name) => Some(name.clone()),
        Expr::Select(select) => Some(format!("{}.{}", qualified(&select.operand)?, select.field)),
        _ => None,
    }
}

/// Returns the first name of `a.b.c`.
pub(crate) fn root(expr: &IdedExpr) -> Option<&str> {
    match &expr.expr {
        Expr::Ident(name) => Some(name),
        Expr::Select(select) if !select.test => root(&select.operand),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn only_two_underscores_are_escaped() {
        for (name, escaped) in [
            ("max_size", Some("max_size")),
            ("a__b", Some("a__underscores__b")),
            ("a-b.c/d", Some("a__dash__b__dot__c__slash__d")),
            ("namespace", Some("__namespace__")),
            ("1a", None),
            ("a$b", None),
        ] {
            assert_eq!(escape(name).as_deref(), escaped, "{name}");
        }
    }
}
