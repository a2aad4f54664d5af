//! Replaces types: each becomes an alias, and references to it become references to its replacement.
use super::{Body, Model, Ty, TypeId, Types};
use crate::threads;
use std::collections::{BTreeMap, BTreeSet};

impl Model {
    /// Makes types aliases of their replacements, and rewrites all references to them, in fields and in other aliases.
    ///
    /// A replacement is a type of another crate, or one of the model, which may be replaced too. Roots of kinds are never
    /// replaced. The types that a replaced type refers to stay, even if nothing reaches them any more.
    pub fn replace(&mut self, mut with: BTreeMap<TypeId, Ty>) {
        let roots: BTreeSet<TypeId> = self.kinds.iter().map(|kind| kind.root).collect();
        with.retain(|id, _| !roots.contains(id));
        // Indexed by type, since every reference looks its target up.
        let mut ends: Vec<Option<Ty>> = vec![None; self.types.len()];
        for (id, ty) in &with {
            ends[id.index()] = Some(resolve(ty, &with, &self.types).clone());
        }
        threads::for_each(self.types.as_mut_slice(), |index, def| {
            if let Some(ty) = &ends[index] {
                def.body = Body::Alias(ty.clone());
                return;
            }
            for reference in def.body.types_mut().filter_map(Ty::named_mut) {
                let end = reference.named().and_then(|id| ends.get(id.index()));
                if let Some(Some(ty)) = end {
                    *reference = ty.clone();
                }
            }
        });
    }
}

/// Returns the end of a chain of replacements.
fn resolve<'a>(mut ty: &'a Ty, with: &'a BTreeMap<TypeId, Ty>, types: &'a Types) -> &'a Ty {
    // Only a cycle is longer, which the verify pass reports.
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
            ident: None,
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
            name: None,
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
        let user = model.types.push(def(vec![list, Ty::Named(b), Ty::STR]));
        model.replace(BTreeMap::from([(a, Ty::Named(b))]));
        model.replace(BTreeMap::from([(b, Ty::Named(c))]));
        let list = Ty::List(Box::new(Ty::Nullable(Box::new(Ty::Named(c)))));
        assert_eq!(types(&model, user), [list, Ty::Named(c), Ty::STR]);
        let foreign = Ty::External("k8s::X".into());
        model.replace(BTreeMap::from([(c, foreign.clone()), (user, Ty::Named(a))]));
        for alias in [a, b, c, user] {
            assert!(matches!(model.types[alias].body, Body::Alias(_)));
            assert_eq!(types(&model, alias), std::slice::from_ref(&foreign));
        }
    }
}
