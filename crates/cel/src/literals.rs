//! Finds the texts in an expression.

use cel::{
    IdedExpr,
    common::ast::{EntryExpr, Expr, LiteralValue},
};

/// Adds the string literals of an expression.
pub(crate) fn literals(expr: &IdedExpr, found: &mut Vec<String>) {
    let mut all = |inner: &[&IdedExpr]| {
        for expr in inner {
            literals(expr, found);
        }
    };
    match &expr.expr {
        Expr::Literal(LiteralValue::String(text)) => found.push(text.inner().to_owned()),
        Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) => {}
        Expr::Select(select) => all(&[&select.operand]),
        Expr::Call(call) => {
            all(&call.target.iter().map(|it| &**it).collect::<Vec<_>>());
            all(&call.args.iter().collect::<Vec<_>>());
        }
        Expr::List(list) => all(&list.elements.iter().collect::<Vec<_>>()),
        Expr::Comprehension(it) => all(&[
            &it.iter_range,
            &it.accu_init,
            &it.loop_cond,
            &it.loop_step,
            &it.result,
        ]),
        Expr::Map(map) => map.entries.iter().for_each(|it| entry(&it.expr, found)),
        Expr::Struct(it) => it.entries.iter().for_each(|it| entry(&it.expr, found)),
    }
}

fn entry(entry: &EntryExpr, found: &mut Vec<String>) {
    match entry {
        EntryExpr::StructField(field) => literals(&field.value, found),
        EntryExpr::MapEntry(entry) => {
            literals(&entry.key, found);
            literals(&entry.value, found);
        }
    }
}
