//! Encodes metrics family by family, and converts `OpenMetrics` to Prometheus' text format.
use std::{collections::HashMap, fmt, fmt::Write as _};

use prometheus_client::{
    encoding::{
        DescriptorEncoder, EncodeCounterValue, EncodeGaugeValue, EncodeMetric as _, NoLabelSet,
    },
    metrics::{MetricType, exemplar::Exemplar},
};

use crate::{exemplars::Exemplars, histogram::Histogram};

/// Names and values of labels.
pub(super) type Labels = Vec<(&'static str, String)>;

/// Adds the label of a member cluster. What is the program's own has none, so that its series are those of a program of one cluster.
pub(super) fn of_cluster(mut labels: Labels, cluster: Option<&str>) -> Labels {
    labels.extend(cluster.map(|name| ("cluster", name.to_owned())));
    labels
}

/// Encodes one family after the other.
pub(super) struct Encoder<'a>(pub(super) DescriptorEncoder<'a>);

impl Encoder<'_> {
    /// Encodes a counter. The name ends with `_total`.
    pub(super) fn counter<'l, V: EncodeCounterValue>(
        &mut self,
        name: &str,
        help: &str,
        series: impl IntoIterator<Item = (&'l Labels, V)>,
    ) -> fmt::Result {
        let name = name.strip_suffix("_total").unwrap_or(name);
        let mut family = self
            .0
            .encode_descriptor(name, help, None, MetricType::Counter)?;
        let no_exemplar = None::<&Exemplar<NoLabelSet, f64>>;
        for (labels, value) in series {
            if labels.is_empty() {
                family.encode_counter(&value, no_exemplar)?;
            } else {
                let mut series = family.encode_family(labels)?;
                series.encode_counter(&value, no_exemplar)?;
            }
        }
        Ok(())
    }

    pub(super) fn gauge<'l, V: EncodeGaugeValue>(
        &mut self,
        name: &str,
        help: &str,
        series: impl IntoIterator<Item = (&'l Labels, V)>,
    ) -> fmt::Result {
        let mut family = self
            .0
            .encode_descriptor(name, help, None, MetricType::Gauge)?;
        for (labels, value) in series {
            if labels.is_empty() {
                family.encode_gauge(&value)?;
            } else {
                family.encode_family(labels)?.encode_gauge(&value)?;
            }
        }
        Ok(())
    }

    /// Encodes durations, with exemplars where there are some.
    pub(super) fn durations<'l>(
        &mut self,
        name: &str,
        help: &str,
        series: impl IntoIterator<Item = (&'l Labels, &'l Histogram, &'l Option<Exemplars>)>,
    ) -> fmt::Result {
        let mut family = self
            .0
            .encode_descriptor(name, help, None, MetricType::Histogram)?;
        for (labels, value, exemplars) in series {
            let mut series = family.encode_family(labels)?;
            if let Some(exemplars) = exemplars {
                exemplars.durations.encode(series)?;
                continue;
            }
            let buckets: Vec<_> = value.buckets().collect();
            series.encode_histogram::<NoLabelSet>(value.sum(), value.count(), &buckets, None)?;
        }
        Ok(())
    }

    pub(super) fn histogram<'l>(
        &mut self,
        name: &str,
        help: &str,
        series: impl IntoIterator<Item = (&'l Labels, &'l Histogram)>,
    ) -> fmt::Result {
        let series = series.into_iter();
        self.durations(
            name,
            help,
            series.map(|(labels, value)| (labels, value, &None)),
        )
    }
}

/// Converts `OpenMetrics` to text format 0.0.4, whose counters and infos have the names of their series.
///
/// prometheus-client writes `OpenMetrics` and protobuf only, and a registry may have metrics of the user's own types, so its text is what there is to
/// convert.
pub(super) fn to_text(open_metrics: &str) -> String {
    let kinds: HashMap<_, _> = open_metrics
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' '))
        .collect();
    let mut text = String::with_capacity(open_metrics.len());
    for line in open_metrics.lines() {
        let Some((keyword, rest)) = line
            .strip_prefix("# ")
            .and_then(|rest| rest.split_once(' '))
        else {
            if !line.starts_with('#') {
                text.push_str(without_exemplar(line));
                text.push('\n');
            }
            continue;
        };
        let (name, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let (suffix, type_name) = match kinds.get(name).copied() {
            Some("counter") => ("_total", "counter"),
            Some("info") => ("_info", "gauge"),
            Some("unknown") | None => ("", "untyped"),
            Some(other) => ("", other),
        };
        // Writing to a string cannot fail.
        let _ = match keyword {
            "HELP" => writeln!(text, "# HELP {name}{suffix} {rest}"),
            "TYPE" => writeln!(text, "# TYPE {name}{suffix} {type_name}"),
            _ => Ok(()),
        };
    }
    text
}

/// Returns a series without its exemplar, which the text format does not know: its mark may be part of a label, too.
fn without_exemplar(line: &str) -> &str {
    let Some((series, _)) = line.rsplit_once(" # {") else {
        return line;
    };
    let quotes = series.replace("\\\\", "").replace("\\\"", "");
    let is_closed = quotes.matches('"').count() % 2 == 0;
    if is_closed { series } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_format_has_no_exemplars() {
        for (line, expected) in [
            (
                "a_bucket{le=\"1\"} 2 # {trace_id=\"b\"} 0.5",
                "a_bucket{le=\"1\"} 2",
            ),
            ("a{b=\"c # {\\\"d\"} 2", "a{b=\"c # {\\\"d\"} 2"),
            ("a 2", "a 2"),
        ] {
            assert_eq!(without_exemplar(line), expected);
        }
    }

    #[test]
    fn the_text_format_names_counters_like_their_series() {
        let open_metrics = "# HELP a Help of a.\n# TYPE a counter\n# UNIT a seconds\na_total 1\n# HELP b Help.\n# TYPE b gauge\nb{x=\"# y\"} 2\n# EOF\n";
        assert_eq!(
            to_text(open_metrics),
            "# HELP a_total Help of a.\n# TYPE a_total counter\na_total 1\n# HELP b Help.\n# TYPE b gauge\nb{x=\"# y\"} 2\n"
        );
    }
}
