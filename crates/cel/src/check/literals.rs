//! Checks that the server makes on literals once the types fit (cel-go's validators), and when it plans the expression.

use cel::{
    IdedExpr,
    common::ast::{CallExpr, EntryExpr, Expr, ListExpr, LiteralValue, MapExpr},
};
use kube_codegen_formats::{go_duration, pattern};

use super::Types;
use crate::{syntax::children, types::Type};

/// Checks the literals of an expression, and reports what is wrong with its parts.
pub(super) fn check(expr: &IdedExpr, types: &Types, report: &mut dyn FnMut(&IdedExpr, String)) {
    let mut literals = Literals { types, report };
    literals.walk(expr, false);
}

/// Returns why the expression has no program: Go's text for the first pattern that it compiles beforehand.
pub(crate) fn unplanned(expr: &IdedExpr) -> Option<String> {
    if let Expr::Call(call) = &expr.expr
        && matches!(call.func_name.as_str(), "find" | "findAll")
        && call.target.is_some()
        && let Some(source) = call.args.first().and_then(text)
        && let Some(why) = pattern::pattern_error(source)
    {
        return Some(why);
    }
    children(expr).into_iter().find_map(unplanned)
}

struct Literals<'c> {
    types: &'c Types,
    report: &'c mut dyn FnMut(&IdedExpr, String),
}

impl Literals<'_> {
    /// `is_mixed` says that a call around the expression takes lists of different types.
    fn walk(&mut self, expr: &IdedExpr, is_mixed: bool) {
        let mut is_mixed = is_mixed;
        match &expr.expr {
            Expr::Call(call) => {
                self.arguments(call);
                is_mixed |= call.func_name == "format";
            }
            Expr::List(list) if !is_mixed => self.list(list),
            Expr::Map(map) if !is_mixed => self.map(map),
            _ => {}
        }
        for inner in children(expr) {
            self.walk(inner, is_mixed);
        }
    }

    /// Checks the texts that some functions read.
    fn arguments(&mut self, call: &CallExpr) {
        let (name, args) = (call.func_name.as_str(), &call.args);
        let arg = match (name, call.target.is_some(), args.len()) {
            ("duration" | "timestamp", false, 1) | ("matches", true, 1) => &args[0],
            ("matches", false, 2) => &args[1],
            _ => return,
        };
        let Some(text) = text(arg) else {
            return;
        };
        let is_valid = match name {
            "duration" => go_duration(text).is_some(),
            "timestamp" => chrono::DateTime::parse_from_rfc3339(text).is_ok(),
            // Parsing is enough: as in Go, it rejects a pattern that is too large. Compiling takes up to a second.
            _ => pattern::pattern_error(text).is_none(),
        };
        if !is_valid {
            (self.report)(arg, format!("invalid {name} argument"));
        }
    }

    fn list(&mut self, list: &ListExpr) {
        let mut common = None;
        for (index, element) in list.elements.iter().enumerate() {
            let is_optional = list.optional_indices.contains(&index);
            if !self.joins(&mut common, element, is_optional) {
                return;
            }
        }
    }

    fn map(&mut self, map: &MapExpr) {
        let (mut keys, mut values) = (None, None);
        for entry in &map.entries {
            let EntryExpr::MapEntry(entry) = &entry.expr else {
                continue;
            };
            self.joins(&mut keys, &entry.key, false);
            self.joins(&mut values, &entry.value, entry.optional);
        }
    }

    /// Reports an item that has another type than those before it.
    fn joins(&mut self, common: &mut Option<Type>, item: &IdedExpr, is_optional: bool) -> bool {
        let Some(type_) = self.types.types.get(&item.id) else {
            return true;
        };
        let type_ = match type_ {
            Type::Optional(inner) if is_optional => &**inner,
            type_ => type_,
        };
        let Some(known) = common else {
            *common = Some(type_.clone());
            return true;
        };
        let Some(joined) = known.joined(type_) else {
            let why = format!("expected type '{known}' but found '{type_}'");
            (self.report)(item, why);
            return false;
        };
        *known = joined;
        true
    }
}

/// Returns the text of a literal.
fn text(expr: &IdedExpr) -> Option<&str> {
    match &expr.expr {
        Expr::Literal(LiteralValue::String(text)) => Some(text.inner()),
        _ => None,
    }
}
