#!/usr/bin/env python3
"""Generate stories.txt: stories from grammar.txt with the handwritten ones spread among them.

    python generate.py            write stories.txt
    python generate.py --check    fail when stories.txt is not what this would write

Only `random.Random(seed).random()` is drawn from: its stream is the same in every Python version, while
`choice` and `shuffle` are not promised to be. The standard library is enough.

Format of grammar.txt (lines starting with "# " are comments):
    list NAME: a; b; c           words; with nothing after the colon, one item a line, fields divided by " | "
    group NAME                   sentences that several plots use, one alternative a line
    plot NAME hero=.. adult=.. friend=..
    +  begins a beat, ? begins a beat that may be left out, / sets a paragraph break
    @NAME                        the alternatives of that group
In a sentence: [a|b] picks one, {NAME} is a word that stays the same throughout a story, {NAME2} another from
the same list, {NAME.1} a further field of it, {!NAME} a fresh word each time, {a:NAME} it with its article.
{H}, {F} and {A} are the hero, the friend and the adult; {he} {him} {his} {own} {himself} stand for the hero,
{F.he} and so on for the friend.
"""

import argparse
import os
import random
import re
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
SEED = 20240917
GENERATED_BYTES = 674_000
WORDS = (75, 260)
SEPARATOR = "\n<|endoftext|>\n"

GIRLS = [
    "Ada",
    "Anna",
    "Bella",
    "Cora",
    "Dina",
    "Ella",
    "Emma",
    "Fay",
    "Gia",
    "Hana",
    "Ida",
    "Iris",
    "Jana",
    "Josie",
    "Kira",
    "Lena",
    "Lila",
    "Lucy",
    "Maya",
    "Mia",
    "Mina",
    "Molly",
    "Nina",
    "Nora",
    "Olive",
    "Paula",
    "Rosie",
    "Ruby",
    "Sara",
    "Sofia",
    "Tess",
    "Tina",
    "Vera",
    "Wendy",
    "Yara",
    "Zoe",
    "Amy",
    "Leila",
    "Priya",
    "Mei",
]
BOYS = [
    "Abe",
    "Adam",
    "Ali",
    "Ben",
    "Carl",
    "Dan",
    "Eli",
    "Felix",
    "Finn",
    "Gus",
    "Hugo",
    "Ian",
    "Ivan",
    "Jack",
    "Jamal",
    "Jay",
    "Joe",
    "Karl",
    "Kofi",
    "Leo",
    "Liam",
    "Luca",
    "Mark",
    "Max",
    "Milo",
    "Ned",
    "Noah",
    "Omar",
    "Otto",
    "Pablo",
    "Paul",
    "Ravi",
    "Rex",
    "Sam",
    "Theo",
    "Tim",
    "Tom",
    "Toby",
    "Will",
    "Zack",
]
PETS_F = [
    "Dot",
    "Hazel",
    "Honey",
    "Clover",
    "Daisy",
    "Flora",
    "Pippa",
    "Willow",
    "Poppy",
    "Tilly",
    "Maple",
    "Berry",
    "Fern",
    "Minty",
    "Nutty",
    "Velvet",
    "Penny",
]
PETS_M = [
    "Pip",
    "Bramble",
    "Rusty",
    "Moss",
    "Nibbles",
    "Tuck",
    "Chester",
    "Bertie",
    "Sniff",
    "Oscar",
    "Twig",
    "Barley",
    "Rocky",
    "Hopper",
    "Dusty",
    "Acorn",
    "Bo",
]
SPECIES = {
    "animal": [
        "mouse",
        "rabbit",
        "fox",
        "squirrel",
        "hedgehog",
        "badger",
        "raccoon",
        "deer",
        "goat",
        "bear",
        "mole",
        "cat",
        "dog",
    ],
    "swift": ["rabbit", "fox", "deer", "hare", "cat", "pony"],
    "slow": ["turtle", "hedgehog", "mole", "badger", "goat", "pig"],
    "tiny": ["mouse", "young mouse", "chipmunk", "squirrel"],
}
ADULTS = {
    "child": {
        "family": [
            ("Mom", 0),
            ("Dad", 1),
            ("Grandma", 0),
            ("Grandpa", 1),
            ("Aunt Rosa", 0),
            ("Uncle Ben", 1),
        ],
        "parent": [("Mom", 0), ("Dad", 1)],
        "grand": [("Grandma", 0), ("Grandpa", 1)],
        "elderly": [("Mr. Stone", 1), ("Mrs. Hill", 0), ("Mr. Brook", 1), ("Miss Lane", 0), ("Mr. Field", 1)],
    },
    "animal": {
        "family": [("Mama", 0), ("Papa", 1), ("Grandma", 0), ("Grandpa", 1)],
        "elder": [("Mr. Owl", 1), ("Mrs. Owl", 0), ("Mrs. Goose", 0), ("Mr. Otter", 1), ("Mrs. Heron", 0)],
    },
}
PRONOUNS = (
    {
        "he": "she",
        "him": "her",
        "his": "her",
        "own": "hers",
        "himself": "herself",
        "sibling": "sister",
        "kid": "girl",
    },
    {
        "he": "he",
        "him": "him",
        "his": "his",
        "own": "his",
        "himself": "himself",
        "sibling": "brother",
        "kid": "boy",
    },
)


class Draw:
    """Choices from random() alone. `deal` uses up all alternatives before it repeats one."""

    def __init__(self, seed):
        self.random = random.Random(seed).random
        self.decks = {}

    def below(self, n):
        return int(self.random() * n)

    def pick(self, items):
        return items[self.below(len(items))]

    def deal(self, key, items):
        deck = self.decks.get(key)
        if not deck:
            deck = list(items)
            for i in range(len(deck) - 1, 0, -1):
                j = self.below(i + 1)
                deck[i], deck[j] = deck[j], deck[i]
            self.decks[key] = deck
        return deck.pop()


@dataclass
class Beat:
    optional: bool
    lines: list = field(default_factory=list)
    breaks: bool = False  # a paragraph ends before it


@dataclass
class Plot:
    name: str
    cast: dict
    beats: list = field(default_factory=list)


def read_grammar(text):
    """Return (lists, groups, plots)."""
    lists, groups, plots = {}, {}, []
    target = beat = None
    breaks = False
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.startswith("# "):
            continue
        head, _, rest = line.partition(" ")
        if head == "list":
            name, _, items = rest.partition(":")
            lists[name] = target = [(item.strip(),) for item in items.split(";") if item.strip()]
            mode = "list"
        elif head == "group":
            groups[rest] = target = []
            mode = "group"
        elif head == "plot":
            name, *cast = rest.split()
            plots.append(Plot(name, dict(pair.split("=") for pair in cast)))
            mode, beat = "plot", None
        elif mode == "plot" and line in ("+", "?"):
            beat = Beat(line == "?", breaks=breaks)
            breaks = False
            plots[-1].beats.append(beat)
        elif mode == "plot" and line == "/":
            breaks = True
        elif mode == "plot":
            if beat is None:
                raise ValueError(f"grammar.txt:{number}: a sentence outside a beat")
            beat.lines.append(line)
        elif mode == "list":
            target.append(tuple(part.strip() for part in line.split("|")))
        else:
            target.append(line)
    return lists, groups, plots


class Story:
    def __init__(self, draw, lists, groups, plot):
        self.draw, self.lists, self.groups, self.plot = draw, lists, groups, plot
        self.bound = {}
        hero = plot.cast["hero"]
        if hero == "any":
            hero = "animal" if draw.random() < 0.3 else "child"
        friend = plot.cast["friend"]
        if friend == "any":
            friend = "child" if hero == "child" else "animal"
        self.hero = self.person(hero)
        self.friend = self.person(friend, self.hero)
        name, sex = draw.pick(ADULTS["child" if hero == "child" else "animal"][plot.cast["adult"]])
        self.adult = {"name": name, **PRONOUNS[sex]}

    def person(self, kind, other=None):
        draw = self.draw
        while True:
            sex = draw.below(2)
            if kind == "child":
                name, species = draw.pick(BOYS if sex else GIRLS), "boy" if sex else "girl"
            else:
                name, species = draw.pick(PETS_M if sex else PETS_F), draw.pick(SPECIES[kind])
            # Two names with one first letter, or two animals of one kind, would be hard to tell apart.
            if other and (name[0] == other["name"][0] or (kind != "child" and species == other["kind"])):
                continue
            return {"name": name, "kind": species, **PRONOUNS[sex]}

    def item(self, name):
        """The item that `name` stands for in this story; toy2 differs from toy."""
        if name not in self.bound:
            base = name.rstrip("0123456789")
            used = {value for key, value in self.bound.items() if key.rstrip("0123456789") == base}
            free = [item for item in self.lists[base] if item not in used]
            self.bound[name] = self.draw.pick(free)
        return self.bound[name]

    def slot(self, match):
        key = match.group(1)
        if key.startswith("a:"):
            return "a " + self.value(key[2:])
        return self.value(key)

    def value(self, key):
        people = {"H": self.hero, "F": self.friend, "A": self.adult}
        if key.startswith("!"):
            return self.draw.deal("!" + key, self.lists[key[1:]])[0]
        head, _, tail = key.partition(".")
        if head in people:
            return people[head][tail or "name"]
        if key.lower() in self.hero:
            word = self.hero[key.lower()]
            return word.capitalize() if key[0].isupper() else word
        return self.item(head)[int(tail or 0)]

    def sentence(self, template):
        text = re.sub(r"\[([^\[\]]*)\]", lambda m: self.draw.pick(m.group(1).split("|")), template)
        text = re.sub(r"\{([^{}]*)\}", self.slot, text)
        # The article agrees with the word that was put after it, and a sentence begins with a capital.
        text = re.sub(r"\b([Aa]) (?=[aeiouAEIOU])", r"\1n ", text)
        return re.sub(r'(^|[.!?] |\." )([a-z])', lambda m: m.group(1) + m.group(2).upper(), text)

    def tell(self):
        paragraphs = [[]]
        spaced = self.draw.random() < 0.75
        for index, beat in enumerate(self.plot.beats):
            if beat.optional and self.draw.random() < 0.4:
                continue
            if len(beat.lines) == 1 and beat.lines[0][0] == "@":
                key = beat.lines[0]
                lines = self.groups[key[1:]]
            else:
                key = (self.plot.name, index)
                lines = [x for line in beat.lines for x in (self.groups[line[1:]] if line[0] == "@" else [line])]
            if beat.breaks and spaced:
                paragraphs.append([])
            paragraphs[-1].append(self.sentence(self.draw.deal(key, lines)))
        return "\n\n".join(" ".join(part) for part in paragraphs)


def generate(grammar, size=GENERATED_BYTES, seed=SEED):
    lists, groups, plots = read_grammar(grammar)
    draw = Draw(seed)
    stories, seen, total = [], set(), 0
    while total < size:
        story = Story(draw, lists, groups, draw.deal("plot", plots)).tell()
        if story in seen or not WORDS[0] <= len(story.split()) <= WORDS[1]:
            continue
        seen.add(story)
        stories.append(story)
        total += len(story.encode()) + len(SEPARATOR)
    return stories


def build():
    """Return the corpus: the handwritten stories at even distances, so that any split holds some of them."""
    stories = generate((HERE / "grammar.txt").read_text(encoding="utf-8"))
    written = (HERE / "handwritten.txt").read_text(encoding="utf-8").rstrip("\n").split(SEPARATOR)
    step = len(stories) // len(written)
    for count, story in enumerate(written):
        stories.insert(count * (step + 1) + step // 2, story)
    if len(set(stories)) != len(stories):
        raise ValueError("two documents are identical")
    return SEPARATOR.join(stories) + "\n"


def write_atomically(path, data):
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def main():
    parser = argparse.ArgumentParser(description="Generate corpora/stories/stories.txt.")
    parser.add_argument("--check", action="store_true", help="compare with the committed file and write nothing")
    options = parser.parse_args()
    data, path = build().encode(), HERE / "stories.txt"
    if not options.check:
        write_atomically(path, data)
    elif not path.exists() or path.read_bytes() != data:
        print(
            "stories.txt is not what generate.py writes; run: python corpora/stories/generate.py",
            file=sys.stderr,
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
