//! Fills in, checks and converts `VirtualMachine` objects when the API server asks for it.
use std::sync::Arc;

use kube_codegen_record::conversion::{Converter, Mapping};
use kube_codegen_runtime::webhook::{FieldErrors, Refusal, Request, Validator, Warnings, Webhooks};

use crate::{
    REPORTER,
    generated::infra_example_com::v1::{
        VirtualMachine,
        conversion::{ConvertVirtualMachineV2, virtual_machine_converter},
    },
};

/// The number of CPUs of a machine that does not say.
pub const CPU: i32 = 2;

/// Returns the webhooks of the operator.
pub fn webhooks() -> Webhooks {
    let converter = Arc::new(converter());
    Webhooks::new(REPORTER)
        .defaulting(set_cpu)
        .validating::<VirtualMachine>(Rules)
        .converting::<VirtualMachine, _>(move |object, version| converter.convert(object, version))
}

/// Returns the converter between v1 and v2.
pub fn converter() -> Converter {
    virtual_machine_converter(&Conversion)
}

struct Conversion;

impl ConvertVirtualMachineV2 for Conversion {
    /// The memory has another place in v2.
    fn spec_resources_memory(&self) -> Mapping<String, String> {
        Mapping::copy()
    }
}

fn set_cpu(machine: &mut VirtualMachine, _: &Request) -> Result<(), Refusal> {
    machine.spec.cpu.get_or_insert(CPU);
    Ok(())
}

/// What the schema cannot say.
struct Rules;

impl Validator<VirtualMachine> for Rules {
    async fn validate_create(
        &self,
        machine: &VirtualMachine,
        _: &Request,
    ) -> Result<Warnings, Refusal> {
        let mut errors = FieldErrors::new();
        let memory = mebibytes(&machine.spec.memory);
        if memory.is_none_or(|memory| memory < 256) {
            errors.invalid(
                "spec.memory",
                &machine.spec.memory,
                "must be at least 256Mi",
            );
        }
        errors.finish(machine)?;
        let cpu = u64::try_from(machine.spec.cpu.unwrap_or(CPU)).unwrap_or_default();
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
        machine: &VirtualMachine,
        request: &Request,
    ) -> Result<Warnings, Refusal> {
        let (old_memory, memory) = (mebibytes(&old.spec.memory), mebibytes(&machine.spec.memory));
        if memory < old_memory {
            let mut errors = FieldErrors::new();
            errors.forbidden("spec.memory", "a running machine cannot lose memory");
            errors.finish(machine)?;
        }
        if old.spec == machine.spec {
            // A finalizer can be removed even from a machine that was stored before these rules.
            return Ok(Warnings::new());
        }
        self.validate_create(machine, request).await
    }
}

/// Returns the number of MiB; `None` if the text is malformed, which the schema refuses.
fn mebibytes(memory: &str) -> Option<u64> {
    let (number, unit) = match memory.strip_suffix("Gi") {
        Some(number) => (number, 1024),
        None => (memory.strip_suffix("Mi")?, 1),
    };
    number.parse::<u64>().ok()?.checked_mul(unit)
}
