//! A `CrdKind` comes in, what it wants comes out, or why it wants nothing that can be had; the API server is not asked.
use crate::generated::iksoon_test_com::v1::CrdKind;

/// What is to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// A database.
    Mysql,
    /// A servlet container.
    Tomcat,
}

impl Choice {
    /// As in `spec.choice`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mysql => "mysql",
            Self::Tomcat => "tomcat",
        }
    }

    /// The TCP port that its image listens on.
    pub fn port(self) -> i32 {
        match self {
            Self::Mysql => 3306,
            Self::Tomcat => 8080,
        }
    }
}

/// What a valid object asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// What is to run.
    pub choice: Choice,
    /// How many Pods of it.
    pub replicas: i32,
}

/// Checks what the CRD's schema lets pass: its pattern is not anchored (`mysqlx` fits), and it requires no field.
///
/// # Errors
/// A sentence for the author of the object.
pub fn wanted(object: &CrdKind) -> Result<Wanted, String> {
    let spec = object.spec.as_ref().ok_or("spec is missing")?;
    let choice = match spec.choice.as_deref() {
        Some("mysql") => Choice::Mysql,
        Some("tomcat") => Choice::Tomcat,
        Some(other) => {
            return Err(format!(
                "spec.choice is {other:?}: it must be mysql or tomcat"
            ));
        }
        None => return Err("spec.choice is missing: it must be mysql or tomcat".to_owned()),
    };
    let replicas = spec
        .replicas
        .ok_or("spec.replicas is missing: it must be from 1 to 10")?;
    match i32::try_from(replicas) {
        Ok(replicas @ 1..=10) => Ok(Wanted { choice, replicas }),
        _ => Err(format!(
            "spec.replicas is {replicas}: it must be from 1 to 10"
        )),
    }
}
