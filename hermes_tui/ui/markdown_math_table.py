"""What LaTeX commands and characters are in Unicode."""

from __future__ import annotations

_SIGNS = """
alpha=α beta=β gamma=γ delta=δ epsilon=ε varepsilon=ε zeta=ζ eta=η theta=θ vartheta=ϑ iota=ι
kappa=κ lambda=λ mu=μ nu=ν xi=ξ pi=π rho=ρ sigma=σ tau=τ upsilon=υ phi=φ varphi=φ chi=χ psi=ψ
omega=ω Gamma=Γ Delta=Δ Theta=Θ Lambda=Λ Xi=Ξ Pi=Π Sigma=Σ Upsilon=Υ Phi=Φ Psi=Ψ Omega=Ω times=×
div=÷ cdot=· pm=± mp=∓ ast=∗ star=⋆ circ=∘ bullet=• le=≤ leq=≤ ge=≥ geq=≥ ne=≠ neq=≠ approx=≈
equiv=≡ sim=∼ simeq=≃ cong=≅ propto=∝ ll=≪ gg=≫ in=∈ notin=∉ ni=∋ subset=⊂ subseteq=⊆ supset=⊃
supseteq=⊇ cup=∪ cap=∩ setminus=∖ emptyset=∅ varnothing=∅ forall=∀ exists=∃ neg=¬ lnot=¬ land=∧
wedge=∧ lor=∨ vee=∨ oplus=⊕ otimes=⊗ perp=⊥ parallel=∥ to=→ rightarrow=→ leftarrow=←
leftrightarrow=↔ Rightarrow=⇒ Leftarrow=⇐ Leftrightarrow=⇔ implies=⟹ iff=⟺ mapsto=↦ uparrow=↑
downarrow=↓ sum=∑ prod=∏ int=∫ iint=∬ oint=∮ partial=∂ nabla=∇ infty=∞ ldots=… cdots=⋯ dots=…
vdots=⋮ angle=∠ degree=° prime=′ hbar=ℏ ell=ℓ Re=ℜ Im=ℑ aleph=ℵ langle=⟨ rangle=⟩ lfloor=⌊
rfloor=⌋ lceil=⌈ rceil=⌉ mid=∣ vert=| Vert=‖ colon=: top=⊤ bot=⊥ models=⊨ vdash=⊢ therefore=∴
because=∵
"""
_NAMES = """
sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln exp lim max min sup inf det dim
ker gcd deg arg mod Pr
"""
_PLAIN = """
text mathrm mathbf mathit mathsf mathtt textbf textit operatorname boldsymbol mathcal mathscr mbox
"""
_IGNORED = """
left right big Big bigg Bigg bigl bigr displaystyle textstyle limits nolimits
"""

SYMBOLS: dict[str, str] = {
    name: sign for name, _, sign in (pair.partition("=") for pair in _SIGNS.split())
} | {"quad": "\u2003", "qquad": "\u2003\u2003", "backslash": "\\"}
NAMES = frozenset(_NAMES.split())
PLAIN = frozenset(_PLAIN.split())
IGNORED = frozenset(_IGNORED.split())
ACCENTS: dict[str, str] = {
    "hat": "\u0302",
    "bar": "\u0304",
    "overline": "\u0305",
    "tilde": "\u0303",
    "vec": "\u20d7",
    "dot": "\u0307",
    "ddot": "\u0308",
}
DOUBLE: dict[str, str] = dict(zip("CHNPQRZ", "ℂℍℕℙℚℝℤ", strict=True))
UP: dict[str, str] = dict(
    zip(
        "0123456789+-=()niabcdefghjklmoprstuvwxyzT",
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵀ",
        strict=True,
    )
)
DOWN: dict[str, str] = dict(
    zip("0123456789+-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True)
)
SPACES: dict[str, str] = {
    ",": "\u2009",
    ";": " ",
    ":": " ",
    "!": "",
    " ": " ",
    "\\": "; ",
    "{": "{",
    "}": "}",
    "|": "‖",
}
ESCAPED = "%$&#_"
