//! Reads the structs of one Kubernetes version from the sources of k8s-openapi.
use super::types::{Field, Struct, Ty, Version};
use kube_codegen::Kubernetes;
use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;
use syn::{GenericArgument, Item, PathArguments, Type};

/// Folders below a version, and the Rust path of each.
const FOLDERS: [(&str, &str); 2] = [
    ("api", "api"),
    ("apimachinery/pkg/apis", "apimachinery::pkg::apis"),
];

/// Returns all structs of the stable API versions in a folder.
pub(super) fn version(folder: &Path, of: Kubernetes) -> Result<Version, Box<dyn Error>> {
    let mut found = Version::new();
    for (subfolder, path) in FOLDERS {
        for group in names(&folder.join(subfolder))? {
            for version in names(&folder.join(subfolder).join(&group))? {
                if !is_stable(&version) {
                    continue;
                }
                let module = folder.join(subfolder).join(&group).join(&version);
                for file in names(&module)?
                    .iter()
                    .filter(|name| Path::new(name).extension().is_some_and(|it| it == "rs"))
                {
                    let text = fs::read_to_string(module.join(file))?;
                    if let Some((name, body)) = structure(&text, of)
                        .map_err(|error| format!("{}/{file}: {error}", module.display()))?
                    {
                        found.insert(format!("{path}::{group}::{version}::{name}"), body);
                    }
                }
            }
        }
    }
    Ok(found)
}

/// Returns whether a folder is that of a stable API version, such as `v1`.
pub(super) fn is_stable(version: &str) -> bool {
    let digits = version.strip_prefix('v');
    digits.is_some_and(|digits| digits.parse::<u32>().is_ok())
}

/// Returns the names in a folder, sorted; none if it does not exist.
pub(super) fn names(folder: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let mut names = Vec::new();
    if folder.is_dir() {
        for entry in fs::read_dir(folder)? {
            names.push(entry?.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// Returns the struct of a file, if there is one.
fn structure(text: &str, of: Kubernetes) -> Result<Option<(String, Struct)>, Box<dyn Error>> {
    let file = syn::parse_file(text)?;
    let Some(item) = file.items.iter().find_map(|item| match item {
        Item::Struct(item) => Some(item),
        _ => None,
    }) else {
        return Ok(None);
    };
    if !item.generics.params.is_empty() || !matches!(item.fields, syn::Fields::Named(_)) {
        return Ok(None);
    }
    let wires = wires(text);
    let mut fields = BTreeMap::new();
    for field in &item.fields {
        let name = field.ident.as_ref().map(ToString::to_string);
        let name = name.unwrap_or_default();
        let wire = wires
            .get(name.trim_start_matches("r#"))
            .ok_or_else(|| format!("no wire name of `{name}`"))?;
        let (required, ty) = match argument(&field.ty, "Option") {
            Some(inner) => (false, inner),
            None => (true, &field.ty),
        };
        fields.insert(
            wire.clone(),
            Field {
                doc: sentence(&field.attrs),
                since: of,
                required,
                required_before: None,
                ty: ty_of(ty)?,
            },
        );
    }
    let derives = item.attrs.iter().any(|attribute| {
        attribute.path().is_ident("derive")
            && quote::ToTokens::to_token_stream(attribute)
                .to_string()
                .contains("Default")
    });
    Ok(Some((
        item.ident.to_string(),
        Struct {
            doc: sentence(&item.attrs),
            default: derives,
            since: of,
            root: text.contains("impl crate::Resource for"),
            fields,
        },
    )))
}

/// Returns the names on the wire by field, from the arms of the deserializer's `match`: `"name" => Field::Key_name,`.
pub(super) fn wires(text: &str) -> BTreeMap<String, String> {
    text.lines()
        .filter_map(|line| {
            let (wire, field) = line.trim().split_once(" => Field::Key_")?;
            let wire = wire.strip_prefix('"')?.strip_suffix('"')?;
            Some((field.strip_suffix(',')?.to_owned(), wire.to_owned()))
        })
        .collect()
}

fn ty_of(ty: &Type) -> Result<Ty, Box<dyn Error>> {
    if let Some(inner) = argument(ty, "Vec") {
        return Ok(Ty::List(Box::new(ty_of(inner)?)));
    }
    if let Some(inner) = argument(ty, "BTreeMap") {
        return Ok(Ty::Map(Box::new(ty_of(inner)?)));
    }
    let Type::Path(path) = ty else {
        return Err("a type is not a path".into());
    };
    let segments = path.path.segments.iter();
    let segments: Vec<String> = segments.map(|it| it.ident.to_string()).collect();
    let name = segments.last().map_or("", String::as_str);
    Ok(match name {
        "bool" => Ty::Plain("Bool"),
        "i32" => Ty::Plain("I32"),
        "i64" => Ty::Plain("I64"),
        "String" => Ty::Plain("Str"),
        "ByteString" => Ty::Plain("Bytes"),
        "Time" => Ty::Plain("Time"),
        "IntOrString" => Ty::Plain("IntOrString"),
        "Quantity" => Ty::Plain("Quantity"),
        "RawExtension" | "Value" | "FieldsV1" => Ty::Plain("Json"),
        // It always writes six digits of a second, whatever it read.
        "MicroTime" => Ty::Plain("Other"),
        _ if segments[0] == "crate" => Ty::Struct(segments[1..].join("::")),
        other => return Err(format!("an unknown type `{other}`").into()),
    })
}

/// Returns the last argument of a generic type with this name.
fn argument<'a>(ty: &'a Type, name: &str) -> Option<&'a Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    match arguments.args.last()? {
        GenericArgument::Type(inner) if last.ident == name => Some(inner),
        _ => None,
    }
}

/// Returns the first sentence of the docs, as the generator extracts it from descriptions.
fn sentence(attributes: &[syn::Attribute]) -> String {
    let mut lines = Vec::new();
    for attribute in attributes {
        if let syn::Meta::NameValue(pair) = &attribute.meta
            && pair.path.is_ident("doc")
            && let syn::Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Str(text),
                ..
            }) = &pair.value
        {
            lines.push(text.value());
        }
    }
    super::sentence::first_sentence(&lines.join("\n"))
}
