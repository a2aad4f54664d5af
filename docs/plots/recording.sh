# What a recording shows: the example $1 on an API server in memory, and a change of its object.
# `cargo xtask bench-book --record` runs it for each example in the root of the repository, with programs that were built in target/debug.
name=$1
work=$(mktemp -d)
sample=$work/sample.yaml
mkdir "$work/$name"
cp -r "generated-examples/$name/deploy" "$work/$name"
# The sample is applied as a file of the user.
mv "$work/$name/deploy/sample.yaml" "$sample" 2>/dev/null
case $name in
foo-controller | crdkind-operator)
  change='s/replicas: 1/replicas: 3/'
  ;;
network-controller)
  sed -i -e 's,cidr: example,cidr: 192.168.0.0/16,' -e 's/gateway: example/gateway: 192.168.0.1/' "$sample"
  change='s/gateway: 192.168.0.1/gateway: 192.168.0.254/'
  set -- "--directory=$work/networks"
  ;;
virtualmachine-operator)
  change='s/memory: "4Gi"/memory: "8Gi"/'
  ;;
pod-watcher)
  cat >"$sample" <<END
apiVersion: v1
kind: Pod
metadata: {name: example, labels: {stage: test}}
spec: {containers: [{name: main, image: nginx}]}
END
  change='s/stage: test/stage: live/'
  ;;
secret-copier)
  cat >"$sample" <<END
apiVersion: v1
kind: Namespace
metadata: {name: secretsync}
---
apiVersion: v1
kind: Secret
type: k8s.ziwon.dev/secretsync
metadata: {name: registry, namespace: secretsync}
stringData: {user: reader}
END
  change='s/user: reader/user: writer/'
  ;;
esac
[ "$1" = "$name" ] && set --
programs=$PWD/target/debug
mkfifo "$work/output"
echo '$ kube-codegen dev --apply sample.yaml'
grep --line-buffered -v -e 'applied .*Role' -e 'is left out' -e ' networkpolicies ' -e ' poddisruptionbudgets ' -e operator-metrics <"$work/output" &
"$programs/kube-codegen-dev" "$work/$name" --apply "$sample" -- \
  "$programs/$name" --health-probe-bind-address=0 --metrics-bind-address=0 "$@" >"$work/output" &
dev=$!
sleep 7
echo "\$ sed -i '$change' sample.yaml"
sed -i "$change" "$sample"
sleep 6
kill -TERM "$dev"
wait
rm -r "$work"
