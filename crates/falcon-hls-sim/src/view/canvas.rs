//! Shapes and texts of a picture (SVG). The crate `svg` escapes texts.

use svg::node::element::{Circle, Group, Line, Rectangle, Text, Title};

/// Colours that people with colour blindness can distinguish (Okabe and Ito, with a darker yellow).
/// Black is not among them, since text is black.
pub(super) const COLOURS: [&str; 7] = [
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a900",
];

/// Grey of the lines in the background.
pub(super) const GRID: &str = "#d8d8d8";

/// Size of a title.
pub(super) const TITLE: f64 = 16.0;

/// Width of a letter, relative to the font size. It is an upper bound for sans-serif text without
/// many capitals.
const LETTER: f64 = 0.6;

/// Part of a text that is placed at the given position.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// Returns the approximate width of `text`.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    LETTER * size * text.chars().count() as f64
}

/// Rounds to two decimals, which is precise enough for pixels.
fn short(x: f64) -> f64 {
    (x * 100.0).round() / 100.0
}

pub(super) fn text(x: f64, y: f64, size: f64, anchor: Anchor, content: &str) -> Text {
    let anchor = match anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    Text::new(content)
        .set("x", short(x))
        .set("y", short(y))
        .set("font-size", size)
        .set("text-anchor", anchor)
}

pub(super) fn rectangle(x: f64, y: f64, width: f64, height: f64, fill: &str) -> Rectangle {
    Rectangle::new()
        .set("x", short(x))
        .set("y", short(y))
        .set("width", short(width))
        .set("height", short(height))
        .set("fill", fill)
}

pub(super) fn line(from: (f64, f64), to: (f64, f64), stroke: &str) -> Line {
    Line::new()
        .set("x1", short(from.0))
        .set("y1", short(from.1))
        .set("x2", short(to.0))
        .set("y2", short(to.1))
        .set("stroke", stroke)
}

pub(super) fn circle(at: (f64, f64), radius: f64, fill: &str) -> Circle {
    Circle::new()
        .set("cx", short(at.0))
        .set("cy", short(at.1))
        .set("r", radius)
        .set("fill", fill)
}

/// Returns a group that shows `title` as a tooltip.
pub(super) fn titled(title: String) -> Group {
    Group::new().add(Title::new(title))
}

/// Returns a picture on white, with its title at the top left.
pub(super) fn picture((width, height): (f64, f64), title: &str, content: Group) -> svg::Document {
    let (width, height) = (width.ceil(), height.ceil());
    let heading = text(20.0, 26.0, TITLE, Anchor::Start, title).set("font-weight", "bold");
    svg::Document::new()
        .set("viewBox", (0, 0, width, height))
        .set("width", width)
        .set("height", height)
        .set("font-family", "DejaVu Sans, Helvetica, Arial, sans-serif")
        .add(Title::new(title))
        .add(rectangle(0.0, 0.0, width, height, "white"))
        .add(heading)
        .add(content)
}
