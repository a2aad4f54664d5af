//! Reports the views that are generated of fields of which at most one is set.
use crate::base::diag::{Code, Diagnostics};
use crate::base::options::Options;
use crate::model::ir::{Body, Choice, Model};

pub(super) fn report(model: &mut Model, _: &Options, diagnostics: &mut Diagnostics) {
    for module in &model.modules {
        for id in model.types_of(module) {
            let def = &model.types[id];
            let Body::Struct(body) = &def.body else {
                continue;
            };
            for (choice, view) in body.choices.iter().zip(&def.views) {
                let message = format!("{}: `{view}` is a view of it", said(choice));
                diagnostics
                    .report(Code::Choice, model.place(id, &def.origin.path), message)
                    .hint("no action is needed; the override `no-choice` leaves the view out");
            }
        }
    }
}

fn said(choice: &Choice) -> String {
    let names = choice.members.iter().map(|it| format!("`{}`", it.wire));
    let names: Vec<String> = names.collect();
    let count = if choice.is_required {
        "exactly"
    } else {
        "at most"
    };
    format!("{count} one of {} is set", names.join(", "))
}
