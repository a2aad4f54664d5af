# Kills every process of one control plane and removes its folder once standard input closes, which happens
# however the process at the other end dies.
#   sh -c SCRIPT reaper FOLDER LOGS [KUBECTL...]
# Lines read: `add PID`, `forget PID`, `namespace NAME` (deleted from the cluster of KUBECONFIG),
# `keep` (copies the logs to the folder LOGS).
trap '' HUP INT TERM
folder=$1 logs=$2 keep= pids=' ' namespaces=
shift 2
while read -r word name; do
  case $word in
    add) pids="$pids$name " ;;
    forget) case $pids in *" $name "*) pids="${pids%% "$name" *} ${pids#* "$name" }" ;; esac ;;
    namespace) namespaces="$namespaces $name" ;;
    keep) keep=yes ;;
  esac
done
for pid in $pids; do kill -9 "$pid"; done 2>/dev/null
if [ -n "$namespaces" ]; then
  KUBECACHEDIR=$folder/kubectl "$@" delete namespace $namespaces --wait=false --ignore-not-found --request-timeout=20s
fi
if [ -n "$keep" ]; then mkdir -p "$logs" && cp -R "$folder/logs/." "$logs"; fi
# A process that was being started when the input closed may still be writing.
for _ in 1 2 3 4 5; do rm -rf "$folder" && break; sleep 1; done 2>/dev/null
# The rest of the process group, which this shell leads: itself, and processes not yet announced.
kill -9 0
