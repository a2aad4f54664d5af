//! Evaluates the part of `PromQL` that the dashboards use, between two scrapes.
use std::collections::BTreeMap;

use crate::server::exposition::Sample;

/// Returns the result of a query: values with their labels.
pub fn evaluate(query: &str, before: &[Sample], after: &[Sample]) -> Vec<Sample> {
    let mut parser = Parser {
        rest: query,
        before,
        after,
    };
    let mut result = parser.expression();
    if parser.skip("*") {
        let factor: f64 = parser.word().parse().unwrap();
        for one in &mut result {
            one.value *= factor;
        }
    }
    assert_eq!(parser.rest.trim(), "", "unknown syntax in {query}");
    result
}

/// Returns the values of `label_values(selector, label)`.
pub fn label_values(query: &str, after: &[Sample]) -> Vec<String> {
    let inner = query.strip_prefix("label_values(").unwrap();
    let (selector, label) = inner.strip_suffix(')').unwrap().rsplit_once(',').unwrap();
    let found = evaluate(selector, after, after);
    let mut values: Vec<_> = found
        .iter()
        .map(|one| one.label(label.trim()).into())
        .collect();
    values.sort();
    values.dedup();
    values
}

struct Parser<'q> {
    rest: &'q str,
    before: &'q [Sample],
    after: &'q [Sample],
}

/// Label, whether the value is a regular expression, and the value.
type Matcher = (String, bool, String);

impl Parser<'_> {
    fn skip(&mut self, token: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, token: &str) {
        assert!(self.skip(token), "expected {token} at {}", self.rest);
    }

    fn word(&mut self) -> String {
        let rest = self.rest.trim_start();
        let is_word = |c: char| c.is_alphanumeric() || "_:.".contains(c);
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, rest) = rest.split_at(end);
        self.rest = rest;
        word.to_owned()
    }

    fn expression(&mut self) -> Vec<Sample> {
        match &*self.word() {
            "sum" => self.sum(),
            "rate" => {
                self.expect("(");
                let metric = self.word();
                let matchers = self.matchers();
                self.expect("[5m])");
                self.rate(&metric, &matchers)
            }
            "histogram_quantile" => {
                self.expect("(");
                let phi = self.word().parse().unwrap();
                self.expect(",");
                let buckets = self.expression();
                self.expect(")");
                quantiles(phi, buckets)
            }
            metric => {
                let matchers = self.matchers();
                select(self.after, metric, &matchers)
            }
        }
    }

    /// `sum(x) by (a, b)` or `sum by (a, b) (x)`.
    fn sum(&mut self) -> Vec<Sample> {
        let labels = self.by();
        self.expect("(");
        let all = self.expression();
        self.expect(")");
        let labels = labels.or_else(|| self.by()).unwrap_or_default();
        group(all, |name| labels.iter().any(|label| label == name))
            .into_iter()
            .map(|(labels, all)| sample(labels, all.iter().map(|one| one.value).sum()))
            .collect()
    }

    fn by(&mut self) -> Option<Vec<String>> {
        if !self.skip("by") {
            return None;
        }
        self.expect("(");
        let mut labels = vec![self.word()];
        while self.skip(",") {
            labels.push(self.word());
        }
        self.expect(")");
        Some(labels)
    }

    fn matchers(&mut self) -> Vec<Matcher> {
        let mut matchers = Vec::new();
        if !self.skip("{") {
            return matchers;
        }
        while !self.skip("}") {
            self.skip(",");
            let label = self.word();
            self.expect("=");
            let is_regex = self.skip("~");
            self.expect("\"");
            let (value, rest) = self.rest.split_once('"').unwrap();
            matchers.push((label, is_regex, value.to_owned()));
            self.rest = rest;
        }
        matchers
    }

    /// Returns the increase of each series per second of five minutes. As for Prometheus, a decrease is a restart from zero.
    fn rate(&self, metric: &str, matchers: &[Matcher]) -> Vec<Sample> {
        let before = select(self.before, metric, matchers);
        let rate = |one: Sample| {
            let earlier = before.iter().find(|earlier| earlier.labels == one.labels);
            let earlier = earlier.map_or(0.0, |earlier| earlier.value);
            let start = if earlier > one.value { 0.0 } else { earlier };
            sample(one.labels, (one.value - start) / 300.0)
        };
        let after = select(self.after, metric, matchers);
        after.into_iter().map(rate).collect()
    }
}

fn sample(labels: BTreeMap<String, String>, value: f64) -> Sample {
    Sample {
        name: String::new(),
        labels,
        value,
    }
}

fn select(samples: &[Sample], metric: &str, matchers: &[Matcher]) -> Vec<Sample> {
    let is_selected = |one: &&Sample| {
        one.name == metric
            && matchers
                .iter()
                .all(|(label, is_regex, value)| match &**value {
                    ".*" if *is_regex => true,
                    value => one.label(label) == value,
                })
    };
    samples.iter().filter(is_selected).cloned().collect()
}

/// Groups by the labels that `keep` accepts.
fn group(
    all: Vec<Sample>,
    keep: impl Fn(&str) -> bool,
) -> BTreeMap<BTreeMap<String, String>, Vec<Sample>> {
    let mut groups = BTreeMap::<_, Vec<_>>::new();
    for one in all {
        let mut labels = one.labels.clone();
        labels.retain(|name, _| keep(name));
        groups.entry(labels).or_default().push(one);
    }
    groups
}

/// Returns the quantile of each histogram, by linear interpolation as Prometheus does.
fn quantiles(phi: f64, buckets: Vec<Sample>) -> Vec<Sample> {
    let groups = group(buckets, |name| name != "le");
    let quantile = |(labels, buckets): (_, Vec<Sample>)| sample(labels, quantile(phi, &buckets));
    groups.into_iter().map(quantile).collect()
}

fn quantile(phi: f64, buckets: &[Sample]) -> f64 {
    let bound = |one: &Sample| one.label("le").parse::<f64>().unwrap();
    let mut buckets: Vec<_> = buckets.iter().map(|one| (bound(one), one.value)).collect();
    buckets.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (last, total) = *buckets.last().unwrap();
    assert!(last.is_infinite(), "a histogram needs the bucket +Inf");
    assert!(
        buckets.is_sorted_by(|a, b| a.1 <= b.1),
        "buckets are cumulative: {buckets:?}"
    );
    let rank = phi * total;
    let index = buckets.iter().position(|(_, count)| *count >= rank);
    let index = index.unwrap();
    let (start, below) = index.checked_sub(1).map_or((0.0, 0.0), |one| buckets[one]);
    let (end, count) = buckets[index];
    start + (end - start) * (rank - below) / (count - below)
}
