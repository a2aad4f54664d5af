//! `explain`: tells what a code of a finding means.
use super::Failure;
use super::console::Console;
use crate::diag::{Code, nearest};
use serde_json::json;

/// Explain the code of a finding, as KC0101; without one, list all codes
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The code, as findings show it
    code: Option<String>,
}

pub(super) fn run(args: &Args, console: &mut Console) -> Result<(), Failure> {
    let Some(wanted) = &args.code else {
        for code in Code::ALL {
            tell(*code, console);
            console.line(&format!(
                "{} {:<7} {}",
                code.as_str(),
                code.severity().as_str(),
                code.title()
            ));
        }
        return Ok(());
    };
    let Some(code) = Code::named(wanted) else {
        let hint = match nearest(
            &wanted.to_uppercase(),
            Code::ALL.iter().map(|code| code.as_str()),
        )
        .first()
        {
            Some(code) => format!("did you mean {code}?"),
            None => "`kube-codegen explain` lists all".to_owned(),
        };
        return Err(Failure::Usage(format!(
            "no code `{}`; {hint}",
            wanted.escape_debug()
        )));
    };
    tell(code, console);
    console.line(&format!(
        "{} ({}): {}\n\n{}",
        code.as_str(),
        code.severity().as_str(),
        code.title(),
        code.explain().trim_end()
    ));
    Ok(())
}

fn tell(code: Code, console: &mut Console) {
    console.object(&json!({
        "type": "code",
        "code": code.as_str(),
        "severity": code.severity().as_str(),
        "title": code.title(),
        "explanation": code.explain(),
    }));
}
