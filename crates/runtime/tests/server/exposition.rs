//! Parses Prometheus' text format, as a scrape stores it.
use std::collections::BTreeMap;

/// One value of one series.
#[derive(Clone, Debug)]
pub struct Sample {
    pub name: String,
    pub labels: BTreeMap<String, String>,
    pub value: f64,
}

impl Sample {
    /// Returns the value of a label; empty without it, as in Prometheus.
    pub fn label(&self, name: &str) -> &str {
        self.labels
            .get(name)
            .map(String::as_str)
            .unwrap_or_default()
    }
}

/// Returns all samples, and the type of each family.
pub fn parse(text: &str) -> (Vec<Sample>, BTreeMap<String, String>) {
    let mut types = BTreeMap::new();
    let mut samples = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, type_name) = rest.split_once(' ').unwrap();
            let twice = types.insert(name.to_owned(), type_name.to_owned());
            assert_eq!(twice, None, "{name} has two families");
        } else if !line.starts_with('#') {
            samples.push(sample(line));
        }
    }
    for sample in &samples {
        let family = ["", "_sum", "_count", "_bucket"]
            .iter()
            .filter_map(|suffix| sample.name.strip_suffix(suffix))
            .find(|name| types.contains_key(*name));
        assert!(family.is_some(), "{} has no type", sample.name);
    }
    (samples, types)
}

fn sample(line: &str) -> Sample {
    let (series, value) = line.rsplit_once(' ').unwrap();
    let (name, labels) = series.split_once('{').unwrap_or((series, "}"));
    let labels = labels
        .strip_suffix('}')
        .unwrap()
        .split("\",")
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = pair.split_once("=\"").unwrap();
            (name.to_owned(), value.trim_end_matches('"').to_owned())
        })
        .collect();
    Sample {
        name: name.to_owned(),
        labels,
        value: value.parse().unwrap(),
    }
}
