//! `informer.rs` of each version and `informers.rs` over all of them: shared informers from one factory.
use super::parts::layout;
use super::parts::{doc, gate, modules, uses};
use super::{Contents, Emitter, Exports, OutFile};
use crate::ir::{Model, Module};
use crate::options::Options;
use std::fmt::Write;

/// The longest chain of calls that rustfmt leaves on a line.
const MAX_CHAIN: usize = 60;

pub(super) struct Emit;

impl Emitter for Emit {
    fn name(&self) -> &'static str {
        "informer"
    }

    fn about(&self) -> &'static str {
        "shared informers of each kind, from one factory"
    }

    fn needs(&self) -> &'static [&'static str] {
        &["types", "resource", "lister"]
    }

    fn emit<'m>(&self, model: &'m Model, options: &'m Options) -> Vec<OutFile<'m>> {
        let mut files: Vec<OutFile<'_>> = model
            .modules
            .iter()
            .map(|module| OutFile {
                path: format!("{}/informer.rs", module.path()),
                contents: Contents::Rust(Box::new(move || informer(model, module))),
                exports: Exports::Names(vec![module.informers.clone()]),
            })
            .collect();
        files.push(OutFile {
            path: "informers.rs".into(),
            contents: Contents::Rust(Box::new(move || informers(model, options))),
            exports: Exports::Module,
        });
        files
    }
}

fn informer(model: &Model, module: &Module) -> String {
    let api_version = module.api_version();
    let head = format!("Shared informers of `{api_version}`.");
    let mut uses = uses::roots(model, module);
    uses.push_str("use kube_codegen_runtime::informer::{InformerFactory, SharedInformer};\n");
    let name = &module.informers;
    let mut items = format!(
        r"
/// Shared informers of the kinds of `{api_version}`.
#[derive(Clone, Copy)]
pub struct {name}<'f> {{
    factory: &'f InformerFactory,
}}

impl<'f> {name}<'f> {{
    /// Creates a view of `factory` that has the informers of these kinds.
    pub fn new(factory: &'f InformerFactory) -> Self {{
        Self {{ factory }}
    }}
"
    );
    for kind in model.kinds_of(module) {
        let ty = &model.types[kind.root].name;
        let about = format!("The informer of [`{ty}`] objects: the same one each time.");
        items.push('\n');
        doc::write(&mut items, layout::MARGIN, &[about]);
        let method = &kind.names.method;
        layout::function(
            &mut items,
            &format!("pub fn {method}"),
            &["&self"],
            &format!("SharedInformer<{ty}>"),
            " {",
        );
        let chain = format!("self.factory.informer::<{ty}>()");
        let lines = if chain.len() > MAX_CHAIN {
            chain.replacen(".informer", "\n            .informer", 1)
        } else {
            chain
        };
        _ = writeln!(items, "        {lines}\n    }}");
    }
    items.push_str("}\n");
    layout::file(&head, &uses, &items)
}

fn informers(model: &Model, options: &Options) -> String {
    let mut uses = modules::spared();
    uses.push('\n');
    uses.push_str(&uses::of_modules(model, options, |module| {
        &module.informers
    }));
    uses.push_str("use kube_codegen_runtime::informer::InformerFactory;\n");
    let mut declared = String::new();
    let mut defined = String::new();
    for (index, module) in model.modules.iter().enumerate() {
        let name = &module.informers;
        if index > 0 {
            declared.push('\n');
            defined.push('\n');
        }
        let about = format!("The informers of `{}`.", module.api_version());
        doc::write(&mut declared, layout::MARGIN, &[about]);
        for (out, end) in [(&mut declared, ";"), (&mut defined, " {")] {
            gate::write(out, layout::MARGIN, [module], options);
            layout::function(
                out,
                &format!("fn {}", module.method),
                &["&self"],
                &format!("{name}<'_>"),
                end,
            );
        }
        _ = writeln!(defined, "        {name}::new(self)\n    }}");
    }
    let items = format!(
        r"
/// The informers that a factory shares.
pub trait Informers {{
{declared}}}

impl Informers for InformerFactory {{
{defined}}}
"
    );
    layout::file(
        "The informers of every group and version, from one factory.",
        &uses,
        &items,
    )
}
