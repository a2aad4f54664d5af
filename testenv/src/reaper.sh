# Ends every process of one control plane and removes its folder once standard input closes, which it does
# however the process that holds the other end comes to its end.
#   sh -c SCRIPT reaper FOLDER LOGS
# Lines read: `add PID`, `forget PID`, `keep` (the logs are to survive, in the folder LOGS).
trap '' HUP INT TERM
folder=$1 logs=$2 keep= pids=' '
while read -r word pid; do
  case $word in
    add) pids="$pids$pid " ;;
    forget) pids="${pids%% "$pid" *} ${pids#* "$pid" }" ;;
    keep) keep=yes ;;
  esac
done
for pid in $pids; do kill -9 "$pid"; done 2>/dev/null
if [ -n "$keep" ]; then mkdir -p "$logs" && cp -R "$folder/logs/." "$logs"; fi
# A process that was being started when the input closed may still be writing.
for _ in 1 2 3 4 5; do rm -rf "$folder" && break; sleep 1; done 2>/dev/null
# The rest of the process group, whose leader this shell is: itself, and what was not yet announced.
kill -9 0
