#!/bin/sh
# Runs a task with the agent in the current Git repository and writes its changes as a patch.
# Needs Node 22.13 or newer, Git, bubblewrap (docs/sandbox.md), and an Ollama server with the model.
#
#   TASK="Fix the failing test" MODEL=qwen3:8b sh agent-task.sh
#
# The exit code is that of "run" (docs/api.md): 0 success, 3 something was refused, 4 timeout, else a failure.
set -eu

: "${TASK:?is missing}" "${MODEL:?is missing}"
cli=${OLLAMA_COPILOT:-$HOME/ollama-copilot/extension/dist/cli.js}
out=${OUT:-$HOME/agent-task}
ollama=${OLLAMA_HOST:-http://localhost:11434}
access=$HOME/.ollama-copilot/api.json
start=$(git rev-parse HEAD)

mkdir -p "$out"
node "$cli" serve --base-url "$ollama" --model "$MODEL" --allow ollama-copilot:run "$PWD" > "$out/serve.log" 2>&1 < /dev/null &
server=$!
trap 'kill "$server"; wait "$server" || true' EXIT
until [ -f "$access" ]; do
  kill -0 "$server" || { cat "$out/serve.log"; exit 1; }
  sleep 0.2
done

code=0
node "$cli" run --approve sandbox --timeout "${TIMEOUT:-10m}" "$TASK" > "$out/answer.md" 2> "$out/run.log" < /dev/null || code=$?

# New files and commits of the agent are part of the patch, ignored files are not.
git add --all --intent-to-add
git diff --binary "$start" > "$out/agent.patch"
git reset --quiet
exit "$code"
