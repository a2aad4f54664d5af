//! Applies overrides; one that matches no schema location is an error.
mod apply;
mod places;

use crate::base::diag::{Code, Diagnostics, Place, nearest};
use crate::base::options::Options;
use crate::model::ir::{Body, Choice, Model};
use apply::apply;
use places::Places;

/// Applies every override to all schema locations that it matches.
pub(super) fn run(model: &mut Model, options: &Options, diagnostics: &mut Diagnostics) {
    if options.overrides.is_empty() {
        return;
    }
    let places = Places::of(model);
    let mut skipped = Vec::new();
    for chosen in &options.overrides {
        let targets = places.find(&chosen.path);
        if targets.is_empty() {
            let near = nearest(&chosen.path, places.paths());
            let finding = diagnostics.report(
                Code::OverrideUnmatched,
                Place::nowhere(),
                format!("the override of `{}` matches nothing", chosen.path),
            );
            if !near.is_empty() {
                finding.hint(format!("did you mean `{}`?", near.join("`, `")));
            }
        }
        for target in targets {
            if let Err(reason) = apply(model, target, chosen) {
                diagnostics
                    .report(
                        Code::OverrideInvalid,
                        Place::nowhere(),
                        format!(
                            "the override of `{}` cannot be applied: {reason}",
                            chosen.path
                        ),
                    )
                    .hint("see `kube-codegen explain KC0502`");
            } else if chosen.skip {
                skipped.extend(target.field);
            }
        }
    }
    // Last, so that indices of fields stay valid for the other overrides.
    skipped.sort_unstable();
    skipped.dedup();
    for (id, index) in skipped.into_iter().rev() {
        if let Body::Struct(body) = &mut model.types[id].body {
            let field = body.fields.remove(index);
            // What is set could not be seen any more.
            let has = |choice: &Choice| choice.members.iter().any(|it| it.wire == field.wire);
            body.choices.retain(|choice| !has(choice));
        }
    }
}
