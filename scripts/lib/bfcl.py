"""Writes the calls in the data sets of bfcl-eval as lines of JSON: {"id", "question", "calls": [{"name", "arguments"}]}."""
import ast
import json
import sys
from pathlib import Path


def question_of(line):
    turns = line.get("question", [])
    words = [message["content"] for turn in turns for message in turn if message.get("role") == "user"]
    return " ".join(words)


def of_ground_truth(call):
    """Takes the first non-empty value of each argument. An empty text means that the argument may be omitted."""
    (name, values), = call.items()
    chosen = {key: next((one for one in options if one != ""), None) for key, options in values.items()}
    return {"name": name, "arguments": {key: value for key, value in chosen.items() if value is not None}}


def of_python(text):
    call = ast.parse(text, mode="eval").body
    named = {word.arg: ast.literal_eval(word.value) for word in call.keywords}
    placed = {f"arg{at}": ast.literal_eval(value) for at, value in enumerate(call.args)}
    return {"name": ast.unparse(call.func), "arguments": {**placed, **named}}


def read(file):
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]


def main(folder, target):
    data = Path(folder)
    out = []
    for answers in sorted((data / "possible_answer").glob("BFCL_v4_*.json")):
        if any(word in answers.name for word in ("web_search", "memory")):
            continue
        questions = {line["id"]: question_of(line) for line in read(data / answers.name)}
        for line in read(answers):
            if "multi_turn" in answers.name:
                for at, turn in enumerate(line["ground_truth"]):
                    if turn:
                        calls = [of_python(text) for text in turn]
                        out.append({"id": f"{line['id']}.{at}", "question": "", "calls": calls})
            else:
                calls = [of_ground_truth(call) for call in line["ground_truth"]]
                out.append({"id": line["id"], "question": questions.get(line["id"], ""), "calls": calls})
    for name in ("BFCL_v4_irrelevance.json", "BFCL_v4_live_irrelevance.json"):
        out += [{"id": line["id"], "question": question_of(line), "calls": []} for line in read(data / name)]
    Path(target).write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in out), encoding="utf-8")


main(sys.argv[1], sys.argv[2])
