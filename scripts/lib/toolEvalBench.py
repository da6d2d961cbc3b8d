"""Runs the calls that solve each scenario of tool-eval-bench on its mock tools, and writes the input of the model and the expected calls.

Writes a line of JSON for each scenario: {"id", "tools": [{"name", "description", "parameters"}], "phases": [{"message", "turns": [[{"name", "arguments",
"result"}]], "answer"}]}. Fails if the scenario's own scorer rejects the calls and the answers.
"""
import json
import sys
from pathlib import Path


def played(scenario, trace, parts):
    """Returns the phases of a scenario with the results of its mock tools, and the verdict of its scorer."""
    state = parts.ScenarioState()
    state.meta.update(reference_date=parts.date, reference_day=parts.day)
    messages = [scenario.user_message, *scenario.follow_up_messages]
    phases = []
    turn = 0
    for number, (message, (*turns, answer)) in enumerate(zip(messages, trace, strict=True)):
        made = []
        for calls in turns:
            turn += 1
            state.assistant_messages.append("")
            made.append([called(scenario, state, call, turn, number, parts) for call in calls])
        turn += 1
        state.assistant_messages.append(answer)
        state.final_answer = answer
        phases.append({"message": message, "turns": made, "answer": answer})
    return phases, scenario.evaluate(state)


def called(scenario, state, call, turn, phase, parts):
    name, arguments = call
    text = json.dumps(arguments)
    record = parts.ToolCallRecord(f"call_{len(state.tool_calls)}", name, text, arguments, turn, phase)
    state.tool_calls.append(record)
    result = scenario.handle_tool_call(state, record)
    state.tool_results.append(parts.ToolResultRecord(record.id, name, result))
    problem = scenario.checkpoint(state, record) if scenario.checkpoint else None
    if problem:
        state.meta.setdefault("state_checkpoints", []).append(problem)
    return {"name": name, "arguments": arguments, "result": json.dumps(result, ensure_ascii=False)}


def main(folder, traces, target):
    sys.path.insert(0, folder)
    from tool_eval_bench.domain import scenarios as parts
    from tool_eval_bench.domain import tools
    from tool_eval_bench.evals.scenarios import ALL_SCENARIOS_WITH_HARDMODE as scenarios

    parts.date, parts.day = tools.BENCHMARK_REFERENCE_DATE, tools.BENCHMARK_REFERENCE_DAY
    known = {one["id"]: one["phases"] for one in map(json.loads, Path(traces).read_text(encoding="utf-8").splitlines())}
    lines = []
    for scenario in scenarios:
        phases, verdict = played(scenario, known[scenario.id], parts)
        if verdict.status != parts.ScenarioStatus.PASS:
            sys.exit(f"{scenario.id} is not solved: {verdict.summary}")
        offered = [tool["function"] for tool in scenario.tools_override or tools.UNIVERSAL_TOOLS]
        lines.append(json.dumps({"id": scenario.id, "tools": offered, "phases": phases}, ensure_ascii=False))
    Path(target).write_text("\n".join(lines) + "\n", encoding="utf-8")


main(*sys.argv[1:])
