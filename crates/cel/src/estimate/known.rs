//! What is known of the values of an expression: where they are declared, and their sizes.

use cel::{
    IdedExpr,
    common::ast::{Expr, LiteralValue},
};

use super::{Entry, Estimator, Local, Path, Sizes};
use crate::{size::Size, types::Type};

impl Estimator<'_> {
    /// Adds a variable with a value.
    pub(super) fn push(&mut self, name: &str, value: &IdedExpr, cost: u64) {
        let local = Local {
            name: name.to_owned(),
            cost,
            path: self.path(value),
            size: self.size(value),
            entry: self.entry(value),
        };
        self.locals.push(local);
    }

    pub(super) fn local(&self, name: &str) -> Option<&Local> {
        self.locals.iter().rev().find(|local| local.name == name)
    }

    pub(super) fn local_of(&self, expr: &IdedExpr) -> Option<&Local> {
        match &expr.expr {
            Expr::Ident(name) => self.local(name),
            _ => None,
        }
    }

    pub(super) fn type_(&self, expr: &IdedExpr) -> Type {
        let found = self.checked.types.get(&expr.id);
        found.cloned().unwrap_or(Type::Dyn)
    }

    pub(super) fn path(&self, expr: &IdedExpr) -> Path {
        match self.local_of(expr) {
            Some(local) => local.path.clone(),
            None => self.paths.get(&expr.id).cloned().unwrap_or_default(),
        }
    }

    /// Returns what is declared at a path.
    pub(super) fn declared(&self, path: &[String]) -> Option<&Sizes> {
        let (variable, steps) = path.split_first()?;
        let named = self.variables.iter().find(|(name, _)| name == variable);
        // As on the server, the name of a type has the size of the first variable.
        let (_, root) = named.or_else(|| self.variables.first())?;
        steps
            .iter()
            .try_fold(*root, |at, step| match step.as_str() {
                "@items" | "@values" => at.items.as_deref(),
                "@keys" => at.keys.as_deref(),
                name => at.fields.get(name),
            })
    }

    pub(super) fn size_or_unknown(&mut self, expr: &IdedExpr) -> Size {
        self.size(expr).unwrap_or(Size::UNKNOWN)
    }

    pub(super) fn size(&mut self, expr: &IdedExpr) -> Option<Size> {
        if let Some(size) = self.sizes.get(&expr.id) {
            return Some(*size);
        }
        if let Some(size) = written(&expr.expr) {
            return Some(size);
        }
        if let Some(declared) = self.declared(&self.path(expr)) {
            let size = Size::new(0, declared.most);
            self.sizes.insert(expr.id, size);
            return Some(size);
        }
        if is_scalar(&self.type_(expr)) {
            return Some(Size::exactly(1));
        }
        self.local_of(expr)?.size
    }

    pub(super) fn entry(&self, expr: &IdedExpr) -> Option<Entry> {
        let known = self.entries.get(&expr.id).copied();
        known.or_else(|| self.local_of(expr)?.entry)
    }

    pub(super) fn copy_sizes(&mut self, to: &IdedExpr, from: &IdedExpr) {
        if let Some(size) = self.size(from) {
            self.sizes.insert(to.id, size);
        }
        if let Some(entry) = self.entry(from) {
            self.entries.insert(to.id, entry);
        }
    }

    /// Keeps the sizes of the entries of either of two values, if both are known.
    pub(super) fn join_entries(&mut self, expr: &IdedExpr, entries: [Option<Entry>; 2]) {
        if let [Some(one), Some(other)] = entries {
            let entry = Entry {
                is_list: one.is_list,
                key: one.key.union(other.key),
                value: one.value.union(other.value),
            };
            self.entries.insert(expr.id, entry);
        }
    }
}

/// Returns the size of a value that is written in the rule.
fn written(expr: &Expr) -> Option<Size> {
    let size = match expr {
        Expr::Literal(LiteralValue::String(text)) => text.inner().chars().count(),
        Expr::Literal(LiteralValue::Bytes(bytes)) => bytes.inner().len(),
        Expr::Literal(_) => 1,
        Expr::List(list) => list.elements.len(),
        Expr::Map(map) => map.entries.len(),
        _ => return None,
    };
    Some(Size::exactly(u64::try_from(size).unwrap_or(u64::MAX)))
}

fn is_scalar(type_: &Type) -> bool {
    match type_ {
        Type::Plain(name) => matches!(
            *name,
            "bool" | "double" | "duration" | "int" | "timestamp" | "uint"
        ),
        Type::Optional(inner) => is_scalar(inner),
        _ => false,
    }
}
