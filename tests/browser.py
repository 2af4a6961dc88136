"""A real Chromium for the tests of the site, driven through chromedriver's HTTP interface."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
import urllib.error
import urllib.request

_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
DOWN, ESCAPE, TAB = "\ue015", "\ue00c", "\ue004"


def missing():
    """What keeps the browser tests from running here; empty where nothing does."""
    if not _chromium():
        return "no Chromium here: apt-get install chromium"
    return "" if shutil.which("chromedriver") else "no chromedriver here: apt-get install chromium-driver"


def _chromium():
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next((path for name in names if (path := shutil.which(name))), None)


class BrowserError(Exception):
    """What chromedriver said when it could not do something."""


class Browser:
    """One window without a screen; a context manager, so that no process is left behind."""

    def __init__(self, width=1000, height=900):
        self._driver = subprocess.Popen(
            [shutil.which("chromedriver"), "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True,
        )
        said = (re.search(r"successfully on port (\d+)", line) for line in self._driver.stdout)
        port = next(found[1] for found in said if found)
        self._address = f"http://127.0.0.1:{port}/session"
        arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     f"--window-size={width},{height}"]
        wanted = {"goog:chromeOptions": {"binary": _chromium(), "args": arguments},
                  "goog:loggingPrefs": {"performance": "ALL", "browser": "ALL"}}
        try:
            made = self._call("POST", "", {"capabilities": {"alwaysMatch": wanted}})
        except BaseException:
            self._driver.kill()
            raise
        self._address += f"/{made['sessionId']}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._call("DELETE", "")
        finally:
            self._driver.terminate()
            self._driver.wait(10)
            self._driver.stdout.close()

    def _call(self, method, path, body=None):
        data = json.dumps(body or {}).encode() if method == "POST" else None
        request = urllib.request.Request(self._address + path, data, {"Content-Type": "application/json"},
                                         method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            told = json.load(error)["value"]
            raise BrowserError(f"{path}: {told['error']}: {told['message']}") from None

    def open(self, address):
        """Load a page anew, also where only the part after the # differs, and wait for all of it."""
        # chromedriver has returned before the new document was there.
        for each in ("about:blank", address):
            self.run("window.dpkbLeft = true")
            self._call("POST", "/url", {"url": each})
            assert self.until("return !window.dpkbLeft && document.readyState === 'complete'"), each

    def run(self, script, *arguments):
        """What a script, a function's body, returns in the page."""
        return self._call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def type(self, selector, text):
        """Write into what the selector names, key by key."""
        found = self._call("POST", "/element", {"using": "css selector", "value": selector})
        self._call("POST", f"/element/{found[_ELEMENT]}/value", {"text": text})

    def press(self, keys):
        """Press keys where the focus is."""
        found = self._call("GET", "/element/active")
        self._call("POST", f"/element/{found[_ELEMENT]}/value", {"text": keys})

    def until(self, script, seconds=30):
        """Wait until a script returns something true, and return it; None where it never does."""
        end = time.monotonic() + seconds
        while True:
            late = time.monotonic() > end
            try:
                if value := self.run(script):
                    return value
            except BrowserError:
                # While one document makes room for the next, a script finds nothing to run in.
                if late:
                    raise
            if late:
                return None
            time.sleep(0.02)

    def requests(self):
        """The addresses that pages asked for since the last call."""
        messages = [json.loads(row["message"])["message"] for row in self._log("performance")]
        sent = (m["params"] for m in messages if m["method"] == "Network.requestWillBeSent")
        return [url for one in sent if (url := one["request"]["url"]) != "about:blank"]

    def errors(self):
        """What the pages' console said that was severe since the last call."""
        return [row["message"] for row in self._log("browser") if row["level"] == "SEVERE"]

    def _log(self, kind):
        return self._call("POST", "/se/log", {"type": kind})
