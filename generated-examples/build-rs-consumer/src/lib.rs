//! What the build script generated, as if it stood here.
include!(concat!(env!("OUT_DIR"), "/mod.rs"));

/// What an object chooses: stands in the generated struct in place of its text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Engine {
    /// `mysql`
    Mysql,
    /// `tomcat`
    Tomcat,
    /// Any other text: the pattern of the definition is not anchored.
    Other(String),
}

kube_codegen_record::text_enums! {
    Engine { Mysql = "mysql", Tomcat = "tomcat", .. Other }
}
