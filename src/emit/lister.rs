//! `lister.rs` of each version: reads from the cache of an informer.
use super::parts::{doc, layout, uses};
use super::{Contents, Emitter, Exports, OutFile};
use crate::ir::{Model, Module};
use crate::options::Options;

pub(super) struct Emit;

impl Emitter for Emit {
    fn name(&self) -> &'static str {
        "lister"
    }

    fn about(&self) -> &'static str {
        "a lister for each kind, which reads the cache of an informer"
    }

    fn needs(&self) -> &'static [&'static str] {
        &["types", "resource"]
    }

    fn emit<'m>(&self, model: &'m Model, _: &'m Options) -> Vec<OutFile<'m>> {
        model
            .modules
            .iter()
            .map(|module| OutFile {
                path: format!("{}/lister.rs", module.path()),
                contents: Contents::Rust(Box::new(move || listers(model, module))),
                exports: Exports::Names(
                    model
                        .kinds_of(module)
                        .map(|kind| kind.names.lister.clone())
                        .collect(),
                ),
            })
            .collect()
    }
}

fn listers(model: &Model, module: &Module) -> String {
    let head = format!("Listers of `{}`.", module.api_version());
    let mut uses = uses::roots(model, module);
    uses.push_str("use kube_codegen_runtime::lister::Lister;\n");
    let mut items = String::new();
    for kind in model.kinds_of(module) {
        let ty = &model.types[kind.root].name;
        let about = format!("Reads [`{ty}`] objects from the cache of an informer.");
        items.push('\n');
        doc::write(&mut items, "", &[about]);
        items.push_str(&layout::alias(&kind.names.lister, &format!("Lister<{ty}>")));
    }
    layout::file(&head, &uses, &items)
}
