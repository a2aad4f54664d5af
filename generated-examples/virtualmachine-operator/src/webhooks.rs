//! Webhook handlers for `VirtualMachine` objects.
use kube_codegen_record::conversion::Converter;
use kube_codegen_runtime::webhook::{
    FieldErrors, Rejection, Request, Validator, Warnings, Webhooks,
};

use crate::generated::infra_example_com::v1::{VirtualMachine, conversion};

/// The number of CPUs of a machine that does not say.
pub const CPU: i32 = 2;

/// Adds the webhooks of the kind.
pub fn add(webhooks: Webhooks) -> Webhooks {
    let converter = converter();
    let convert = move |object, version: &str| converter.convert(object, version);
    let webhooks = webhooks.defaulting(set_defaults);
    let webhooks = webhooks.validating::<VirtualMachine>(Rules);
    webhooks.converting::<VirtualMachine, _>(convert)
}

fn set_defaults(
    object: &mut VirtualMachine,
    _request: &Request, // The user, the operation, and both objects as JSON.
) -> Result<(), Rejection> {
    object.spec.cpu.get_or_insert(CPU);
    Ok(())
}

/// The rules that neither the schema nor CEL in the CRD (`x-kubernetes-validations`) can express.
struct Rules;

impl Validator<VirtualMachine> for Rules {
    async fn validate_create(
        &self,
        object: &VirtualMachine,
        _request: &Request, // The user, the operation, and both objects as JSON.
    ) -> Result<Warnings, Rejection> {
        let mut errors = FieldErrors::new();
        let memory = mebibytes(&object.spec.memory);
        if memory.is_none_or(|memory| memory < 256) {
            errors.invalid("spec.memory", &object.spec.memory, "must be at least 256Mi");
        }
        errors.finish(object)?;
        let cpu = u64::try_from(object.spec.cpu.unwrap_or(CPU)).unwrap_or_default();
        Ok(match memory {
            Some(memory) if memory < cpu * 512 => {
                vec![format!("{memory}Mi of memory are little for {cpu} CPUs")]
            }
            _ => Warnings::new(),
        })
    }

    async fn validate_update(
        &self,
        old: &VirtualMachine,
        object: &VirtualMachine,
        request: &Request,
    ) -> Result<Warnings, Rejection> {
        let (old_memory, memory) = (mebibytes(&old.spec.memory), mebibytes(&object.spec.memory));
        if memory < old_memory {
            let mut errors = FieldErrors::new();
            errors.forbidden("spec.memory", "a running machine cannot lose memory");
            errors.finish(object)?;
        }
        if old.spec == object.spec {
            // A finalizer can be removed even from a machine that was stored before these rules.
            return Ok(Warnings::new());
        }
        self.validate_create(object, request).await
    }
}

/// Returns the converter between the versions of the kind.
pub fn converter() -> Converter {
    conversion::virtual_machine_converter()
}

/// Returns the number of MiB; `None` if the text is malformed, which the schema rejects.
fn mebibytes(memory: &str) -> Option<u64> {
    let (number, unit) = match memory.strip_suffix("Gi") {
        Some(number) => (number, 1024),
        None => (memory.strip_suffix("Mi")?, 1),
    };
    number.parse::<u64>().ok()?.checked_mul(unit)
}
