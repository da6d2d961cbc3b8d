"""Checks the tables of code sessions: each column, entry type and file operation, and the events of tool calls."""

import hashlib
import os
import sqlite3

from wire import SESSION, WebSocket, check, code_of, run_checks

ws = WebSocket()
ALL = ws.ask("get-transcript", sessionId=SESSION, includeCompacted=True, limit=1000)["entries"]


def of(kind):
    return [entry for entry in ALL if entry["type"] == kind]


@check
def transcript_entries_have_every_type_and_column():
    kinds = ["user_input", "assistant_output", "tool_call", "tool_result", "file_edit", "compact_marker", "system_message"]
    for kind in kinds:
        assert of(kind), kind
        assert {entry["id"] for entry in ws.ask("get-transcript", sessionId=SESSION, types=[kind], includeCompacted=True)["entries"]} == {
            entry["id"] for entry in of(kind)
        }, kind
    assert len({entry["id"] for entry in ALL}) == len(ALL) and {entry["sessionId"] for entry in ALL} == {SESSION}
    assert [entry["seq"] for entry in ALL] == list(range(1, len(ALL) + 1))
    assert [entry["planItemId"] for entry in ALL if "planItemId" in entry] == ["step-1"]


@check
def tool_calls_have_name_input_output_status_and_duration():
    for entry in of("tool_call") + of("tool_result"):
        data = entry["toolCallData"]
        assert {"name", "input", "output", "status", "duration"} <= set(data), data
    outcomes = [(entry["toolCallData"]["name"], entry["toolCallData"]["status"]) for entry in of("tool_call")]
    assert ("write_file", "success") in outcomes and ("read_file", "error") in outcomes, outcomes


@check
def file_edits_have_each_operation():
    edits = {entry["fileEditData"]["operation"]: entry["fileEditData"] for entry in of("file_edit")}
    assert set(edits) == {"create", "modify", "delete", "rename"}, edits
    for data in edits.values():
        assert {"path", "operation", "diff", "additions", "deletions"} <= set(data), data
    lines = {name: (data["additions"], data["deletions"]) for name, data in edits.items()}
    assert lines == {"create": (1, 0), "modify": (1, 1), "delete": (0, 1), "rename": (0, 0)}, lines
    assert edits["create"]["afterHash"] == hashlib.sha256(b"made\n").hexdigest() and "beforeHash" not in edits["create"]


@check
def compacted_entries_are_marked_and_left_out():
    (marker,) = of("compact_marker")
    count = marker["compactData"]["compactedCount"]
    assert marker["compactData"]["summary"] == "In short" and count > 0, marker
    assert [entry["isCompacted"] for entry in ALL] == [index < count for index in range(len(ALL))]
    sent = ws.ask("get-transcript", sessionId=SESSION, limit=1000)["entries"]
    assert [entry["id"] for entry in sent] == [entry["id"] for entry in ALL[count:]]


@check
def restore_points_are_linked_and_sum_their_files():
    points = {point["id"]: point for point in ws.ask("list-restore-points", sessionId=SESSION)}
    (user,) = of("user_input")
    assert user["restorePointId"] in points
    hashes = set()
    for point in points.values():
        files = ws.ask("get-restore-point", id=point["id"])["files"]
        assert point["sessionId"] == SESSION and point["fileCount"] == len(files), point
        assert point["totalSize"] == sum(file["size"] for file in files), point
        assert len({file["path"] for file in files}) == len(files)
        assert all(set(file) == {"path", "objectHash", "mode", "size"} for file in files)
        hashes |= {file["objectHash"] for file in files if file["path"] == "kept.txt"}
    # All restore points share one object for the same content.
    assert hashes == {hashlib.sha256(b"kept\n").hexdigest()}, hashes


@check
def tool_events_have_session_tool_duration_and_success():
    with sqlite3.connect(os.path.join(os.environ["STORAGE"], "sessions.sqlite")) as database:
        rows = database.execute("SELECT session_id, tool_name, duration_ms, success, error_type FROM tool_events").fetchall()
    assert {row[0] for row in rows} == {SESSION} and all(row[2] >= 0 for row in rows), rows
    assert [row[1] for row in rows] == [entry["toolCallData"]["name"] for entry in of("tool_call")]
    assert {(row[3], row[4]) for row in rows} == {(1, None), (0, "tool_error")}, rows


@check
def deleting_a_session_deletes_its_rows():
    (point, *_) = ws.ask("list-restore-points", sessionId=SESSION)
    assert ws.ask("delete-session", id=SESSION) is True
    assert code_of(lambda: ws.ask("get-transcript", sessionId=SESSION)) == "NOT_FOUND"
    assert code_of(lambda: ws.ask("search-transcript", sessionId=SESSION, query="made")) == "NOT_FOUND"
    assert ws.ask("get-restore-point", id=point["id"]) is None


run_checks()
