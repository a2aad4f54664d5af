//! `kube-codegen explain`: describes the codes of diagnostics.
use std::str::FromStr;

use serde_json::json;

use super::{console::Console, values::Values};
use crate::diag::{Code, nearest};
use crate::options::InvalidValue;

/// Explain a diagnostic code such as KC0101, or list all codes
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The code, such as KC0301 or 301
    #[arg(value_parser = Values::<Wanted>::new(Code::ALL.iter().map(|code| code.as_str())), hide_possible_values = true)]
    code: Option<Wanted>,
}

/// The code to explain.
#[derive(Clone, Copy, Debug)]
struct Wanted(Code);

impl FromStr for Wanted {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        Code::named(text).map(Self).ok_or_else(|| {
            let codes = Code::ALL.iter().map(|code| code.as_str());
            let hint = match nearest(&text.to_uppercase(), codes).first() {
                Some(code) => format!("did you mean {code}?"),
                None => "`kube-codegen explain` lists all codes".to_owned(),
            };
            InvalidValue(format!("unknown code `{}`; {hint}", text.escape_debug()))
        })
    }
}

pub(super) fn run(args: &Args, console: &mut Console) {
    let Some(Wanted(code)) = args.code else {
        for code in Code::ALL {
            let (name, severity) = (code.as_str(), code.severity().as_str());
            object(*code, console);
            console.line(&format!("{name} {severity:<7} {}", code.title()));
        }
        return;
    };
    object(code, console);
    console.line(&format!(
        "{} ({}): {}\n\n{}",
        code.as_str(),
        code.severity().as_str(),
        code.title(),
        code.explain().trim_end()
    ));
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
