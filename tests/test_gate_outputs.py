"""The gate's report for programs: JSON, a code host's annotations and summary, the action and the hook."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from evalkit.cli import cli
from evalkit.gate import Divergence, GateReport, Verdict, outputs
from evalkit.gate.divergence import Run

ROOT = Path(__file__).parent.parent
LOST = Divergence(
    "text lost", "a\ud83d", 1, None, Run("one", 2, (0,), (b"\xff",)), Run("two", 1, (7,), (None,), False), 3
)
REPORT = GateReport(
    "small",
    17,
    (
        Verdict("batch", "t", "web", "fail", "100 % wrong: a,\nb \ud83d", LOST, 2, 30, 40, case="1.json"),
        Verdict("count", "t", "web", "pass", "count"),
        Verdict("threshold", "t", None, "missing", "undefined"),
    ),
    tokenizers=("t",),
)


def test_json_holds_everything() -> None:
    content = json.loads(outputs.as_json(REPORT))
    assert (content["format"], content["outcome"], content["exit_code"]) == ("evalkit-gate-report", "fail", 1)
    assert [one["outcome"] for one in content["verdicts"]] == ["fail", "pass", "missing"]
    found = content["verdicts"][0]
    assert found["divergence"]["text"] == "a\ud83d"
    assert found["divergence"]["left"]["tokens"] == ["ff"]
    assert found["divergence"]["right"] == {"way": "two", "count": 1, "ids": [7], "tokens": [None], "whole": False}
    assert (found["bytes"], found["of_bytes"], found["case"]) == (30, 40, "1.json")


def test_annotations_are_escaped_and_only_where_they_are_read() -> None:
    assert list(outputs.annotation_lines(REPORT, {})) == []
    lines = list(outputs.annotation_lines(REPORT, {"GITHUB_ACTIONS": "true"}))
    assert lines == [
        "::error title=evalkit gate%3A batch FAIL::t on web: 100 %25 wrong: a,%0Ab \\ud83d",
        "::warning title=evalkit gate%3A threshold missing::t: undefined",
    ]
    many = GateReport("s", 0, tuple(Verdict("batch", "t", "c", "fail", "why") for _ in range(14)))
    assert list(outputs.annotation_lines(many, {"GITHUB_ACTIONS": "true"}))[-1].startswith("::notice::4 more")


SUITE = """
version: 1
name: small
corpora:
  a: {files: [a.txt], separator: "\\n"}
tokenizers:
  - {name: one, variant: gpt2, train_on: a, vocab_size: 260}
gate:
  consistency: [count]
"""


def test_the_step_summary_is_found_and_added_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVALKIT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("evalkit.gate.run.GENERATED_BYTES", 300)
    (tmp_path / "a.txt").write_text("\n".join(f"low lower {n} lowest" for n in range(60)), encoding="utf-8")
    (tmp_path / "suite.yaml").write_text(SUITE, encoding="utf-8")
    summary = tmp_path / "summary.md"
    summary.write_text("before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    done = CliRunner().invoke(cli, ["gate", "suite.yaml", "--json", "gate.json", "--quiet"], standalone_mode=False)
    assert done.return_value == 0, done.output
    assert summary.read_text(encoding="utf-8").startswith("before\n## ✅ small: the gate passed\n")
    assert json.loads((tmp_path / "gate.json").read_text(encoding="utf-8"))["exit_code"] == 0


def gate_options() -> set[str]:
    command = cli.get_command(None, "gate")  # type: ignore[arg-type]
    assert command is not None
    return {name for parameter in command.params for name in parameter.opts if name.startswith("--")}


def test_the_action_calls_the_gate_as_it_is() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    assert action["runs"]["using"] == "composite"
    script = "\n".join(step.get("run", "") for step in action["runs"]["steps"])
    assert set(re.findall(r"--[a-z-]+", script)) <= gate_options() | {"--upgrade"}
    used = set(re.findall(r"inputs\.([a-z-]+)", (ROOT / "action.yml").read_text(encoding="utf-8")))
    assert used == set(action["inputs"])


def test_the_hook_is_one_that_pre_commit_takes() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert [hook["id"] for hook in hooks] == ["evalkit-gate"]
    for hook in hooks:
        assert hook["language"] == "python"
        assert hook["entry"] == "evalkit gate"
        assert hook["pass_filenames"] is False
        re.compile(hook["files"])


def test_the_recipe_for_a_shell_uses_what_there_is() -> None:
    text = (ROOT / "docs/gate.md").read_text(encoding="utf-8")
    commands = [line for line in text.splitlines() if line.startswith("evalkit gate ")]
    assert commands
    for line in commands:
        assert set(re.findall(r"--[a-z-]+", line)) <= gate_options(), line


def test_the_recipes_need_no_name_of_an_owner() -> None:
    text = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")
    assert "OWNER" not in text
    blocks = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)]
    [workflow] = [block for block in blocks if "jobs" in block]
    [pre_commit] = [block for block in blocks if "repos" in block]
    _, checkout, action = workflow["jobs"]["tokenizers"]["steps"]
    assert action["uses"] == f"./{checkout['with']['path']}"
    inputs = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["inputs"]
    assert set(action["with"]) <= set(inputs)
    (hook,) = pre_commit["repos"][0]["hooks"]
    (ours,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    for key in ("id", "name", "files", "pass_filenames", "require_serial"):
        assert hook[key] == ours[key]
