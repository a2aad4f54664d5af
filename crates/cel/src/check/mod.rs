//! Checks the types of an expression, as the API server does.

mod literals;
mod problem;

use std::collections::{BTreeMap, HashMap};

use cel::{
    IdedExpr,
    common::ast::{
        CallExpr, ComprehensionExpr, EntryExpr, Expr, ListExpr, LiteralValue, MapExpr, SelectExpr,
        SourceInfo, StructExpr, operators,
    },
};

pub use self::problem::Problem;
pub(crate) use self::{literals::unplanned, problem::write_all};
use crate::{
    library::{self, find, is_of_patches, namespaced},
    syntax::{qualified, root},
    types::Type,
};

/// What the expressions of mutations create.
const OBJECT: &str = "Object";
const PATCH: &str = "JSONPatch";

/// A variable of a comprehension, with the scope around it.
struct Scope<'s> {
    name: &'s str,
    type_: Type,
    outer: Option<&'s Scope<'s>>,
}

type Outer<'s> = Option<&'s Scope<'s>>;

/// The types of an expression without errors, by the numbers of its parts.
#[derive(Debug, Default)]
pub(crate) struct Types {
    pub(crate) types: HashMap<u64, Type>,
    /// Which of the signatures of a function may be meant.
    pub(crate) overloads: HashMap<u64, Vec<usize>>,
}

/// Returns the types of an expression and of its parts, or its errors. Only the expression of a mutation may create objects.
pub(crate) fn check(
    expr: &IdedExpr,
    source: &SourceInfo,
    variables: &[(&str, Type)],
    is_mutation: bool,
) -> Result<(Type, Types), Vec<Problem>> {
    let mut checker = Checker {
        source,
        variables,
        is_mutation,
        problems: Vec::new(),
        checked: Types::default(),
    };
    let result = checker.type_of(expr, None);
    if checker.problems.is_empty() {
        let mut found = Vec::new();
        literals::check(expr, &checker.checked, &mut |part, why| {
            found.push((checker.offset(part), why));
        });
        checker.problems = found;
    }
    let mut problems = checker.problems;
    if problems.is_empty() {
        return Ok((result.unwrap_or(Type::Dyn), checker.checked));
    }
    problems.sort_by_key(|(at, _)| *at);
    let problems = problems.into_iter();
    Err(problems
        .map(|(at, why)| Problem::new(&source.source, at, why))
        .collect())
}

struct Checker<'p> {
    source: &'p SourceInfo,
    variables: &'p [(&'p str, Type)],
    is_mutation: bool,
    /// The bytes at which wrong parts begin, and what is wrong.
    problems: Vec<(usize, String)>,
    checked: Types,
}

impl Checker<'_> {
    /// Returns the byte at which a part begins.
    fn offset(&self, expr: &IdedExpr) -> usize {
        let at = self.source.offset_for(expr.id);
        usize::try_from(at.map_or(0, |(start, _)| start)).unwrap_or_default()
    }

    fn report(&mut self, expr: &IdedExpr, why: String) {
        self.problems.push((self.offset(expr), why));
    }

    /// Returns the type of an expression; `None` if it has an error, which is reported.
    fn type_of(&mut self, expr: &IdedExpr, scope: Outer<'_>) -> Option<Type> {
        let type_ = match self.deduce(expr, scope)? {
            Type::Open => Type::Dyn,
            type_ => type_,
        };
        self.checked.types.insert(expr.id, type_.clone());
        Some(type_)
    }

    fn variable(&self, mut scope: Outer<'_>, name: &str) -> Option<Type> {
        while let Some(known) = scope {
            if known.name == name {
                return Some(known.type_.clone());
            }
            scope = known.outer;
        }
        let known = self.variables.iter().find(|(known, _)| *known == name);
        known.map(|(_, type_)| type_.clone())
    }

    fn deduce(&mut self, expr: &IdedExpr, scope: Outer<'_>) -> Option<Type> {
        match &expr.expr {
            Expr::Literal(literal) => Some(match literal {
                LiteralValue::Boolean(_) => Type::BOOL,
                LiteralValue::Bytes(_) => Type::Plain("bytes"),
                LiteralValue::Double(_) => Type::Plain("double"),
                LiteralValue::Int(_) => Type::INT,
                LiteralValue::Null => Type::NULL,
                LiteralValue::String(_) => Type::STRING,
                LiteralValue::UInt(_) => Type::Plain("uint"),
            }),
            Expr::Ident(name) => {
                let known = self.variable(scope, name).or_else(|| Type::named(name));
                if known.is_none() {
                    let why = format!("undeclared reference to '{name}' (in container '')");
                    self.report(expr, why);
                }
                known
            }
            Expr::Select(select) => self.select(expr, select, scope),
            Expr::Call(call) => self.call(expr, call, scope),
            Expr::List(list) => self.list(list, scope),
            Expr::Map(map) => self.map(map, scope),
            Expr::Comprehension(it) => self.comprehension(it, scope),
            Expr::Struct(it) => self.object(expr, it, scope),
            Expr::Unspecified => None,
        }
    }

    /// `JSONPatch{…}` has four fields; `Object{…}` and `Object.a.b{…}` have any.
    fn object(&mut self, expr: &IdedExpr, it: &StructExpr, scope: Outer<'_>) -> Option<Type> {
        let name = it.type_name.as_str();
        let is_patch = name == PATCH;
        let is_object = name == OBJECT || name.starts_with("Object.");
        if !self.is_mutation || !(is_patch || is_object) {
            let why = format!("undeclared reference to '{name}' (in container '')");
            self.report(expr, why);
            return None;
        }
        for entry in &it.entries {
            let EntryExpr::StructField(field) = &entry.expr else {
                continue;
            };
            let Some(given) = self.type_of(&field.value, scope) else {
                continue;
            };
            let given = match given {
                Type::Optional(inner) if field.optional => (*inner).clone(),
                given => given,
            };
            let expected = match field.field.as_str() {
                _ if is_object => Type::Dyn,
                "op" | "path" | "from" => Type::STRING,
                "value" => Type::Dyn,
                other => {
                    self.report(&field.value, format!("undefined field '{other}'"));
                    continue;
                }
            };
            if !expected.accepts(&given, &mut BTreeMap::new()) {
                let name = &field.field;
                let why = format!(
                    "expected type of field '{name}' is '{expected}' but provided type is '{given}'"
                );
                self.report(&field.value, why);
            }
        }
        Some(Type::literal(name))
    }

    fn select(&mut self, expr: &IdedExpr, select: &SelectExpr, scope: Outer<'_>) -> Option<Type> {
        if let Some(name) = root(expr)
            && !select.test
            && self.variable(scope, name).is_none()
            && let Some(type_) = qualified(expr).and_then(|name| Type::named(&name))
        {
            return Some(type_);
        }
        let operand = self.type_of(&select.operand, scope)?;
        let found = self.field(expr, operand, &select.field)?;
        Some(if select.test { Type::BOOL } else { found })
    }

    fn field(&mut self, expr: &IdedExpr, operand: Type, name: &str) -> Option<Type> {
        match operand {
            Type::Dyn | Type::Struct(_) => Some(Type::Dyn),
            Type::Map(_, values) => Some((*values).clone()),
            Type::Optional(inner) => {
                let found = self.field(expr, (*inner).clone(), name)?;
                Some(match found {
                    found @ Type::Optional(_) => found,
                    found => found.optional(),
                })
            }
            Type::Object(object) => {
                let known = object.field(name).cloned();
                if known.is_none() {
                    self.report(expr, format!("undefined field '{name}'"));
                }
                known
            }
            operand => {
                let why = format!("type '{operand}' does not support field selection");
                self.report(expr, why);
                None
            }
        }
    }

    fn call(&mut self, expr: &IdedExpr, call: &CallExpr, scope: Outer<'_>) -> Option<Type> {
        if let (operators::OPT_SELECT, [operand, field]) = (call.func_name.as_str(), &*call.args) {
            let operand = self.type_of(operand, scope)?;
            let Expr::Literal(LiteralValue::String(name)) = &field.expr else {
                return Some(Type::Dyn.optional());
            };
            let found = self.field(expr, operand, name.inner())?;
            return Some(match found {
                found @ Type::Optional(_) => found,
                found => found.optional(),
            });
        }
        let full = namespaced(call);
        let target = call.target.as_deref().filter(|_| full.is_none());
        let mut args = Vec::with_capacity(call.args.len() + 1);
        for arg in target.into_iter().chain(&call.args) {
            args.push(self.type_of(arg, scope));
        }
        let name = full.as_deref().unwrap_or(&call.func_name);
        if name == library::INSERT {
            return args.into_iter().next()?;
        }
        let function = find(name);
        let Some(function) = function.filter(|_| self.is_mutation || !is_of_patches(name)) else {
            let why = format!("undeclared reference to '{name}' (in container '')");
            self.report(expr, why);
            return None;
        };
        if let operators::LOGICAL_AND | operators::LOGICAL_OR = name {
            self.logical(&call.args, &args);
            return Some(Type::BOOL);
        }
        let args = args.into_iter().collect::<Option<Vec<_>>>()?;
        let mut results: Vec<Type> = Vec::new();
        let overloads = self.checked.overloads.entry(expr.id).or_default();
        for (index, signature) in function.signatures.iter().enumerate() {
            let mut bound = BTreeMap::new();
            let fits = signature.is_member == target.is_some()
                && signature.args.len() == args.len()
                && signature
                    .args
                    .iter()
                    .zip(&args)
                    .all(|(expected, given)| expected.accepts(given, &mut bound));
            if fits {
                overloads.push(index);
                let result = signature.result.bind(&bound);
                if !results.contains(&result) {
                    results.push(result);
                }
            }
        }
        match (results.len(), results.pop()) {
            (1, Some(result)) => Some(result),
            (_, Some(_)) => Some(Type::Dyn),
            (_, None) => {
                let types: Vec<_> = args.iter().map(ToString::to_string).collect();
                let shown = match types.split_first() {
                    Some((first, rest)) if target.is_some() => {
                        format!("{first}.({})", rest.join(", "))
                    }
                    _ => format!("({})", types.join(", ")),
                };
                let why = format!("found no matching overload for '{name}' applied to '{shown}'");
                self.report(expr, why);
                None
            }
        }
    }

    /// Checks the operands of `&&` and `||`, each for itself.
    fn logical(&mut self, operands: &[IdedExpr], types: &[Option<Type>]) {
        for (operand, found) in operands.iter().zip(types) {
            match found {
                None | Some(Type::Dyn | Type::BOOL) => {}
                Some(found) => {
                    let why = format!("expected type 'bool' but found '{found}'");
                    self.report(operand, why);
                }
            }
        }
    }

    fn list(&mut self, list: &ListExpr, scope: Outer<'_>) -> Option<Type> {
        let mut items: Option<Type> = None;
        for (index, element) in list.elements.iter().enumerate() {
            let mut type_ = self.type_of(element, scope)?;
            if let (true, Type::Optional(inner)) = (list.optional_indices.contains(&index), &type_)
            {
                type_ = (**inner).clone();
            }
            items = Some(joined(items, type_));
        }
        Some(Type::list(items.unwrap_or(Type::Open)))
    }

    fn map(&mut self, map: &MapExpr, scope: Outer<'_>) -> Option<Type> {
        let (mut keys, mut values): (Option<Type>, Option<Type>) = (None, None);
        for entry in &map.entries {
            let EntryExpr::MapEntry(entry) = &entry.expr else {
                continue;
            };
            let key = self.type_of(&entry.key, scope)?;
            // No value has such a key, and a type with the same type on both sides, again and again, would grow without bounds.
            let key = match key {
                Type::Plain(_) => key,
                _ => Type::Dyn,
            };
            keys = Some(joined(keys, key));
            let mut value = self.type_of(&entry.value, scope)?;
            if let (true, Type::Optional(inner)) = (entry.optional, &value) {
                value = (**inner).clone();
            }
            values = Some(joined(values, value));
        }
        Some(Type::map(
            keys.unwrap_or(Type::Open),
            values.unwrap_or(Type::Open),
        ))
    }

    fn comprehension(&mut self, it: &ComprehensionExpr, scope: Outer<'_>) -> Option<Type> {
        let range = self.type_of(&it.iter_range, scope)?;
        let two = it.iter_var2.is_some();
        let (first, second) = match &range {
            Type::List(items) if two => (Type::INT, (**items).clone()),
            Type::List(items) => ((**items).clone(), Type::Dyn),
            Type::Map(keys, values) => ((**keys).clone(), (**values).clone()),
            Type::Dyn => (Type::Dyn, Type::Dyn),
            other => {
                let why = format!(
                    "expression of type '{other}' cannot be range of a comprehension (must be list, map, or dynamic)"
                );
                self.report(&it.iter_range, why);
                return None;
            }
        };
        let [first, second] = [first, second].map(|it| match it {
            Type::Open => Type::Dyn,
            known => known,
        });
        let initial = self.type_of(&it.accu_init, scope)?;
        let outer = Scope {
            name: &it.accu_var,
            type_: initial.clone(),
            outer: scope,
        };
        let inner = Scope {
            name: &it.iter_var,
            type_: first,
            outer: Some(&outer),
        };
        let both = Scope {
            name: it.iter_var2.as_deref().unwrap_or("#none"),
            type_: second,
            outer: Some(&inner),
        };
        self.type_of(&it.loop_cond, Some(&outer))?;
        let step = self.type_of(&it.loop_step, Some(&both))?;
        // An empty list or map takes the type of what is added to it.
        let accumulated = match initial {
            Type::List(_) | Type::Map(..) => step,
            initial => initial,
        };
        let outer = Scope {
            name: &it.accu_var,
            type_: accumulated,
            outer: scope,
        };
        self.type_of(&it.result, Some(&outer))
    }
}

/// Returns the common type of the items of a literal.
fn joined(known: Option<Type>, next: Type) -> Type {
    match known {
        Some(known) => known.joined(&next).unwrap_or(Type::Dyn),
        None => next,
    }
}
