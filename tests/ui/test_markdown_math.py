"""Formulas are readable, money is money, and what can't be told stays as it was written."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.ui.markdown import render
from hermes_tui.ui.markdown_math import to_unicode
from hermes_tui.ui.stream import Stream
from hermes_tui.ui.text_lines import plain
from hermes_tui.ui.theme import Look, builtin

NIGHT = builtin("hermes-night")
assert NIGHT
LOOK = Look(NIGHT)


@pytest.mark.parametrize(
    ("latex", "shown"),
    [
        ("E = mc^2", "E = mc²"),
        (r"\frac{a+b}{2}", "(a+b)/2"),
        (r"\sqrt{x^2 + y^2}", "√(x² + y²)"),
        (r"\sqrt[3]{n}", "³√n"),
        (r"\sum_{i=1}^{n} x_i", "∑ᵢ₌₁ⁿ xᵢ"),
        (r"\alpha \le \beta \to \infty", "α ≤ β → ∞"),
        (r"x \in \mathbb{R}^n", "x ∈ ℝⁿ"),
        (r"\left( \frac{1}{2} \right)", "( 1/2 )"),
        (r"\text{if } x > 0", "if x > 0"),
        (r"\hat{y} = \sin x", "y\u0302 = sin x"),
        (r"e^{-x/2}", "e^(−x/2)"),
        (r"90^\circ", "90°"),
        (r"a_{ij}", "aᵢⱼ"),
    ],
)
def test_common_latex_reads_as_it_would_on_paper(latex: str, shown: str) -> None:
    assert to_unicode(latex) == shown


@pytest.mark.parametrize(
    "latex",
    [r"\begin{pmatrix}1&2\end{pmatrix}", r"\unknown{x}", r"\frac{1}", "{", "}", "a & b", "^"],
)
def test_what_has_no_plain_form_is_left_as_it_was(latex: str) -> None:
    assert to_unicode(latex) is None
    assert latex.split()[0][:3] in plain(render(f"see \\({latex}\\) there", 80, LOOK))


def line(text: str) -> str:
    return plain(render(text, 100, LOOK))


def test_formulas_are_found_in_all_four_forms() -> None:
    text = r"a \(x^2\) b $x_1$ c $$y = \frac{1}{2}$$ d \[z^3\]"
    assert line(text) == "a x² b x₁ c y = 1/2 d z³"


@pytest.mark.parametrize(
    "text",
    [
        "it costs $5 and then $10",
        "between $5, or $6 each",
        "set $HOME and $PATH first",
        "US$ and A$",
        "`$x^2$` in code",
        "a lone $ sign",
    ],
)
def test_money_and_variables_are_no_formulas(text: str) -> None:
    assert line(text) == text.replace("`", "")


@settings(deadline=None)
@given(st.text(st.sampled_from("\\${}^_()[]ab12 frac sqrt\n-&"), max_size=40))
def test_any_text_can_be_read_and_streams_as_at_once(text: str) -> None:
    to_unicode(text)
    stream = Stream()
    for end in range(len(text) + 1):
        stream.lines(text[:end], 30, LOOK)
    assert plain(stream.lines(text, 30, LOOK)) == plain(render(text, 30, LOOK))


def test_copying_a_formula_gives_its_source() -> None:
    text = r"so $x^2$ it is"
    (only,) = render(text, 80, LOOK)
    at = only.text.index("x²")
    start, end = only.cut(at, at + 2)
    assert text[start:end] == "$x^2$"
