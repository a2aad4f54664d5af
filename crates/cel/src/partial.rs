//! Decides expressions by what all values have in common, without a value.

use cel::{
    IdedExpr,
    common::ast::{ComprehensionExpr, Expr, LiteralValue, operators},
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
    Some(F),
    /// Any value, or an error.
    Unknown,
}

/// What is known where an expression is.
struct Scope<'e, F> {
    /// The innermost last.
    variables: Vec<(&'e str, Part<F>)>,
    /// Fields that are there, such as `self.a.b`: else the expression is not asked for.
    present: Vec<String>,
}

/// Returns the value of an expression, if it is true or false for all values of the variable.
pub(crate) fn decide<F: Facts>(expr: &IdedExpr, variable: &str, facts: &F) -> Option<bool> {
    let mut scope = Scope {
        variables: vec![(variable, Part::Some(facts.clone()))],
        present: Vec::new(),
    };
    scope.bool(expr)
}

impl<'e, F: Facts> Scope<'e, F> {
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
            Part::Unknown => return None,
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
        let Part::Some(list) = self.value(&fold.iter_range) else {
            return Part::Unknown;
        };
        let (Some(items), None) = (list.items(), &fold.iter_var2) else {
            return Part::Unknown;
        };
        let Part::One(start) = self.value(&fold.accu_init) else {
            return Part::Unknown;
        };
        let length = self.variables.len();
        // Fields of an outer variable with the name of an inner one.
        let present = std::mem::take(&mut self.present);
        let hidden = format!("{}.", fold.iter_var);
        let visible = present.iter().filter(|it| !it.starts_with(&hidden));
        self.present = visible.cloned().collect();
        self.variables
            .push((&fold.accu_var, Part::One(start.clone())));
        self.variables.push((&fold.iter_var, Part::Some(items)));
        let step = self.value(&fold.loop_step);
        self.variables.truncate(length + 1);
        let result = match step {
            Part::One(same) if same == start => self.value(&fold.result),
            _ => Part::Unknown,
        };
        self.variables.truncate(length);
        self.present = present;
        result
    }
}
