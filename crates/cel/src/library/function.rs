//! A function in one row: the types that it takes and gives, its result and its costs.

use cel::{DeclarationError, Env, ExecutionError, common::value::CowVal};

use super::{
    cost::{Bounds, Operands, Values},
    signature::{Signature, signatures},
};
use crate::size::Size;

/// Declares the function to `cel`.
pub(super) type Declare = fn(&mut Env) -> Result<(), DeclarationError>;

/// The result of a call; `None` leaves it to the function that is declared to `cel`.
pub(super) type Call = for<'e> fn(&mut [CowVal<'e, 'static>]) -> Option<Answer<'e>>;
pub(super) type Answer<'e> = Result<CowVal<'e, 'static>, ExecutionError>;

type Formula = fn(&dyn Operands) -> u64;

/// A row of a library.
#[derive(Clone, Copy)]
pub(super) struct Function {
    pub(super) name: &'static str,
    /// `target.name(arguments) result` as `.target,arguments result`; `|` separates overloads.
    pub(super) overloads: &'static str,
    pub(super) declare: Option<Declare>,
    call: Option<Call>,
    cost: Option<Formula>,
    run: Option<fn(&Values<'_>) -> u64>,
    estimate: Option<fn(&Bounds<'_>) -> u64>,
    size: Option<fn(&Bounds<'_>) -> Option<Size>>,
}

/// Returns the row of a function that costs 1 and that `cel` has, or that [`declared`](Function::declared) adds.
pub(super) const fn function(name: &'static str, overloads: &'static str) -> Function {
    Function {
        name,
        overloads,
        declare: None,
        call: None,
        cost: None,
        run: None,
        estimate: None,
        size: None,
    }
}

impl Function {
    /// What the function does.
    pub(super) const fn declared(self, declare: Declare) -> Self {
        Self {
            declare: Some(declare),
            ..self
        }
    }

    /// What the function does, where `cel` does something else.
    pub(super) const fn instead(self, call: Call) -> Self {
        Self {
            call: Some(call),
            ..self
        }
    }

    /// What a call costs without its arguments, when it runs and at most.
    pub(super) const fn costs(self, cost: Formula) -> Self {
        Self {
            cost: Some(cost),
            ..self
        }
    }

    /// What a call costs when it runs, where the server estimates by another formula.
    pub(super) const fn costs_running(self, run: fn(&Values<'_>) -> u64) -> Self {
        Self {
            run: Some(run),
            ..self
        }
    }

    /// What a call costs at most, where the server counts by another formula when it runs.
    pub(super) const fn costs_at_most(self, estimate: fn(&Bounds<'_>) -> u64) -> Self {
        Self {
            estimate: Some(estimate),
            ..self
        }
    }

    /// The size of the result, where it is known before the call runs.
    pub(super) const fn sized(self, size: fn(&Bounds<'_>) -> Option<Size>) -> Self {
        Self {
            size: Some(size),
            ..self
        }
    }
}

/// All rows of a name: several libraries have functions of the same name, for other types.
pub(crate) struct Entry {
    pub(crate) signatures: Vec<Signature>,
    row: Function,
}

impl Entry {
    pub(super) fn new(row: Function) -> Self {
        Self {
            signatures: signatures(row.overloads),
            row,
        }
    }

    pub(super) fn add(&mut self, more: &Function) {
        self.signatures.extend(signatures(more.overloads));
        let row = &mut self.row;
        row.call = row.call.or(more.call);
        row.cost = row.cost.or(more.cost);
        row.run = row.run.or(more.run);
        row.estimate = row.estimate.or(more.estimate);
        row.size = row.size.or(more.size);
    }

    pub(crate) fn call<'e>(&self, args: &mut [CowVal<'e, 'static>]) -> Option<Answer<'e>> {
        self.row.call.and_then(|call| call(args))
    }

    /// Returns what a call costs when it runs, without its arguments.
    pub(crate) fn cost(&self, args: &Values<'_>) -> u64 {
        match (self.row.run, self.row.cost) {
            (Some(run), _) => run(args),
            (None, Some(cost)) => cost(args),
            (None, None) => 1,
        }
    }

    /// Returns what a call costs at most, without its arguments, and the size of its result where it is known.
    pub(crate) fn estimate(&self, args: &Bounds<'_>) -> (u64, Option<Size>) {
        let cost = match (self.row.estimate, self.row.cost) {
            (Some(estimate), _) => estimate(args),
            (None, Some(cost)) => cost(args),
            (None, None) => 1,
        };
        (cost, self.row.size.and_then(|size| size(args)))
    }
}
