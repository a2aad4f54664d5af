//! What an expression costs at most, as the API server estimates it (`checker/cost.go` of cel-go).
//!
//! The costs inside a list or a map are multiplied by its largest size.

mod known;
mod sizes;

use std::collections::HashMap;

use cel::{
    IdedExpr,
    common::ast::{
        CallExpr, ComprehensionExpr, EntryExpr, Expr, ListExpr, LiteralValue, MapExpr, SelectExpr,
        operators,
    },
};

pub use self::sizes::Sizes;
use crate::{
    check::Types,
    library::{Argument, Bounds, LIST, MAP, READ, find, namespaced},
    size::Size,
    types::Type,
};

/// Returns what an expression costs at most.
pub(crate) fn estimate(expr: &IdedExpr, checked: &Types, variables: &[(&str, &Sizes)]) -> u64 {
    let mut estimator = Estimator {
        checked,
        variables,
        paths: HashMap::new(),
        sizes: HashMap::new(),
        entries: HashMap::new(),
        locals: Vec::new(),
    };
    estimator.cost(expr)
}

/// Where a value is declared: a variable, then fields, `@items`, `@keys` and `@values`. Empty if it is not declared.
type Path = Vec<String>;

/// The sizes of the entries of a list or a map.
#[derive(Clone, Copy)]
struct Entry {
    is_list: bool,
    key: Size,
    value: Size,
}

/// A variable of a comprehension.
struct Local {
    name: String,
    /// What reading it costs.
    cost: u64,
    path: Path,
    size: Option<Size>,
    entry: Option<Entry>,
}

struct Estimator<'a> {
    checked: &'a Types,
    variables: &'a [(&'a str, &'a Sizes)],
    paths: HashMap<u64, Path>,
    sizes: HashMap<u64, Size>,
    entries: HashMap<u64, Entry>,
    locals: Vec<Local>,
}

impl Estimator<'_> {
    fn cost(&mut self, expr: &IdedExpr) -> u64 {
        match &expr.expr {
            Expr::Ident(name) => {
                let (path, cost) = match self.local(name) {
                    Some(local) => (local.path.clone(), local.cost),
                    None => (vec![name.clone()], READ),
                };
                self.paths.insert(expr.id, path);
                cost
            }
            Expr::Select(select) => self.select(expr, select),
            Expr::Call(call) => self.call(expr, call),
            Expr::List(list) => self.list(expr, list),
            Expr::Map(map) => self.map(expr, map),
            Expr::Comprehension(it) if is_bind(it) => self.bind(expr, it),
            Expr::Comprehension(it) => self.comprehension(expr, it),
            Expr::Literal(_) | Expr::Struct(_) | Expr::Unspecified => 0,
        }
    }

    fn select(&mut self, expr: &IdedExpr, select: &SelectExpr) -> u64 {
        let Some(type_) = self.checked.types.get(&select.operand.id) else {
            // The name of a type, such as `google.protobuf.Duration`.
            self.paths.insert(expr.id, vec![select.field.clone()]);
            return READ;
        };
        let operand = self.cost(&select.operand);
        if select.test {
            return operand;
        }
        let mut path = self.path(&select.operand);
        path.push(select.field.clone());
        self.paths.insert(expr.id, path);
        match type_ {
            Type::Map(..) | Type::Object(_) | Type::Any(_) => operand.saturating_add(READ),
            _ => operand,
        }
    }

    fn call(&mut self, expr: &IdedExpr, call: &CallExpr) -> u64 {
        let full = namespaced(call);
        let target = call.target.as_deref().filter(|_| full.is_none());
        let name = full.as_deref().unwrap_or(&call.func_name);
        let exprs: Vec<_> = target.into_iter().chain(&call.args).collect();
        let costs: Vec<_> = exprs.iter().map(|expr| self.cost(expr)).collect();
        let all = costs.iter().fold(0, |all: u64, it| all.saturating_add(*it));
        match (name, &*exprs) {
            (operators::LOGICAL_AND | operators::LOGICAL_OR, _) => return all,
            (operators::CONDITIONAL, [_, then, otherwise]) => {
                let size = self.size_or_unknown(then);
                let size = size.union(self.size_or_unknown(otherwise));
                self.sizes.insert(expr.id, size);
                let entries = [self.entry(then), self.entry(otherwise)];
                self.join_entries(expr, entries);
                return costs[0].saturating_add(costs[1].max(costs[2]));
            }
            ("dyn", [arg]) => {
                self.copy_sizes(expr, arg);
                return all.saturating_add(1);
            }
            (operators::ADD, [left, right]) => {
                let entries = [self.entry(left), self.entry(right)];
                self.join_entries(expr, entries);
            }
            _ => {}
        }
        let args: Vec<_> = exprs.iter().map(|expr| self.argument(expr)).collect();
        let (mut cost, mut result) = (None::<u64>, None::<Size>);
        for &overload in self.checked.overloads.get(&expr.id).into_iter().flatten() {
            let function = find(name);
            let signature = function.and_then(|it| Some((it, it.signatures.get(overload)?)));
            let (own, size) = signature.map_or((1, None), |(function, signature)| {
                let args = &args;
                function.estimate(&Bounds { signature, args })
            });
            cost = cost.max(Some(own));
            result = match (result, size) {
                (Some(one), Some(other)) => Some(one.union(other)),
                (one, other) => one.or(other),
            };
            if let (operators::INDEX, [of, _]) = (name, &*exprs) {
                let step = match &self.checked.types.get(&of.id) {
                    Some(Type::Map(..)) => "@values",
                    _ => "@items",
                };
                result = self.entry(of).map(|entry| entry.value);
                let mut path = self.path(of);
                path.push(step.to_owned());
                self.paths.insert(expr.id, path);
            }
            result = result.or_else(|| self.size(expr));
        }
        if let Some(size) = result {
            self.sizes.insert(expr.id, size);
        }
        all.saturating_add(cost.unwrap_or(1))
    }

    fn argument(&mut self, expr: &IdedExpr) -> Argument {
        let type_ = self.type_(expr);
        let item = match &type_ {
            Type::List(item) | Type::Map(item, _) | Type::Optional(item) => Some(&**item),
            _ => None,
        };
        let items = item.map(|item| {
            let mut path = self.path(expr);
            let declared = if path.is_empty() {
                None
            } else {
                path.push("@items".to_owned());
                self.declared(&path)
            };
            let size = declared.map_or(Size::UNKNOWN, |it| Size::new(0, it.most));
            (item.clone(), size)
        });
        Argument {
            size: self.size_or_unknown(expr),
            items,
            number: match &expr.expr {
                Expr::Literal(LiteralValue::Int(number)) => Some(*number.inner()),
                _ => None,
            },
            type_,
        }
    }

    fn list(&mut self, expr: &IdedExpr, list: &ListExpr) -> u64 {
        let (mut cost, mut value) = (LIST, Size::NONE);
        if list.elements.is_empty() {
            value.min = 0;
        }
        for element in &list.elements {
            cost = cost.saturating_add(self.cost(element));
            value = value.union(self.size_or_unknown(element));
        }
        let entry = Entry {
            is_list: true,
            key: Size::exactly(1),
            value,
        };
        self.entries.insert(expr.id, entry);
        cost
    }

    fn map(&mut self, expr: &IdedExpr, map: &MapExpr) -> u64 {
        let (mut cost, mut key, mut value) = (MAP, Size::NONE, Size::NONE);
        if map.entries.is_empty() {
            (key.min, value.min) = (0, 0);
        }
        for entry in &map.entries {
            if let EntryExpr::MapEntry(entry) = &entry.expr {
                cost = cost.saturating_add(self.cost(&entry.key));
                cost = cost.saturating_add(self.cost(&entry.value));
                key = key.union(self.size_or_unknown(&entry.key));
                value = value.union(self.size_or_unknown(&entry.value));
            }
        }
        let entry = Entry {
            is_list: false,
            key,
            value,
        };
        self.entries.insert(expr.id, entry);
        cost
    }

    fn comprehension(&mut self, expr: &IdedExpr, it: &ComprehensionExpr) -> u64 {
        let range = self.cost(&it.iter_range);
        let initial = self.cost(&it.accu_init);
        self.push(&it.accu_var, &it.accu_init, READ);
        let variables = self.locals.len();
        self.push_variables(it);
        let condition = self.cost(&it.loop_cond);
        let step = self.cost(&it.loop_step);
        self.locals.truncate(variables);
        let result = self.cost(&it.result);
        self.locals.pop();

        let size = self.size_or_unknown(&it.iter_range);
        match it.accu_init.expr {
            Expr::Literal(_) => {
                if let Some(size) = self.size(&it.accu_init) {
                    self.sizes.insert(expr.id, size);
                }
            }
            Expr::List(_) | Expr::Map(_) => {
                self.sizes.insert(expr.id, size);
                if let Some(entry) = self.entry(&it.loop_step) {
                    self.entries.insert(expr.id, entry);
                }
            }
            _ => {}
        }
        let each = step.saturating_add(condition);
        [range, initial, result, size.max.saturating_mul(each)]
            .into_iter()
            .fold(0, u64::saturating_add)
    }

    /// Adds the variables for the entries of the range.
    fn push_variables(&mut self, it: &ComprehensionExpr) {
        let range = &it.iter_range;
        let entry = self.entry(range);
        let is_list = entry.map_or_else(
            || matches!(self.type_(range), Type::List(_)),
            |entry| entry.is_list,
        );
        let (key, value) = if is_list {
            ("@indices", "@items")
        } else {
            ("@keys", "@values")
        };
        let key = (key, entry.map(|entry| entry.key));
        let value = (value, entry.map(|entry| entry.value));
        let variables = match &it.iter_var2 {
            Some(second) => vec![(&it.iter_var, key), (second, value)],
            None if is_list => vec![(&it.iter_var, value)],
            None => vec![(&it.iter_var, key)],
        };
        for (name, (step, size)) in variables {
            let mut path = self.path(range);
            path.push(step.to_owned());
            self.locals.push(Local {
                name: name.clone(),
                cost: READ,
                path,
                size,
                entry: None,
            });
        }
    }

    fn bind(&mut self, expr: &IdedExpr, it: &ComprehensionExpr) -> u64 {
        let initial = self.cost(&it.accu_init);
        // cel-go has the target of `optMap` twice instead of a variable for it.
        let (own, each) = if it.accu_var == "@target" {
            (0, initial)
        } else {
            (LIST.saturating_add(initial), READ)
        };
        self.push(&it.accu_var, &it.accu_init, each);
        let result = self.cost(&it.result);
        self.locals.pop();
        self.copy_sizes(expr, &it.result);
        own.saturating_add(result)
    }
}

/// Returns whether a comprehension has no entries, and so only names a value, as that of `optMap`.
fn is_bind(it: &ComprehensionExpr) -> bool {
    let is_empty = matches!(&it.iter_range.expr, Expr::List(list) if list.elements.is_empty());
    let is_left =
        matches!(&it.loop_cond.expr, Expr::Literal(LiteralValue::Boolean(it)) if !it.inner());
    is_empty && is_left
}
