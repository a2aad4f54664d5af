//! The model that code is generated from: data and look-up, no policy.
mod conversion;
mod counts;
mod dump;
mod ident;
mod kind;
mod module;
mod rules;
mod ty;
mod typedef;

// A kind holds these parts of its CRD as they are.
pub use crate::input::crd::{Column, Deprecation, Scale, Scope, SelectableField};
pub use crate::input::path::{SchemaPath, Segment};
pub use conversion::{Conversion, ConversionStep, Decision, Strategy};
pub use counts::Counts;
pub use ident::Ident;
pub use kind::{Kind, KindNames};
pub use module::{Module, ModuleNames};
pub use rules::{Element, Rules};
pub use ty::{IntWidth, Scalar, Ty};
pub use typedef::{
    Arm, Body, Choice, DefaultImpl, Derives, Enum, EnumBase, Field, Member, Presence, Struct,
    TypeDef, Union, Variant,
};

use crate::base::diag::Place;
use crate::base::options::Kubernetes;
use foldhash::{HashSet, HashSetExt};
use std::ops::{Index, IndexMut, Range};

/// The kinds of a run, and the types they reach.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// One per CRD and served version, sorted by group, version and kind.
    pub kinds: Vec<Kind>,
    /// The types, sorted by kind.
    pub types: Types,
    /// One per group and version, in that order.
    pub modules: Vec<Module>,
    /// One per version of a kind that has several, except the hub; sorted by group, kind and version.
    pub conversions: Vec<Conversion>,
}

/// Index of a [`Kind`] in a [`Model`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KindId(pub u32);

/// Index of a [`TypeDef`] in a [`Model`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub u32);

impl TypeId {
    /// Returns the id of the type at an index of the arena.
    fn at(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }

    /// Returns the index in the arena.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the id once `count` types are inserted before the type.
    pub(crate) fn after(self, count: usize) -> Self {
        Self::at(self.index().saturating_add(count))
    }
}

/// The arena of types.
#[derive(Clone, Debug, Default)]
pub struct Types(Vec<TypeDef>);

impl Types {
    /// Adds a type and returns its id.
    pub fn push(&mut self, def: TypeDef) -> TypeId {
        let id = TypeId::at(self.0.len());
        self.0.push(def);
        id
    }

    /// Appends the types of another arena; returns how many types there were before.
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

    /// Returns the types in the order of lowering.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (TypeId, &TypeDef)> {
        self.0
            .iter()
            .enumerate()
            .map(|(index, def)| (TypeId::at(index), def))
    }

    /// Returns the types in the order of lowering, mutably.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (TypeId, &mut TypeDef)> {
        self.0
            .iter_mut()
            .enumerate()
            .map(|(index, def)| (TypeId::at(index), def))
    }

    /// Returns the types as a slice, so that threads can share the work of a pass.
    pub(crate) fn as_mut_slice(&mut self) -> &mut [TypeDef] {
        &mut self.0
    }

    /// Returns the struct or enum of a schema location: its own, or the one that its aliases lead to.
    pub fn definition(&self, mut id: TypeId) -> TypeId {
        // At most two: to the first equal location of its module, and from there to another version.
        for _ in 0..2 {
            if let Body::Alias(Ty::Named(next)) = self[id].body {
                id = next;
            }
        }
        id
    }

    /// Returns the type of another crate, or the scalar, that the name of a schema location is an alias of.
    pub fn reused(&self, id: TypeId) -> Option<&Ty> {
        match &self[self.definition(id)].body {
            Body::Alias(ty) => Some(ty),
            Body::Struct(_) | Body::Enum(_) | Body::Union(_) => None,
        }
    }

    /// Returns the required fields of a struct whose types have no `Default`: `new` takes their values.
    pub fn without_default<'a>(&'a self, body: &'a Struct) -> impl Iterator<Item = &'a Field> {
        let fields = body.fields.iter();
        fields.filter(|field| {
            let default = match &field.ty {
                Ty::Named(id) => self[*id].derives.default,
                Ty::Scalar(_) | Ty::List(_) | Ty::Map(_) | Ty::Nullable(_) | Ty::External(_) => {
                    DefaultImpl::Derived
                }
            };
            field.presence == Presence::Required && default == DefaultImpl::Missing
        })
    }

    /// Removes types, none of which may be referred to by one that stays. Returns the new id of each type that stays.
    pub(crate) fn retain(
        &mut self,
        stays: impl Fn(TypeId, &TypeDef) -> bool,
    ) -> Vec<Option<TypeId>> {
        let mut count = 0;
        let stay = self.iter().map(|(id, def)| {
            stays(id, def).then(|| {
                count += 1;
                TypeId::at(count - 1)
            })
        });
        let ids: Vec<Option<TypeId>> = stay.collect();
        let mut stay = ids.iter();
        self.0.retain(|_| stay.next().is_some_and(Option::is_some));
        for def in &mut self.0 {
            for ty in def.body.types_mut().filter_map(Ty::named_mut) {
                if let Ty::Named(id) = ty
                    && let Some(Some(new)) = ids.get(id.index())
                {
                    *id = *new;
                }
            }
        }
        ids
    }

    /// Returns the choices of the struct at a location, which may be an alias of it.
    pub fn choices(&self, id: TypeId) -> &[Choice] {
        match &self[self.definition(id)].body {
            Body::Struct(body) => &body.choices,
            Body::Enum(_) | Body::Union(_) | Body::Alias(_) => &[],
        }
    }

    /// Returns the number of types.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no types.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Index<TypeId> for Types {
    type Output = TypeDef;

    fn index(&self, id: TypeId) -> &TypeDef {
        &self.0[id.index()]
    }
}

impl IndexMut<TypeId> for Types {
    fn index_mut(&mut self, id: TypeId) -> &mut TypeDef {
        &mut self.0[id.index()]
    }
}

impl Model {
    /// Returns the kinds of a module, in order.
    pub fn kinds_of<'a>(&'a self, module: &'a Module) -> impl Iterator<Item = &'a Kind> {
        self.kinds[self.range_of(module)].iter()
    }

    /// Returns the range of a module's kinds among all kinds.
    pub(crate) fn range_of(&self, module: &Module) -> Range<usize> {
        let wanted = (&module.group, &module.version);
        let before = |kind: &Kind| (&kind.group, &kind.version) < wanted;
        let within = |kind: &Kind| (&kind.group, &kind.version) <= wanted;
        self.kinds.partition_point(before)..self.kinds.partition_point(within)
    }

    /// Returns the types that a kind reaches, without aliases, including those of other versions: the root first, then the
    /// fields depth first.
    pub fn reach(&self, kind: &Kind) -> Vec<TypeId> {
        self.reach_all([kind])
    }

    /// Returns the types that kinds reach, each once, in the order of first reach.
    pub(crate) fn reach_all<'a>(&self, kinds: impl IntoIterator<Item = &'a Kind>) -> Vec<TypeId> {
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

    /// Returns the types that a module defines, each once, in the order in which its kinds reach them.
    pub fn types_of(&self, module: &Module) -> Vec<TypeId> {
        let mut types = self.reach_all(self.kinds_of(module));
        types.retain(|id| self.group_version(*id) == Some((&module.group, &module.version)));
        types
    }

    /// Returns the aliases of a module, in the order of the arena.
    pub fn aliases_of(&self, module: &Module) -> impl Iterator<Item = (TypeId, &Ty)> {
        self.locations_of(module)
            .filter_map(|id| match &self.types[id].body {
                Body::Alias(ty) => Some((id, ty)),
                Body::Struct(_) | Body::Enum(_) | Body::Union(_) => None,
            })
    }

    /// Returns the versions of a module's group, including the module itself.
    pub fn versions_of<'a>(&'a self, module: &'a Module) -> impl Iterator<Item = &'a Module> {
        let versions = self.modules.iter();
        versions.filter(move |other| other.group == module.group)
    }

    /// Returns the modules that do not compile without this one: itself, the versions that share its types, and the versions
    /// that share theirs.
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

    /// Returns whether a module has aliases of types that another one defines.
    fn has_types_of(&self, module: &Module, other: &Module) -> bool {
        let other = Some((&*other.group, &*other.version));
        let mut aliases = self.aliases_of(module);
        aliases.any(|(id, _)| self.group_version(self.types.definition(id)) == other)
    }

    /// Returns every schema location of a module, whether it defines its type or is an alias.
    pub fn locations_of(&self, module: &Module) -> impl Iterator<Item = TypeId> {
        self.types_at(self.range_of(module))
    }

    /// Returns the struct, enum or alias at a path in the schema of a kind.
    pub fn location(&self, kind: &Kind, path: &SchemaPath) -> Option<TypeId> {
        let number = self.types[kind.root].origin.kind.0 as usize;
        let mut places = self.types_at(number..number + 1);
        places.find(|id| self.types[*id].origin.path == *path)
    }

    /// Returns the types of a range of kinds.
    fn types_at(&self, kinds: Range<usize>) -> impl Iterator<Item = TypeId> + use<> {
        // Types are sorted by kind.
        let at = |kind: usize| {
            let before = |def: &TypeDef| (def.origin.kind.0 as usize) < kind;
            self.types.0.partition_point(before)
        };
        (at(kinds.start)..at(kinds.end)).map(TypeId::at)
    }

    /// Returns the kind whose schema contains a type.
    pub fn kind_of(&self, id: TypeId) -> Option<&Kind> {
        self.kinds.get(self.types[id].origin.kind.0 as usize)
    }

    /// Returns the location in the input of a path in the schema that contains a type.
    pub fn place(&self, id: TypeId, path: &SchemaPath) -> Place {
        self.kind_of(id).map_or_else(Place::nowhere, |kind| {
            path.place(&kind.place, &kind.schema_pointer)
        })
    }

    /// Records the oldest Kubernetes that has what a type of a module is replaced by.
    pub(crate) fn require_kubernetes(&mut self, id: TypeId, kubernetes: Kubernetes) {
        let module = self.module_at(id);
        if let Some(module) = module.and_then(|at| self.modules.get_mut(at)) {
            module.kubernetes = module.kubernetes.max(kubernetes);
        }
    }

    /// Returns the module of a type's schema location.
    pub fn module_of(&self, id: TypeId) -> Option<&Module> {
        self.modules.get(self.module_at(id)?)
    }

    fn module_at(&self, id: TypeId) -> Option<usize> {
        let key = self.group_version(id)?;
        let found = self
            .modules
            .binary_search_by(|module| (&*module.group, &*module.version).cmp(&key));
        found.ok()
    }

    /// Returns the group and version of a type's schema location.
    pub fn group_version(&self, id: TypeId) -> Option<(&str, &str)> {
        let kind = self.kind_of(id)?;
        Some((&kind.group, &kind.version))
    }
}

/// The schema location of a type: a kind, and a path in its schema.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    /// The kind whose schema it is.
    pub kind: KindId,
    /// The path below the root of that schema.
    pub path: SchemaPath,
}

/// Returns a name that the naming pass has given.
#[expect(
    clippy::expect_used,
    reason = "the verify pass rejects a model in which a name is missing"
)]
fn given<T>(name: Option<&T>) -> &T {
    name.expect("the naming pass has run")
}
