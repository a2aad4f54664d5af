//! Reference pages of the kinds of CRDs: a static site, or Markdown for a repository.
mod columns;
mod facts;
mod fields;
mod kubernetes;
mod list;
mod page;
mod places;
mod prose;
mod render;
mod search;
mod shared;
mod versions;

use std::path::Path;

use crate::{
    base::threads,
    model::ir::Model,
    output::{render::File, write},
};
use list::{KindPage, Site};
use page::Page;
use render::Renderer;

/// The form of the pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// A static site that needs no server
    #[default]
    Html,
    /// Markdown, as repositories show it
    Markdown,
}

/// What users should know about a page although it could be made.
pub(crate) struct Note {
    /// The CRD and the version.
    pub(crate) at: String,
    /// What it is.
    pub(crate) text: String,
}

/// Makes the pages of all kinds. Templates in a directory replace built-in ones.
///
/// # Errors
/// If a template is invalid.
pub(crate) fn site(
    model: &Model,
    title: &str,
    format: Format,
    templates: Option<&Path>,
) -> Result<(Vec<File>, Vec<Note>), String> {
    let renderer = Renderer::new(format, templates)?;
    let places = list::places(model, format);
    let site = Site::new(title, &places);
    // Schemas are as deep as their documents, and the walks recursive.
    let made = threads::with_large_stack(|| {
        threads::map_largest_first(
            &places,
            |place| place.kind.manifest.len(),
            |place| one(model, place, &site, &renderer),
        )
    });
    let (mut files, mut notes, mut index) = (Vec::new(), Vec::new(), search::Index::default());
    for made in made {
        let made = made?;
        files.extend(made.files);
        notes.extend(made.notes);
        index.pages.push(made.entry);
    }
    files.extend(renderer.indexes(&site)?);
    if format == Format::Html {
        files.push(index.file());
        files.extend(renderer.assets());
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok((files.iter().map(write::marked).collect(), notes))
}

/// The pages of a version of a kind.
struct Made {
    files: Vec<File>,
    notes: Vec<Note>,
    entry: search::Entry,
}

fn one(
    model: &Model,
    place: &KindPage<'_>,
    site: &Site,
    renderer: &Renderer,
) -> Result<Made, String> {
    let page = Page::new(model, place, site);
    let notes = page.notes.iter().map(|text| Note {
        at: format!(
            "{}.{} {}",
            place.kind.plural, place.kind.group, place.kind.version
        ),
        text: text.clone(),
    });
    let notes = notes.collect();
    let entry = search::Entry::of(place, &page);
    let mut files = vec![File {
        path: place.path.clone(),
        text: renderer.page(&page)?.into(),
    }];
    files.extend(page.sample_files());
    Ok(Made {
        files,
        notes,
        entry,
    })
}
