//! Evaluates an expression as cel-go does: with its costs, and with the first error where several operands fail.
//!
//! The parser, the values and the functions are those of `cel`, whose own interpreter does not count costs.

mod access;
mod choose;
mod fold;

use std::{cell::Cell, collections::HashMap};

use cel::{
    Context, ExecutionError, IdedExpr, Value,
    common::{
        ast::{CallExpr, EntryExpr, Expr, ListExpr, MapExpr, SelectExpr, StructExpr, operators},
        types::{CelList, CelMap, CelMapKey, CelString, CelStruct},
        value::CowVal,
    },
};

use self::access::{at, get, known, optional, present, truth};
use crate::{
    errors::{Answer, Stop, no_overload},
    library::{ENV, LIST, MAP, READ, STRUCT, Values, find, namespaced},
    syntax::root,
    value::{Identity, List, Map, Object, boolean, share},
};

/// A variable, with the scope around it. A variable may hold an error, which appears where the variable is read.
struct Scope<'s> {
    name: &'s str,
    value: Result<&'s Object, &'s ExecutionError>,
    outer: Option<&'s Scope<'s>>,
}

type Outer<'e> = Option<&'e Scope<'e>>;

/// Evaluates one expression and counts its costs.
pub(crate) struct Interpreter<'v> {
    context: Context<'static, 'static>,
    variables: &'v [(&'v str, &'v Object)],
    cost: Cell<u64>,
    limit: u64,
}

impl<'v> Interpreter<'v> {
    pub(crate) fn new(variables: &'v [(&'v str, &'v Object)], limit: u64) -> Self {
        Self {
            context: Context::with_env(ENV.clone()),
            variables,
            cost: Cell::new(0),
            limit,
        }
    }

    pub(crate) fn run<'e>(&'e self, expr: &'e IdedExpr) -> Answer<'e> {
        self.evaluate(expr, None)
    }

    /// Returns what the evaluation has cost so far.
    pub(crate) fn cost(&self) -> u64 {
        self.cost.get()
    }

    /// Takes back what reading a variable has cost.
    fn refund(&self) {
        self.cost.set(self.cost.get().saturating_sub(READ));
    }

    fn charge(&self, units: u64) -> Result<(), Stop> {
        self.cost.set(self.cost.get().saturating_add(units));
        if self.cost.get() > self.limit {
            return Err(Stop::TooExpensive);
        }
        Ok(())
    }

    fn evaluate<'e>(&'e self, expr: &'e IdedExpr, scope: Outer<'e>) -> Answer<'e> {
        match &expr.expr {
            Expr::Literal(literal) => Ok(literal.to_val()),
            Expr::Ident(name) => match self.variable(scope, name) {
                Some(value) => {
                    self.charge(READ)?;
                    known(CowVal::Borrowed(value.map_err(Clone::clone)?))
                }
                None => Ok(Value::resolve_val(expr, &self.context)?),
            },
            Expr::Select(select) => self.select(expr, select, scope),
            Expr::Call(call) => self.call(call, scope),
            Expr::List(list) => self.list(list, scope),
            Expr::Map(map) => self.map(map, scope),
            Expr::Comprehension(comprehension) => self.comprehension(comprehension, scope),
            Expr::Struct(it) => self.object(it, scope),
            Expr::Unspecified => {
                let why = "the expression is empty".to_owned();
                Err(ExecutionError::InternalError(why).into())
            }
        }
    }

    fn variable<'e>(
        &'e self,
        mut scope: Outer<'e>,
        name: &str,
    ) -> Option<Result<&'e Object, &'e ExecutionError>> {
        while let Some(known) = scope {
            if known.name == name {
                return Some(known.value);
            }
            scope = known.outer;
        }
        let known = self.variables.iter().find(|(known, _)| *known == name);
        known.map(|(_, value)| Ok(*value))
    }

    fn select<'e>(
        &'e self,
        expr: &'e IdedExpr,
        select: &'e SelectExpr,
        scope: Outer<'e>,
    ) -> Answer<'e> {
        // The name of a type, such as `google.protobuf.Duration`.
        if !select.test && root(expr).is_some_and(|name| self.variable(scope, name).is_none()) {
            return Ok(Value::resolve_val(expr, &self.context)?);
        }
        let operand = self.evaluate(&select.operand, scope)?;
        let whole = if is_attribute(&select.operand) {
            0
        } else {
            READ
        };
        let part = if select.test && is_attribute(&select.operand) {
            0
        } else {
            READ
        };
        self.charge(whole + part)?;
        let key = CelString::from(select.field.as_str());
        if !select.test {
            return known(at(operand, &key, false)?);
        }
        let found = match optional(operand) {
            Err(operand) => Some(get(operand, &key)),
            Ok(operand) => operand.map(|operand| get(operand, &key)),
        };
        match found {
            None | Some(Err(ExecutionError::NoSuchKey(_))) => Ok(boolean(false)),
            // Of a value that does not fit its schema, even the presence is an error.
            Some(Ok(value)) => known(value).map(|_| boolean(true)),
            Some(Err(error)) => Err(error.into()),
        }
    }

    fn call<'e>(&'e self, call: &'e CallExpr, scope: Outer<'e>) -> Answer<'e> {
        if call.target.is_none() {
            match (call.func_name.as_str(), &*call.args) {
                (operators::CONDITIONAL, [condition, then, otherwise]) => {
                    let holds = truth(&*self.evaluate(condition, scope)?)?;
                    return self.branch(if holds { then } else { otherwise }, scope);
                }
                (operators::LOGICAL_OR, [left, right]) => {
                    return self.either(left, right, scope, true);
                }
                (operators::LOGICAL_AND, [left, right]) => {
                    return self.either(left, right, scope, false);
                }
                (operators::NOT_STRICTLY_FALSE, [value]) => {
                    let value = match self.evaluate(value, scope) {
                        Ok(value) => truth(&*value).unwrap_or(true),
                        Err(Stop::Error(_)) => true,
                        Err(stop) => return Err(stop),
                    };
                    self.charge(1)?;
                    return Ok(boolean(value));
                }
                (
                    operators::INDEX | operators::OPT_INDEX | operators::OPT_SELECT,
                    [operand, key],
                ) => {
                    return self.index(call, operand, key, scope);
                }
                _ => {}
            }
        }
        if let (Some(target), "or" | "orValue", [other]) =
            (&call.target, call.func_name.as_str(), &*call.args)
        {
            return self.or(call, target, other, scope);
        }
        let name = namespaced(call);
        let target = call.target.as_deref().filter(|_| name.is_none());
        let mut args = Vec::with_capacity(call.args.len() + 1);
        for arg in target.into_iter().chain(&call.args) {
            args.push(match self.evaluate(arg, scope) {
                Ok(value) => Ok(value),
                Err(Stop::Error(error)) => Err(error),
                Err(stop) => return Err(stop),
            });
        }
        let name = name.as_deref().unwrap_or(&call.func_name);
        let is_set = is_constant_set(name, &call.args);
        let function = find(name);
        if !is_set {
            let shown: Vec<_> = args.iter().map(|arg| arg.as_deref().ok()).collect();
            self.charge(function.map_or(1, |it| it.cost(&Values(&shown))))?;
        }
        let mut args = args.into_iter().collect::<Result<Vec<_>, _>>()?;
        if let Some(result) = function.and_then(|it| it.call(&mut args)) {
            return Ok(result?);
        }
        if target.is_some() {
            return Ok(self.member(name, args)?);
        }
        match ENV.find_overload(name, &args) {
            Some(function) => Ok(function(args)?),
            None => Err(no_overload(name, args.iter().map(|arg| &**arg)).into()),
        }
    }

    /// Calls a member function: `cel` has no other access to one than an expression.
    fn member<'e>(
        &self,
        name: &str,
        args: Vec<CowVal<'e, 'static>>,
    ) -> Result<CowVal<'e, 'static>, ExecutionError> {
        let mut context = self.context.new_inner_scope();
        let mut names = Vec::with_capacity(args.len());
        for (index, arg) in args.into_iter().enumerate() {
            let name = format!("@{index}");
            context.add_variable_as_val(&name, arg.into_owned());
            names.push(IdedExpr {
                id: 0,
                expr: Expr::Ident(name),
            });
        }
        let target = Box::new(names.remove(0));
        let call = IdedExpr {
            id: 0,
            expr: Expr::Call(CallExpr {
                func_name: name.to_owned(),
                target: Some(target),
                args: names,
            }),
        };
        Ok(CowVal::Owned(share(
            Value::resolve_val(&call, &context)?.into_owned(),
        )))
    }

    fn index<'e>(
        &'e self,
        call: &CallExpr,
        operand: &'e IdedExpr,
        key: &'e IdedExpr,
        scope: Outer<'e>,
    ) -> Answer<'e> {
        let value = self.evaluate(operand, scope)?;
        let index = self.evaluate(key, scope)?;
        let mut units = 1;
        if !is_attribute(operand) {
            units += READ;
        }
        // Reading the key is the qualification.
        if is_attribute(key) {
            units -= 1;
        }
        self.charge(units)?;
        known(at(value, &*index, call.func_name != operators::INDEX)?)
    }

    fn list<'e>(&'e self, list: &'e ListExpr, scope: Outer<'e>) -> Answer<'e> {
        let mut items = Vec::with_capacity(list.elements.len());
        for (index, element) in list.elements.iter().enumerate() {
            let value = self.evaluate(element, scope)?;
            if list.optional_indices.contains(&index) {
                items.extend(present(value).map(CowVal::into_owned));
            } else {
                items.push(value.into_owned());
            }
        }
        if !list.elements.iter().all(is_constant) {
            self.charge(LIST)?;
        }
        let items = CelList::from(items);
        Ok(CowVal::owned(List::new(items, Identity::Place)))
    }

    fn map<'e>(&'e self, map: &'e MapExpr, scope: Outer<'e>) -> Answer<'e> {
        let mut entries = HashMap::with_capacity(map.entries.len());
        let mut constant = true;
        for entry in &map.entries {
            let EntryExpr::MapEntry(entry) = &entry.expr else {
                continue;
            };
            constant &= is_constant(&entry.key) && is_constant(&entry.value);
            let key = CelMapKey::try_from(self.evaluate(&entry.key, scope)?)?;
            let value = self.evaluate(&entry.value, scope)?;
            let value = if entry.optional {
                present(value)
            } else {
                Some(value)
            };
            if let Some(value) = value {
                entries.insert(key, value.into_owned());
            }
        }
        if !constant {
            self.charge(MAP)?;
        }
        Ok(CowVal::owned(Map::new(CelMap::from(entries))))
    }

    fn object<'e>(&'e self, it: &'e StructExpr, scope: Outer<'e>) -> Answer<'e> {
        let mut object = CelStruct::new(it.type_name.clone());
        for entry in &it.entries {
            let EntryExpr::StructField(field) = &entry.expr else {
                continue;
            };
            let value = self.evaluate(&field.value, scope)?;
            let value = if field.optional {
                present(value)
            } else {
                Some(value)
            };
            if let Some(value) = value {
                let value = CowVal::Owned(value.into_owned());
                object.add_field_value(field.field.clone(), value);
            }
        }
        self.charge(STRUCT)?;
        Ok(CowVal::owned(object))
    }
}

/// Returns whether cel-go reads an expression as a variable with qualifiers.
fn is_attribute(expr: &IdedExpr) -> bool {
    match &expr.expr {
        Expr::Ident(_) => true,
        Expr::Select(select) => !select.test,
        Expr::Call(call) => matches!(
            call.func_name.as_str(),
            operators::INDEX
                | operators::OPT_INDEX
                | operators::OPT_SELECT
                | operators::CONDITIONAL
        ),
        _ => false,
    }
}

/// Returns whether cel-go computes a value once, when it compiles the rule.
fn is_constant(expr: &IdedExpr) -> bool {
    match &expr.expr {
        Expr::Literal(_) => true,
        Expr::List(list) => list.elements.iter().all(is_constant),
        Expr::Map(map) => map.entries.iter().all(|entry| match &entry.expr {
            EntryExpr::MapEntry(entry) => is_constant(&entry.key) && is_constant(&entry.value),
            EntryExpr::StructField(_) => false,
        }),
        _ => false,
    }
}

/// Returns whether a call tests a value against a constant list of scalars.
fn is_constant_set(name: &str, args: &[IdedExpr]) -> bool {
    let is_scalar = |item: &IdedExpr| matches!(item.expr, Expr::Literal(_));
    name == operators::IN
        && matches!(args, [_, list] if matches!(&list.expr, Expr::List(list) if list.elements.iter().all(is_scalar)))
}
