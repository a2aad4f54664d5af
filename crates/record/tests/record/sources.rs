//! The same object through every deserializer and serializer.
use serde::{Deserialize, Serialize};

use crate::record::types::Shop;

const TEXT: &str = r#"{"apiVersion":"example.com/v1","kind":"Shop","metadata":{"annotations":{"a/b":"c"},"creationTimestamp":"2024-01-01T00:00:00Z","generation":7,"managedFields":[{"apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:name":{}}},"manager":"m","operation":"Update","time":"2024-01-01T00:00:00Z"}],"name":"s","ownerReferences":[{"apiVersion":"v1","controller":true,"kind":"Pod","name":"p","uid":"u"}]},"spec":{"big":18446744073709551615,"blob":{"any":[null,true,-1,0.5,"x"]},"cert":"aGk=","containers":[{"image":"i","ports":[{"port":80}]},{}],"cpu":"1","hook":{"retries":3,"url":"u"},"limits":{"x":{"image":"y"}},"maybe":null,"must":{"image":"z"},"name":"n","open":true,"policy":"Never","port":80,"ratio":0.1,"replicas":2,"selector":{"matchExpressions":[{"key":"k","operator":"In","values":["v"]}],"matchLabels":{"a":"b"}},"since":"2024-01-01T00:00:00Z","tags":["a",null],"tick":"2024-01-01T00:00:00.000001Z","total":-5,"weight":0.25},"status":{"conditions":[{"lastTransitionTime":"2024-01-01T00:00:00Z","message":"m","observedGeneration":1,"reason":"r","status":"True","type":"Ready"}],"phase":"New","extra":{"a":1}}}"#;

fn expected() -> Shop {
    let shop: Shop = serde_json::from_str(TEXT).unwrap();
    assert_eq!(serde_json::to_string(&shop).unwrap(), TEXT);
    shop
}

#[test]
fn json_by_str_slice_reader_and_value() {
    let shop = expected();
    assert_eq!(
        serde_json::from_slice::<Shop>(TEXT.as_bytes()).unwrap(),
        shop
    );
    assert_eq!(
        serde_json::from_reader::<_, Shop>(TEXT.as_bytes()).unwrap(),
        shop
    );
    let value: serde_json::Value = serde_json::from_str(TEXT).unwrap();
    assert_eq!(Shop::deserialize(&value).unwrap(), shop);
    assert_eq!(serde_json::from_value::<Shop>(value.clone()).unwrap(), shop);
    assert_eq!(serde_json::to_value(&shop).unwrap(), value);
}

#[test]
fn escaped_keys_and_strings() {
    let text = TEXT.replace("\"name\":\"n\"", "\"na\\u006de\":\"\\u006e\"");
    assert_eq!(
        serde_json::from_reader::<_, Shop>(text.as_bytes()).unwrap(),
        expected()
    );
}

#[test]
fn yaml() {
    let shop = expected();
    let text = serde_yaml::to_string(&shop).unwrap();
    assert_eq!(serde_yaml::from_str::<Shop>(&text).unwrap(), shop);
    let value: serde_yaml::Value = serde_yaml::from_str(TEXT).unwrap();
    assert_eq!(serde_yaml::from_value::<Shop>(value).unwrap(), shop);
    let wrong = serde_yaml::from_str::<Shop>("spec:\n  containers:\n  - image: 5\n").unwrap_err();
    assert!(
        wrong
            .to_string()
            .contains("spec.containers[0].image: invalid type: integer, expected a string"),
        "{wrong}"
    );
}

#[derive(Debug, PartialEq, Deserialize, Serialize)]
struct Flat {
    note: String,
    #[serde(flatten)]
    shop: Shop,
}

#[test]
fn flattened() {
    let text = format!("{{\"note\":\"x\",{}", &TEXT[1..]);
    let flat: Flat = serde_json::from_str(&text).unwrap();
    assert_eq!(flat.shop, expected());
    assert_eq!(serde_json::to_string(&flat).unwrap(), text);
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(tag = "type", content = "object")]
enum Adjacent {
    Added(Box<Shop>),
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
enum Internal {
    Added(Box<Shop>),
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Number(#[allow(dead_code)] i64),
    Shop(Box<Shop>),
}

#[test]
fn buffered_by_tagged_enums() {
    let Adjacent::Added(shop) =
        serde_json::from_str(&format!(r#"{{"object":{TEXT},"type":"Added"}}"#)).unwrap();
    assert_eq!(*shop, expected());
    let Internal::Added(shop) =
        serde_json::from_str(&format!("{},\"type\":\"Added\"}}", &TEXT[..TEXT.len() - 1])).unwrap();
    assert_eq!(*shop, expected());
    let untagged: Untagged = serde_json::from_str(TEXT).unwrap();
    assert!(matches!(untagged, Untagged::Shop(shop) if *shop == expected()));
}

#[test]
fn in_a_list_of_kubernetes() {
    let text = format!(
        r#"{{"apiVersion":"v1","kind":"List","metadata":{{}},"items":[{TEXT},{{"spec":{{}}}}]}}"#
    );
    let list: kube::core::ObjectList<Shop> = serde_json::from_str(&text).unwrap();
    assert_eq!((list.items.len(), &list.items[0]), (2, &expected()));
}
