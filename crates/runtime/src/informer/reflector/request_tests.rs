//! Tests of the forms that requests ask for.
use super::*;

/// Returns `Accept` and `Accept-Encoding` of a list, a streaming list and a watch.
fn headers(metadata_only: bool, config: &InformerConfig) -> [[String; 2]; 3] {
    let requests = Requests::new("/api/v1/pods", metadata_only, config);
    let list = requests.list(None, None, None, None).unwrap();
    let streaming = requests.watch("", true, 0, None).unwrap().0;
    let watch = requests.watch("1", false, 0, None).unwrap().0;
    [list, streaming, watch].map(|request| {
        [header::ACCEPT, header::ACCEPT_ENCODING].map(|name| {
            let value = request.headers().get(name);
            value
                .map_or("-", |value| value.to_str().unwrap())
                .to_owned()
        })
    })
}

#[test]
fn json_without_managed_fields_is_the_default() {
    let json = "application/json;drop=metadata.managedFields";
    let config = InformerConfig::default();
    assert_eq!(
        headers(false, &config),
        [[json, "-"], [json, "identity"], [json, "identity"]]
    );
    let config = InformerConfig {
        keep_managed_fields: true,
        ..config
    };
    let [list, ..] = headers(false, &config);
    assert_eq!(list, ["application/json", "-"]);
}

#[test]
fn metadata_is_asked_for_in_protobuf_first() {
    let [[list, _], _, [watch, _]] = headers(true, &InformerConfig::default());
    for (accept, kind) in [
        (list, "PartialObjectMetadataList"),
        (watch, "PartialObjectMetadata"),
    ] {
        let options = format!("as={kind};g=meta.k8s.io;v=v1;drop=metadata.managedFields");
        let mut expected = format!("application/json;{options}");
        if cfg!(feature = "protobuf") {
            expected = format!("application/vnd.kubernetes.protobuf;{options},{expected}");
        }
        assert_eq!(accept, expected);
    }
}

#[cfg(feature = "gzip")]
#[test]
fn lists_are_compressed_and_watches_are_not() {
    let config = InformerConfig {
        gzip: true,
        ..InformerConfig::default()
    };
    let compression = headers(false, &config).map(|[_, compression]| compression);
    assert_eq!(compression, ["gzip", "gzip", "identity"]);
}
