//! Comprehensions with two variables: index and item of a list, key and value of a map.
//!
//! They are rewritten to comprehensions over a list of pairs.

use std::collections::HashMap;

use cel::{
    DeclarationError, Env, ExecutionError,
    common::{
        ast::{
            CallExpr, ComprehensionExpr, Expr, IdedExpr, ListExpr, LiteralValue, MapExpr, operators,
        },
        types::{
            CelBool, CelInt, CelList, CelMap, CelMapKey, CelString, CelUInt, DYN_TYPE, LIST_TYPE,
            MAP_TYPE,
        },
        value::{CowVal, Val},
    },
    parser::{Macro, MacroExprHelper, ParseError},
};

use crate::cel::rule::error;

const PAIRS: &str = "@pairs";
const INSERT: &str = "@insert";
const MERGE: &str = "@merge";
const PAIR: &str = "@pair";
const RESULT: &str = "@result";

type Helper<'a, 'b> = &'a mut MacroExprHelper<'b>;
type Expansion = Result<Option<IdedExpr>, ParseError>;

/// Builds initial value, condition, step and result of a comprehension from the arguments of the macro, without the variables. Each
/// argument is evaluated with the variables bound.
type Build = fn(Helper<'_, '_>, Vec<IdedExpr>) -> Parts;

struct Parts {
    initial: IdedExpr,
    condition: IdedExpr,
    step: IdedExpr,
    result: IdedExpr,
}

const MACROS: &[(&str, usize, Build)] = &[
    ("all", 3, all),
    ("exists", 3, exists),
    ("existsOne", 3, exists_one),
    ("exists_one", 3, exists_one),
    ("transformList", 3, transform_list),
    ("transformList", 4, transform_list),
    ("transformMap", 3, transform_map),
    ("transformMap", 4, transform_map),
    ("transformMapEntry", 3, transform_map_entry),
    ("transformMapEntry", 4, transform_map_entry),
];

pub(super) fn add(env: &mut Env) -> Result<(), DeclarationError> {
    env.add_overload(PAIRS, "@pairs(list)", vec![LIST_TYPE], pairs_of_list)?;
    env.add_overload(PAIRS, "@pairs(map)", vec![MAP_TYPE], pairs_of_map)?;
    env.add_overload(
        INSERT,
        "@insert(map,dyn,dyn)",
        vec![MAP_TYPE, DYN_TYPE, DYN_TYPE],
        insert,
    )?;
    env.add_overload(MERGE, "@merge(map,map)", vec![MAP_TYPE, MAP_TYPE], merge)?;
    for (name, count, build) in MACROS {
        let build = *build;
        let expand =
            move |helper: Helper<'_, '_>,
                  target: &mut Option<IdedExpr>,
                  args: &mut Vec<IdedExpr>| { expand(helper, target, args, build) };
        env.add_macro(Macro::receiver(*name, *count, expand))?;
    }
    Ok(())
}

fn expand(
    helper: Helper<'_, '_>,
    target: &mut Option<IdedExpr>,
    args: &mut Vec<IdedExpr>,
    build: Build,
) -> Expansion {
    let names = [&args[0], &args[1]].map(|arg| match &arg.expr {
        Expr::Ident(name) => Ok(name.clone()),
        _ => Err(helper.new_error(arg.id, "argument must be a simple name")),
    });
    let [first, second] = names;
    let (first, second) = (first?, second?);
    let Some(target) = target.take() else {
        return Ok(None);
    };
    let args = args.split_off(2);
    let parts = build(helper, args);
    let mut bound = |step: IdedExpr| {
        let at = |helper: Helper<'_, '_>, index: i64| {
            let pair = ident(helper, PAIR);
            let index = literal(helper, LiteralValue::Int(index.into()));
            call(helper, operators::INDEX, vec![pair, index])
        };
        let value = at(helper, 1);
        let step = bind(helper, &second, value, step);
        let key = at(helper, 0);
        bind(helper, &first, key, step)
    };
    let (loop_cond, loop_step) = (parts.condition, bound(parts.step));
    let iter_range = call(helper, PAIRS, vec![target]);
    let comprehension = ComprehensionExpr {
        iter_range,
        iter_var: PAIR.to_owned(),
        iter_var2: None,
        accu_var: RESULT.to_owned(),
        accu_init: parts.initial,
        loop_cond,
        loop_step,
        result: parts.result,
    };
    Ok(Some(
        helper.next_expr(Expr::Comprehension(Box::new(comprehension))),
    ))
}

fn ident(helper: Helper<'_, '_>, name: &str) -> IdedExpr {
    helper.next_expr(Expr::Ident(name.to_owned()))
}

fn literal(helper: Helper<'_, '_>, value: LiteralValue) -> IdedExpr {
    helper.next_expr(Expr::Literal(value))
}

fn boolean(helper: Helper<'_, '_>, value: bool) -> IdedExpr {
    literal(helper, LiteralValue::Boolean(value.into()))
}

fn call(helper: Helper<'_, '_>, name: &str, args: Vec<IdedExpr>) -> IdedExpr {
    helper.next_expr(Expr::Call(CallExpr {
        func_name: name.to_owned(),
        target: None,
        args,
    }))
}

/// Returns `body` with a variable: a comprehension over no items, whose accumulator is the variable.
fn bind(helper: Helper<'_, '_>, name: &str, value: IdedExpr, body: IdedExpr) -> IdedExpr {
    let comprehension = ComprehensionExpr {
        iter_range: helper.next_expr(Expr::List(ListExpr::new(Vec::new()))),
        iter_var: "#unused".to_owned(),
        iter_var2: None,
        accu_var: name.to_owned(),
        accu_init: value,
        loop_cond: boolean(helper, false),
        loop_step: ident(helper, name),
        result: body,
    };
    helper.next_expr(Expr::Comprehension(Box::new(comprehension)))
}

fn first(mut args: Vec<IdedExpr>) -> IdedExpr {
    args.swap_remove(0)
}

fn all(helper: Helper<'_, '_>, args: Vec<IdedExpr>) -> Parts {
    let accumulator = ident(helper, RESULT);
    let condition = call(helper, operators::NOT_STRICTLY_FALSE, vec![accumulator]);
    let accumulator = ident(helper, RESULT);
    Parts {
        initial: boolean(helper, true),
        condition,
        step: call(
            helper,
            operators::LOGICAL_AND,
            vec![accumulator, first(args)],
        ),
        result: ident(helper, RESULT),
    }
}

fn exists(helper: Helper<'_, '_>, args: Vec<IdedExpr>) -> Parts {
    let accumulator = ident(helper, RESULT);
    let not = call(helper, operators::LOGICAL_NOT, vec![accumulator]);
    let condition = call(helper, operators::NOT_STRICTLY_FALSE, vec![not]);
    let accumulator = ident(helper, RESULT);
    Parts {
        initial: boolean(helper, false),
        condition,
        step: call(
            helper,
            operators::LOGICAL_OR,
            vec![accumulator, first(args)],
        ),
        result: ident(helper, RESULT),
    }
}

fn exists_one(helper: Helper<'_, '_>, args: Vec<IdedExpr>) -> Parts {
    let one = literal(helper, LiteralValue::Int(1.into()));
    let accumulator = ident(helper, RESULT);
    let more = call(helper, operators::ADD, vec![accumulator, one]);
    let accumulator = ident(helper, RESULT);
    let step = call(
        helper,
        operators::CONDITIONAL,
        vec![first(args), more, accumulator],
    );
    let one = literal(helper, LiteralValue::Int(1.into()));
    let accumulator = ident(helper, RESULT);
    Parts {
        initial: literal(helper, LiteralValue::Int(0.into())),
        condition: boolean(helper, true),
        step,
        result: call(helper, operators::EQUALS, vec![accumulator, one]),
    }
}

/// `initial` with one step per pair; of two arguments, the first is a filter.
fn transform(
    helper: Helper<'_, '_>,
    mut args: Vec<IdedExpr>,
    initial: Expr,
    step: impl FnOnce(Helper<'_, '_>, IdedExpr) -> IdedExpr,
) -> Parts {
    let value = args.pop().unwrap_or_default();
    let mut step = step(helper, value);
    if let Some(filter) = args.pop() {
        let accumulator = ident(helper, RESULT);
        step = call(
            helper,
            operators::CONDITIONAL,
            vec![filter, step, accumulator],
        );
    }
    Parts {
        initial: helper.next_expr(initial),
        condition: boolean(helper, true),
        step,
        result: ident(helper, RESULT),
    }
}

fn transform_list(helper: Helper<'_, '_>, args: Vec<IdedExpr>) -> Parts {
    transform(
        helper,
        args,
        Expr::List(ListExpr::default()),
        |helper, value| {
            let accumulator = ident(helper, RESULT);
            let item = helper.next_expr(Expr::List(ListExpr::new(vec![value])));
            call(helper, operators::ADD, vec![accumulator, item])
        },
    )
}

fn transform_map(helper: Helper<'_, '_>, args: Vec<IdedExpr>) -> Parts {
    transform(
        helper,
        args,
        Expr::Map(MapExpr::default()),
        |helper, value| {
            let accumulator = ident(helper, RESULT);
            let pair = ident(helper, PAIR);
            let index = literal(helper, LiteralValue::Int(0.into()));
            let key = call(helper, operators::INDEX, vec![pair, index]);
            call(helper, INSERT, vec![accumulator, key, value])
        },
    )
}

fn transform_map_entry(helper: Helper<'_, '_>, args: Vec<IdedExpr>) -> Parts {
    transform(
        helper,
        args,
        Expr::Map(MapExpr::default()),
        |helper, value| {
            let accumulator = ident(helper, RESULT);
            call(helper, MERGE, vec![accumulator, value])
        },
    )
}

type Args<'b, 'v> = Vec<CowVal<'b, 'v>>;
type Answer<'b, 'v> = Result<CowVal<'b, 'v>, ExecutionError>;

fn pair<'v>(key: Box<dyn Val + 'v>, value: Box<dyn Val + 'v>) -> Box<dyn Val + 'v> {
    Box::new(CelList::from(vec![key, value]))
}

fn pairs_of_list<'b, 'v>(args: Args<'b, 'v>) -> Answer<'b, 'v> {
    let items = super::lists::items(&args[0])?;
    let pairs = items.into_iter().zip(0_i64..);
    let pairs = pairs.map(|(item, index)| pair(Box::new(CelInt::from(index)), item));
    Ok(CowVal::owned(CelList::from(pairs.collect::<Vec<_>>())))
}

fn map<'a, 'v>(value: &'a CowVal<'_, 'v>) -> Result<&'a CelMap<'v>, ExecutionError> {
    let type_ = || vec![value.get_type().name().to_owned()];
    value
        .downcast_ref::<CelMap>()
        .ok_or_else(|| ExecutionError::no_such_overload(PAIRS, type_()))
}

fn pairs_of_map<'b, 'v>(args: Args<'b, 'v>) -> Answer<'b, 'v> {
    let pairs = map(&args[0])?.inner().iter();
    let pairs = pairs.map(|(key, value)| pair(key.inner().clone_as_boxed(), value.clone()));
    Ok(CowVal::owned(CelList::from(pairs.collect::<Vec<_>>())))
}

fn key<'v>(value: &(dyn Val + 'v)) -> Result<CelMapKey<'v>, ExecutionError> {
    if let Some(text) = value.downcast_ref::<CelString>() {
        Ok(CelMapKey::String(text.clone()))
    } else if let Some(int) = value.downcast_ref::<CelInt>() {
        Ok(CelMapKey::Int((*int.inner()).into()))
    } else if let Some(uint) = value.downcast_ref::<CelUInt>() {
        Ok(CelMapKey::UInt((*uint.inner()).into()))
    } else if let Some(bool) = value.downcast_ref::<CelBool>() {
        Ok(CelMapKey::Bool((*bool.inner()).into()))
    } else {
        Err(error(INSERT, "unsupported key type"))
    }
}

fn insert_new<'v>(
    entries: &mut HashMap<CelMapKey<'v>, Box<dyn Val + 'v>>,
    key: CelMapKey<'v>,
    value: Box<dyn Val + 'v>,
) -> Result<(), ExecutionError> {
    let shown = match &key {
        CelMapKey::String(text) => text.inner().to_owned(),
        CelMapKey::Int(int) => int.inner().to_string(),
        CelMapKey::UInt(uint) => uint.inner().to_string(),
        CelMapKey::Bool(bool) => bool.inner().to_string(),
    };
    match entries.insert(key, value) {
        None => Ok(()),
        Some(_) => Err(error(
            INSERT,
            format!("insert failed: key {shown} already exists"),
        )),
    }
}

fn insert<'b, 'v>(args: Args<'b, 'v>) -> Answer<'b, 'v> {
    let mut entries = map(&args[0])?.inner().clone();
    insert_new(&mut entries, key(&*args[1])?, args[2].clone_as_boxed())?;
    Ok(CowVal::owned(CelMap::from(entries)))
}

fn merge<'b, 'v>(args: Args<'b, 'v>) -> Answer<'b, 'v> {
    let mut entries = map(&args[0])?.inner().clone();
    for (key, value) in map(&args[1])?.inner() {
        insert_new(&mut entries, key.clone(), value.clone())?;
    }
    Ok(CowVal::owned(CelMap::from(entries)))
}
