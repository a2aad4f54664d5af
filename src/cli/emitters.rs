//! `emitters`: tells what can be named in `--emit`.
use super::console::Console;
use crate::options::Emitter;
use serde_json::json;

/// List what can be generated
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(_: Args, console: &mut Console) {
    let width = Emitter::all()
        .map(|emitter| emitter.name().len())
        .max()
        .unwrap_or_default();
    for emitter in Emitter::all() {
        let (name, about) = (emitter.name(), emitter.about());
        console.object(&json!({ "type": "emitter", "name": name, "about": about }));
        console.line(&format!("{name:width$}  {about}"));
    }
}
