//! A served version of a CRD comes in, a kind goes into the model.
use super::{node::Lowering, root};
use crate::crd::{Crd, Version};
use crate::diag::Diagnostics;
use crate::ir::{Kind, KindId, KindNames, Types};
use std::sync::Arc;

/// A version, and the CRD without its versions.
pub(super) struct Served {
    crd: Arc<Crd>,
    version: Version,
}

/// The served versions of all CRDs, sorted by group, version and kind.
pub(super) fn served(crds: Vec<Crd>) -> Vec<Served> {
    let mut all = Vec::new();
    for mut crd in crds {
        let versions = std::mem::take(&mut crd.versions);
        let crd = Arc::new(crd);
        all.extend(
            versions
                .into_iter()
                .filter(|version| version.served)
                .map(|version| Served {
                    crd: crd.clone(),
                    version,
                }),
        );
    }
    all.sort_by(|a, b| a.order().cmp(&b.order()));
    all
}

impl Served {
    fn order(&self) -> [&str; 4] {
        [
            &self.crd.group,
            &self.version.name,
            &self.crd.names.kind,
            &self.crd.names.plural,
        ]
    }
}

/// A kind, its types numbered from 0, and what was found.
pub(super) struct Lowered {
    pub(super) kind: Kind,
    pub(super) types: Types,
    pub(super) diagnostics: Diagnostics,
}

/// Lowers a version that becomes the kind of this number.
pub(super) fn lower(index: usize, served: Served) -> Lowered {
    let Served { crd, version } = served;
    let mut types = Types::default();
    let mut diagnostics = Diagnostics::new();
    let mut lowering = Lowering {
        types: &mut types,
        diagnostics: &mut diagnostics,
        kind: KindId(u32::try_from(index).unwrap_or(u32::MAX)),
        place: &version.place,
        schema_pointer: &version.schema_pointer,
    };
    let (root, rules) = root::lower(&mut lowering, version.schema);
    let kind = Kind {
        group: crd.group.clone(),
        version: version.name,
        kind: crd.names.kind.clone(),
        list_kind: crd.names.list_kind.clone(),
        plural: crd.names.plural.clone(),
        singular: crd.names.singular.clone(),
        short_names: crd.names.short_names.clone(),
        categories: crd.names.categories.clone(),
        scope: crd.scope,
        storage: version.storage,
        deprecated: version.deprecated,
        status: version.status,
        scale: version.scale,
        columns: version.columns,
        selectable_fields: version.selectable_fields,
        root,
        rules,
        names: KindNames::default(),
        manifest: crd.manifest.clone(),
        place: version.place,
        schema_pointer: version.schema_pointer,
    };
    Lowered {
        kind,
        types,
        diagnostics,
    }
}
