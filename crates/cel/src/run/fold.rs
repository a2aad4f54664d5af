//! Comprehensions: `all`, `exists`, `map`, `filter` and the others, over lists and maps.

use std::collections::HashMap;

use cel::{
    ExecutionError, IdedExpr,
    common::{
        ast::{ComprehensionExpr, Expr, operators},
        types::{CelInt, CelList, CelMap, CelMapKey},
        value::{BuiltinRef, CowVal, Val},
    },
};

use super::{Interpreter, Outer, Scope, access::truth};
use crate::{
    errors::{Answer, Stop, no_overload},
    library::{INSERT, insert},
    value::{Identity, List, Map, Object, share},
};

type Owned = Result<Box<dyn Val>, ExecutionError>;

impl Interpreter<'_> {
    pub(super) fn comprehension<'e>(
        &'e self,
        comprehension: &'e ComprehensionExpr,
        scope: Outer<'e>,
    ) -> Answer<'e> {
        let range = self.evaluate(&comprehension.iter_range, scope)?;
        let pairs = pairs(&*range, comprehension.iter_var2.is_some())?;
        let initial = self.evaluate(&comprehension.accu_init, scope);
        let mut state = State::new(comprehension, owned(initial)?);
        for (first, second) in &pairs {
            let accumulator = Scope {
                name: &comprehension.accu_var,
                value: state.value(),
                outer: scope,
            };
            if let Ok(false) = self.truth(&comprehension.loop_cond, Some(&accumulator))? {
                break;
            }
            let inner = Scope {
                name: &comprehension.iter_var,
                value: Ok(&**first),
                outer: Some(&accumulator),
            };
            let both = Scope {
                name: comprehension.iter_var2.as_deref().unwrap_or("#none"),
                value: Ok(second.as_deref().unwrap_or(&**first)),
                outer: Some(&inner),
            };
            let step = if state.grows() {
                self.grow(&comprehension.loop_step, &both)?
            } else {
                Step::Value(owned(self.evaluate(&comprehension.loop_step, Some(&both)))?)
            };
            state.apply(step);
        }
        let value = state.finish();
        let accumulator = Scope {
            name: &comprehension.accu_var,
            value: value.as_deref(),
            outer: scope,
        };
        let result = self.evaluate(&comprehension.result, Some(&accumulator))?;
        Ok(CowVal::Owned(result.into_owned()))
    }

    fn truth(&self, expr: &IdedExpr, scope: Outer<'_>) -> Result<Result<bool, ()>, Stop> {
        match self.evaluate(expr, scope) {
            Ok(value) => Ok(truth(&*value).map_err(|_| ())),
            Err(Stop::Error(_)) => Ok(Err(())),
            Err(stop) => Err(stop),
        }
    }

    /// Evaluates a step that adds to a list or a map, without copying what is there.
    fn grow(&self, step: &IdedExpr, scope: &Scope<'_>) -> Result<Step, Stop> {
        let Expr::Call(call) = &step.expr else {
            return Ok(Step::Nothing);
        };
        let attempt = || match (call.func_name.as_str(), &*call.args) {
            (operators::CONDITIONAL, [condition, then, otherwise]) => {
                if truth(&*self.evaluate(condition, Some(scope))?)? {
                    self.grow(then, scope)
                } else {
                    self.branch(otherwise, Some(scope))?;
                    Ok(Step::Nothing)
                }
            }
            (INSERT, [accumulator, key, value]) => {
                self.evaluate(accumulator, Some(scope))?;
                let key = CelMapKey::try_from(self.evaluate(key, Some(scope))?)?;
                let value = self.evaluate(value, Some(scope))?.into_owned();
                self.charge(1)?;
                Ok(Step::Entries(vec![(key, value)]))
            }
            (_, [accumulator, more]) => {
                self.evaluate(accumulator, Some(scope))?;
                let more = self.evaluate(more, Some(scope))?;
                self.charge(1)?;
                if let Some(items) = more.downcast_ref::<CelList>() {
                    return Ok(Step::Items(items.inner().to_vec()));
                }
                let entries = more.downcast_ref::<CelMap>().map(|map| map.inner().iter());
                let entries = entries.into_iter().flatten();
                Ok(Step::Entries(
                    entries
                        .map(|(key, value)| (key.clone(), value.clone()))
                        .collect(),
                ))
            }
            _ => Ok(Step::Nothing),
        };
        match attempt() {
            Err(Stop::Error(error)) => Ok(Step::Value(Err(error))),
            step => step,
        }
    }
}

/// What one pass of a comprehension does to the accumulator.
enum Step {
    Nothing,
    Value(Owned),
    Items(Vec<Box<dyn Val>>),
    Entries(Vec<(CelMapKey<'static>, Box<dyn Val>)>),
}

/// The accumulator of a comprehension.
enum State {
    Value(Owned),
    List(Vec<Box<dyn Val>>, List),
    Map(HashMap<CelMapKey<'static>, Box<dyn Val>>, Map),
}

impl State {
    /// A comprehension that starts with an empty list or map and only adds to it collects the parts.
    fn new(comprehension: &ComprehensionExpr, initial: Owned) -> Self {
        let is_empty = match &comprehension.accu_init.expr {
            Expr::List(list) => list.elements.is_empty(),
            Expr::Map(map) => map.entries.is_empty(),
            _ => false,
        };
        if !is_empty || !adds(&comprehension.loop_step, &comprehension.accu_var) {
            return Self::Value(initial);
        }
        match comprehension.accu_init.expr {
            Expr::List(_) => {
                let empty = List::new(CelList::default(), Identity::Place);
                Self::List(Vec::new(), empty)
            }
            _ => Self::Map(HashMap::new(), Map::new(CelMap::default())),
        }
    }

    fn grows(&self) -> bool {
        !matches!(self, Self::Value(_))
    }

    /// Returns the value of the variable; while the accumulator grows, no expression but the step reads it.
    fn value(&self) -> Result<&Object, &ExecutionError> {
        match self {
            Self::Value(value) => value.as_deref(),
            Self::List(_, empty) => Ok(empty),
            Self::Map(_, empty) => Ok(empty),
        }
    }

    fn apply(&mut self, step: Step) {
        match (step, &mut *self) {
            (Step::Value(value), _) => *self = Self::Value(value.map(share)),
            (Step::Items(more), Self::List(items, _)) => items.extend(more),
            (Step::Entries(more), Self::Map(entries, _)) => {
                for (key, value) in more {
                    if let Err(error) = insert(entries, key, value) {
                        *self = Self::Value(Err(error));
                        return;
                    }
                }
            }
            _ => {}
        }
    }

    fn finish(self) -> Owned {
        match self {
            Self::Value(value) => value,
            Self::List(items, _) => Ok(Box::new(List::new(CelList::from(items), Identity::Place))),
            Self::Map(entries, _) => Ok(Box::new(Map::new(CelMap::from(entries)))),
        }
    }
}

/// Returns whether a step is `accumulator + […]`, an insertion into it, or a choice between this and the accumulator.
fn adds(step: &IdedExpr, accumulator: &str) -> bool {
    let is_accumulator =
        |expr: &IdedExpr| matches!(&expr.expr, Expr::Ident(name) if name == accumulator);
    let Expr::Call(call) = &step.expr else {
        return false;
    };
    match (call.func_name.as_str(), &*call.args) {
        (operators::CONDITIONAL, [_, then, otherwise]) => {
            is_accumulator(otherwise) && adds(then, accumulator)
        }
        (operators::ADD, [left, right]) => {
            is_accumulator(left) && matches!(right.expr, Expr::List(_))
        }
        (INSERT, [map, ..]) => is_accumulator(map),
        _ => false,
    }
}

type Pair = (Box<dyn Val>, Option<Box<dyn Val>>);

/// Returns what a comprehension visits: with two variables, index and item or key and value. Keys are sorted.
fn pairs(range: &Object, two: bool) -> Result<Vec<Pair>, ExecutionError> {
    match range.as_builtin() {
        BuiltinRef::List(list) => {
            let items = list.inner().iter().zip(0_i64..);
            Ok(items
                .map(|(item, index)| {
                    if two {
                        (Box::new(CelInt::from(index)) as _, Some(item.clone()))
                    } else {
                        (item.clone(), None)
                    }
                })
                .collect())
        }
        BuiltinRef::Map(map) => {
            let mut entries: Vec<_> = map.inner().iter().collect();
            entries.sort_by_cached_key(|(key, _)| match key {
                CelMapKey::String(text) => text.inner().to_owned(),
                key => format!("{key:?}"),
            });
            let entries = entries.into_iter();
            Ok(entries
                .map(|(key, value)| (key.inner().clone_as_boxed(), two.then(|| value.clone())))
                .collect())
        }
        _ => Err(no_overload("comprehension", [range])),
    }
}

fn owned(answer: Answer<'_>) -> Result<Owned, Stop> {
    match answer {
        Ok(value) => Ok(Ok(share(value.into_owned()))),
        Err(Stop::Error(error)) => Ok(Err(error)),
        Err(stop) => Err(stop),
    }
}
