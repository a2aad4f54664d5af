//! A served version of a CRD comes in, a kind goes into the model.
use super::{node::Lowering, root};
use crate::crd::{Crd, Version};
use crate::diag::Diagnostics;
use crate::ir::{Kind, KindId, KindNames, Model};
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

/// Adds the kind and all types of its schema.
pub(super) fn lower(served: Served, model: &mut Model, diagnostics: &mut Diagnostics) {
    let Served { crd, version } = served;
    let mut lowering = Lowering {
        types: &mut model.types,
        diagnostics,
        kind: KindId(u32::try_from(model.kinds.len()).unwrap_or(u32::MAX)),
        place: &version.place,
        schema_pointer: &version.schema_pointer,
    };
    let (root, rules) = root::lower(&mut lowering, version.schema);
    model.kinds.push(Kind {
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
    });
}
