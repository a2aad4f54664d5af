//! Finds schema locations by the paths of overrides.
use crate::model::ir::{Body, Kind, Model, SchemaPath, Ty, TypeId};
use std::collections::BTreeMap;

/// What an override at a schema location applies to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Target {
    /// The struct or enum at the location.
    pub(super) def: Option<TypeId>,
    /// The field that contains the location: its struct and its index.
    pub(super) field: Option<(TypeId, usize)>,
    /// How many lists and maps of the field contain the location.
    pub(super) depth: usize,
}

/// The targets by path, with and without the `group/version/` prefix.
pub(super) struct Places(BTreeMap<String, Vec<Target>>);

impl Places {
    pub(super) fn of(model: &Model) -> Self {
        let mut places = Self(BTreeMap::new());
        for kind in &model.kinds {
            places.add(
                kind,
                &SchemaPath::root(),
                &Target {
                    def: Some(kind.root),
                    ..Target::default()
                },
            );
        }
        for (id, def) in model.types.iter() {
            let Body::Struct(body) = &def.body else {
                continue;
            };
            let Some(kind) = model.kind_of(id) else {
                continue;
            };
            for (index, field) in body.fields.iter().enumerate() {
                let path = def.origin.path.property(&field.wire);
                places.add_ty(kind, path, &field.ty, (id, index));
            }
        }
        places
    }

    /// Returns the targets of the path of an override.
    pub(super) fn find(&self, path: &str) -> &[Target] {
        self.0.get(path).map_or(&[], Vec::as_slice)
    }

    /// Returns all paths.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Adds a field, and the items and map values in it.
    fn add_ty(&mut self, kind: &Kind, mut path: SchemaPath, ty: &Ty, field: (TypeId, usize)) {
        let mut ty = ty.not_null();
        let mut depth = 0;
        loop {
            let def = if let Ty::Named(id) = ty {
                Some(*id)
            } else {
                None
            };
            self.add(
                kind,
                &path,
                &Target {
                    def,
                    field: Some(field),
                    depth,
                },
            );
            let Some((segment, inner)) = ty.element() else {
                return;
            };
            path = path.join(segment);
            ty = inner.not_null();
            depth += 1;
        }
    }

    fn add(&mut self, kind: &Kind, path: &SchemaPath, target: &Target) {
        let path = path.to_string();
        let short = match path.as_str() {
            "" => kind.kind.clone(),
            path => format!("{}.{path}", kind.kind),
        };
        let long = format!("{}/{}/{short}", kind.group, kind.version);
        for path in [short, long] {
            let targets = self.0.entry(path).or_default();
            if !targets.contains(target) {
                targets.push(target.clone());
            }
        }
    }
}
