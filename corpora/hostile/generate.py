"""Generates ``hostile.jsonl``: the texts on which tokenizers break, each with the reason it is here.

Nothing is drawn and nothing is looked up in Python's own Unicode tables, whose version changes with the
interpreter: code points are written out, as escapes where a normalising editor could change them. The file
is pure ASCII (JSON escapes), since a text that holds U+2028 or U+0085 must survive editors,
``str.splitlines`` and line-end conversion.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

if __name__ == "__main__" and not __package__:  # run as a file, not with -m
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from corpora._generate import main

Entry = tuple[str, str]
"""A text and why it is hostile."""

WHITE_SPACE = [
    *range(0x09, 0x0E),
    0x20,
    0x85,
    0xA0,
    0x1680,
    *range(0x2000, 0x200B),
    0x2028,
    0x2029,
    0x202F,
    0x205F,
]
WHITE_SPACE += [0x3000]
"""The 25 code points of the White_Space property."""

LOOKALIKES = {
    0x1C: "file separator: blank for str.isspace, not for a pattern",
    0x1D: "group separator: blank for str.isspace, not for a pattern",
    0x1E: "record separator: blank for str.isspace, not for a pattern",
    0x1F: "unit separator: blank for str.isspace, not for a pattern",
    0xAD: "soft hyphen: invisible, not a blank",
    0x034F: "combining grapheme joiner: invisible, a mark",
    0x115F: "Hangul choseong filler: invisible, a letter",
    0x180E: "Mongolian vowel separator: was a blank until Unicode 6.3",
    0x200B: "zero-width space: not a blank despite its name",
    0x200C: "zero-width non-joiner: format, not a blank",
    0x200D: "zero-width joiner: format, not a blank",
    0x200E: "left-to-right mark: format, not a blank",
    0x200F: "right-to-left mark: format, not a blank",
    0x2060: "word joiner: format, not a blank",
    0x2800: "Braille blank: looks like a blank, is a symbol",
    0x3164: "Hangul filler: looks like a blank, is a letter",
    0xFEFF: "byte order mark inside a text: format, not a blank",
    0xFFA0: "halfwidth Hangul filler: looks like a blank, is a letter",
}

DIGIT_ZEROS = [
    0x30, 0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6,
    0xE50, 0xED0, 0xF20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50,
    0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10, 0x104A0,
    0x10D30, 0x10D40, 0x11066, 0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650,
    0x116C0, 0x116D0, 0x116DA, 0x11730, 0x118E0, 0x11950, 0x11BF0, 0x11C50, 0x11D50, 0x11DA0,
    0x11F50, 0x16130, 0x16A60, 0x16AC0, 0x16B50, 0x16D70, 0x1CCF0, 0x1D7CE, 0x1D7D8, 0x1D7E2,
    0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E4F0, 0x1E5F1, 0x1E950, 0x1FBF0,
]  # fmt: skip
"""The zero of every set of decimal digits in Unicode 16; nine more follow each."""

WORDS = {
    "Adlam": "𞤆𞤵𞤤𞤢𞤪",
    "Arabic": "السلام",
    "Arabic, vocalised": "مُدَرِّسَةٌ",
    "Armenian": "Բարեւ",
    "Balinese": "ᬩᬮᬶ",
    "Bengali": "বাংলাদেশ",
    "Bopomofo": "ㄅㄆㄇㄈ",
    "Braille": "⠓⠑⠇⠇⠕",
    "Burmese": "မင်္ဂလာပါ",
    "Canadian syllabics": "ᐃᓄᒃᑎᑐᑦ",
    "Cherokee": "ᏣᎳᎩ",
    "Coptic": "ⲛⲟⲩⲧⲉ",
    "Cuneiform": "𒀭𒈹",
    "Cyrillic": "Привет",
    "Cyrillic, Church Slavonic": "Бг҃ъ",
    "Deseret": "𐐔𐐯𐑅𐐨𐑉𐐯𐐻",
    "Devanagari": "क्षत्रिय",
    "Egyptian hieroglyphs": "𓀀𓂀𓃭",
    "Ethiopic": "ሰላም",
    "Georgian": "გამარჯობა",
    "Georgian capitals": "ᲒᲐᲛᲐᲠᲯᲝᲑᲐ",
    "Glagolitic": "ⰃⰎⰀⰃⰑⰎⰠ",
    "Gothic": "𐌲𐌿𐍄𐌹𐍃𐌺",
    "Greek": "Καλημέρα",
    "Greek, polytonic": "ᾧτινι",
    "Gujarati": "નમસ્તે",
    "Gurmukhi": "ਸਤਿ",
    "Han, simplified": "汉语词典",
    "Han, traditional": "漢語詞典",
    "Hangul": "안녕하세요",
    "Hebrew": "שלום",
    "Hebrew, pointed": "שָׁלוֹם",
    "Hiragana": "こんにちは",
    "Javanese": "ꦗꦮ",
    "Kannada": "ಕನ್ನಡ",
    "Katakana": "コンピューター",
    "Katakana, halfwidth": "ｺﾝﾋﾟｭｰﾀｰ",
    "Khmer": "សួស្តី",
    "Lao": "ສະບາຍດີ",
    "Latin": "Straße",
    "Linear B": "𐀀𐀁𐀂",
    "Malayalam": "മലയാളം",
    "Mongolian": "ᠮᠣᠩᠭᠣᠯ",
    "N'Ko": "ߒߞߏ",
    "Odia": "ଓଡ଼ିଆ",
    "Ogham": "᚛ᚑᚌᚐᚋ᚜",
    "Ol Chiki": "ᱥᱟᱱᱛᱟᱲᱤ",
    "Osage": "𐓏𐓘𐓻",
    "Runic": "ᚠᚢᚦᚨᚱᚲ",
    "Sinhala": "සිංහල",
    "Syriac": "ܫܠܡܐ",
    "Tagalog": "ᜊᜌ᜔ᜊᜌᜒᜈ᜔",
    "Tamil": "தமிழ்",
    "Tangut": "𗼇𘜶",
    "Telugu": "తెలుగు",
    "Thaana": "ދިވެހި",
    "Thai": "สวัสดีครับ",
    "Tibetan": "བོད་ཡིག",
    "Tifinagh": "ⵜⵉⴼⵉⵏⴰⵖ",
    "Vai": "ꕙꔤ",
    "Vietnamese": "Tiếng Việt",
    "Yi": "ꆈꌠ",
}


def named(code: int) -> str:
    return f"U+{code:04X}"


def runs() -> Iterator[Entry]:
    """Long runs: one pretoken of thousands of code points, where a careless encoder is quadratic."""
    yield "a" * 10_000, "10,000 times one letter: one pretoken whose merges overlap everywhere"
    yield "ab" * 2_000, "an alternating run: half of all pairs are the same pair"
    yield fibonacci_word(2_584), "the Fibonacci word: merges nest as deep as they can"
    yield "A" * 2_001, "an odd run of capitals: pairs merge left to right and one letter is left over"
    yield " " * 5_000, "5,000 blanks up to the end of the text: trailing white space is one pretoken"
    yield " " * 3_000 + "x", "blanks before a letter: all but the last belong together"
    yield "x" + " " * 2_001 + "\n", "blanks before a line end at the end of the text"
    yield "\n" * 1_500, "newlines only"
    yield "\r\n" * 500, "CRLF only: two code points that belong together"
    yield "\r" * 700, "carriage returns only"
    yield "\t" * 1_500, "tabs only: a vocabulary holds short runs of them"
    yield " \t\n" * 400, "blank, tab and newline in turn: a run without one kind of blank"
    yield "\n \n  \n   " * 150 + "end", "line ends and growing indentation in one run of white space"
    yield (
        "\u3000" * 400,
        "ideographic blanks: three bytes each, white space in a pattern but not to split(' ')",
    )
    yield (
        "\u00a0" * 400 + "a",
        "no-break blanks before a letter: a pattern that names U+0020 does not take one along",
    )
    yield "1" * 4_200, "4,200 times one digit: no limit on digits makes one pretoken, a limit of three 1,400"
    yield "1234567890" * 200, "a number of 2,000 digits: grouping from the left and from the right differ"
    yield "12" * 500 + "3", "a number whose length isn't a multiple of three"
    yield "中" * 900, "one Han character again and again: words by longest match must not be quadratic"
    yield "中国人民" * 160, "a periodic run of Han: dictionary words overlap at every place"
    yield "한" * 300, "a run of one Hangul syllable"
    yield "!" * 2_500, "one punctuation mark"
    yield "!?" * 700, "two punctuation marks in turn"
    yield (
        "-=" * 500 + "\n",
        "a drawn line and a newline: some patterns let punctuation take the newline along",
    )
    yield "'" * 1_001, "apostrophes only: each of them could begin a contraction"
    yield "'s" * 600, "contractions only"
    yield "a1" * 800, "a letter and a digit in turn: as many pretokens as code points"
    yield "a " * 800, "a letter and a blank in turn"
    yield "🙂" * 250, "four-byte characters only: every one is cut into bytes by a small vocabulary"
    yield "e" + "\u0301" * 500, "500 combining marks on one letter"
    yield "\u200d" * 200, "joiners with nothing to join"
    yield "\x00" * 300, "NUL only: C strings end here"
    yield "(" * 400 + ")" * 400, "deep brackets"
    yield "ACGT" * 400, "a genome: four letters and no blank"
    yield "xX" * 700, "case changes at every letter"
    yield "/usr" * 250, "a path without end"
    yield "&nbsp;" * 150, "entities: punctuation, letters, punctuation"
    yield "0" * 999 + ".", "leading zeros"
    yield (
        "=" * 80 + "\n" + "=" * 81,
        "two runs that differ by one: the second must not reuse the first's tokens",
    )


def fibonacci_word(length: int) -> str:
    before, word = "b", "a"
    while len(word) < length:
        before, word = word, word + before
    return word[:length]


def blanks() -> Iterator[Entry]:
    for code in WHITE_SPACE:
        blank = chr(code)
        if blank != " ":
            yield (
                f"a{blank}b {blank}c{blank}{blank}d{blank}",
                f"{named(code)} is white space: alone, after a blank, twice, last",
            )
    for code, reason in LOOKALIKES.items():
        blank = chr(code)
        yield f"a{blank}b {blank}c{blank}{blank}d{blank}", f"{named(code)}, {reason}"
    yield "".join(map(chr, WHITE_SPACE)), "all white space in order of code points, up to the end of the text"
    yield (
        "x" + "".join(map(chr, reversed(WHITE_SPACE))) + "y",
        "all white space backwards between two letters",
    )
    yield "line one\r\nline two\r\n\r\nline four\r\n", "CRLF: nothing may turn it into LF"
    yield "mixed\nline\rends\r\nin one\n\rtext", "four kinds of line ends"
    yield "\ufeffBOM first", "a byte order mark at the start is text like any other"
    yield "middle\ufeff of a word\ufeff", "a byte order mark elsewhere"
    yield "NUL\x00in a word, \x00 between", "NUL inside a text"
    yield "next\x85line", "U+0085 ends a line for str.splitlines, not in a file"
    yield (
        "para\u2029graph\u2028line",
        "U+2028 and U+2029 end lines for str.splitlines and broke JSON in old JavaScript",
    )
    yield "vertical\x0btab and form\x0cfeed", "white space that str.splitlines takes for line ends"
    yield "".join(chr(code) for code in range(0x20)) + "\x7f", "every ASCII control character"
    yield "\x1b[1;31mred\x1b[0m \x1b]0;title\x07", "terminal escapes"
    yield "trailing blank ", "one trailing blank"
    yield "trailing blanks   ", "three trailing blanks"
    yield "trailing newline\n", "one trailing newline"
    yield "trailing newlines\n\n\n", "three trailing newlines"
    yield "trailing both \n \n ", "blanks and newlines at the end, ending in a blank"
    yield "trailing tab\t", "a trailing tab"
    yield " leading", "one leading blank"
    yield "  leading", "two leading blanks: the second goes with the word"
    yield "\n leading", "a newline and a blank in front"
    yield "\n\n  \n\tleading", "leading white space of all kinds"
    yield " ", "a single blank"
    yield "\n", "a single newline"
    yield "\r\n", "a single CRLF"
    yield "\u3000", "a single ideographic blank"


def contractions() -> Iterator[Entry]:
    endings = ["s", "t", "re", "ve", "m", "ll", "d"]
    yield " ".join(f"it'{ending}" for ending in endings), "the seven English contractions"
    yield " ".join(f"IT'{ending.upper()}" for ending in endings), "in capitals: only some patterns know them"
    yield " ".join(f"It'{ending.capitalize()}" for ending in endings), "with one capital"
    yield (
        " ".join(f"it\u2019{ending}" for ending in endings),
        "with the curly apostrophe: no pattern knows it",
    )
    yield (
        " ".join(f"'{ending}" for ending in endings),
        "contractions after a blank: the blank takes the apostrophe",
    )
    yield "".join(f"'{ending}" for ending in endings), "contractions in a row"
    yield "it'\u017f, IT'\u017f", "'ſ (U+017F) is a contraction where case is ignored"
    yield (
        "\u017ftop, \u212aelvin, \u212bngström",
        "letters whose lower or upper case is ASCII: U+017F, U+212A, U+212B",
    )
    yield "'sa 'sX 's1 's_ 's中", "what follows a contraction decides nothing"
    yield "y'all'd've", "three contractions in one word"
    yield "rock'n'roll o'clock O'Brien l'eau d'été", "apostrophes that begin no contraction"
    yield "''s '''t \"'re\" `'ll`", "quotes before contractions"
    yield "1's 2'd 3'll", "contractions after digits"
    yield "中's 文'll", "contractions after Han"
    yield "\n's\n't", "contractions after a newline"
    yield "he'l he'r he'v he'", "contractions that were broken off"
    yield "x'S x'\u017f x'L x'Ll x'lL", "mixed case, and one letter of two"
    yield "\u02bcs \uff07s \u2032s \u00b4s `s", "other marks that look like apostrophes"


def marks() -> Iterator[Entry]:
    yield "\u00e9 e\u0301", "the same letter precomposed and decomposed: nothing may normalise them"
    yield "\u00c5 A\u030a \u212b", "three spellings of one letter: U+00C5, U+0041 U+030A, U+212B"
    yield "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǒ̵̹̻̝̳̌͌͗", "stacked marks: letters with a dozen marks each"
    yield " \u0301 a", "a mark on a blank"
    yield "\u0301start", "a mark with nothing before it"
    yield "a\n\u0301b", "a mark after a newline"
    yield "1\u03052\u03323", "marks on digits"
    yield "a\u20dd b\u20e3 #\ufe0f\u20e3", "enclosing marks and a keycap"
    yield "नमस्ते क्‍ष क्‌ष", "Devanagari with virama, joiner and non-joiner"
    yield "மொழி \u0b95\u0bca \u0b95\u0bc6\u0bbe", "Tamil vowels that stand on both sides of their letter"
    yield "\uac01 \u1100\u1161\u11a8", "a Hangul syllable whole and as jamo"
    yield "ᄀᄁᄂ ᅡᅢᅣ ᆨᆩᆪ ㄱㄴㄷ ﾡﾢ", "Hangul jamo of all kinds"
    yield "ꥠힰퟋ", "jamo of the extended blocks, next to the surrogates"
    yield "ﬁ ﬃ ﷺ ㎏ ½ ™ Ⅷ ﹛", "what compatibility normalisation would change"
    yield "ǅ ǈ ǋ ǲ ᾈ ᾼ", "titlecase letters: neither upper nor lower"
    yield "İI ıi ß ẞ ŉ ǰ ΐ", "letters whose case mapping changes their length"
    yield "Σίσυφος ΣΊΣΥΦΟΣ", "final sigma"
    yield "ªº ʰʲ ᵃᵇ ₐₑ", "letters that look like superscripts"
    yield "ʕ ɂ ƻ ǃ", "U+0295 changed its class after Unicode 16"
    yield "a\ufe00b\ufe0f c\U000e0100d", "variation selectors"
    yield "葛\U000e0100 葛\U000e0101", "ideographic variation sequences"
    yield "ᠮᠣᠩᠭᠣᠯ\u180bᠤ", "a Mongolian variation selector"


def emoji() -> Iterator[Entry]:
    yield "👨\u200d👩\u200d👧\u200d👦 👩🏽\u200d🚀 🏳️\u200d🌈 🏴\u200d☠️", "sequences held together by joiners"
    yield "👍🏻👍🏼👍🏽👍🏾👍🏿", "skin tones"
    yield "🇳🇴🇯🇵🇧🇷", "flags: pairs of regional indicators"
    yield "🇳🇴🇯", "flags with one indicator left over"
    yield "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", "a flag spelt in tag characters"
    yield "1️⃣2️⃣#️⃣*️⃣", "keycaps: digit, selector, enclosing mark"
    yield "❤ ❤️ ❤︎ ☺︎☺️", "text and emoji presentation"
    yield "🧑‍🤝‍🧑🫱🏻‍🫲🏿", "long sequences: up to ten code points for one picture"
    yield "x🙂y 🙂z🙂", "emoji between letters"
    yield "🙂🙂 🙂\n🙂", "emoji and blanks"
    yield "\u200d🙂\u200d", "joiners outside a sequence"
    yield "🫩🫆🪾🪏🫟", "emoji of Unicode 16"


def digits() -> Iterator[Entry]:
    rows = ["".join(chr(zero + digit) for digit in range(10)) for zero in DIGIT_ZEROS]
    yield " ".join(rows), "the decimal digits of every script in Unicode 16"
    yield "".join(row[3] for row in rows), "one digit of every script in one run"
    yield "abc" + rows[1] + "def" + rows[4], "digits of other scripts between Latin letters"
    yield "1٢३৪5", "one number in five scripts"
    yield "ⅠⅡⅢⅣ ⅰⅱⅲ ⅯⅮⅭ ↀↁↂ", "Roman numerals are numbers, not letters"
    yield "x² + y³ = z¹⁰ H₂O", "superscript and subscript digits are numbers"
    yield "①②③ ⑴⑵ ⒈⒉ ❶❷ ㊀㊁ 🄁🄂", "circled, bracketed and dotted numbers"
    yield "½⅓¼⅛ 1½ ⅟2", "fractions are numbers, alone and after a digit"
    yield "一二三四五 〇〇七 壹贰叁", "Han numerals are letters, except 〇"
    yield "𒐀𒐁 𐄇𐄈 𐡘𐡙 ௰௱௲ ፩፪", "numbers of old scripts, Tamil and Ethiopic"
    yield "1,234,567.89 1.234.567,89 1 234 567 1_000_000 1'000", "how numbers are grouped"
    yield "12345678", "eight digits: 123|456|78 or 12|345|678"
    yield "0x1F 0b101 1e10 1E-5 .5 5. -1 +1 1/2 50% $5 #1", "digits next to signs"
    yield "v1.2.3-rc.1+build.5", "a version: digits, dots and letters in turn"
    yield "007 0 00 01", "leading zeros"
    yield "3rd 4x4 H2O B2B 2nd1st", "digits inside words"
    yield "１２３ ＡＢＣ ａｂｃ", "full width"


def code_points() -> Iterator[Entry]:
    yield "\ud7ff\ue000", "the neighbours of the surrogates"
    yield "a\ud7ffb \ue000c", "the neighbours of the surrogates between letters"
    yield "\x7f\x80 \u07ff\u0800 \uffff\U00010000 \U0010ffff", "where UTF-8 grows by a byte, and its end"
    yield "".join(map(chr, range(0xA1, 0x100))), "Latin-1: every second byte from 0x80 to 0xBF"
    yield (
        "".join(chr(code) for code in range(0x100, 0x1000, 0x40)),
        "every two-byte and many three-byte lead bytes",
    )
    yield (
        "".join(chr(code) for code in range(0x10000, 0x110000, 0x8000)),
        "four-byte characters of every plane",
    )
    yield "\ue000\uf8ff\U000f0000\U0010fffd", "private use"
    yield "icon\uf015name \ue0b0\ue0b2", "private use as icon fonts have it"
    yield "\ufdd0\ufdef\ufffe\uffff", "noncharacters of the first plane: legal in UTF-8"
    yield (
        "".join(chr(plane << 16 | 0xFFFE) + chr(plane << 16 | 0xFFFF) for plane in range(1, 17)),
        "the other noncharacters",
    )
    yield (
        "\u0378\u0379 \u05ff \u2fe0 \U0003ffff \U000e0080",
        "unassigned code points: neither letters nor blanks",
    )
    yield (
        "\u088f \u0c5c \u0cdc \u1acf \ua7ce \U000323b0 \U00016ea0",
        "assigned after Unicode 16: engines disagree on what they are",
    )
    yield (
        "\u1c89\u1c8a \ua7cb\ua7cd\ua7da \U00010d4a\U00010d50 \U0001c000",
        "new in Unicode 16, or empty there",
    )
    yield (
        "\ufffd \ufffd\ufffd",
        "the replacement character as text: decoding must not confuse it with broken bytes",
    )
    yield "Ã©â€™ Â£", "text that was decoded wrongly once"
    yield "\U000e0001\U000e0041\U000e007f", "tag characters: invisible"
    yield "𠀀𠮷𪛖𫠠𬺰𰀀𱍊", "Han outside the first plane: letters of four bytes"
    yield "中𠮷国𠀀人", "Han of three and four bytes in one run"
    yield (
        "\U0002f800 \uf979 \uf900 \u2f00 \u2e80 \u3005 \u3006",
        "Han compatibility characters, radicals and iteration marks",
    )
    yield "𝒜𝓑 𝔄𝔅 𝟘𝟙 𝛼𝛽", "mathematical letters and digits"
    yield "𝕳𝖊𝖑𝖑𝖔 ⓗⓔⓛⓛⓞ ʜᴇʟʟᴏ", "fancy letters: some are letters, some are symbols"


def directions() -> Iterator[Entry]:
    yield "שלום world עולם", "Hebrew and Latin in one line"
    yield "مرحبا 123 بالعالم ١٢٣", "Arabic with both kinds of digits"
    yield "\u202eabc\u202c \u2067def\u2069", "direction overrides: what is shown isn't what is stored"
    yield (
        "if (admin\u202e \u2066// check\u2069 \u2066) {",
        "source code that reads differently from what it does",
    )
    yield "لله ﷲ ﷽", "ligatures: one code point for a word or a whole sentence"
    yield "مـــرحـــبا", "Arabic stretched by tatweel"
    yield "می\u200cخواهم", "Persian: a non-joiner inside a word"


def specials() -> Iterator[Entry]:
    yield "<|endoftext|>", "a special token and nothing else: text must stay text unless it is allowed"
    yield "a<|endoftext|>b", "a special token inside a word"
    yield (
        "one <|endoftext|> two\n<|endoftext|>\nthree",
        "special tokens between blanks and on a line of their own",
    )
    yield "<|endoftext|><|endoftext|>", "two special tokens touching"
    yield "<|endoftext", "a special token broken off"
    yield "<|endoftext|", "a special token without its last character"
    yield "|endoftext|>", "a special token without its first character"
    yield "<|end<|endoftext|>oftext|>", "a special token inside another's text"
    yield "<<|endoftext|>>", "a special token in brackets"
    yield "<|endoftext|>>", "a special token and one character more"
    yield "<|<|endoftext|>", "the beginning of a special token before a whole one"
    yield "<|endoftex<|endoftext|>", "a near miss before a whole one: a scanner must go back"
    yield "<|ENDOFTEXT|> <|EndOfText|>", "special tokens are exact: case matters"
    yield "<| endoftext |> <|endoftext |>", "special tokens are exact: blanks matter"
    yield "<｜endoftext｜> ‹|endoftext|›", "marks that look like those of a special token"
    yield "<|endoftext|\u200b>", "an invisible character inside a special token"
    yield "<|endo", "a stream that ends within a special token"
    yield "text <", "a text that ends in a special token's first character"
    yield "text <|", "a text that ends in a special token's first two characters"
    yield "a < b |> c <| d", "operators that share characters with special tokens"
    yield "<|fim_prefix|>def f():<|fim_suffix|>    return 1<|fim_middle|>", "other special tokens"
    yield "<|im_start|>user\nhi<|im_end|>\n<|endofprompt|>", "the marks of a chat"
    yield "<s> </s> <unk> <pad> [CLS] [SEP] [MASK]", "special tokens of other families"
    yield "Ġthe Ċ ▁the ##ing the</w> <0x0A> @@", "the marks by which tokenizers write blanks, as text"
    yield "ĠĠĠĉĊč ¬®", "characters that stand for bytes in GPT-2's files"
    yield "<|reserved_special_token_0|><|eot_id|>", "reserved names"


def streams() -> Iterator[Entry]:
    """Texts on which an encoder that reads in pieces goes wrong when a piece ends in the wrong place."""
    yield "'ll", "cut after the apostrophe: a contraction of its own"
    yield "it's", "cut before or after the apostrophe"
    yield "they'", "an apostrophe that nothing follows"
    yield "A中BCD", "cut after 中: the last piece must still join BCD"
    yield "u \n\t\nv", "white space that is split by what follows it"
    yield "u \n\t\n", "the same white space at the end"
    yield "word   ", "blanks that could still belong to a word"
    yield "word   next", "blanks of which the last belongs to the word"
    yield "a  \n  b", "blanks on both sides of a newline"
    yield "1234567", "digits: groups of three depend on where the number began"
    yield "12345 67", "a number that ends in a later piece"
    yield "Hello!!!\n\n", "punctuation that may take newlines along"
    yield "Hello!!! \n", "punctuation that may not"
    yield "CamelCaseWords XMLHttp", "case changes: some patterns cut words there"
    yield "ABCdef ABCDef", "how many capitals belong to the next word"
    yield "e\u0301", "a letter and its mark in different pieces"
    yield "🏽", "a skin tone whose hand is in another piece"
    yield "x\r", "a carriage return whose newline may come"
    yield "x\r\ny", "CRLF cut in two"
    yield "中国人民银行", "words by longest match: any cut may fall inside a word"
    yield "研究生命起源", "two readings: the longest match takes the wrong one"
    yield "Hello,世界! 你好world", "changes of script without blanks"
    yield "don't'", "a contraction and an apostrophe"
    yield " 's", "a blank that takes the apostrophe"
    yield "a\u3000\u3000b", "wide blanks before a letter"
    yield "x  <|endoftext|>  y", "blanks on both sides of a special token"
    yield "n\n\n\n<|endo", "newlines, then a special token broken off"


def scripts() -> Iterator[Entry]:
    for script, word in WORDS.items():
        yield word, f"a word in {script}"
    yield " ".join(WORDS.values()), "a word of every script in one line"
    yield "pаypаl gооgle Ηello", "Latin words with Cyrillic and Greek letters in them"
    yield "Tシャツ iPhone用 Cプログラム 3月", "words of two scripts"
    yield "東京タワーは333mです。", "Japanese: three scripts and digits without a blank"
    yield "日本語,テキスト、文章。「引用」", "Japanese punctuation"
    yield "ภาษาไทยไม่มีช่องว่างระหว่างคำ", "Thai has no blanks between words"
    yield "Donaudampfschifffahrtsgesellschaftskapitän", "a German compound"
    yield "Çekoslovakyalılaştıramadıklarımızdanmışsınız", "a Turkish word of many endings"
    yield "ប្រទេសកម្ពុជា ປະເທດລາວ မြန်မာနိုင်ငံ", "Khmer, Lao and Burmese without blanks"
    yield "ἐν ἀρχῇ ἦν ὁ λόγος", "Greek with accents and breathings"


def program_text() -> Iterator[Entry]:
    deep = "".join("    " * level + f"if x{level}:\n" for level in range(30)) + "    " * 30 + "pass\n"
    yield deep, "code indented 30 levels deep"
    yield deep.replace("    ", "\t"), "the same with tabs"
    yield "def f():\n\treturn 1\n        # eight blanks\n \t mixed\n", "tabs and blanks mixed"
    yield "x=1;y=[a[i]for i in range(0,n)];f(x)(y)[0]->z::w<T>&&!q", "code without blanks"
    yield "a" + "".join(f".b{n}()" for n in range(300)), "a chain of calls on one line"
    yield (
        "snake_case camelCase SCREAMING_CASE kebab-case dot.case $var @attr #tag __init__",
        "names in every convention of case and sign",
    )
    yield (
        "https://example.org/a/b?c=d&e=%20f#g user@example.org C:\\dir\\file.txt ../x/./y",
        "addresses and paths: punctuation inside what people see as one word",
    )
    yield (
        "iVBORw0KGgo" + "AAAANSUhEUgAA" * 120 + "==",
        "base64: a long repetitive run of letters without any word",
    )
    yield '{"a":[{"b":{"c":[[[[1]]]]}}]}' * 20, "JSON without blanks"
    yield "| a | b |\n|---|---|\n| 1 |   |\n", "a table: blanks and rules between pipes"
    yield "\\n \\u0041 \\x41 &#65; %41 \\\\", "escapes are not what they stand for"
    yield "    \n    \n    x\n", "lines of blanks only"
    yield "lorem-" * 200 + "ipsum", "a word of a thousand characters held together by hyphens"
    yield "wow..... really?!?! (yes) -- no... [x] {y} <z>", "punctuation runs"
    yield "«guillemets» „Gänsefüßchen“ “quotes” 『二重』 ‹x› – — … ‥ 〜 ・", "punctuation of many languages"
    yield "$€£¥₹₿ ±×÷≠≤∞ ∑∏∫ →⇒↔ ♠♥ ░▒▓ ♪", "symbols of all kinds"
    yield "x", "one letter"
    yield "中", "one Han character"
    yield "\x00", "one NUL, which is text"
    yield "\U0010ffff", "the last code point"


def entries() -> list[Entry]:
    groups = [
        runs,
        blanks,
        contractions,
        marks,
        emoji,
        digits,
        code_points,
        directions,
        specials,
        streams,
        scripts,
    ]
    return [entry for group in [*groups, program_text] for entry in group()]


def build() -> dict[str, bytes]:
    lines, seen = [], set[str]()
    for text, why in entries():
        if text in seen:
            raise ValueError(f"twice the same text: {why}")
        seen.add(text)
        text.encode()  # a lone surrogate is no text: it can't be in a UTF-8 file
        lines.append(json.dumps({"text": text, "why": why}, ensure_ascii=True))
    return {"hostile.jsonl": ("\n".join(lines) + "\n").encode("ascii")}


if __name__ == "__main__":
    raise SystemExit(main(__file__, build))
