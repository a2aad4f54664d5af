# What the recording of the book's first page shows: an operator on an API server in memory, and a change of its object.
# `cargo xtask bench-book --record` runs it in the root of the repository, with programs that were built in target/debug.
work=$(mktemp -d)
cp generated-examples/crdkind-operator/deploy/sample.yaml "$work/sample.yaml"
mkfifo "$work/output"
echo '$ kube-codegen dev --apply sample.yaml'
grep --line-buffered -v -e 'applied .*Role' -e 'is left out' -e ' networkpolicies ' -e ' poddisruptionbudgets ' -e operator-metrics <"$work/output" &
target/debug/kube-codegen-dev generated-examples/crdkind-operator --apply "$work/sample.yaml" -- \
  "$PWD/target/debug/crdkind-operator" --health-probe-bind-address=0 --metrics-bind-address=0 >"$work/output" &
dev=$!
sleep 7
echo "\$ sed -i 's/replicas: 1/replicas: 3/' sample.yaml"
sed -i 's/replicas: 1/replicas: 3/' "$work/sample.yaml"
sleep 6
kill -TERM "$dev"
wait
rm -r "$work"
