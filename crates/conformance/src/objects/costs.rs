//! Finds the size at which a rule becomes too expensive, here and on the server: costs are the same if both sizes are.

use std::fmt::Write as _;

use kube::Client;
use kube_codegen_schema::Schema;
use serde_json::{Value, json};
use testresult::TestResult;

use super::{create, establish, send};

/// Rules whose costs grow with the number of `self.n` (integers) and `self.t` (texts).
pub(super) const RULES: &[&str] = &[
    "self.n.all(a, self.n.all(b, a + b >= 0))",
    "self.n.all(a, self.n.exists(b, b == a + 100000) == false)",
    "self.n.all(a, self.n.exists_one(b, b == a))",
    "self.n.map(a, self.n.filter(b, b > a).size()).size() > 0",
    "self.n.all(a, a in self.n)",
    "self.n.all(a, self.n.all(b, [a, b, 1].size() == 3))",
    "self.n.all(a, self.n.all(b, {'x': a}.size() == 1))",
    "self.n.all(a, self.n.all(b, a in [0, 1, 2] || b >= 0))",
    "self.n.all(a, self.n.all(b, has(self.n) && self.n[0] == 0))",
    "self.n.all(i, a, self.n.transformList(j, b, a + b).size() > 0)",
    "self.n.all(i, a, self.n.all(j, b, self.n[i] == a))",
    "self.n.all(a, self.n == self.n)",
    "self.n.all(a, self.n.sum() >= 0 && self.n.isSorted())",
    "self.n.all(a, self.t.all(b, b.matches('^[a-z]+-[0-9]+$')))",
    "self.n.all(a, self.t.all(b, b.contains('-1') || b.startsWith('text')))",
    "self.n.all(a, self.t.all(b, b + b != ''))",
    "self.n.all(a, self.t.all(b, b.lowerAscii() == b && b.replace('a', 'b') != ''))",
    "self.n.all(a, self.t.all(b, b.split('-').size() == 2))",
    "self.n.all(a, self.t.join(',').size() > 0)",
    "self.n.all(a, self.t.all(b, b.find('[0-9]+') != ''))",
    "self.n.all(a, self.t.all(b, !format.dns1123Label().validate(b).hasValue()))",
    "self.n.all(a, self.n.all(b, quantity('1Gi').add(quantity('1Mi')).isGreaterThan(quantity('1'))))",
    "self.n.all(a, self.n.all(b, cidr('10.0.0.0/8').containsIP('10.0.0.1')))",
    "self.n.all(a, self.n.all(b, url('https://a.example/b').getHost() != ''))",
    "self.n.all(a, self.n.all(b, optional.of(a).orValue(1) >= 0))",
    "self.n.all(a, self.n.all(b, self.?n.orValue([]).size() > 0))",
    "self.n.all(a, self.n.all(b, string(a) != 'x' && int(string(b)) == b))",
    "self.n.all(a, self.n.all(b, (a > b ? a : b) >= 0))",
    "self.n.all(a, sets.contains(self.n, [a, 0]))",
    "self.n.all(a, sets.intersects(self.n, [a]) && sets.equivalent(self.n, self.n))",
    "self.n.all(a, self.n.all(b, self.n.slice(0, 1).size() == 1))",
    "self.n.all(a, self.n.all(b, lists.range(5).size() == 5))",
    "self.n.all(a, self.n.all(b, [[a], [b]].flatten().size() == 2))",
    "self.n.all(a, self.n.reverse().size() > 0)",
    "self.n.all(a, self.n.distinct().size() > 0)",
    "self.t.all(a, self.t.distinct().size() > 0)",
    "self.n.all(a, self.n.sort().size() > 0)",
    "self.n.all(a, self.t.sortBy(b, b).size() > 0)",
    "self.n.all(a, self.n.all(b, self.?n.optMap(c, c.size() > 0).orValue(true)))",
];

/// The largest lists.
const MOST: usize = 2000;

/// Compares the sizes for the rules that contain one of the words, or for all, and returns the report.
///
/// # Errors
///
/// Fails if the server cannot be reached.
pub async fn run(client: &Client, namespace: &str, words: &[String]) -> TestResult<String> {
    let mut out = String::new();
    let (mut same, mut all) = (0, 0);
    let is_selected = |rule: &str| words.is_empty() || words.iter().any(|it| rule.contains(it));
    for (index, rule) in RULES.iter().enumerate().filter(|it| is_selected(it.1)) {
        all += 1;
        let kind = format!("Cost{index}");
        let plural = format!("costs{index}");
        let checked = Schema::new(&schema(rule, MOST))?;
        let object = |size: usize| {
            let texts: Vec<_> = (0..size).map(|it| format!("text-{it}")).collect();
            let numbers: Vec<_> = (0..size).collect();
            json!({"apiVersion": "costs.example.com/v1", "kind": kind, "metadata": {"name": "a"}, "spec": {"n": numbers, "t": texts}})
        };
        let found = first(MOST, |size| checked.validate(&object(size)).is_empty());
        // The server estimates the costs of the longest list, and accepts ten times the limit of one evaluation.
        let schema = schema(rule, found * 3 / 2);
        let crd = json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": format!("{plural}.costs.example.com")},
            "spec": {
                "group": "costs.example.com", "scope": "Namespaced",
                "names": {"kind": kind, "plural": plural},
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
            },
        });
        let path = format!("/apis/costs.example.com/v1/namespaces/{namespace}/{plural}");
        if !create(client, &crd).await? {
            _ = writeln!(out, "rejected: {rule}");
            continue;
        }
        establish(client, &path).await?;
        let mut theirs = Vec::new();
        for size in [found - 1, found] {
            let path = format!("{path}?dryRun=All");
            let (_, answer, _) = send(client, "POST", &path, Some(&object(size))).await?;
            let exceeded = answer["message"]
                .as_str()
                .is_some_and(|it| it.contains("cost"));
            theirs.push(exceeded);
        }
        // The last one of the sizes may not be too expensive either.
        let ours = !checked.validate(&object(found)).is_empty();
        if theirs == [false, ours] {
            same += 1;
        }
        _ = writeln!(out, "{found:5} server {theirs:?}: {rule}");
        send(
            client,
            "DELETE",
            &format!(
                "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{plural}.costs.example.com"
            ),
            None,
        )
        .await?;
    }
    _ = writeln!(
        out,
        "{same} of {all} rules become too expensive at the same size"
    );
    Ok(out)
}

/// Returns the least size at which a rule fails.
fn first(most: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (1, most);
    while low < high {
        let middle = low.midpoint(high);
        if holds(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

fn schema(rule: &str, most: usize) -> Value {
    json!({"type": "object", "properties": {"spec": spec(rule, most)}})
}

/// Returns the schema with a rule, for lists up to a size.
pub(super) fn spec(rule: &str, most: usize) -> Value {
    json!({
        "type": "object",
        "properties": {
            "n": {"type": "array", "maxItems": most, "items": {"type": "integer"}},
            "t": {"type": "array", "maxItems": most, "items": {"type": "string", "maxLength": 10}},
        },
        "x-kubernetes-validations": [{"rule": rule}],
    })
}
