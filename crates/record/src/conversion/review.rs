//! Answers a `ConversionReview` of `apiextensions.k8s.io/v1`.
use serde_json::{Value, json};

use super::Converter;

/// Answers a `ConversionReview` as the API server expects: converts all objects, or reports the first one that cannot be converted.
///
/// ```
/// # use kube_codegen_record::conversion::{Converter, Spoke, review};
/// # use serde_json::json;
/// let converter = Converter::new("example.com", "Widget", "v2").spoke(Spoke::new("v1"));
/// let answer = review(&converter, &json!({
///     "apiVersion": "apiextensions.k8s.io/v1",
///     "kind": "ConversionReview",
///     "request": {
///         "uid": "705ab4f5",
///         "desiredAPIVersion": "example.com/v2",
///         "objects": [{"apiVersion": "example.com/v1", "kind": "Widget"}],
///     },
/// }));
/// assert_eq!(answer["response"]["result"]["status"], "Success");
/// assert_eq!(answer["response"]["convertedObjects"][0]["apiVersion"], "example.com/v2");
/// ```
pub fn review(converter: &Converter, review: &Value) -> Value {
    let request = &review["request"];
    let wanted = request["desiredAPIVersion"].as_str().unwrap_or_default();
    let objects = request["objects"].as_array().into_iter().flatten();
    let answers: Result<Vec<Value>, String> = objects
        .map(|object| {
            converter.convert(object.clone(), wanted).map_err(|error| {
                let name = object["metadata"]["name"].as_str().unwrap_or_default();
                let namespace = object["metadata"]["namespace"].as_str();
                let namespace = namespace.map(|it| format!("{it}/")).unwrap_or_default();
                format!("{} {namespace}{name}: {error}", converter.kind())
            })
        })
        .collect();
    let (objects, result) = match answers {
        Ok(objects) => (objects, json!({ "status": "Success" })),
        Err(message) => (
            Vec::new(),
            json!({ "status": "Failure", "message": message }),
        ),
    };
    json!({
        "apiVersion": review["apiVersion"],
        "kind": "ConversionReview",
        "response": { "uid": request["uid"], "convertedObjects": objects, "result": result },
    })
}
