//! Decides expressions by what all values have in common, without a value.
//!
//! An abstract interpreter: instead of a value, each part has what is known of it (`Part`): one value, a range of integers, the facts of a schema, or
//! nothing. Operators combine these as far as they are certain; anything else, errors included, is unknown, and an answer of true or false therefore
//! holds for every object. `Scope::present` carries what a condition such as `has(self.a) &&` has shown to the operands that depend on it.

use cel::{
    IdedExpr,
    common::ast::{CallExpr, ComprehensionExpr, Expr, LiteralValue, operators},
};
use serde_json::Value;

use crate::syntax::qualified;

/// What is known of all values that an expression may be about.
pub trait Facts: Clone {
    /// Returns what is known of a field, by the name that expressions use ([`escape`](crate::escape)).
    fn field(&self, name: &str) -> Presence<Self>;
    /// Returns what is known of the items; none if they are not those of a list.
    fn items(&self) -> Option<Self>;
    /// Returns the values that there are; none if they are not known.
    fn values(&self) -> Option<Vec<Value>>;
}

/// Whether values have a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence<F> {
    /// All have it.
    Always(F),
    /// Some may have it.
    Sometimes(F),
    /// No value has it.
    Never,
    /// Nothing is known of it.
    Unknown,
}

#[derive(Clone)]
enum Part<F> {
    One(Value),
    /// An integer from the first to the second.
    Between(i64, i64),
    Some(F),
    /// Any value, or an error.
    Unknown,
}

const COMPARISONS: [&str; 4] = [
    operators::LESS,
    operators::LESS_EQUALS,
    operators::GREATER,
    operators::GREATER_EQUALS,
];

/// What is known where an expression is.
struct Scope<'e, F> {
    /// The innermost last.
    variables: Vec<(&'e str, Part<F>)>,
    /// Fields that are there, such as `self.a.b`: else the expression is not asked for.
    present: Vec<String>,
}

/// Returns the value of an expression, if it is true or false for all values of the variables.
pub(crate) fn decide<F: Facts>(expr: &IdedExpr, variables: &[&str], facts: &F) -> Option<bool> {
    Scope::of(variables, facts).bool(expr)
}

/// Returns an expression without the operands that do not matter for any value of the variables.
pub(crate) fn reduce<F: Facts>(expr: &IdedExpr, variables: &[&str], facts: &F) -> IdedExpr {
    Scope::of(variables, facts).reduce(expr)
}

impl<'e, F: Facts> Scope<'e, F> {
    fn of(variables: &[&'e str], facts: &F) -> Self {
        let known = |name: &&'e str| (*name, Part::Some(facts.clone()));
        Self {
            variables: variables.iter().map(known).collect(),
            present: Vec::new(),
        }
    }

    fn reduce(&mut self, expr: &'e IdedExpr) -> IdedExpr {
        match &expr.expr {
            Expr::Call(call) => match (&*call.func_name, call.args.as_slice()) {
                // The operand that decides nothing.
                (name @ (operators::LOGICAL_OR | operators::LOGICAL_AND), [a, b]) => {
                    let neutral = Some(name == operators::LOGICAL_AND);
                    if self.bool(a) == neutral {
                        return self.reduce(b);
                    }
                    if self.bool(b) == neutral {
                        return self.reduce(a);
                    }
                    self.with_reduced(expr, call)
                }
                (operators::CONDITIONAL, [condition, yes, no]) => match self.bool(condition) {
                    Some(true) => self.reduce(yes),
                    Some(false) => self.reduce(no),
                    None => self.with_reduced(expr, call),
                },
                _ => expr.clone(),
            },
            Expr::Comprehension(fold) => {
                let mut reduced = fold.clone();
                self.inside(fold, Part::Unknown, |scope| {
                    reduced.loop_step = scope.reduce(&fold.loop_step);
                });
                IdedExpr {
                    id: expr.id,
                    expr: Expr::Comprehension(reduced),
                }
            }
            _ => expr.clone(),
        }
    }

    fn with_reduced(&mut self, expr: &IdedExpr, call: &'e CallExpr) -> IdedExpr {
        let mut reduced = call.clone();
        reduced.args = call.args.iter().map(|it| self.reduce(it)).collect();
        IdedExpr {
            id: expr.id,
            expr: Expr::Call(reduced),
        }
    }

    fn value(&mut self, expr: &'e IdedExpr) -> Part<F> {
        match &expr.expr {
            Expr::Literal(literal) => match literal {
                LiteralValue::Boolean(it) => Part::One((*it.inner()).into()),
                LiteralValue::Int(it) => Part::One((*it.inner()).into()),
                LiteralValue::String(it) => Part::One(it.inner().into()),
                _ => Part::Unknown,
            },
            Expr::Ident(name) => {
                let known = self.variables.iter().rev().find(|(known, _)| known == name);
                known.map_or(Part::Unknown, |(_, part)| part.clone())
            }
            Expr::Select(select) => {
                let Part::Some(facts) = self.value(&select.operand) else {
                    return Part::Unknown;
                };
                let is_present = || qualified(expr).is_some_and(|it| self.present.contains(&it));
                match facts.field(&select.field) {
                    Presence::Always(_) if select.test => Part::One(true.into()),
                    Presence::Always(field) => Part::Some(field),
                    Presence::Sometimes(_) if select.test && is_present() => Part::One(true.into()),
                    Presence::Sometimes(field) if !select.test && is_present() => Part::Some(field),
                    Presence::Never if select.test => Part::One(false.into()),
                    _ => Part::Unknown,
                }
            }
            Expr::Call(call) if self.number(call).is_some() => {
                let number = self.number(call);
                number.map_or(Part::Unknown, |(low, high)| Part::Between(low, high))
            }
            Expr::Call(call) if call.target.is_none() => {
                let decided = self.operator(&call.func_name, &call.args);
                decided.map_or(Part::Unknown, |it| Part::One(it.into()))
            }
            Expr::Comprehension(comprehension) => self.fold(comprehension),
            _ => Part::Unknown,
        }
    }

    fn bool(&mut self, expr: &'e IdedExpr) -> Option<bool> {
        match self.value(expr) {
            Part::One(Value::Bool(it)) => Some(it),
            _ => None,
        }
    }

    /// Returns the bounds of a choice between numbers, or of a sum, as rules count fields.
    fn number(&mut self, call: &'e CallExpr) -> Option<(i64, i64)> {
        let of = |scope: &mut Self, expr: &'e IdedExpr| match scope.value(expr) {
            Part::One(Value::Number(it)) => it.as_i64().map(|it| (it, it)),
            Part::Between(low, high) => Some((low, high)),
            _ => None,
        };
        match (&*call.func_name, call.args.as_slice()) {
            (operators::ADD, [a, b]) => {
                let (a, b) = (of(self, a)?, of(self, b)?);
                Some((a.0.checked_add(b.0)?, a.1.checked_add(b.1)?))
            }
            (operators::CONDITIONAL, [condition, yes, no]) => match self.bool(condition) {
                Some(true) => of(self, yes),
                Some(false) => of(self, no),
                None if self.cannot_fail(condition) => {
                    let (yes, no) = (of(self, yes)?, of(self, no)?);
                    Some((yes.0.min(no.0), yes.1.max(no.1)))
                }
                None => None,
            },
            _ => None,
        }
    }

    /// Compares numbers.
    fn compare(&mut self, name: &str, a: &'e IdedExpr, b: &'e IdedExpr) -> Option<bool> {
        let mut bounds = [a, b].into_iter().map(|expr| match self.value(expr) {
            Part::One(Value::Number(it)) => it.as_i64().map(|it| (it, it)),
            Part::Between(low, high) => Some((low, high)),
            _ => None,
        });
        let (a, b) = (bounds.next()??, bounds.next()??);
        let less = |a: (i64, i64), b: (i64, i64)| {
            let (is, is_not) = (a.1 < b.0, a.0 >= b.1);
            (is || is_not).then_some(is)
        };
        match name {
            operators::LESS => less(a, b),
            operators::GREATER => less(b, a),
            operators::LESS_EQUALS => less(b, a).map(|it| !it),
            operators::GREATER_EQUALS => less(a, b).map(|it| !it),
            _ => None,
        }
    }

    fn operator(&mut self, name: &str, args: &'e [IdedExpr]) -> Option<bool> {
        match (name, args) {
            // One side decides, whatever the other one is, an error too.
            (operators::LOGICAL_AND, [a, b]) => match (self.bool(a), self.given(a, true, b)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (a, b) => Some(a? && b?),
            },
            (operators::LOGICAL_OR, [a, b]) => match (self.bool(a), self.given(a, false, b)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (a, b) => Some(a? || b?),
            },
            (operators::LOGICAL_NOT, [a]) => Some(!self.bool(a)?),
            (operators::NOT_STRICTLY_FALSE, [a]) => Some(self.bool(a) != Some(false)),
            (operators::CONDITIONAL, [condition, yes, no]) => match self.bool(condition) {
                Some(true) => self.bool(yes),
                Some(false) => self.bool(no),
                None if self.cannot_fail(condition) => {
                    let yes = self.given(condition, true, yes)?;
                    (self.given(condition, false, no)? == yes).then_some(yes)
                }
                None => None,
            },
            (operators::EQUALS, [a, b]) => self.is_in(a, [b]),
            (operators::NOT_EQUALS, [a, b]) => Some(!self.is_in(a, [b])?),
            (name, [a, b]) if COMPARISONS.contains(&name) => self.compare(name, a, b),
            (operators::IN, [a, list]) => match &list.expr {
                Expr::List(list) => self.is_in(a, &list.elements),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the value of an expression that matters only if another one has a value.
    fn given(&mut self, condition: &'e IdedExpr, is: bool, expr: &'e IdedExpr) -> Option<bool> {
        let length = self.present.len();
        self.assume(condition, is);
        let value = self.bool(expr);
        self.present.truncate(length);
        value
    }

    /// Takes fields to be there that are, if an expression has a value.
    fn assume(&mut self, expr: &'e IdedExpr, is: bool) {
        match &expr.expr {
            Expr::Select(select) if select.test && is => self.present.extend(qualified(expr)),
            Expr::Call(call) => match (&*call.func_name, call.args.as_slice()) {
                (operators::LOGICAL_NOT, [a]) => self.assume(a, !is),
                (operators::LOGICAL_AND, [a, b]) if is => {
                    self.assume(a, is);
                    self.assume(b, is);
                }
                (operators::LOGICAL_OR, [a, b]) if !is => {
                    self.assume(a, is);
                    self.assume(b, is);
                }
                _ => {}
            },
            _ => {}
        }
    }

    /// Returns whether an expression is true or false, and never fails.
    fn cannot_fail(&mut self, expr: &'e IdedExpr) -> bool {
        match &expr.expr {
            Expr::Select(select) if select.test => {
                matches!(self.value(&select.operand), Part::Some(_))
            }
            Expr::Call(call) => match (&*call.func_name, call.args.as_slice()) {
                (operators::LOGICAL_NOT, [a]) => self.cannot_fail(a),
                (operators::LOGICAL_AND | operators::LOGICAL_OR, [a, b]) => {
                    self.cannot_fail(a) && self.cannot_fail(b)
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Returns whether all values are among others, or none is.
    fn is_in(
        &mut self,
        expr: &'e IdedExpr,
        others: impl IntoIterator<Item = &'e IdedExpr>,
    ) -> Option<bool> {
        let values = match self.value(expr) {
            Part::One(one) => vec![one],
            Part::Some(facts) => facts.values()?,
            Part::Between(..) | Part::Unknown => return None,
        };
        let others = others.into_iter().map(|it| match self.value(it) {
            Part::One(one) => Some(one),
            _ => None,
        });
        let others = others.collect::<Option<Vec<Value>>>()?;
        // Numbers are equal as numbers, not as they are written.
        if values.iter().any(Value::is_number) {
            return None;
        }
        let first = others.contains(values.first()?);
        let mut rest = values.iter();
        rest.all(|it| others.contains(it) == first).then_some(first)
    }

    /// Folds a list as `all` and `exists` do: what a step with any item does not change, no number of steps changes.
    fn fold(&mut self, fold: &'e ComprehensionExpr) -> Part<F> {
        let Part::One(start) = self.value(&fold.accu_init) else {
            return Part::Unknown;
        };
        let mut step = Part::Unknown;
        self.inside(fold, Part::One(start.clone()), |scope| {
            step = scope.value(&fold.loop_step);
        });
        match step {
            Part::One(same) if same == start => {
                self.variables.push((&fold.accu_var, Part::One(start)));
                let result = self.value(&fold.result);
                self.variables.pop();
                result
            }
            _ => Part::Unknown,
        }
    }

    /// Looks at a step of a fold, if it is one of a list of which something is known.
    fn inside(
        &mut self,
        fold: &'e ComprehensionExpr,
        accumulated: Part<F>,
        look: impl FnOnce(&mut Self),
    ) {
        let Part::Some(list) = self.value(&fold.iter_range) else {
            return;
        };
        let (Some(items), None) = (list.items(), &fold.iter_var2) else {
            return;
        };
        let length = self.variables.len();
        // Fields of an outer variable with the name of an inner one.
        let hidden = format!("{}.", fold.iter_var);
        let present = std::mem::take(&mut self.present);
        let visible = present.iter().filter(|it| !it.starts_with(&hidden));
        self.present = visible.cloned().collect();
        self.variables.push((&fold.accu_var, accumulated));
        self.variables.push((&fold.iter_var, Part::Some(items)));
        look(self);
        self.variables.truncate(length);
        self.present = present;
    }
}
