//! Comprehensions with two variables: index and item of a list, key and value of a map.

use std::collections::HashMap;

use cel::{
    DeclarationError, Env, ExecutionError,
    common::{
        ast::{
            CallExpr, ComprehensionExpr, Expr, IdedExpr, ListExpr, LiteralValue, MapExpr, operators,
        },
        types::CelMapKey,
        value::Val,
    },
    parser::{Macro, MacroExprHelper, ParseError},
};

use crate::errors::error;

/// Adds an entry, or the entries of a map, to a map.
pub(crate) const INSERT: &str = "@insert";
const RESULT: &str = "@result";

/// The macros with the numbers of their arguments.
const MACROS: &[(&str, usize, Kind)] = &[
    ("all", 3, Kind::All),
    ("exists", 3, Kind::Exists),
    ("existsOne", 3, Kind::ExistsOne),
    ("exists_one", 3, Kind::ExistsOne),
    ("transformList", 3, Kind::List),
    ("transformList", 4, Kind::List),
    ("transformMap", 3, Kind::Map),
    ("transformMap", 4, Kind::Map),
    ("transformMapEntry", 3, Kind::MapEntry),
    ("transformMapEntry", 4, Kind::MapEntry),
];

#[derive(Clone, Copy)]
enum Kind {
    All,
    Exists,
    ExistsOne,
    List,
    Map,
    MapEntry,
}

pub(super) fn add(env: &mut Env) -> Result<(), DeclarationError> {
    for &(name, count, kind) in MACROS {
        env.add_macro(Macro::receiver(name, count, move |helper, target, args| {
            Build(helper).expand(target, args, kind)
        }))?;
    }
    Ok(())
}

/// Makes expressions.
struct Build<'a, 'b>(&'a mut MacroExprHelper<'b>);

impl Build<'_, '_> {
    fn expand(
        &mut self,
        target: &mut Option<IdedExpr>,
        args: &mut Vec<IdedExpr>,
        kind: Kind,
    ) -> Result<Option<IdedExpr>, ParseError> {
        let (first, second) = (self.name(&args[0])?, self.name(&args[1])?);
        if first == second {
            let why = format!("duplicate variable name: {second}");
            return Err(self.0.new_error(args[1].id, why));
        }
        let Some(iter_range) = target.take() else {
            return Ok(None);
        };
        let mut args = args.split_off(2);
        let value = args.pop().unwrap_or_default();
        let step = self.step(kind, &first, value, args.pop());
        let (accu_init, loop_cond) = (self.initial(kind), self.condition(kind));
        let mut result = self.result();
        if let Kind::ExistsOne = kind {
            let one = self.int(1);
            result = self.call(operators::EQUALS, vec![result, one]);
        }
        let comprehension = ComprehensionExpr {
            iter_range,
            iter_var: first,
            iter_var2: Some(second),
            accu_var: RESULT.to_owned(),
            accu_init,
            loop_cond,
            loop_step: step,
            result,
        };
        Ok(Some(
            self.expr(Expr::Comprehension(Box::new(comprehension))),
        ))
    }

    fn initial(&mut self, kind: Kind) -> IdedExpr {
        match kind {
            Kind::All => self.boolean(true),
            Kind::Exists => self.boolean(false),
            Kind::ExistsOne => self.int(0),
            Kind::List => self.expr(Expr::List(ListExpr::default())),
            Kind::Map | Kind::MapEntry => self.expr(Expr::Map(MapExpr::default())),
        }
    }

    fn condition(&mut self, kind: Kind) -> IdedExpr {
        let mut result = match kind {
            Kind::All | Kind::Exists => self.result(),
            _ => return self.boolean(true),
        };
        if let Kind::Exists = kind {
            result = self.call(operators::LOGICAL_NOT, vec![result]);
        }
        self.call(operators::NOT_STRICTLY_FALSE, vec![result])
    }

    fn step(
        &mut self,
        kind: Kind,
        first: &str,
        value: IdedExpr,
        filter: Option<IdedExpr>,
    ) -> IdedExpr {
        let result = self.result();
        let step = match kind {
            Kind::All => self.call(operators::LOGICAL_AND, vec![result, value]),
            Kind::Exists => self.call(operators::LOGICAL_OR, vec![result, value]),
            Kind::ExistsOne => {
                let one = self.int(1);
                let more = self.call(operators::ADD, vec![result, one]);
                let same = self.result();
                self.call(operators::CONDITIONAL, vec![value, more, same])
            }
            Kind::List => {
                let item = self.expr(Expr::List(ListExpr::new(vec![value])));
                self.call(operators::ADD, vec![result, item])
            }
            Kind::Map => {
                let key = self.expr(Expr::Ident(first.to_owned()));
                self.call(INSERT, vec![result, key, value])
            }
            Kind::MapEntry => self.call(INSERT, vec![result, value]),
        };
        match filter {
            Some(filter) => {
                let same = self.result();
                self.call(operators::CONDITIONAL, vec![filter, step, same])
            }
            None => step,
        }
    }

    /// Returns the name of a variable.
    fn name(&mut self, arg: &IdedExpr) -> Result<String, ParseError> {
        match &arg.expr {
            Expr::Ident(name) => Ok(name.clone()),
            _ => Err(self.0.new_error(arg.id, "argument must be a simple name")),
        }
    }

    fn expr(&mut self, expr: Expr) -> IdedExpr {
        self.0.next_expr(expr)
    }

    fn result(&mut self) -> IdedExpr {
        self.expr(Expr::Ident(RESULT.to_owned()))
    }

    fn boolean(&mut self, value: bool) -> IdedExpr {
        self.expr(Expr::Literal(LiteralValue::Boolean(value.into())))
    }

    fn int(&mut self, value: i64) -> IdedExpr {
        self.expr(Expr::Literal(LiteralValue::Int(value.into())))
    }

    fn call(&mut self, name: &str, args: Vec<IdedExpr>) -> IdedExpr {
        self.expr(Expr::Call(CallExpr {
            func_name: name.to_owned(),
            target: None,
            args,
        }))
    }
}

/// Adds an entry whose key is new.
pub(crate) fn insert(
    entries: &mut HashMap<CelMapKey<'static>, Box<dyn Val>>,
    key: CelMapKey<'static>,
    value: Box<dyn Val>,
) -> Result<(), ExecutionError> {
    let shown = match &key {
        CelMapKey::String(text) => text.inner().to_owned(),
        CelMapKey::Int(int) => int.inner().to_string(),
        CelMapKey::UInt(uint) => uint.inner().to_string(),
        CelMapKey::Bool(bool) => bool.inner().to_string(),
    };
    if entries.insert(key, value).is_some() {
        let why = format!("insert failed: key {shown} already exists");
        return Err(error(INSERT, why));
    }
    Ok(())
}
