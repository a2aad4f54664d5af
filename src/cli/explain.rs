//! `kube-codegen explain`: describes the codes of diagnostics.
use serde_json::json;

use super::{CommandError, console::Console};
use crate::diag::{Code, nearest};

/// Explain a diagnostic code such as KC0101, or list all codes
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The code
    code: Option<String>,
}

pub(super) fn run(args: &Args, console: &mut Console) -> Result<(), CommandError> {
    let Some(wanted) = &args.code else {
        for code in Code::ALL {
            let (name, severity) = (code.as_str(), code.severity().as_str());
            object(*code, console);
            console.line(&format!("{name} {severity:<7} {}", code.title()));
        }
        return Ok(());
    };
    let Some(code) = Code::named(wanted) else {
        let codes = Code::ALL.iter().map(|code| code.as_str());
        let hint = match nearest(&wanted.to_uppercase(), codes).first() {
            Some(code) => format!("did you mean {code}?"),
            None => "`kube-codegen explain` lists all codes".to_owned(),
        };
        let wanted = wanted.escape_debug();
        return Err(format!("unknown code `{wanted}`; {hint}").into());
    };
    object(code, console);
    console.line(&format!(
        "{} ({}): {}\n\n{}",
        code.as_str(),
        code.severity().as_str(),
        code.title(),
        code.explain().trim_end()
    ));
    Ok(())
}

fn object(code: Code, console: &mut Console) {
    console.object(&json!({
        "type": "code",
        "code": code.as_str(),
        "severity": code.severity().as_str(),
        "title": code.title(),
        "explanation": code.explain(),
    }));
}
