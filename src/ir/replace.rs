//! Types give way to others: each becomes an alias, and whatever referred to it refers to what took its place.
use super::{Body, Model, Ty, TypeId, Types};
use crate::threads;
use std::collections::{BTreeMap, BTreeSet};

impl Model {
    /// Makes aliases of types, and rewrites all references to them, in fields and in other aliases.
    ///
    /// What takes the place of a type is one of somebody else, or one of the model, which may give way to another one itself.
    /// The root of a kind gives way to nothing. What a replaced type referred to stays as it is, though nothing may reach it any more.
    pub fn replace(&mut self, mut with: BTreeMap<TypeId, Ty>) {
        let roots: BTreeSet<TypeId> = self.kinds.iter().map(|kind| kind.root).collect();
        with.retain(|id, _| !roots.contains(id));
        // By the number of the type: each is asked for by every reference to it.
        let mut ends: Vec<Option<Ty>> = vec![None; self.types.len()];
        for (id, ty) in &with {
            ends[id.0 as usize] = Some(resolve(ty, &with, &self.types).clone());
        }
        threads::for_each(self.types.as_mut_slice(), |index, def| {
            if let Some(ty) = &ends[index] {
                def.body = Body::Alias(ty.clone());
                return;
            }
            for reference in def.body.types_mut().filter_map(Ty::named_mut) {
                let end = reference.named().and_then(|id| ends.get(id.0 as usize));
                if let Some(Some(ty)) = end {
                    *reference = ty.clone();
                }
            }
        });
    }
}

/// What stands at the end of a chain of types that give way to one another.
fn resolve<'a>(mut ty: &'a Ty, with: &'a BTreeMap<TypeId, Ty>, types: &'a Types) -> &'a Ty {
    // No chain is longer but one that bites its own tail, which the verify pass finds.
    for _ in 0..=with.len() {
        let Ty::Named(id) = ty else { break };
        ty = match (with.get(id), &types[*id].body) {
            (Some(next), _) | (None, Body::Alias(next)) => next,
            (None, Body::Struct(_) | Body::Enum(_) | Body::Union(_)) => break,
        };
    }
    ty
}

#[cfg(test)]
mod tests {
    use super::super::{
        Derives, Field, KindId, Origin, Presence, Rules, SchemaPath, Struct, TypeDef,
    };
    use super::*;

    fn def(fields: Vec<Ty>) -> TypeDef {
        let fields = fields.into_iter().enumerate().map(|(index, ty)| Field {
            wire: index.to_string(),
            ident: String::new(),
            ty,
            presence: Presence::Optional,
            boxed: None,
            doc: None,
            default: None,
            rules: Rules::default(),
        });
        TypeDef {
            origin: Origin {
                kind: KindId(0),
                path: SchemaPath::root(),
            },
            name: String::new(),
            doc: None,
            body: Body::Struct(Struct {
                fields: fields.collect(),
                ..Struct::default()
            }),
            derives: Derives::default(),
        }
    }

    fn types(model: &Model, id: TypeId) -> Vec<Ty> {
        model.types[id].body.types().cloned().collect()
    }

    #[test]
    fn references_follow_and_chains_have_one_link() {
        let mut model = Model::default();
        let [a, b, c] = [(); 3].map(|()| model.types.push(def(Vec::new())));
        let list = Ty::List(Box::new(Ty::Nullable(Box::new(Ty::Named(a)))));
        let user = model.types.push(def(vec![list, Ty::Named(b), Ty::Str]));
        model.replace(BTreeMap::from([(a, Ty::Named(b))]));
        model.replace(BTreeMap::from([(b, Ty::Named(c))]));
        let list = Ty::List(Box::new(Ty::Nullable(Box::new(Ty::Named(c)))));
        assert_eq!(types(&model, user), [list, Ty::Named(c), Ty::Str]);
        let foreign = Ty::External("k8s::X".into());
        model.replace(BTreeMap::from([(c, foreign.clone()), (user, Ty::Named(a))]));
        for alias in [a, b, c, user] {
            assert!(matches!(model.types[alias].body, Body::Alias(_)));
            assert_eq!(types(&model, alias), std::slice::from_ref(&foreign));
        }
    }
}
