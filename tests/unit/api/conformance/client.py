"""Checks the requests over WebSocket, and approve and reset over HTTP."""

import base64
import hashlib
import os

from wire import SESSION, WORKSPACE, WebSocket, call, check, code_of, run_checks

ws = WebSocket()


@check
def sessions_are_listed_and_read():
    session = ws.ask("get-session", id=SESSION)
    assert set(session) == {"id", "projectPath", "status", "createdAt", "updatedAt"}, session
    assert session["projectPath"] == WORKSPACE and session["status"] == "stopped", session
    assert ws.ask("list-sessions")[0] == session
    assert ws.ask("get-session", id="unknown") is None
    assert ws.ask("delete-session", id="unknown") is False


@check
def transcripts_are_paged_by_seq():
    every = ws.ask("get-transcript", sessionId=SESSION)["entries"]
    seen, since = [], 0
    while True:
        page = ws.ask("get-transcript", sessionId=SESSION, sinceSeq=since, limit=2)
        seen += page["entries"]
        if not page["hasMore"]:
            assert "nextSeq" not in page
            break
        since = page["nextSeq"]
        assert since == page["entries"][-1]["seq"]
    assert seen == every and [entry["seq"] for entry in every] == sorted(entry["seq"] for entry in every)
    for entry in every:
        assert {"id", "sessionId", "type", "content", "timestamp", "seq", "isCompacted"} <= set(entry), entry
    recent = ws.ask("get-recent-transcript", sessionId=SESSION, limit=3)
    assert recent == every[-3:]
    only = ws.ask("get-transcript", sessionId=SESSION, types=["user_input", "tool_call"])["entries"]
    assert {entry["type"] for entry in only} == {"user_input", "tool_call"}


@check
def tool_calls_carry_their_outcome():
    (entry,) = ws.ask("get-transcript", sessionId=SESSION, types=["tool_call"])["entries"]
    data = entry["toolCallData"]
    assert data["name"] == "write_file" and data["input"]["path"] == "a.txt" and data["status"] == "success", data
    assert isinstance(data["output"], str) and data["duration"] >= 0, data


@check
def file_edits_carry_diff_and_hashes():
    (edit,) = ws.ask("get-file-edits", sessionId=SESSION)
    data = edit["fileEditData"]
    assert edit["type"] == "file_edit" and data["path"] == "a.txt" and data["operation"] == "modify", data
    assert data["additions"] == 1 and data["deletions"] == 1 and "+second" in data["diff"], data
    assert data["afterHash"] == hashlib.sha256(b"second\n").hexdigest(), data


@check
def search_finds_stems_and_marks_them():
    (found,) = ws.ask("search-transcript", sessionId=SESSION, query="run")
    assert "<mark>" in found["snippet"] and found["rank"] < 0 and found["entry"]["sessionId"] == SESSION, found


@check
def restore_points_hold_files():
    points = ws.ask("list-restore-points", sessionId=SESSION)
    times = [point["timestamp"] for point in points]
    assert times == sorted(times, reverse=True) and len(points) >= 2
    assert {"id", "sessionId", "description", "timestamp", "totalSize", "fileCount"} <= set(points[0])
    initial = ws.ask("get-restore-point", id=points[-1]["id"])
    (file,) = [file for file in initial["files"] if file["path"] == "a.txt"]
    assert file["objectHash"] == hashlib.sha256(b"first\n").hexdigest() and file["mode"] == 0o644 and file["size"] == 6, file
    content = ws.ask("get-file-at-restore-point", restorePointId=initial["id"], filePath="a.txt")
    assert base64.b64decode(content) == b"first\n"
    assert ws.ask("get-file-at-restore-point", restorePointId=initial["id"], filePath="unknown") is None
    assert ws.ask("get-restore-point", id="unknown") is None
    planned = ws.ask("restore", restorePointId=initial["id"], targetDir=WORKSPACE, dryRun=True)
    assert planned["restoredFiles"] == ["a.txt"] and planned["skippedFiles"] == [], planned
    assert open(os.path.join(WORKSPACE, "a.txt")).read() == "second\n"
    done = ws.ask("restore", restorePointId=initial["id"], targetDir=WORKSPACE, files=["a.txt"])
    assert done["restoredFiles"] == ["a.txt"] and done["skippedFiles"] == [], done
    assert open(os.path.join(WORKSPACE, "a.txt")).read() == "first\n"
    assert code_of(lambda: ws.ask("restore", restorePointId="unknown", targetDir=WORKSPACE)) == "NOT_FOUND"
    assert ws.ask("delete-restore-point", id=points[0]["id"]) is True
    assert ws.ask("delete-restore-point", id=points[0]["id"]) is False
    assert set(ws.ask("gc")) == {"removed", "freedBytes"}


@check
def unknown_requests_and_parameters_are_refused():
    assert code_of(lambda: ws.ask("unknown")) == "NOT_FOUND"
    assert code_of(lambda: ws.ask("get-session")) == "INVALID"
    assert code_of(lambda: ws.ask("get-session", id=SESSION, other=1)) == "INVALID"


@check
def dialogs_approve_and_reset_over_http():
    at = f"/api/dialogs/{SESSION}"
    assert call("GET", "/api/dialogs")[1]["current_dialog_id"] == SESSION
    with open(os.path.join(WORKSPACE, "b.txt"), "w") as file:
        file.write("approved\n")
    status, session = call("GET", f"{at}/session")
    assert status == 200 and session["has_unapproved"] is True, session
    (added,) = [file for file in session["changed_files"] if file["path"] == "b.txt"]
    assert added["status"] == "added" and added["additions"] == 1 and added["diff"] is None, added
    status, approved = call("POST", f"{at}/approve", {"message": "Fine"})
    assert status == 200 and set(approved) == {"approved_commit", "new_session", "commits_approved"}, approved
    os.remove(os.path.join(WORKSPACE, "b.txt"))
    status, reset = call("POST", f"{at}/reset", {})
    assert status == 200 and reset["reset_to"] == approved["approved_commit"], reset
    assert open(os.path.join(WORKSPACE, "b.txt")).read() == "approved\n"
    assert call("POST", f"{at}/restore", {"checkpoint_id": "unknown"})[0] == 404
    assert call("GET", "/api/dialogs/unknown/session")[0] == 404


run_checks()
