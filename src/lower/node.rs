//! One schema node comes in, what it holds goes out: told keywords first, then the first form that fits, then the leftovers.
use super::{FORMS, leftovers, opaque, told};
use crate::crd::Schema;
use crate::diag::{Code, Diagnostic, Diagnostics, Place, pointer};
use crate::ir::{Body, Derives, KindId, Origin, Rules, SchemaPath, Ty, TypeDef, TypeId, Types};
use serde_json::Value;

/// What lowering writes to, and where it is.
pub(super) struct Lowering<'a> {
    pub(super) types: &'a mut Types,
    pub(super) diagnostics: &'a mut Diagnostics,
    pub(super) kind: KindId,
    pub(super) place: &'a Place,
    pub(super) schema_pointer: &'a str,
}

/// A schema node on its way: forms take keywords out of `schema`.
pub(super) struct Node {
    pub(super) schema: Box<Schema>,
    pub(super) path: SchemaPath,
    pub(super) doc: Option<String>,
    pub(super) nullable: bool,
    pub(super) default: Option<Value>,
    pub(super) rules: Rules,
}

/// Recognises a kind of node, takes its keywords and says what it holds; takes nothing where it says nothing.
pub(super) type Form = fn(&mut Lowering<'_>, &mut Node) -> Option<Ty>;

impl Node {
    pub(super) fn new(schema: Box<Schema>, path: SchemaPath) -> Self {
        let mut node = Self {
            schema,
            path,
            doc: None,
            nullable: false,
            default: None,
            rules: Rules::default(),
        };
        told::take_told(&mut node);
        node
    }

    /// Keeps a keyword that the type does not express among the rules.
    pub(super) fn tell(&mut self, keyword: &'static str, value: Value) {
        self.rules.constraints.push((keyword, value));
    }
}

impl Lowering<'_> {
    /// Lowers a node and everything below it.
    pub(super) fn lower(&mut self, schema: Box<Schema>, path: SchemaPath) -> (Ty, Node) {
        let mut node = Node::new(schema, path);
        let ty = FORMS
            .iter()
            .find_map(|form| form(self, &mut node))
            .unwrap_or_else(|| opaque::lower(self, &mut node));
        told::take_rest(&mut node, &ty);
        leftovers::report(self, &node.schema, &node.path);
        // Raw JSON holds null by itself.
        node.nullable &= ty != Ty::Json;
        (ty, node)
    }

    /// Lowers what a list or a map holds; what is said of it goes to the rules of the whole.
    pub(super) fn element(
        &mut self,
        schema: Box<Schema>,
        path: SchemaPath,
        rules: &mut Rules,
    ) -> Ty {
        let (ty, node) = self.lower(schema, path);
        let element = crate::ir::Element {
            doc: node.doc,
            default: node.default,
            rules: node.rules,
        };
        rules.element = (!element.is_empty()).then(|| Box::new(element));
        if node.nullable {
            Ty::Nullable(Box::new(ty))
        } else {
            ty
        }
    }

    /// Adds a type that stands at a node.
    pub(super) fn define(&mut self, node: &Node, body: Body) -> TypeId {
        self.types.push(TypeDef {
            origin: Origin {
                kind: self.kind,
                path: node.path.clone(),
            },
            name: String::new(),
            doc: node.doc.clone(),
            body,
            derives: Derives::default(),
        })
    }

    /// Reports a finding at a schema path, or at a keyword of the node there.
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
