"""Generation of sentences from meanings, for paraphrases, choices and confirmations.

The sentences are templates in the section ``say`` of the language files. They are independent of
the grammar, so that a mistake of the grammar becomes visible in the paraphrase.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bt_exec.language.korean_particles import with_particles
from bt_exec.language.reading.english_inflection import comparison_forms, plural
from bt_exec.language.reading.korean_inflection import inflect
from bt_exec.language.reading.lexicon import Lexicon
from bt_exec.language.reading.meaning_node import Node, conjunction, conjuncts, negation

__all__ = ["Generator"]

_FIELD = re.compile(r"\{(\w+)(?::(\w+))?\}")


class Generator:
    """Generator of sentences for meanings, in one language.

    Args:
        lexicon: The words of the language.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self._say = lexicon.language.data["say"]
        self._korean = lexicon.language.name == "ko"

    def sentence(self, node: Node) -> str:
        """Return a question or command as a full sentence."""
        said = self._clause(node)
        given = node.get("given")
        if isinstance(given, Node):
            said = self._fill_template(self._say[f"sized.{given.text('name')}"], given) + said
        return with_particles(said[:1].upper() + said[1:])

    def phrase(self, formula: Node, form: str = "one") -> str:
        """Return a noun phrase for a formula.

        Args:
            formula: Description of an object.
            form: ``one`` or ``many``; only English distinguishes them.
        """
        return with_particles(self._noun_phrase(formula, form))

    def attribute_name(self, attribute: str) -> str:
        """Return the word for an attribute that stands alone, preferably a noun."""
        node = Node("has", (("attribute", attribute),))
        words = self._words(node)
        names = words.get("noun") or words.get("attribute")
        return str(names[0]) if names else self._adjective(node)

    def attributive_word(self, attribute: str) -> str:
        """Return the word for an attribute before a noun."""
        return self._adjective(Node("has", (("attribute", attribute),)))

    def _clause(self, node: Node) -> str:
        inner = node.get("of")
        assert isinstance(inner, Node)
        key = f"{node.kind}.{node.text('what') or node.text('sign')}"
        if inner.kind not in ("np", "pronoun", "both"):
            key = f"{key}.{inner.kind}"
            if key not in self._say:
                key = f"{key}.{inner.text('name') or inner.text('what') or inner.text('sign')}"
        if inner.kind == "exists" and (quantity := inner.node("of").get("quantity")):
            assert isinstance(quantity, Node)
            key = f"{key}.{'none' if quantity.text('number') == '0' else 'number'}"
        if inner.kind == "all" and inner.node("hold").kind == "not":
            key, inner = f"{key}.none", inner.replace(hold=inner.node("hold").parts()[0])
        if inner.kind in ("alike", "apart") and inner.get("to") is None:
            distinct = inner.node("of").text("wh") == "distinct"
            key = f"{key}.distinct" if distinct else f"{key}.each"
        if inner.kind == "aspect" and inner.node("of").kind in ("both", "more", "apart"):
            key, inner = f"{key}.{inner.node('of').kind}", inner.node("of")
        if inner.kind == "aspect" and inner.node("of") == Node("np", (("of", Node("any")),)):
            key = f"{key}.picture" if f"{key}.picture" in self._say else key
        if inner.kind == "aspect" and f"{key}.{inner.node('of').text('wh')}" in self._say:
            key = f"{key}.{inner.node('of').text('wh')}"
        return self._fill_template(self._say[key], inner if key.count(".") > 1 else node)

    def _fill_template(self, template: str, node: Node) -> str:
        return _FIELD.sub(lambda match: self._field(node, match[1], match[2] or "the"), template)

    def _field(self, node: Node, name: str, form: str) -> str:
        value = node.get(name)
        if name in ("quantity", "noun"):
            of = node.node("of")
            return self._quantity(of) if name == "quantity" else self._reference(of, form)
        if form == "word":
            return self._word("aspects", str(value))
        if form == "degree":
            return self._comparative(str(value))
        if isinstance(value, tuple):
            return str(self._say["joined.list"]).join(self._reference(one, form) for one in value)
        if not isinstance(value, Node):
            return str(value)
        if form == "predicate":
            return self._predicate(value)
        return self._reference(value, form)

    def _quantity(self, phrase: Node) -> str:
        quantity = phrase.node("quantity")
        number = int(quantity.text("number"))
        words = self.lexicon.language.data["values"]["number"]
        said = words[number][0] if number in words else str(number)
        return str(self._say[f"bound.{quantity.text('bound')}"]).format(n=said)

    def _reference(self, node: Node, form: str) -> str:
        if node.kind == "pronoun":
            return str(self.lexicon.language.data["values"]["pronoun"][node.text("name")][0])
        formula = node.node("of") if node.kind == "np" else node
        said = self._noun_phrase(formula, "many" if form == "many" else "one")
        if self._korean or form == "many":
            return said
        article = "the" if form == "the" or "most" in {one.kind for one in formula.walk()} else (
            "an" if said[0] in "aeiou" else "a"
        )  # fmt: skip
        return f"{self._say['article.' + article]} {said}"

    def _noun_phrase(self, formula: Node, form: str) -> str:
        if formula.kind == "or" and any(one.kind == "and" for one in formula.parts()):
            return str(self._say["or"]).join(self._noun_phrase(o, form) for o in formula.parts())
        parts = list(conjuncts(formula))
        if len(tops := [one for one in parts if one.kind == "most"]) == 1:
            return self._superlative(tops[0], [one for one in parts if one is not tops[0]], form)
        noun, rest = self._noun(parts, form)
        before = [self._adjective(one) for one in rest if self._precedes_noun(one)]
        after = [self._predicate(one) for one in rest if not self._precedes_noun(one)]
        return self._join_noun_phrase(noun, before, after, form)

    def _superlative(self, top: Node, rest: Sequence[Node], form: str) -> str:
        inner = self._noun_phrase(top.node("of"), form)
        rank, key = int(top.text("rank") or 1), f"most.{top.text('attribute')}"
        template = self._say.get(f"{key}.rank" if rank > 1 else key)
        if template is not None:
            to = top.get("to")
            near = self._reference(to, "the") if isinstance(to, Node) else ""
            after = [self._predicate(one) for one in rest]
            said = str(template).format(n=inner, to=near, k=self._ordinal(rank))
            return self._join_noun_phrase(said, [], after, form)
        word = self._adjective(Node("has", (("attribute", top.text("attribute")),)))
        if rank > 1:
            said = str(self._say["most.rank"]).format(
                k=self._ordinal(rank),
                n=inner,
                word=word if self._korean else self._degree(top.text("attribute"), 1),
            )
        elif self._korean:
            said = f"{self._say['most']} {word} {inner}"
        else:
            said = f"{self._degree(top.text('attribute'), 1)} {inner}"
        after = [self._predicate(one) for one in rest]
        return self._join_noun_phrase(said, [], after, form)

    def _ordinal(self, rank: int) -> str:
        """Return the ordinal word for a position, or its digits if no word is listed."""
        data = self.lexicon.language.data["values"]
        words = data.get("rank", data["number"])
        return str(words[rank][0]) if rank in words else str(rank)

    def _join_noun_phrase(
        self, noun: str, before: Sequence[str], after: Sequence[str], form: str
    ) -> str:
        if self._korean:
            clauses = [self._adnominal(one) for one in after]
            return " ".join([*clauses, *before, noun])
        relative = self._say[f"relative.{form}"]
        tail = self._say["joined"].join(f"{relative} {one}" for one in after)
        return " ".join(filter(None, [*before, noun, tail]))

    def _noun(self, parts: Sequence[Node], form: str) -> tuple[str, list[Node]]:
        for one in parts:
            words = self._words(one).get("noun")
            if words:
                return self._inflected(str(words[0]), form), [x for x in parts if x is not one]
            if one.kind == "thing" and not self._words(one):
                return self._inflected(one.text("name"), form), [x for x in parts if x is not one]
        rest = [one for one in parts if one.kind != "any"]
        return self._inflected(str(self._say["thing"]), form), rest

    def _inflected(self, word: str, form: str) -> str:
        singular, _, irregular = word.partition("/")
        if self._korean or form == "one":
            return singular
        return irregular or plural(singular)

    def _words(self, node: Node) -> dict[str, Sequence[str]]:
        section = {"thing": "things", "has": "attributes"}.get(node.kind, "")
        name = node.text("name") or node.text("attribute")
        return dict(self.lexicon.names.get(f"{section}.{name}", {}))

    def _precedes_noun(self, node: Node) -> bool:
        """Return True if a formula precedes the noun, as an adjective."""
        if node.kind == "or":
            return all(one.kind == "has" for one in node.parts())
        return node.kind == "has"

    def _adjective(self, node: Node) -> str:
        if node.kind == "or":
            return str(self._say["or"]).join(map(self._adjective, node.parts()))
        words = self._words(node)
        if not self._korean:
            said = words.get("adjective") or words.get("noun") or (node.text("attribute"),)
            return str(said[0]).split("/")[0]
        if words.get("adjective"):
            return self._form(str(words["adjective"][0]), "noun")
        if words.get("attribute"):
            return str(words["attribute"][0])
        return f"{words['noun'][0]} {self._say['shaped']}"

    def _form(self, word: str, form: str) -> str:
        *head, last = word.split(" ")
        inflected = inflect(last, self.lexicon.language.data["classes"])[form][0]
        return " ".join([*head, inflected])

    def _degree(self, attribute: str, place: int) -> str:
        words = self.lexicon.names[f"attributes.{attribute}"]["adjective"][0]
        positive, *irregular = str(words).split("/")
        return (irregular or comparison_forms(positive))[place]

    def _comparative(self, attribute: str) -> str:
        if self._korean:
            return self._adjective(Node("has", (("attribute", attribute),)))
        return self._degree(attribute, 0)

    def _relation(self, node: Node, key: str) -> str:
        name, to = node.text("relation"), node.node("to")
        if name == "between" and to.kind != "both":
            return str(self._say[f"{key}.between.each"]).format(to=self._reference(to, "many"))
        said = str(self._say.get(f"{key}.{name}", self._say[key]))
        if to.kind == "both":
            one, other = (self._reference(part, "the") for part in to.parts())
            return said.format(one=one, other=other)
        place = self._reference(to, "the")
        return said.format(relation=self._word("relations", name), to=place)

    def _word(self, section: str, name: str) -> str:
        words = self.lexicon.names.get(f"{section}.{name}")
        return name if words is None else str(words.get("noun", [name])[0])

    def _adnominal(self, said: str) -> str:
        return said + str(self._say["being"]) if said.endswith(str(self._say["thing"])) else said

    def _predicate(self, node: Node) -> str:
        """Return the predicate after "is" in English, or before a noun in Korean."""
        if node.kind == "not":
            return self._negated(node.parts()[0])
        if node.kind == "pronoun":
            return self._reference(node, "the")
        if node.kind == "placed":
            return self._region_words(node)
        if node.kind == "bears":
            key = "bears.digits" if node.text("text") == "0" else "bears"
            return str(self._say[key]).format(text=node.text("text"))
        if node.kind == "shown":
            return str(self._say[f"shown.{node.text('picture')}"])
        if node.kind == "or" and all(one.kind == "not" for one in node.parts()):
            return self._negated(conjunction(*map(negation, node.parts())))
        if node.kind in ("and", "or"):
            return str(self._say[node.kind]).join(map(self._predicate, node.parts()))
        if node.kind == "rel":
            return self._relation(node, "rel")
        if node.kind == "than":
            to = self._reference(node.node("to"), "the")
            word = self._comparative(node.text("attribute"))
            return str(self._say["than"]).format(word=word, to=to)
        if node.kind == "has" and (self._korean or self._words(node).get("adjective")):
            return self._adjective(node)
        if self._korean:
            return self._noun_phrase(node, "one")
        return self._reference(node, "a")

    def _region_words(self, node: Node, key: str = "placed") -> str:
        """Return the words for a region of the picture."""
        values = self.lexicon.language.data["values"]
        words = [
            str(values[name][node.text(name)][0]) for name in ("row", "column") if node.text(name)
        ]
        return str(self._say[key]).format(part=" ".join(words))

    def _negated(self, node: Node) -> str:
        if node.kind == "rel":
            return self._relation(node, "not rel")
        if node.kind == "placed":
            return self._region_words(node, "not placed")
        if node.kind == "and":
            said = self._reference(node, "a")
            return (
                str(self._say["not"]).format(word=said)
                if self._korean
                else f"{self._say['not']} {said}"
            )
        if not self._korean:
            return f"{self._say['not']} {self._predicate(node)}"
        if node.kind in ("than",) or (node.kind == "has" and self._has_adjective(node)):
            stem = self._stem_of(node)
            return str(self._say["not verb"]).format(stem=stem)
        if node.kind == "has":
            return str(self._say["not"]).format(word=self.attribute_name(node.text("attribute")))
        return str(self._say["not"]).format(word=self._predicate(node))

    def _has_adjective(self, node: Node) -> bool:
        words = self._words(node)
        return bool(words.get("adjective"))

    def _stem_of(self, node: Node) -> str:
        attribute = node.text("attribute")
        word = str(self.lexicon.names[f"attributes.{attribute}"]["adjective"][0])[:-1]
        if node.kind == "than":
            to = self._reference(node.node("to"), "the")
            return str(self._say["than"]).format(word=word, to=to)
        return word
