"""What an audited program's environment needs."""

import os

import pytest

from dpkb.audit.guest_half import FOLDER, all_checks, environment_variables


def test_every_check_is_named_like_its_entry():
    checks = all_checks()
    assert len(checks) > 30 and all(check.__name__ == name for name, check in checks.items())


@pytest.mark.parametrize(
    ("before", "path"),
    [({}, str(FOLDER)), ({"PYTHONPATH": ""}, str(FOLDER)), ({"PYTHONPATH": "a"}, f"{FOLDER}{os.pathsep}a")],
)
def test_the_audit_is_found_first_and_the_users_modules_after_it(tmp_path, before, path):
    found = environment_variables(tmp_path, None, before)
    assert found == {"PYTHONPATH": path, "DPKB_AUDIT_FOLDER": str(tmp_path)}
    assert (FOLDER / "sitecustomize.py").is_file()


def test_the_number_of_steps(tmp_path):
    assert environment_variables(tmp_path, 7, {})["DPKB_AUDIT_STEPS"] == "7"
