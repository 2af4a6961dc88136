"""Reads the tags and the text of an HTML page."""

from html.parser import HTMLParser


class Tags(HTMLParser):
    """Every tag of a page with its attributes, and all of its text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    handle_startendtag = handle_starttag

    def handle_data(self, data):
        self.text += data
