//! The model: lowered CRDs come in, emitters read it; it holds data and look-up, never policy.
mod counts;
mod kind;
mod module;
mod path;
mod replace;
mod rules;
mod ty;

pub use counts::Counts;
pub use kind::{Column, Kind, KindNames, Scale, Scope, SelectableField};
pub use module::Module;
pub use path::{SchemaPath, Segment};
pub use rules::{Element, Rules};
pub use ty::{
    Arm, Body, Derives, Enum, EnumBase, Field, IntWidth, Presence, Struct, Ty, TypeDef, Union,
    Variant,
};

use crate::diag::Place;
use crate::options::Kubernetes;
use foldhash::{HashSet, HashSetExt};
use std::ops::{Index, IndexMut, Range};

/// All that is generated from: the kinds, and the types they reach.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// One entry per CRD and served version, sorted by group, version and kind.
    pub kinds: Vec<Kind>,
    /// Every struct and enum, reachable by [`TypeId`].
    pub types: Types,
    /// One entry per group and version, in that order.
    pub modules: Vec<Module>,
}

/// Names a [`Kind`] of a [`Model`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KindId(pub u32);

/// Names a [`TypeDef`] of a [`Model`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub u32);

impl TypeId {
    /// The type, where so many come before it.
    pub(crate) fn after(self, before: usize) -> Self {
        let before = u32::try_from(before).unwrap_or(u32::MAX);
        Self(self.0.saturating_add(before))
    }
}

/// The arena of types.
#[derive(Clone, Debug, Default)]
pub struct Types(Vec<TypeDef>);

impl Types {
    /// Adds a type and names it.
    pub fn push(&mut self, def: TypeDef) -> TypeId {
        let id = TypeId(u32::try_from(self.0.len()).unwrap_or(u32::MAX));
        self.0.push(def);
        id
    }

    /// Adds types behind those so far; says how many there were.
    pub(crate) fn append(&mut self, mut types: Self) -> usize {
        let before = self.0.len();
        for def in &mut types.0 {
            for ty in def.body.types_mut().filter_map(Ty::named_mut) {
                if let Ty::Named(id) = ty {
                    *id = id.after(before);
                }
            }
        }
        self.0.append(&mut types.0);
        before
    }

    /// The types in the order they were met.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (TypeId, &TypeDef)> {
        self.0
            .iter()
            .enumerate()
            .map(|(index, def)| (TypeId(u32::try_from(index).unwrap_or(u32::MAX)), def))
    }

    /// The types, to be changed by a pass.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (TypeId, &mut TypeDef)> {
        self.0
            .iter_mut()
            .enumerate()
            .map(|(index, def)| (TypeId(u32::try_from(index).unwrap_or(u32::MAX)), def))
    }

    /// The types as they lie, to be changed side by side.
    pub(crate) fn as_mut_slice(&mut self) -> &mut [TypeDef] {
        &mut self.0
    }

    /// The struct or enum that a place has: its own, or the one at the end of its aliases.
    pub fn definition(&self, mut id: TypeId) -> TypeId {
        // Two at most: to the place that stands for it in its module, and to another version.
        for _ in 0..2 {
            if let Body::Alias(Ty::Named(next)) = self[id].body {
                id = next;
            }
        }
        id
    }

    /// How many types there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no type.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Index<TypeId> for Types {
    type Output = TypeDef;

    fn index(&self, id: TypeId) -> &TypeDef {
        &self.0[id.0 as usize]
    }
}

impl IndexMut<TypeId> for Types {
    fn index_mut(&mut self, id: TypeId) -> &mut TypeDef {
        &mut self.0[id.0 as usize]
    }
}

impl Model {
    /// The kinds of one module, in order.
    pub fn kinds_of<'a>(&'a self, module: &'a Module) -> impl Iterator<Item = &'a Kind> {
        self.kinds[self.range_of(module)].iter()
    }

    /// Where the kinds of a module stand among all.
    fn range_of(&self, module: &Module) -> Range<usize> {
        let wanted = (&module.group, &module.version);
        let before = |kind: &Kind| (&kind.group, &kind.version) < wanted;
        let within = |kind: &Kind| (&kind.group, &kind.version) <= wanted;
        self.kinds.partition_point(before)..self.kinds.partition_point(within)
    }

    /// The types that a kind reaches, be they those of another version: its root first, then those of each field before
    /// those of the next; no aliases.
    pub fn reach(&self, kind: &Kind) -> Vec<TypeId> {
        self.reach_all([kind])
    }

    /// The types that kinds reach, each once, where it is reached first.
    fn reach_all<'a>(&self, kinds: impl IntoIterator<Item = &'a Kind>) -> Vec<TypeId> {
        // Few of all types.
        let mut seen = HashSet::new();
        let mut found = Vec::new();
        let mut todo = Vec::new();
        for kind in kinds {
            todo.push(kind.root);
            while let Some(id) = todo.pop() {
                if !seen.insert(id) {
                    continue;
                }
                let body = &self.types[id].body;
                if !matches!(body, Body::Alias(_)) {
                    found.push(id);
                }
                todo.extend(body.types().filter_map(Ty::named).rev());
            }
        }
        found
    }

    /// The types that are defined in a module, in the order its kinds reach them, each once; no aliases.
    pub fn types_of(&self, module: &Module) -> Vec<TypeId> {
        let mut types = self.reach_all(self.kinds_of(module));
        types.retain(|id| self.home(*id) == Some((&module.group, &module.version)));
        types
    }

    /// The aliases that live in a module, in the order of the arena.
    pub fn aliases_of(&self, module: &Module) -> impl Iterator<Item = (TypeId, &Ty)> {
        self.places_of(module)
            .filter_map(|id| match &self.types[id].body {
                Body::Alias(ty) => Some((id, ty)),
                Body::Struct(_) | Body::Enum(_) | Body::Union(_) => None,
            })
    }

    /// The versions of a module's group, itself among them.
    pub fn versions_of<'a>(&'a self, module: &'a Module) -> impl Iterator<Item = &'a Module> {
        let versions = self.modules.iter();
        versions.filter(move |other| other.group == module.group)
    }

    /// The modules that do not compile without this one: itself, the versions that have types of it, and those that have
    /// types of these.
    pub fn users_of<'a>(&'a self, module: &'a Module) -> Vec<&'a Module> {
        let mut users = vec![module];
        let mut looked_at = 0;
        while let Some(used) = users.get(looked_at).copied() {
            let more = |user: &&Module| !users.contains(user) && self.has_types_of(user, used);
            let more: Vec<_> = self.versions_of(module).filter(more).collect();
            users.extend(more);
            looked_at += 1;
        }
        users.sort_unstable_by_key(|user| &user.version);
        users
    }

    /// Whether places of one module have types that the other one defines.
    fn has_types_of(&self, module: &Module, other: &Module) -> bool {
        let other = Some((&*other.group, &*other.version));
        let mut aliases = self.aliases_of(module);
        aliases.any(|(id, _)| self.home(self.types.definition(id)) == other)
    }

    /// Everything in the arena that stands in a schema of a module, be it reached, an alias, or neither.
    pub fn places_of(&self, module: &Module) -> impl Iterator<Item = TypeId> {
        // Types are sorted by kind.
        let kinds = self.range_of(module);
        let at = |kind: usize| {
            let before = |def: &TypeDef| (def.origin.kind.0 as usize) < kind;
            self.types.0.partition_point(before)
        };
        (at(kinds.start)..at(kinds.end)).filter_map(|index| u32::try_from(index).ok().map(TypeId))
    }

    /// The kind in whose schema a type stands.
    pub fn kind_of(&self, id: TypeId) -> Option<&Kind> {
        self.kinds.get(self.types[id].origin.kind.0 as usize)
    }

    /// Returns where a node of the schema that has this type is in the input.
    pub fn place(&self, id: TypeId, path: &SchemaPath) -> Place {
        self.kind_of(id).map_or_else(Place::nowhere, |kind| {
            path.place(&kind.place, &kind.schema_pointer)
        })
    }

    /// Tells the module of a type that no Kubernetes older than this has what the type became.
    pub(crate) fn raise(&mut self, id: TypeId, kubernetes: Kubernetes) {
        let module = self.module_at(id);
        if let Some(module) = module.and_then(|at| self.modules.get_mut(at)) {
            module.kubernetes = module.kubernetes.max(kubernetes);
        }
    }

    /// The module that a type lives in.
    pub fn module_of(&self, id: TypeId) -> Option<&Module> {
        self.modules.get(self.module_at(id)?)
    }

    fn module_at(&self, id: TypeId) -> Option<usize> {
        let home = self.home(id)?;
        let found = self
            .modules
            .binary_search_by(|module| (&*module.group, &*module.version).cmp(&home));
        found.ok()
    }

    /// The group and version whose module a type lives in.
    pub fn home(&self, id: TypeId) -> Option<(&str, &str)> {
        let kind = self.kind_of(id)?;
        Some((&kind.group, &kind.version))
    }
}

/// Where in the input a type stands: a kind, and a path in its schema.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    /// The kind whose schema it is.
    pub kind: KindId,
    /// The path below the root of that schema.
    pub path: SchemaPath,
}
