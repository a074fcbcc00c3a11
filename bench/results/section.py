"""One table's part of the results."""

from dataclasses import dataclass, field
from pathlib import Path

from results import targets


PLOTS = "plots"  # the directory beside the file of results


@dataclass
class Section:
    """Text, tables and plots, then targets."""

    parts: list = field(default_factory=list)
    targets: list = field(default_factory=list)
    plots: dict = field(default_factory=dict)  # name of the file -> SVG

    def add(self, *texts):
        """Paragraphs and tables, one after the other."""
        self.parts += texts

    def plot(self, name, caption, svg):
        """Shows a plot at this place."""
        self.plots[name] = svg
        self.parts.append(f"![{caption}]({PLOTS}/{name})")

    def write_plots(self, directory):
        """Into PLOTS below `directory`."""
        place = Path(directory) / PLOTS
        for name, svg in self.plots.items():
            place.mkdir(exist_ok=True)
            (place / name).write_text(svg, encoding="utf-8")

    def body(self, title, preface):
        """Markdown under its own title; `preface`: where and how it was measured."""
        parts = [f"## {title}", preface, *self.parts]
        if self.targets:
            parts.append(targets.text(self.targets))
        return "\n\n".join(part.strip() for part in parts) + "\n"
