# Ends every process of one control plane and removes its folder once standard input closes, which it does
# however the process that holds the other end comes to its end.
#   sh -c SCRIPT reaper FOLDER LOGS [KUBECTL...]
# Lines read: `add PID`, `forget PID`, `namespace NAME` (to be deleted from the cluster that KUBECONFIG names),
# `keep` (the logs are to survive, in the folder LOGS).
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
# The rest of the process group, whose leader this shell is: itself, and what was not yet announced.
kill -9 0
