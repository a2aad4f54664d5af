//! The variables that the expressions of policies read, and the types of their results
//! (`k8s.io/apiserver/pkg/admission/plugin/cel/compile.go`).

use kube_codegen_cel::{Program, Type};
use serde_json::Value;

use super::Purpose;
use crate::values::object::{list, text};

/// The variables of an expression besides those of the request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Environment {
    pub(crate) has_params: bool,
    pub(crate) has_authorizer: bool,
    /// The variables of the policy with their types; `None` where `variables` does not exist.
    pub(crate) variables: Option<Vec<(String, Type)>>,
}

/// An expression that can be evaluated.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) program: Program,
    result: Type,
}

/// A variable of a policy. The error says why it cannot be compiled.
#[derive(Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) expression: Result<Compiled, String>,
}

impl Environment {
    /// Compiles an expression. The error is the server's, without the expression.
    pub(crate) fn compile(&self, source: &str, purpose: Purpose) -> Result<Compiled, String> {
        let program = Program::compile(source).map_err(|why| failed(&why))?;
        if self.has_authorizer && program.reads(AUTHORIZER) {
            let result = Type::Dyn;
            return Ok(Compiled { program, result });
        }
        let variables = self.declared();
        let checked = match purpose {
            Purpose::ApplyConfiguration | Purpose::JsonPatch => program.check_mutation(&variables),
            _ => program.check(&variables),
        };
        let result = checked.map_err(|why| failed(&why))?.result().clone();
        let expected = match purpose {
            Purpose::Variable => return Ok(Compiled { program, result }),
            Purpose::Condition => Type::BOOL,
            Purpose::Annotation if result == Type::NULL => Type::NULL,
            Purpose::Message | Purpose::Annotation => Type::STRING,
            Purpose::ApplyConfiguration => Type::literal("Object"),
            Purpose::JsonPatch => Type::list(Type::literal("JSONPatch")),
        };
        if result == expected {
            return Ok(Compiled { program, result });
        }
        Err(if purpose == Purpose::Annotation {
            format!("must evaluate to one of [string null_type] but got {result}")
        } else {
            format!("must evaluate to {expected} but got {result}")
        })
    }

    /// Compiles the variables of a policy. Each may read those before it, and the expressions after them all.
    pub(crate) fn compile_variables(&mut self, spec: &Value) -> Vec<Variable> {
        let variables = list(spec, "/variables").iter().map(|variable| {
            let name = text(variable, "/name").to_owned();
            let expression = self.compile(text(variable, "/expression"), Purpose::Variable);
            let type_ = expression.as_ref().map_or(Type::Dyn, |it| {
                match &it.result {
                    // As the server, which forgets the others.
                    known @ (Type::Plain(_) | Type::List(_) | Type::Map(..)) => known.clone(),
                    _ => Type::Dyn,
                }
            });
            let known = self.variables.get_or_insert_default();
            known.push((name.clone(), type_));
            Variable { name, expression }
        });
        variables.collect()
    }

    fn declared(&self) -> Vec<(&'static str, Type)> {
        let mut declared = vec![
            ("object", Type::Dyn),
            ("oldObject", Type::Dyn),
            ("request", request()),
            ("namespaceObject", namespace()),
        ];
        if self.has_params {
            declared.push(("params", Type::Dyn));
        }
        if let Some(variables) = &self.variables {
            let type_ = Type::object("kubernetes.variables", variables.clone());
            declared.push(("variables", type_));
        }
        declared
    }
}

/// The variable by which expressions ask for permissions, which the server in memory does not have: they fail when they read it.
pub(super) const AUTHORIZER: &str = "authorizer";

fn failed(why: &impl ToString) -> String {
    format!("compilation failed: {}", why.to_string())
}

fn object<const N: usize>(name: &str, fields: [(&str, Type); N]) -> Type {
    let name = format!("kubernetes.{name}");
    Type::object(name, fields.map(|(field, type_)| (field.to_owned(), type_)))
}

fn request() -> Type {
    let kind = || {
        let text = || Type::STRING;
        let fields = [("group", text()), ("version", text()), ("kind", text())];
        object("GroupVersionKind", fields)
    };
    let resource = || {
        let text = || Type::STRING;
        let fields = [("group", text()), ("version", text()), ("resource", text())];
        object("GroupVersionResource", fields)
    };
    let texts = || Type::list(Type::STRING);
    let user = [
        ("username", Type::STRING),
        ("uid", Type::STRING),
        ("groups", texts()),
        ("extra", Type::map(Type::STRING, texts())),
    ];
    let fields = [
        ("kind", kind()),
        ("resource", resource()),
        ("subResource", Type::STRING),
        ("requestKind", kind()),
        ("requestResource", resource()),
        ("requestSubResource", Type::STRING),
        ("name", Type::STRING),
        // The identifier of `namespace`, a reserved word.
        ("__namespace__", Type::STRING),
        ("operation", Type::STRING),
        ("userInfo", object("UserInfo", user)),
        ("dryRun", Type::BOOL),
        ("options", Type::Dyn),
    ];
    object("AdmissionRequest", fields)
}

fn namespace() -> Type {
    let texts = || Type::map(Type::STRING, Type::STRING);
    let condition = [
        ("status", Type::STRING),
        ("type", Type::STRING),
        ("lastTransitionTime", Type::TIMESTAMP),
        ("message", Type::STRING),
        ("reason", Type::STRING),
    ];
    let metadata = [
        ("name", Type::STRING),
        ("generateName", Type::STRING),
        ("__namespace__", Type::STRING),
        ("labels", texts()),
        ("annotations", texts()),
        ("UID", Type::STRING),
        ("creationTimestamp", Type::TIMESTAMP),
        ("deletionGracePeriodSeconds", Type::INT),
        ("deletionTimestamp", Type::TIMESTAMP),
        ("generation", Type::INT),
        ("resourceVersion", Type::STRING),
        ("finalizers", Type::list(Type::STRING)),
    ];
    let spec = [("finalizers", Type::list(Type::STRING))];
    let conditions = Type::list(object("NamespaceCondition", condition));
    let status = [("conditions", conditions), ("phase", Type::STRING)];
    let fields = [
        ("metadata", object("NamespaceMetadata", metadata)),
        ("spec", object("NamespaceSpec", spec)),
        ("status", object("NamespaceStatus", status)),
    ];
    object("Namespace", fields)
}
