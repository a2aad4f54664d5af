//! Finds out by its form whether an expression is true wherever another one is.
//!
//! A proof by cases over `&&`, `||`, `!` and `?:`, down to comparisons with literals, which it understands, and to other operands, which have to be
//! equal. It is sound and incomplete: no answer means nothing, and the caller searches for an object instead.

use cel::{
    IdedExpr,
    common::ast::{CallExpr, Expr, LiteralValue, operators},
};

/// Returns whether the form of two expressions shows that the second one is true wherever the first one is.
pub(crate) fn implies(a: &IdedExpr, b: &IdedExpr) -> bool {
    if same(a, b) {
        return true;
    }
    match (call(a), call(b)) {
        (_, Some((operators::LOGICAL_AND, [p, q]))) => implies(a, p) && implies(a, q),
        (Some((operators::LOGICAL_OR, [p, q])), _) => implies(p, b) && implies(q, b),
        (_, Some((operators::LOGICAL_OR, [p, q]))) if implies(a, p) || implies(a, q) => true,
        (Some((operators::LOGICAL_AND, [p, q])), _) => implies(p, b) || implies(q, b),
        (
            Some((operators::CONDITIONAL, [condition, yes, no])),
            Some((operators::CONDITIONAL, [other, then, or])),
        ) => same(condition, other) && implies(yes, then) && implies(no, or),
        // `!(x in [1, 2])`, then `!(x in [1])`.
        (Some((operators::LOGICAL_NOT, [p])), Some((operators::LOGICAL_NOT, [q]))) => {
            includes(q, p)
        }
        (Some((name, [x, bound])), Some((other, [y, further]))) if name == other && same(x, y) => {
            is_further(name, bound, further) || includes(a, b)
        }
        _ => includes(a, b) || folds(a, b),
    }
}

/// Returns whether two expressions are `x == 1` or `x in [1]`, the second one with all values of the first one.
fn includes(a: &IdedExpr, b: &IdedExpr) -> bool {
    fn parts(expr: &IdedExpr) -> Option<(&IdedExpr, &[IdedExpr])> {
        match call(expr)? {
            (operators::EQUALS, [x, value]) => Some((x, std::slice::from_ref(value))),
            (operators::IN, [x, list]) => match &list.expr {
                Expr::List(list) if list.optional_indices.is_empty() => Some((x, &list.elements)),
                _ => None,
            },
            _ => None,
        }
    }
    let (Some((x, fewer)), Some((y, more))) = (parts(a), parts(b)) else {
        return false;
    };
    let is_literal = |it: &IdedExpr| matches!(it.expr, Expr::Literal(_));
    let mut all = fewer.iter();
    same(x, y)
        && more.iter().all(is_literal)
        && all.all(|it| more.iter().any(|other| same(it, other)))
}

/// Returns whether a comparison with the second number is true wherever it is with the first one.
fn is_further(name: &str, bound: &IdedExpr, further: &IdedExpr) -> bool {
    let number = |it: &IdedExpr| match &it.expr {
        Expr::Literal(LiteralValue::Int(number)) => Some(*number.inner()),
        _ => None,
    };
    let (Some(bound), Some(further)) = (number(bound), number(further)) else {
        return false;
    };
    match name {
        operators::LESS | operators::LESS_EQUALS => bound <= further,
        operators::GREATER | operators::GREATER_EQUALS => bound >= further,
        _ => false,
    }
}

/// Returns whether what two `all`, or two `exists`, ask of an item implies the other.
fn folds(a: &IdedExpr, b: &IdedExpr) -> bool {
    let (Expr::Comprehension(a), Expr::Comprehension(b)) = (&a.expr, &b.expr) else {
        return false;
    };
    let steps = (call(&a.loop_step), call(&b.loop_step));
    let (Some((name, [before, p])), Some((other, [_, q]))) = steps else {
        return false;
    };
    let is_known = [operators::LOGICAL_AND, operators::LOGICAL_OR].contains(&name);
    let is_accumulator = matches!(&before.expr, Expr::Ident(name) if *name == a.accu_var);
    let same_frame = (&a.iter_var, &a.iter_var2, &a.accu_var)
        == (&b.iter_var, &b.iter_var2, &b.accu_var)
        && same(&a.iter_range, &b.iter_range)
        && same(&a.accu_init, &b.accu_init)
        && same(&a.result, &b.result);
    is_known && is_accumulator && name == other && same_frame && implies(p, q)
}

fn call(expr: &IdedExpr) -> Option<(&str, &[IdedExpr])> {
    match &expr.expr {
        Expr::Call(CallExpr {
            func_name,
            target: None,
            args,
        }) => Some((func_name, args)),
        _ => None,
    }
}

/// Returns whether two expressions are written in the same way; some are not compared.
fn same(a: &IdedExpr, b: &IdedExpr) -> bool {
    let all = |a: &[IdedExpr], b: &[IdedExpr]| {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
    };
    match (&a.expr, &b.expr) {
        (Expr::Literal(a), Expr::Literal(b)) => a == b,
        (Expr::Ident(a), Expr::Ident(b)) => a == b,
        (Expr::Select(a), Expr::Select(b)) => {
            (&a.field, a.test) == (&b.field, b.test) && same(&a.operand, &b.operand)
        }
        (Expr::Call(a), Expr::Call(b)) => {
            let targets = match (&a.target, &b.target) {
                (Some(a), Some(b)) => same(a, b),
                (a, b) => a.is_none() && b.is_none(),
            };
            a.func_name == b.func_name && targets && all(&a.args, &b.args)
        }
        (Expr::List(a), Expr::List(b)) => {
            a.optional_indices == b.optional_indices && all(&a.elements, &b.elements)
        }
        (Expr::Comprehension(a), Expr::Comprehension(b)) => {
            (&a.iter_var, &a.iter_var2, &a.accu_var) == (&b.iter_var, &b.iter_var2, &b.accu_var)
                && same(&a.iter_range, &b.iter_range)
                && same(&a.accu_init, &b.accu_init)
                && same(&a.loop_cond, &b.loop_cond)
                && same(&a.loop_step, &b.loop_step)
                && same(&a.result, &b.result)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::Program;

    #[test]
    fn what_accepts_more_is_implied() {
        let implies = |a: &str, b: &str| {
            let programs = [a, b].map(|it| Program::compile(it).unwrap());
            programs[0].implies(&programs[1])
        };
        for (a, b) in [
            ("self.a == 1", "self.a==1"),
            ("self.a == 'x'", "self.a in ['x', 'y']"),
            ("self.a in ['x']", "self.a in ['y', 'x'] || self.b"),
            (
                "has(self.t) ? self.t.kind == 'A' : true",
                "has(self.t) ? self.t.kind in ['A', 'B'] : true",
            ),
            ("self.all(x, x.a == 1)", "self.all(x, x.a == 1 || x.b == 2)"),
            ("self.exists(x, x.a == 1)", "self.exists(x, x.a in [1, 2])"),
            ("size(self) <= 5 && self.ok", "size(self) <= 6"),
            ("self.a > 5", "self.a > 4"),
            ("!(self.a in [1, 2])", "!(self.a == 1)"),
            (
                "self.a.startsWith('x')",
                "self.a.startsWith('x') || self.a == ''",
            ),
        ] {
            assert!(implies(a, b), "{a} and {b}");
            assert_eq!(implies(b, a), a == b || b == "self.a==1", "{b} and {a}");
        }
        for (a, b) in [
            ("self.a == 1", "self.b == 1"),
            ("has(self.t) ? self.x : true", "has(self.u) ? self.x : true"),
            ("self.all(x, x.a)", "self.exists(x, x.a)"),
            ("self.all(x, x.a)", "other.all(x, x.a)"),
            ("self.a <= 5", "self.a < 6"),
            // The second one may fail where the first one does not.
            ("!self.a", "!(self.a && self.b)"),
            ("self.a.startsWith('x')", "self.b.startsWith('x')"),
        ] {
            assert!(!implies(a, b), "{a} and {b}");
        }
    }
}
