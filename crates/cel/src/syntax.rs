//! Names of fields, types and functions in expressions.

use std::collections::BTreeSet;

use cel::{
    IdedExpr,
    common::ast::{EntryExpr, Expr, LiteralValue, operators},
};

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

/// Returns whether CEL reserves a word, so that no variable can have it as its name
/// ([syntax](https://github.com/cel-expr/cel-spec/blob/master/doc/langdef.md#syntax)).
///
/// ```
/// assert!(kube_codegen_cel::is_reserved("namespace"));
/// assert!(!kube_codegen_cel::is_reserved("name"));
/// ```
#[must_use]
pub fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

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
    is_reserved(name).then(|| format!("__{name}__"))
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

/// Returns the parts of an expression, in the order in which cel-go plans them.
pub(crate) fn children(expr: &IdedExpr) -> Vec<&IdedExpr> {
    match &expr.expr {
        Expr::Call(call) => call
            .target
            .as_deref()
            .into_iter()
            .chain(&call.args)
            .collect(),
        Expr::Select(select) => vec![&select.operand],
        Expr::List(list) => list.elements.iter().collect(),
        Expr::Map(map) => map
            .entries
            .iter()
            .flat_map(|it| of_entry(&it.expr))
            .collect(),
        Expr::Struct(it) => it
            .entries
            .iter()
            .flat_map(|it| of_entry(&it.expr))
            .collect(),
        Expr::Comprehension(it) => vec![
            &it.iter_range,
            &it.accu_init,
            &it.loop_cond,
            &it.loop_step,
            &it.result,
        ],
        Expr::Ident(_) | Expr::Literal(_) | Expr::Unspecified => Vec::new(),
    }
}

fn of_entry(entry: &EntryExpr) -> Vec<&IdedExpr> {
    match entry {
        EntryExpr::MapEntry(entry) => vec![&entry.key, &entry.value],
        EntryExpr::StructField(field) => vec![&field.value],
    }
}

/// Adds the fields of a variable that an expression names.
pub(crate) fn fields_of<'e>(expr: &'e IdedExpr, variable: &str, found: &mut BTreeSet<&'e str>) {
    if let Expr::Select(select) = &expr.expr
        && matches!(&select.operand.expr, Expr::Ident(name) if name == variable)
    {
        found.insert(&select.field);
    }
    // `variable.?field`
    if let Expr::Call(call) = &expr.expr
        && let (operators::OPT_SELECT, [operand, field]) = (call.func_name.as_str(), &*call.args)
        && matches!(&operand.expr, Expr::Ident(name) if name == variable)
        && let Expr::Literal(LiteralValue::String(field)) = &field.expr
    {
        found.insert(field.inner());
    }
    for part in children(expr) {
        fields_of(part, variable, found);
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
