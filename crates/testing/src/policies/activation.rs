//! The values that the expressions of one policy read, for one request.

use std::collections::{BTreeMap, BTreeSet};

use kube_codegen_cel::{PER_CALL_LIMIT, Value as CelValue};
use serde_json::Value;

use super::environment::{AUTHORIZER, Compiled, Variable};

/// What all expressions of a policy may cost together.
pub(crate) const BUDGET: u64 = 10_000_000;
/// What all match conditions may cost together.
pub(crate) const CONDITIONS_BUDGET: u64 = 2_500_000;

const VARIABLES: &str = "variables";

/// What a request is about, as the variables of expressions.
#[derive(Clone, Copy)]
pub(crate) struct Inputs<'a> {
    pub(crate) object: &'a Value,
    pub(crate) old: &'a Value,
    pub(crate) request: &'a Value,
    pub(crate) params: &'a Value,
    pub(crate) namespace: &'a Value,
}

/// Why an expression has no value.
#[derive(Debug)]
pub(crate) enum Failure {
    Error(String),
    /// The budget is used up: no other expression is evaluated.
    Budget(String),
}

impl Failure {
    pub(crate) fn message(self) -> String {
        match self {
            Self::Error(message) | Self::Budget(message) => message,
        }
    }
}

pub(crate) struct Activation<'v> {
    values: Vec<(&'static str, CelValue)>,
    variables: &'v [Variable],
    /// The variables that are known so far. One that failed is an error for those who read it.
    known: BTreeMap<&'v str, CelValue>,
    budget: u64,
}

impl<'v> Activation<'v> {
    pub(crate) fn new(inputs: &Inputs<'_>, variables: &'v [Variable], budget: u64) -> Self {
        let none = "the API server in memory has no authorizer for expressions";
        let values = vec![
            ("object", CelValue::from(inputs.object)),
            ("oldObject", CelValue::from(inputs.old)),
            ("request", CelValue::from(inputs.request)),
            ("params", CelValue::from(inputs.params)),
            ("namespaceObject", CelValue::from(inputs.namespace)),
            (AUTHORIZER, CelValue::invalid(none)),
        ];
        Self {
            values,
            variables,
            known: BTreeMap::new(),
            budget,
        }
    }

    /// Returns the value of an expression.
    pub(crate) fn evaluate(
        &mut self,
        source: &str,
        expression: &Result<Compiled, String>,
    ) -> Result<CelValue, Failure> {
        let compiled = expression
            .as_ref()
            .map_err(|why| Failure::Error(format!("compilation error: {why}")))?;
        self.prepare(compiled)?;
        let value = self.run(compiled)?;
        value.map_err(|why| {
            Failure::Error(format!("expression '{source}' resulted in error: {why}"))
        })
    }

    /// Evaluates the variables that an expression needs and that are not known yet. A variable reads only those before it.
    fn prepare(&mut self, expression: &Compiled) -> Result<(), Failure> {
        let mut needed: BTreeSet<String> = names(expression).collect();
        for variable in self.variables.iter().rev() {
            if needed.contains(&variable.name)
                && let Ok(compiled) = &variable.expression
            {
                needed.extend(names(compiled));
            }
        }
        for variable in self.variables {
            let name = variable.name.as_str();
            if !needed.contains(name) || self.known.contains_key(name) {
                continue;
            }
            let value = match &variable.expression {
                Ok(compiled) => self.run(compiled)?.unwrap_or_else(|why| {
                    let why = format!("composited variable {name:?} fails to evaluate: {why}");
                    CelValue::invalid(why)
                }),
                Err(why) => {
                    let why = format!("composited variable {name:?} fails to compile: {why}");
                    CelValue::invalid(why)
                }
            };
            self.known.insert(name, value);
        }
        Ok(())
    }

    /// Evaluates an expression whose variables are known, and takes its cost from the budget.
    fn run(&mut self, compiled: &Compiled) -> Result<Result<CelValue, String>, Failure> {
        let variables = self.known.iter();
        let variables = variables.map(|(name, value)| (*name, value.clone()));
        let variables = CelValue::map(variables);
        let mut values: Vec<_> = self.values.iter().map(|(name, it)| (*name, it)).collect();
        values.push((VARIABLES, &variables));
        let done = compiled.program.evaluate(&values, PER_CALL_LIMIT);
        let Some(left) = self.budget.checked_sub(done.cost) else {
            let why = "validation failed due to running out of cost budget, no further validation rules will be run";
            return Err(Failure::Budget(why.to_owned()));
        };
        self.budget = left;
        Ok(done.result.map_err(|why| why.to_string()))
    }
}

fn names(expression: &Compiled) -> impl Iterator<Item = String> {
    expression.program.fields_of(VARIABLES).into_iter()
}
