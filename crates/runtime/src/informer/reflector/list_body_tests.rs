//! Tests of lists that arrive in pieces.
use futures::{StreamExt, TryStreamExt, stream};
use serde_json::Value;

use super::{super::response::Encoding, *};

/// Reads a list that arrives in these chunks.
async fn read_chunks(chunks: Vec<Vec<u8>>) -> Result<(Vec<String>, ListMeta), String> {
    let body = stream::iter(chunks)
        .map(std::io::Result::Ok)
        .into_async_read();
    let reader = BodyReader::new(body, Encoding::Json);
    let mut list = ListBody::new(reader, Duration::from_secs(1));
    let mut items = Vec::new();
    loop {
        match list.next_item().await {
            Ok(Some(item)) => items.push(item.to_owned()),
            Ok(None) => return Ok((items, list.metadata)),
            Err(error) => return Err(error.to_string()),
        }
    }
}

async fn read_in(text: &str, size: usize) -> Result<(Vec<String>, ListMeta), String> {
    let chunks = text.as_bytes().chunks(size).map(<[u8]>::to_vec);
    read_chunks(chunks.collect()).await
}

/// Returns random chunks of a text, most of them small.
fn random_chunks(text: &str, random: &mut fastrand::Rng) -> Vec<Vec<u8>> {
    let mut rest = text.as_bytes();
    let mut chunks = Vec::new();
    while !rest.is_empty() {
        let largest = [1, 4, 60, 9000][random.usize(..4)];
        let (chunk, after) = rest.split_at(random.usize(1..=largest).min(rest.len()));
        chunks.push(chunk.to_vec());
        rest = after;
    }
    chunks
}

async fn read(text: &str) -> Result<(Vec<String>, ListMeta), String> {
    let whole = read_in(text, text.len().max(1)).await;
    for size in [1, 2, 3, 7] {
        let parts = read_in(text, size).await;
        match (&whole, parts) {
            (Ok((items, metadata)), Ok((others, other))) => {
                assert_eq!(*items, others, "{text} in chunks of {size}");
                assert_eq!(metadata.resource_version, other.resource_version);
            }
            (Err(_), Err(_)) => {}
            (_, parts) => panic!("{text} in chunks of {size}: {:?}", parts.map(|(i, _)| i)),
        }
    }
    whole
}

/// Every form of JSON: each ending of a number, each escape, literals, empty and nested values, white space, and characters of several bytes.
const FORMS: &str = r#" {"a":-1.5e-30 , "b" : 1E+2,"c":0,"d":-0,"e":1.25,"f":7e3,"g":-12, "h":[1,-2,3.5,4e1,5e-1,6E+1,-7.25e-2 ],
	"i":true,"j":false,"k":null,"l":[true,false,null,[],{},[[]],[{}],""],"m":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00]}[{,:","n":"é😀","":{"x":{"y":[{"z":-1e-1}]}},
	"\u006f\\":"{\"a\":[" } "#;

#[tokio::test]
async fn a_list_is_the_same_wherever_its_chunks_end() {
    let scalars = r#"-1.5e-30,1e5,0,-0 ,true,false ,null,"",12"#;
    let text = format!(
        " {{\"kind\" : \"L\",\"x\":{FORMS},\"n\":-1.5e-3,\"metadata\":{{\"resourceVersion\":\"7\",\"remainingItemCount\":10}}\n,\"items\":[{FORMS},{scalars},{FORMS}],\"last\":-1e-7}}\n"
    );
    let whole: Value = serde_json::from_str(&text).unwrap();
    let expected = whole["items"].as_array().unwrap();
    let check = async |chunks: Vec<Vec<u8>>, how: &str| {
        let (items, metadata) = read_chunks(chunks)
            .await
            .unwrap_or_else(|error| panic!("{how}: {error}"));
        let items: Vec<Value> = items
            .iter()
            .map(|it| serde_json::from_str(it).unwrap())
            .collect();
        assert_eq!(items, *expected, "{how}");
        assert_eq!(metadata.resource_version.as_deref(), Some("7"), "{how}");
    };
    for at in 0..=text.len() {
        let (before, after) = text.as_bytes().split_at(at);
        check(
            vec![before.to_vec(), after.to_vec()],
            &format!("cut at byte {at}"),
        )
        .await;
        let (one, rest) = after.split_at(after.len().min(1));
        check(
            vec![before.to_vec(), one.to_vec(), rest.to_vec()],
            &format!("byte {at} alone"),
        )
        .await;
    }
    for size in 1..40 {
        let chunks = text.as_bytes().chunks(size).map(<[u8]>::to_vec);
        check(chunks.collect(), &format!("chunks of {size}")).await;
    }
}

#[tokio::test]
async fn a_large_list_of_numbers_is_read_in_random_chunks() {
    let mut random = fastrand::Rng::with_seed(26);
    let items: Vec<Value> = (0..2000)
        .map(|n| serde_json::json!({"n": n, "f": (random.f64() - 0.5) * 1e-9, "g": random.f64() * 1e30, "t": "é\"".repeat(n % 50)}))
        .collect();
    let text =
        serde_json::json!({"items": items, "metadata": {"resourceVersion": "9"}}).to_string();
    for _ in 0..20 {
        let (read, metadata) = read_chunks(random_chunks(&text, &mut random))
            .await
            .unwrap();
        let read: Vec<Value> = read
            .iter()
            .map(|it| serde_json::from_str(it).unwrap())
            .collect();
        assert_eq!(read, items);
        assert_eq!(metadata.resource_version.as_deref(), Some("9"));
    }
}

#[tokio::test]
async fn items_are_read_wherever_they_are() {
    for text in [
        r#"{"kind":"L","items":[{"a":[1]} , {"b":"]é"}],"metadata":{"resourceVersion":"7","x":1}}"#,
        r#" { "metadata" : {"resourceVersion":"7"} , "items" : [ {"a":[1]},{"b":"]é"} ] , "n" : 1234 } "#,
    ] {
        let (items, metadata) = read(text).await.unwrap();
        assert_eq!(items, [r#"{"a":[1]}"#, r#"{"b":"]é"}"#]);
        assert_eq!(metadata.resource_version.as_deref(), Some("7"));
    }
    assert_eq!(
        read(r#"{"items":[12,345]}"#).await.unwrap().0,
        ["12", "345"]
    );
}

#[tokio::test]
async fn a_list_may_have_no_items() {
    for text in [
        "{}",
        r#"{"items":null}"#,
        r#"{"items":[],"metadata":null}"#,
        r#"{"count":3}"#,
    ] {
        assert_eq!(read(text).await.unwrap().0, Vec::<String>::new(), "{text}");
    }
}

#[tokio::test]
async fn a_malformed_list_is_an_error() {
    for text in [
        "",
        "<html>",
        "{",
        r#"{"items"}"#,
        r#"{"items":[{}"#,
        r#"{"items":[{} {}]}"#,
        r#"{"items":[{},]}"#,
        r#"{"items":[,{}]}"#,
        r#"{"items":[{"a":1]]}"#,
        r#"{"items":[1.]}"#,
        r#"{"items":[-]}"#,
        r#"{"items":[nul]}"#,
        r#"{"items":{}}"#,
        r#"{"items":[{"a":]}"#,
        r#"{"items":[]"#,
        r#"{"items":[{}],"#,
        r#"{"items":[{}],}"#,
        r#"{"items":[{}"metadata":{}}"#,
        r#"{"metadata":{"resourceVersion":7}}"#,
    ] {
        assert!(read(text).await.is_err(), "{text}");
    }
}

#[tokio::test]
async fn an_item_without_end_is_an_error() {
    let endless = stream::repeat_with(|| std::io::Result::Ok(vec![b'x'; 1 << 20]));
    let start = stream::iter([Ok(br#"{"items":[{"a":""#.to_vec())]);
    let body = start.chain(endless).into_async_read();
    let mut list = ListBody::new(
        BodyReader::new(body, Encoding::Json),
        Duration::from_secs(1),
    );
    let error = list.next_item().await.unwrap_err();
    assert!(matches!(error, WatchFailure::TooLarge(_)), "{error}");
}
