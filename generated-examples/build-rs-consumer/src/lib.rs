//! Includes the modules that the build script generated.
include!(concat!(env!("OUT_DIR"), "/mod.rs"));

/// The choice of an object. An override uses this type in the generated struct instead of `String`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Engine {
    /// `mysql`
    Mysql,
    /// `tomcat`
    Tomcat,
    /// Any other text, since the pattern in the CRD is not anchored.
    Other(String),
}

kube_codegen_record::text_enums! {
    Engine { Mysql = "mysql", Tomcat = "tomcat", .. Other }
}
