//! Admission policies: `MutatingAdmissionPolicy` and `ValidatingAdmissionPolicy` with their bindings
//! (<https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/>).
//!
//! A policy takes part if its constraints match the request. Each of its bindings that matches, too, is an invocation for each of its
//! parameter objects. Mutating policies change the object before mutating webhooks do; those that ask for it do so once more after the
//! webhooks. Validating policies judge the object before validating webhooks do. Policies and bindings are in the order of their names.
//!
//! Without CEL, policies have no effect.

#[cfg(feature = "cel")]
mod invocation;
#[cfg(feature = "cel")]
mod mutating;
#[cfg(feature = "cel")]
mod mutation;
#[cfg(feature = "cel")]
mod params;
#[cfg(feature = "cel")]
mod validating;

#[cfg(feature = "cel")]
pub(crate) use self::{
    mutating::{mutate, reinvoke},
    validating::{validate, validate_deletion},
};
#[cfg(not(feature = "cel"))]
pub(crate) use without::*;

#[cfg(not(feature = "cel"))]
mod without {
    use serde_json::Value;

    use crate::{
        admission::Draft,
        kinds::store::Store,
        request::{Notes, Request},
        values::status::Answer,
    };

    pub(crate) fn mutate(_: &Store, _: &Request, _: &mut Draft) -> Answer<()> {
        Ok(())
    }

    pub(crate) fn reinvoke(_: &Store, _: &Request, _: &mut Draft) -> Answer<()> {
        Ok(())
    }

    pub(crate) fn validate(_: &Store, _: &Request, _: &Draft, _: &mut Notes) -> Answer<()> {
        Ok(())
    }

    pub(crate) fn validate_deletion(
        _: &Store,
        _: &Request,
        _: &Value,
        _: &mut Notes,
    ) -> Answer<()> {
        Ok(())
    }
}
