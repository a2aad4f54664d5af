//! Validates a `CrdKind` beyond its schema.
use crate::generated::iksoon_test_com::v1::CrdKind;

/// The application to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// A database.
    Mysql,
    /// A servlet container.
    Tomcat,
}

impl Choice {
    /// Returns the value of `spec.choice`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mysql => "mysql",
            Self::Tomcat => "tomcat",
        }
    }

    /// Returns the TCP port of its image.
    pub fn port(self) -> i32 {
        match self {
            Self::Mysql => 3306,
            Self::Tomcat => 8080,
        }
    }
}

/// The state that a valid object describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DesiredState {
    /// The application to run.
    pub choice: Choice,
    /// The number of Pods.
    pub replicas: i32,
}

/// Checks what the CRD's schema does not: its pattern is not anchored (`mysqlx` matches), and it requires no field.
///
/// # Errors
/// A message for the author of the object.
pub fn desired_state(object: &CrdKind) -> Result<DesiredState, String> {
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
        Ok(replicas @ 1..=10) => Ok(DesiredState { choice, replicas }),
        _ => Err(format!(
            "spec.replicas is {replicas}: it must be from 1 to 10"
        )),
    }
}
