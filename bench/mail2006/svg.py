"""A small writer of SVG pictures that look well on light and on dark pages. Colours are named, not given."""

from xml.sax.saxutils import escape, quoteattr

# name: (on light, on dark)
_COLOURS = {
    "page": ("#ffffff", "#0d1117"),
    "ink": ("#1f2328", "#e6edf3"),
    "faint": ("#59636e", "#9198a1"),
    "rule": ("#d8dee4", "#30363d"),
    "write": ("#1f6fb5", "#58a6e8"),
    "read": ("#d9822b", "#f0a95c"),
}


class Picture:
    """Shapes are drawn in the order in which they come; places are in pixels from the upper left corner."""

    def __init__(self, width, height, title):
        self._width = width
        self._height = height
        self._title = title
        self._shapes = []

    def rectangle(self, x, y, width, height, colour, tip=""):
        """A filled rectangle; `tip` is shown where the pointer rests on it."""
        place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
        self._shapes.append(f'<rect class="{_fill(colour)}" {place}>{_tip(tip)}</rect>')

    def line(self, x1, y1, x2, y2, colour, dashed=False):
        """A thin line."""
        dashes = ' stroke-dasharray="4 3"' if dashed else ""
        place = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
        self._shapes.append(f'<line class="{_stroke(colour)}" {place}{dashes}/>')

    def diamond(self, x, y, colour, tip=""):
        """A small hollow diamond around a point."""
        points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in ((-5, 0), (0, -5), (5, 0), (0, 5)))
        kinds = f"{_fill('page')} {_stroke(colour)} thick"
        self._shapes.append(f'<polygon class="{kinds}" points="{points}">{_tip(tip)}</polygon>')

    def text(self, x, y, words, colour="ink", anchor="start", size=12, bold=False):
        """Words on a base line, with a rim that hides lines beneath; `anchor` is start, middle or end."""
        weight = ' font-weight="600"' if bold else ""
        place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}"{weight}'
        kinds = f"{_fill(colour)} {_stroke('page')}"
        self._shapes.append(f'<text class="{kinds}" {place}>{escape(words)}</text>')

    def xml(self):
        """The whole picture."""
        size = f'width="{self._width:.0f}" height="{self._height:.0f}"'
        box = f'viewBox="0 0 {self._width:.0f} {self._height:.0f}"'
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} role="img" '
            f"aria-label={quoteattr(self._title)}>",
            f"<title>{escape(self._title)}</title>",
            f"<style>{_style()}</style>",
            f'<rect class="{_fill("page")}" {size}/>',
            *self._shapes,
            "</svg>",
        ]
        return "\n".join(lines) + "\n"


def _fill(colour):
    assert colour in _COLOURS, colour
    return f"fill-{colour}"


def _stroke(colour):
    assert colour in _COLOURS, colour
    return f"line-{colour}"


def _tip(words):
    return f"<title>{escape(words)}</title>" if words else ""


def _style():
    def rules(shade):
        return "".join(
            f".fill-{name}{{fill:{shades[shade]}}}.line-{name}{{stroke:{shades[shade]}}}"
            for name, shades in _COLOURS.items()
        )

    text = (
        "text{font-family:system-ui,-apple-system,'Segoe UI',sans-serif;paint-order:stroke;stroke-width:3;"
        "stroke-linejoin:round}.thick{stroke-width:1.6}"
    )
    return f"{text}{rules(0)}@media (prefers-color-scheme:dark){{{rules(1)}}}"
