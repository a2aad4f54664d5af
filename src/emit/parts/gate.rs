//! Modules come in, the attribute that compiles an item only where a feature of theirs is on goes out; nothing if none is asked for.
use super::layout;
use crate::ir::Module;
use crate::options::Options;

/// Writes the gate of what belongs to any of these modules, so many spaces from the margin.
pub(crate) fn write<'m>(
    out: &mut String,
    margin: &str,
    modules: impl IntoIterator<Item = &'m Module>,
    options: &Options,
) {
    if options.feature_gates {
        // The names of features need no escapes.
        let feature = |module: &Module| format!("feature = \"{}\"", module.feature());
        let features: Vec<String> = modules.into_iter().map(feature).collect();
        layout::gate(out, margin, &features);
    }
}
