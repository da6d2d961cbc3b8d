"""Checks checkpoints and work sessions: each row in the table of files that tools and commands create, modify and delete."""

import os

from wire import SESSION, WORKSPACE, call, check, run, run_checks

AT = f"/api/dialogs/{SESSION}"


def read(name):
    try:
        with open(os.path.join(WORKSPACE, name)) as file:
            return file.read()
    except FileNotFoundError:
        return None


def statuses():
    return {file["path"]: file["status"] for file in call("GET", f"{AT}/session")[1]["changed_files"]}


def checkpoints():
    return [one["commit_id"] for one in call("GET", f"{AT}/checkpoints")[1]["checkpoints"]]


def restore(checkpoint):
    status, answer = call("POST", f"{AT}/restore", {"checkpoint_id": checkpoint})
    assert status == 200 and answer["restored_to"] == checkpoint and answer["new_checkpoint"] in checkpoints(), answer


@check
def tools_and_commands_create_modify_and_delete():
    events = run(SESSION, "Change files")
    (user,) = [event for event in events if event["type"] == "user"]
    assert user["checkpoint"] in checkpoints() and user["session"] == "session_1", user
    edits = [event for event in events if event["type"] == "file_edit"]
    assert all(os.path.isabs(edit["file"]) and isinstance(edit["diff"], str) and "checkpoint" not in edit for edit in edits)
    added = {name: "added" for name in ("by-tool.txt", "by-command.txt", "ignored/by-tool.txt")}
    changed = {"main.py": "modified", "sed.py": "modified", "old.py": "deleted", "gone.py": "deleted"}
    assert statuses() == {**added, **changed}, statuses()
    run(SESSION, "Nothing")
    after = checkpoints()[-1]
    restore(user["checkpoint"])
    assert statuses() == {}, statuses()
    assert [read(name) for name in added] == [None] * 3
    assert [read(name) for name in changed] == ["old\n"] * 4 and read("ignored/by-command.txt") == "new\n"
    restore(after)
    assert [read(name) for name in added] == ["new\n"] * 3
    assert [read(name) for name in changed] == ["new\n", "new\n", None, None]


@check
def ignored_files_of_tools_stay_tracked():
    run(SESSION, "Create ignored files")
    assert call("POST", f"{AT}/approve", {})[1]["new_session"] == "session_2"
    events = run(SESSION, "Change ignored files")
    names = [f"ignored/{deed}-by-{way}.txt" for deed in ("modified", "deleted") for way in ("tool", "command")]
    assert statuses() == {name: name[8:].split("-")[0] for name in names}, statuses()
    user = [event for event in events if event["type"] == "user"][-1]
    run(SESSION, "Nothing")
    after = checkpoints()[-1]
    restore(user["checkpoint"])
    assert [read(name) for name in names] == ["one\n"] * 4, [read(name) for name in names]
    restore(after)
    assert [read(name) for name in names] == ["two\n", "two\n", None, None], [read(name) for name in names]


run_checks()
