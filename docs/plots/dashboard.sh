# What the dashboard of the book shows: two replicas of an operator on a real control plane, 60 objects that change, and three faults.
# `bash docs/plots/dashboard.sh` takes 16 minutes, needs `prometheus`, and runs programs that were built in target/debug.
set -eu
work=$(mktemp -d)
objects() {
  for index in $(seq 60); do
    printf -- '---\napiVersion: iksoon.test.com/v1\nkind: CrdKind\nmetadata: {name: object-%s}\n' "$index"
    printf 'spec: {choice: mysql, replicas: %s}\n' "$((index % 4 == $1 % 4 ? 2 + $1 % 3 : 1))"
  done >"$work/objects.yaml"
}
objects 0
target/debug/kube-codegen-dev generated-examples/crdkind-operator --real --admin --replicas 2 --apply "$work/objects.yaml" -- \
  "$PWD/target/debug/crdkind-operator" --shards 8 --leader-elect-resource-namespace=crdkind-operator --health-probe-bind-address=0 \
  --metrics-bind-address='127.0.0.1:910{replica}' --metrics-secure=false >"$work/dev.log" &
dev=$!
# The labels are those of the ServiceMonitor in deploy/prometheus.yaml.
cat >"$work/prometheus.yml" <<'YAML'
global: {scrape_interval: 15s}
scrape_configs:
- job_name: crdkind-operator-metrics
  static_configs:
  - {targets: ["127.0.0.1:9101"], labels: {pod: crdkind-operator-1}}
  - {targets: ["127.0.0.1:9102"], labels: {pod: crdkind-operator-2}}
YAML
prometheus --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/data" --web.listen-address=127.0.0.1:9391 --log.level=warn &
prometheus=$!
trap 'kill "$dev" "$prometheus"; wait; rm -r "$work"' EXIT
until page=$(grep -o 'http://127.0.0.1:[0-9]*/[0-9a-f]*/' "$work/dev.log"); do sleep 1; done
ask() { curl --silent --show-error -H "Origin: ${page%/*/}" -H 'Content-Type: application/json' -d "$1" "${page}do"; }
for round in $(seq 45); do
  sleep 20
  objects "$round"
  case $round in
    9) ask '{"do": "expire", "plural": ""}' ;;
    15) ask '{"do": "network", "on": false, "replica": 1}' ;;
    18) ask '{"do": "network", "on": true, "replica": 1}' ;;
    30) ask '{"do": "pause", "replica": 2}' ;;
    33) ask '{"do": "continue", "replica": 2}' ;;
    # A replica that has lost its Leases ends, and the kubelet starts it again.
    19) ask '{"do": "restart", "replica": 1}' ;;
    34) ask '{"do": "restart", "replica": 2}' ;;
  esac
done
cargo xtask bench-book --dashboard http://127.0.0.1:9391
