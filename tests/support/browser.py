"""A real Chromium for the tests of the site, driven through chromedriver's HTTP interface.

make browser     installs Debian's Chromium and its driver where they are missing, by apt-get
"""

from __future__ import annotations

import contextlib
import functools
import http.server
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

PACKAGES = ("chromium", "chromium-driver")
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
DOWN, ESCAPE, TAB = "\ue015", "\ue00c", "\ue004"


def explain_missing():
    """Say why the browser tests cannot run here; return an empty text if they can."""
    if not _find_chromium():
        return "no Chromium here: make browser, or apt-get install chromium"
    driver = shutil.which("chromedriver")
    return "" if driver else "no chromedriver here: make browser, or apt-get install chromium-driver"


def install():
    """Install Debian's Chromium and its driver if they are missing; return a reason if that fails."""
    if not explain_missing():
        return ""
    if not (apt := shutil.which("apt-get")):
        return "no apt-get here: install Chromium and its chromedriver in this system's own way"
    root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if root and (not shutil.which("sudo") or subprocess.run([*root, "true"], capture_output=True).returncode):
        return f"only root may install it: apt-get install {' '.join(PACKAGES)}"
    command = [*root, "env", "DEBIAN_FRONTEND=noninteractive", apt, "--quiet", "--quiet"]
    for step in (["update"], ["install", "--yes", "--no-install-recommends", *PACKAGES]):
        done = subprocess.run([*command, *step], stdin=subprocess.DEVNULL)
        if done.returncode:
            return f"apt-get {step[0]} failed, see above; by hand: apt-get install {' '.join(PACKAGES)}"
    return explain_missing()


def skip_if(reason):
    """Skip a test if there is a reason. In CI no test of the site may be skipped, so there it fails."""
    if reason and os.environ.get("CI"):
        pytest.fail(f"{reason} (CI is set: no test of the site may be skipped there)")
    if reason:
        pytest.skip(reason, allow_module_level=True)


def find_package(name):
    """The folder of a package; skip the test of the site if it is not installed."""
    spec = importlib.util.find_spec(name)
    skip_if("" if spec else f"no {name} here: pip install -r requirements/all.txt")
    return Path(next(iter(spec.submodule_search_locations)))


def _find_chromium():
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next((path for name in names if (path := shutil.which(name))), None)


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextlib.contextmanager
def serve(folder):
    """Serve a folder by a plain file server, which compresses nothing. Yields its address."""
    handler = functools.partial(_Quiet, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class BrowserError(Exception):
    """A command that chromedriver could not execute."""


class Browser:
    """A window without a screen. A context manager, which ends the processes of the browser."""

    def __init__(self, width=1000, height=900):
        # The address of each request that has not completed, by its id.
        self._open_requests = {}
        # chromedriver leaves temporary folders behind.
        self._temporary = tempfile.TemporaryDirectory(prefix="dpkb-", ignore_cleanup_errors=True)
        self._driver = subprocess.Popen(
            [shutil.which("chromedriver"), "--port=0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "TMPDIR": self._temporary.name},
        )
        matches = (re.search(r"successfully on port (\d+)", line) for line in self._driver.stdout)
        port = next(match[1] for match in matches if match)
        self._address = f"http://127.0.0.1:{port}/session"
        arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            f"--window-size={width},{height}",
        ]
        capabilities = {
            "goog:chromeOptions": {"binary": _find_chromium(), "args": arguments},
            "goog:loggingPrefs": {"performance": "ALL", "browser": "ALL"},
        }
        try:
            session = self._call("POST", "", {"capabilities": {"alwaysMatch": capabilities}})
        except BaseException:
            self._driver.kill()
            self._temporary.cleanup()
            raise
        self._address += f"/{session['sessionId']}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._call("DELETE", "")
        finally:
            self._driver.terminate()
            self._driver.wait(10)
            self._driver.stdout.close()
            self._temporary.cleanup()

    def _call(self, method, path, body=None):
        data = json.dumps(body or {}).encode() if method == "POST" else None
        request = urllib.request.Request(
            self._address + path, data, {"Content-Type": "application/json"}, method=method
        )
        try:
            with urllib.request.urlopen(request, timeout=300) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            reply = json.load(error)["value"]
            raise BrowserError(f"{path}: {reply['error']}: {reply['message']}") from None

    def open(self, address):
        """Load a page, also if only the part after the # differs, and wait until it is complete."""
        leaves = address.partition("#")[0] != self.run("return location.href").partition("#")[0]
        # chromedriver may return before the new document has replaced the old one.
        for page in [address] if leaves else ["about:blank", address]:
            self.run("window.dpkbLeft = true")
            self.go(page)
            assert self.until("return !window.dpkbLeft && document.readyState === 'complete'"), page

    def go(self, address):
        """Begin to load a page. This needs no script in the page."""
        self._call("POST", "/url", {"url": address})

    def run(self, script, *arguments):
        """Run a script, the body of a function, in the page, and return its result."""
        return self._call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def press(self, keys):
        """Press keys in the element that has the focus."""
        element = self._call("GET", "/element/active")
        self._call("POST", f"/element/{element[_ELEMENT]}/value", {"text": keys})

    def until(self, script, seconds=120):
        """Wait until a script returns a true value, and return it; None after so many seconds."""
        end = time.monotonic() + seconds
        while True:
            late = time.monotonic() > end
            try:
                if value := self.run(script):
                    return value
            except BrowserError:
                # While a document is being replaced, no script can run.
                if late:
                    raise
            if late:
                return None
            time.sleep(0.02)

    def take_requests(self):
        """The addresses that pages have requested since the last call."""
        return [address for _, address in self._find_requests(self._messages()) if address != "about:blank"]

    def take_transfers(self):
        """The bytes, with headers, of each address whose request has completed since the last call."""
        messages = self._messages()
        # The end of a request may be in another batch of messages than its start.
        self._open_requests.update(self._find_requests(messages))
        sizes = {}
        for message in messages:
            if message["method"] == "Network.loadingFinished":
                address = self._open_requests.pop(message["params"]["requestId"], "")
                if address.startswith("http"):
                    sizes[address] = sizes.get(address, 0) + message["params"]["encodedDataLength"]
        return sizes

    def call_devtools(self, command, **parameters):
        """Call a command of the DevTools protocol."""
        return self._call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def _messages(self):
        return [json.loads(row["message"])["message"] for row in self._log("performance")]

    @staticmethod
    def _find_requests(messages):
        requests = (m["params"] for m in messages if m["method"] == "Network.requestWillBeSent")
        return [(request["requestId"], request["request"]["url"]) for request in requests]

    def take_errors(self):
        """The errors in the console of the pages since the last call."""
        return [row["message"] for row in self._log("browser") if row["level"] == "SEVERE"]

    def _log(self, kind):
        return self._call("POST", "/se/log", {"type": kind})


if __name__ == "__main__":
    sys.exit(f"make browser: {problem}" if (problem := install()) else None)
