//! A schema node while it is lowered, and the output it is lowered to.
use crate::base::diag::{Code, Diagnostic, Diagnostics, Place, pointer};
use crate::input::crd::{Constraints, Logic, Schema};
use crate::model::ir::{
    Body, Derives, KindId, Origin, Rules, SchemaPath, Ty, TypeDef, TypeId, Types,
};
use serde_json::Value;
use std::mem::take;

/// The output of lowering, and the version that is lowered.
pub(super) struct Lowering<'a> {
    pub(super) types: &'a mut Types,
    pub(super) diagnostics: &'a mut Diagnostics,
    pub(super) kind: KindId,
    pub(super) place: &'a Place,
    pub(super) schema_pointer: &'a str,
}

/// A schema node that is being lowered: forms take their keywords out of `schema`.
pub(super) struct SchemaNode {
    pub(super) schema: Box<Schema>,
    pub(super) path: SchemaPath,
    pub(super) title: Option<String>,
    pub(super) doc: Option<String>,
    pub(super) nullable: bool,
    pub(super) default: Option<Value>,
    pub(super) rules: Rules,
}

/// Recognises a node, takes its keywords and returns its type; leaves the node as it is if it does not recognise it.
pub(super) type Form = fn(&mut Lowering<'_>, &mut SchemaNode) -> Option<Ty>;

impl SchemaNode {
    /// Takes the keywords that apply to a value of any type: they become docs, presence and constraints.
    pub(super) fn new(mut schema: Box<Schema>, path: SchemaPath) -> Self {
        let title = schema.title.take();
        let description = schema.description.take().or_else(|| title.clone());
        // `example` and `externalDocs` are for human readers of the schema.
        schema.annotations.clear();
        let Constraints { all: constraints } = take(&mut schema.constraints);
        let kubernetes = &mut schema.kubernetes;
        let rules = Rules {
            constraints,
            validations: take(&mut kubernetes.validations),
            list_type: kubernetes.list_type.take(),
            list_map_keys: take(&mut kubernetes.list_map_keys),
            map_type: kubernetes.map_type.take(),
            ..Rules::default()
        };
        Self {
            title,
            doc: description.filter(|text| !text.trim().is_empty()),
            nullable: take(&mut schema.nullable),
            default: schema.default.take(),
            rules,
            schema,
            path,
        }
    }

    /// Adds a keyword that the type does not express to the constraints.
    pub(super) fn constrain(&mut self, keyword: &'static str, value: Value) {
        self.rules.constraints.push((keyword, value));
    }

    /// Takes the keywords that no form used but that constrain a value of this type.
    pub(super) fn take_constraints(&mut self, ty: &Ty) {
        if let Some(format) = self.schema.format.take() {
            self.constrain("format", Value::String(format));
        }
        let required = take(&mut self.schema.required);
        if !required.is_empty() {
            self.constrain("required", required.into());
        }
        let Logic {
            one_of,
            any_of,
            all_of,
            not,
        } = take(&mut self.schema.logic);
        for (keyword, branches) in [("oneOf", one_of), ("anyOf", any_of), ("allOf", all_of)] {
            if !branches.is_empty() {
                self.constrain(keyword, Value::Array(branches));
            }
        }
        if let Some(not) = not {
            self.constrain("not", not);
        }
        if *ty == Ty::JSON || matches!(ty, Ty::Map(_)) {
            // Both keep every field.
            self.schema.kubernetes.preserve_unknown_fields = false;
        }
    }
}

impl Lowering<'_> {
    /// Adds the type of a node to the model.
    pub(super) fn define(&mut self, node: &SchemaNode, body: Body) -> Ty {
        Ty::Named(self.define_root(node, body))
    }

    /// Adds the type of the root node to the model.
    pub(super) fn define_root(&mut self, node: &SchemaNode, body: Body) -> TypeId {
        self.types.push(TypeDef {
            origin: Origin {
                kind: self.kind,
                path: node.path.clone(),
            },
            name: None,
            shared: None,
            title: node.title.clone(),
            doc: node.doc.clone(),
            body,
            derives: Derives::default(),
            views: Vec::new(),
            shared_views: Vec::new(),
        })
    }

    /// Reports a diagnostic at a schema path, or at a keyword of the node there.
    pub(super) fn report(
        &mut self,
        code: Code,
        path: &SchemaPath,
        keyword: Option<&str>,
        message: String,
    ) -> &mut Diagnostic {
        let mut place = path.place(self.place, self.schema_pointer);
        if let Some(keyword) = keyword {
            pointer::push(&mut place.pointer, keyword);
            place.key = true;
        }
        self.diagnostics.report(code, place, message)
    }
}
