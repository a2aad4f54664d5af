//! Choices, of which one side may not be evaluated: `&&`, `||`, `?:`, and the alternatives of an optional value.

use cel::{
    IdedExpr,
    common::{
        ast::{CallExpr, Expr, operators},
        types::CelOptional,
    },
};

use super::{
    Interpreter, Outer,
    access::{present, truth},
    is_attribute,
};
use crate::{
    errors::{Answer, Stop, no_overload},
    value::boolean,
};

impl Interpreter<'_> {
    /// Returns `decisive` if one side has this value, else the error of the first side that has one.
    pub(super) fn either<'e>(
        &'e self,
        left: &'e IdedExpr,
        right: &'e IdedExpr,
        scope: Outer<'e>,
        decisive: bool,
    ) -> Answer<'e> {
        let mut failed = None;
        for side in [left, right] {
            match self.evaluate(side, scope).and_then(|value| truth(&*value)) {
                Ok(value) if value == decisive => return Ok(boolean(decisive)),
                Ok(_) => {}
                Err(Stop::Error(error)) => failed = failed.or(Some(error)),
                Err(stop) => return Err(stop),
            }
        }
        match failed {
            Some(error) => Err(error.into()),
            None => Ok(boolean(!decisive)),
        }
    }

    /// Evaluates a side of a conditional. cel-go reads a variable there without counting it, but counts its qualifiers.
    pub(super) fn branch<'e>(&'e self, expr: &'e IdedExpr, scope: Outer<'e>) -> Answer<'e> {
        let is_conditional = matches!(
            &expr.expr,
            Expr::Call(call) if call.func_name == operators::CONDITIONAL
        );
        let value = self.evaluate(expr, scope)?;
        if is_attribute(expr) && !is_conditional {
            self.refund();
        }
        Ok(value)
    }

    /// Evaluates `a.or(b)` and `a.orValue(b)`, which cost nothing themselves.
    pub(super) fn or<'e>(
        &'e self,
        call: &CallExpr,
        target: &'e IdedExpr,
        other: &'e IdedExpr,
        scope: Outer<'e>,
    ) -> Answer<'e> {
        let value = self.evaluate(target, scope)?;
        let Some(known) = value.downcast_ref::<CelOptional>() else {
            return Err(no_overload(&call.func_name, [&*value]).into());
        };
        if call.func_name == "or" && known.option().is_some() {
            return Ok(value);
        }
        match present(value) {
            Some(inner) => Ok(inner),
            None => self.evaluate(other, scope),
        }
    }
}
