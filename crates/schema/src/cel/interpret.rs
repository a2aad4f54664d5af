//! Evaluates an expression as cel-go does: with its costs, and with the first error where several operands fail.
//!
//! The parser, the values and the functions are those of `cel`, whose own interpreter does not count costs.

use std::{cell::Cell, collections::HashMap, sync::Arc};

use cel::{
    Context, Env, ExecutionError, IdedExpr, Value,
    common::{
        ast::{CallExpr, EntryExpr, Expr, ListExpr, MapExpr, SelectExpr, operators},
        types::{CelList, CelMap, CelMapKey, CelString},
        value::{CowVal, Val},
    },
};

use super::{
    cost,
    library::{NAMESPACED, overridden},
    operate::{at, boolean, get, known, no_overload, operate, optional, present, truth},
    shared::{Identity, List, Map, share},
};

/// Why an expression has no value.
#[derive(Debug)]
pub(super) enum Stop {
    Error(ExecutionError),
    /// The rule costs more than it may.
    TooExpensive,
}

impl From<ExecutionError> for Stop {
    fn from(error: ExecutionError) -> Self {
        Self::Error(error)
    }
}

/// A value that borrows from nothing but the evaluation.
pub(super) type Object = dyn Val + 'static;
pub(super) type Answer<'e> = Result<CowVal<'e, 'static>, Stop>;

/// A variable, with the scope around it. A variable may hold an error, which appears where the variable is read.
pub(super) struct Scope<'s> {
    pub(super) name: &'s str,
    pub(super) value: Result<&'s Object, &'s ExecutionError>,
    pub(super) outer: Option<&'s Scope<'s>>,
}

pub(super) type Outer<'e> = Option<&'e Scope<'e>>;

/// Evaluates one expression and counts its costs.
pub(super) struct Interpreter {
    context: Context<'static, 'static>,
    env: Arc<Env>,
    cost: Cell<u64>,
}

impl Interpreter {
    pub(super) fn new(env: &Arc<Env>) -> Self {
        Self {
            context: Context::with_env(env.clone()),
            env: env.clone(),
            cost: Cell::new(0),
        }
    }

    /// Returns what the evaluation has cost so far.
    pub(super) fn cost(&self) -> u64 {
        self.cost.get()
    }

    /// Takes back what reading a variable has cost.
    pub(super) fn refund(&self) {
        self.cost.set(self.cost.get().saturating_sub(cost::READ));
    }

    pub(super) fn charge(&self, units: u64) -> Result<(), Stop> {
        self.cost.set(self.cost.get().saturating_add(units));
        if self.cost.get() > cost::RULE_LIMIT {
            return Err(Stop::TooExpensive);
        }
        Ok(())
    }

    pub(super) fn evaluate<'e>(&'e self, expr: &'e IdedExpr, scope: Outer<'e>) -> Answer<'e> {
        match &expr.expr {
            Expr::Literal(literal) => Ok(literal.to_val()),
            Expr::Ident(name) => match variable(scope, name) {
                Some(value) => {
                    self.charge(cost::READ)?;
                    known(CowVal::Borrowed(value.map_err(Clone::clone)?))
                }
                None => Ok(Value::resolve_val(expr, &self.context)?),
            },
            Expr::Select(select) => self.select(expr, select, scope),
            Expr::Call(call) => self.call(call, scope),
            Expr::List(list) => self.list(list, scope),
            Expr::Map(map) => self.map(map, scope),
            Expr::Comprehension(comprehension) => self.comprehension(comprehension, scope),
            Expr::Struct(_) => Ok(Value::resolve_val(expr, &self.context)?),
            Expr::Unspecified => {
                let why = "the expression is empty".to_owned();
                Err(ExecutionError::InternalError(why).into())
            }
        }
    }

    fn select<'e>(
        &'e self,
        expr: &'e IdedExpr,
        select: &'e SelectExpr,
        scope: Outer<'e>,
    ) -> Answer<'e> {
        // The name of a type, such as `google.protobuf.Duration`.
        if !select.test && root(expr).is_some_and(|name| variable(scope, name).is_none()) {
            return Ok(Value::resolve_val(expr, &self.context)?);
        }
        let operand = self.evaluate(&select.operand, scope)?;
        let whole = if is_attribute(&select.operand) {
            0
        } else {
            cost::READ
        };
        let part = if select.test && is_attribute(&select.operand) {
            0
        } else {
            cost::READ
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
        if !is_set {
            let shown: Vec<_> = args.iter().map(|arg| arg.as_deref().ok()).collect();
            self.charge(cost::call(name, &shown))?;
        }
        let mut args = args.into_iter().collect::<Result<Vec<_>, _>>()?;
        if let Some(result) = overridden(name, &mut args) {
            return Ok(result?);
        }
        if target.is_some() {
            return Ok(self.member(name, args)?);
        }
        match operate(name, &args) {
            Err(ExecutionError::UndeclaredReference(_)) => Ok(self.global(name, args)?),
            result => Ok(result?),
        }
    }

    fn global<'e>(
        &self,
        name: &str,
        args: Vec<CowVal<'e, 'static>>,
    ) -> Result<CowVal<'e, 'static>, ExecutionError> {
        match self.env.find_overload(name, &args) {
            Some(function) => function(args),
            None => Err(no_overload(name, args.iter().map(|arg| &**arg))),
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
            units += cost::READ;
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
            self.charge(cost::LIST)?;
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
            self.charge(cost::MAP)?;
        }
        Ok(CowVal::owned(Map::new(CelMap::from(entries))))
    }
}

fn variable<'s>(
    mut scope: Outer<'s>,
    name: &str,
) -> Option<Result<&'s Object, &'s ExecutionError>> {
    while let Some(known) = scope {
        if known.name == name {
            return Some(known.value);
        }
        scope = known.outer;
    }
    None
}

/// Returns the first name of `a.b.c`.
pub(super) fn root(expr: &IdedExpr) -> Option<&str> {
    match &expr.expr {
        Expr::Ident(name) => Some(name),
        Expr::Select(select) if !select.test => root(&select.operand),
        _ => None,
    }
}

/// Returns the name of a function such as `sets.contains`, whose first part looks like a target.
pub(super) fn namespaced(call: &CallExpr) -> Option<String> {
    let Expr::Ident(space) = &call.target.as_ref()?.expr else {
        return None;
    };
    let name = format!("{space}.{}", call.func_name);
    let is_known = NAMESPACED.contains(&&*name) || space == "format";
    is_known.then_some(name)
}

/// Returns whether cel-go reads an expression as a variable with qualifiers.
pub(super) fn is_attribute(expr: &IdedExpr) -> bool {
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
