"""Generates ``numbers.txt``: digits in all the forms in which text carries them; sums and products are right."""
# ruff: noqa: E501 -- a template reads best on the one line that it becomes

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from datetime import timedelta
from fractions import Fraction
from math import comb, factorial, gcd, isqrt
from pathlib import Path

if __name__ == "__main__" and not __package__:  # run as a file, not with -m
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from corpora import _words as w
from corpora._generate import Draw, documents_of, main, text_file

SIZE = 200_000
MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]


def sized(draw: Draw) -> int:
    """An integer whose number of digits is drawn first, so that long ones are as common as short ones."""
    return int(draw.digits(draw.integer(1, 12)))


def grouped(value: int, separator: str) -> str:
    return f"{value:,}".replace(",", separator)


def csv(draw: Draw) -> str:
    separator = draw.pick([",", ",", ";", "\t"])
    point = "," if separator == ";" else "."
    columns: list[tuple[str, Callable[[], str]]] = [
        ("id", lambda: str(sized(draw))),
        ("date", lambda: f"{draw.moment():%Y-%m-%d}"),
        ("price", lambda: f"{draw.skewed(0, 10**7) / 100:.2f}".replace(".", point)),
        ("temp_c", lambda: f"{draw.real(-40, 45, 1)}".replace(".", point)),
        ("count", lambda: str(draw.skewed(0, 10**6))),
        ("ratio", lambda: f"{draw.real(0, 1, 6):.6f}".replace(".", point)),
        ("code", lambda: f"{draw.pick('ABCDEF')}{draw.digits(6)}"),
        ("time", lambda: f"{draw.moment():%H:%M:%S}"),
        ("epoch", lambda: draw.digits(10)),
        ("city", lambda: draw.pick(w.CITIES)[0]),
        ("lat", lambda: f"{draw.real(-90, 90, 6)}".replace(".", point)),
        ("flag", lambda: str(draw.integer(0, 1))),
        ("quoted", lambda: f'"{draw.skewed(0, 10**7):,}"'),
        ("empty", lambda: draw.pick(["", "NA", "NaN", "-", "0"])),
    ]
    chosen = draw.some(columns, draw.integer(3, 8))
    rows = [separator.join(make() for _, make in chosen) for _ in range(draw.integer(8, 26))]
    return "\n".join([separator.join(name for name, _ in chosen), *rows])


def arithmetic(draw: Draw) -> str:
    rows = []
    times, minus = draw.pick(["*", "×", "·", "x"]), draw.pick(["-", "−"])
    gap = draw.pick([" ", " ", ""])
    for _ in range(draw.integer(12, 32)):
        a, b = sized(draw), sized(draw)
        kind = draw.integer(0, 6)
        left, right = {
            0: (f"{a}{gap}+{gap}{b}", f"{a + b}"),
            1: (f"{a}{gap}{minus}{gap}{b}", f"{a - b}".replace("-", minus)),
            2: (f"{a}{gap}{times}{gap}{b}", f"{a * b}"),
            3: (f"{a}{gap}{draw.pick(['/', '÷', '//'])}{gap}{b}", f"{a // b} r {a % b}"),
            4: (f"{a % 1000}^{b % 7}", f"{(a % 1000) ** (b % 7)}"),
            5: (f"({a} + {b}){gap}{times}{gap}{b % 97}", f"{(a + b) * (b % 97)}"),
            6: (
                f"{a / 100:.2f}{gap}+{gap}{b / 100:.2f}",
                f"{a // 100 + b // 100 + (a % 100 + b % 100) // 100}.{(a + b) % 100:02d}",
            ),
        }[kind]
        rows.append(f"{left}{gap}={gap}{right}")
    return "\n".join(rows)


def long_addition(draw: Draw) -> str:
    parts = []
    for _ in range(draw.integer(2, 5)):
        values = [sized(draw) for _ in range(draw.integer(2, 6))]
        width = len(str(sum(values))) + 2
        parts.append(
            "\n".join(
                [
                    *(f"{value:>{width}}" for value in values[:-1]),
                    "+" + f"{values[-1]:>{width - 1}}",
                    "-" * width,
                    f"{sum(values):>{width}}",
                ]
            )
        )
    return "\n\n".join(parts)


def word_problems(draw: Draw) -> str:
    rows = []
    for _ in range(draw.integer(3, 7)):
        a, b, noun, other = draw.integer(12, 900), draw.integer(2, 60), draw.pick(w.NOUNS), draw.pick(w.NOUNS)
        name = draw.pick(w.FIRST_NAMES)
        rows.append(
            draw.pick(
                [
                    f"{name} has {a} {noun}s and buys {b} more. Now there are {a + b}.",
                    f"One {noun} costs {a / 100:.2f} and one {other} {b / 100:.2f}: together {(a + b) / 100:.2f}.",
                    f"{a} {noun}s in {b} boxes: {a // b} in each, {a % b} left over.",
                    f"{b} rows of {a} {noun}s are {a * b} {noun}s.",
                    f"From {a * b} {noun}s take {a}; {a * b - a} remain, that is {100 * (b - 1) // b} % of them.",
                    f"At {b} km/h this {noun} covers {a * b} km in {a} hours, or {a * b * 1000} m in {a * 60} minutes.",
                ]
            )
        )
    return "\n".join(rows)


def dates(draw: Draw) -> str:
    forms = [
        "{y}-{m:02}-{d:02}",
        "{d}.{m}.{y}",
        "{m}/{d}/{y}",
        "{d} {name} {y}",
        "{name} {d}, {y}",
        "{y}年{m}月{d}日",
        "{d:02}/{m:02}/{s:02}",
        "{y}{m:02}{d:02}",
        "{y}-W{week:02}-{day}",
        "{y}-{ordinal:03}",
        "{short}. {d}, '{s:02}",
        "{y}-{m:02}-{d:02}T{t}Z",
        "{y}-{m:02}-{d:02} {t}.{u}+05:30",
        "{t} on {m}-{d}-{y}",
        "{h12}:{min:02} {half}, {d} {short} {y}",
        "@{epoch}",
        "{y}/{m}/{d} {h}h{min:02}",
    ]
    chosen = draw.some(forms, draw.integer(2, 5))
    rows = []
    for _ in range(draw.integer(12, 30)):
        now = draw.moment(1895, 2099)
        week = now.isocalendar()
        rows.append(
            draw.pick(chosen).format(
                y=now.year,
                m=now.month,
                d=now.day,
                s=now.year % 100,
                name=MONTHS[now.month - 1],
                short=MONTHS[now.month - 1][:3],
                week=week[1],
                day=week[2],
                ordinal=now.timetuple().tm_yday,
                t=f"{now:%H:%M:%S}",
                u=f"{now.microsecond:06d}",
                h=now.hour,
                h12=(now.hour + 11) % 12 + 1,
                min=now.minute,
                half="am" if now.hour < 12 else "p.m.",
                epoch=int((now - now.replace(year=1895, month=1, day=1)).total_seconds()),
            )
        )
    return draw.pick(["\n", "\n", ", "]).join(rows)


def hashes(draw: Draw) -> str:
    name = draw.pick(["md5", "sha1", "sha256", "sha512", "blake2s"])
    style = draw.integer(0, 3)
    rows = []
    for _ in range(draw.integer(4, 12)):
        file = f"{draw.pick(w.NOUNS)}-{w.version(draw)}.{draw.pick(['tar.gz', 'zip', 'bin', 'iso'])}"
        digest = hashlib.new(name, file.encode(), usedforsecurity=False).hexdigest()
        rows.append(
            [
                f"{digest}  {file}",
                f"{name.upper()} ({file}) = {digest}",
                f"{file}: {name}:{digest.upper()}",
                f"{name}-{draw.base64(43)}= {file}",
            ][style]
        )
    return "\n".join(rows)


def uuids(draw: Draw) -> str:
    frame = draw.pick(["{}", "{{{}}}", "urn:uuid:{}", "({})", "'{}',"])
    rows = [frame.format(draw.uuid().upper() if draw.chance(0.15) else draw.uuid()) for _ in range(draw.integer(6, 18))]
    return "\n".join(rows)


def telephone(draw: Draw) -> str:
    """Numbers from the ranges that regulators keep free for fiction."""
    rows = []
    for _ in range(draw.integer(10, 26)):
        line, area = draw.integer(100, 199), draw.pick([202, 212, 303, 415, 503, 617, 808])
        four, three = draw.integer(0, 999), draw.integer(100, 999)
        rows.append(
            draw.pick(
                [
                    f"({area}) 555-0{line}",
                    f"+1-{area}-555-0{line}",
                    f"{area}.555.0{line}",
                    f"1{area}5550{line}",
                    f"020 7946 0{four:03d}",
                    f"+44 20 7946 0{four:03d}",
                    f"07700 900{three}",
                    f"+33 1 99 00 {draw.integer(10, 99)} {draw.integer(10, 99)}",
                    f"01.99.00.{draw.integer(10, 99)}.{draw.integer(10, 99)}",
                    f"+49 30 23125 {three}",
                    f"030/23125-{three}",
                    f"+61 491 570 {draw.integer(156, 159)}",
                    f"(02) 5550 {draw.integer(1000, 9999)}",
                    f"+46 8 465 004 {draw.integer(10, 99)}",
                    f"tel:+1{area}5550{line};ext={draw.integer(1, 9999)}",
                    f"{w.person(draw)}: {area}-555-0{line} x{draw.integer(10, 99)}",
                ]
            )
        )
    return draw.pick(["\n", "\n", "; "]).join(rows)


def prices(draw: Draw) -> str:
    rows = []
    for _ in range(draw.integer(10, 26)):
        cents = draw.skewed(1, 90_000_000)
        whole, part = divmod(cents, 100)
        amount = draw.pick(
            [
                f"${whole:,}.{part:02d}",
                f"{grouped(whole, '.')},{part:02d} €",
                f"£{whole}.{part:02d}",
                f"{grouped(whole, ' ')},{part:02d} kr",
                f"¥{whole:,}",
                f"CHF {grouped(whole, chr(0x2019))}.{part:02d}",
                f"₹{whole:,}/-",
                f"USD {whole}.{part:02d}",
                f"{whole}.{part:02d} EUR",
                f"R$ {grouped(whole, '.')},{part:02d}",
                f"₩{whole:,}",
                f"-{whole}.{part:02d}",
                f"(${whole:,}.{part:02d})",
                f"{grouped(whole, chr(0x202F))},{part:02d} €",
                f"{part}¢",
                f"US${whole / 1000:.1f}k",
            ]
        )
        rows.append(
            draw.pick(
                [
                    amount,
                    f"{w.product(draw)}: {amount}",
                    f"{draw.integer(1, 40)} × {amount}",
                    f"{amount} ({draw.pick(['-', '+'])}{draw.real(0, 70, 1)} %)",
                ]
            )
        )
    return "\n".join(rows)


def scientific(draw: Draw) -> str:
    units = ["m/s", "kg", "J", "mol⁻¹", "Hz", "Pa", "K", "eV", "Ω", "T", "cd/m²", "µF"]
    rows = []
    for _ in range(draw.integer(12, 28)):
        mantissa, power = draw.real(1, 10, draw.integer(0, 9)), draw.integer(-34, 34)
        superscript = str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
        rows.append(
            draw.pick(
                [
                    f"{mantissa}e{power}",
                    f"{mantissa}E{power:+03d}",
                    f"{mantissa} × 10{superscript} {draw.pick(units)}",
                    f"{mantissa}*10^{power}",
                    f"{mantissa}({draw.integer(10, 99)})e{power}",
                    f"{mantissa} ± {draw.real(0, 1, 3)} {draw.pick(units)}",
                    f"{draw.real(0, 1, 12):.12f}",
                    f"{draw.real(-1, 1, 8)}",
                    f"0x1.{draw.hexadecimal(13)}p{power:+d}",
                    f"≈ {mantissa}·10{superscript}",
                    f"{draw.pick(w.NOUNS)} = {mantissa}e{power} {draw.pick(units)}",
                    f".{draw.digits(4)}",
                    f"{draw.integer(1, 99)}.",
                    f"{mantissa}d{power}",
                    draw.pick(["NaN", "inf", "-Infinity", "1e400", "-0.0"]),
                ]
            )
        )
    return "\n".join(rows)


def integers(draw: Draw) -> str:
    """A table of long integers, right-aligned, with and without separators."""
    longest, columns = draw.integer(6, 30), draw.integer(2, 5)
    group = draw.pick(["", "", ",", "_", " ", "'"])
    rows = []
    for _ in range(draw.integer(6, 18)):
        values = [int(draw.digits(draw.integer(2, longest))) for _ in range(columns)]
        rows.append(
            "  ".join(f"{grouped(value, group) if group else value:>{longest * 4 // 3 + 1}}" for value in values)
        )
    return "\n".join(rows)


def sequence(draw: Draw) -> str:
    start, count = draw.integer(1, 60), draw.integer(12, 30)
    kind = draw.integer(0, 7)
    if kind == 0:
        a, b, values = start, draw.integer(1, 99), []
        for _ in range(count * 2):
            values.append(a)
            a, b = b, a + b
        return f"a(n) = a(n-1) + a(n-2): {', '.join(map(str, values))}"
    if kind == 1:
        return "\n".join(f"{n}! = {factorial(n)}" for n in range(start, start + 8))
    if kind == 2:
        base = draw.integer(2, 19)
        return "\n".join(f"{base}^{n} = {base**n}" for n in range(start, start + count))
    if kind == 3:
        primes = [
            n for n in range(start * 50, start * 50 + 900) if n > 1 and all(n % d for d in range(2, isqrt(n) + 1))
        ]
        return f"Primes from {primes[0]} to {primes[-1]}: {' '.join(map(str, primes))}"
    if kind == 4:
        steps: list[int] = []
        value = draw.integer(27, 99_999)
        while value != 1 and len(steps) < 150:
            steps.append(value)
            value = value // 2 if value % 2 == 0 else 3 * value + 1
        return " → ".join(map(str, [*steps, value]))
    if kind == 5:
        return "\n".join(
            " ".join(str(comb(n, k)) for k in range(n + 1)) for n in range(draw.integer(0, 4), draw.integer(10, 17))
        )
    if kind == 6:
        return "\n".join(
            f"{n:>4} {n * n:>8} {n**3:>12} {isqrt(n * 10**12):>10}" for n in range(start * 7, start * 7 + count)
        )
    return "\n".join(
        "\t".join(str(row * column) for column in range(start, start + 10)) for row in range(start, start + 10)
    )


def expansion(draw: Draw) -> str:
    """Hundreds of digits of a square root or of a fraction: no digit can be guessed from the last."""
    number, places = draw.integer(2, 9999), draw.integer(150, 700)
    while isqrt(number) ** 2 == number:
        number += 1
    if draw.chance(0.5):
        digits = str(isqrt(number * 10 ** (2 * places)))
        head = len(str(isqrt(number)))
        text, name = f"{digits[:head]}.{digits[head:]}", f"√{number}"
    else:
        divisor = draw.integer(number + 1, 99_999)
        text, name = f"0.{number * 10**places // divisor:0{places}d}", f"{number}/{divisor}"
    if draw.chance(0.5):
        text = " ".join(text[start : start + 10] for start in range(0, len(text), 10))
    return f"{name} = {text}…"


def versions(draw: Draw) -> str:
    shapes: list[Callable[[], str]] = [
        lambda: w.version(draw),
        lambda: f"v{w.version(draw)}",
        lambda: f"{w.package(draw)}=={w.version(draw)}",
        lambda: f"{w.package(draw)}>={draw.integer(0, 9)}.{draw.integer(0, 30)},<{draw.integer(10, 20)}",
        lambda: f"{draw.integer(2019, 2025)}.{draw.integer(1, 12)}.{draw.integer(0, 9)}",
        lambda: (
            f"{draw.integer(1, 9)}.{draw.integer(0, 20)}{draw.pick(['a', 'b', 'rc', '.dev', '.post'])}{draw.integer(0, 20)}"
        ),
        lambda: f"{draw.integer(1, 12)}.{draw.integer(0, 9)}.{draw.digits(5)}.{draw.digits(4)}",
        lambda: f"lib{draw.pick(w.NOUNS)}.so.{draw.integer(0, 9)}.{draw.integer(0, 40)}.{draw.integer(0, 9)}",
        lambda: (
            f"{draw.pick(w.NOUNS)}-{draw.integer(1, 9)}:{w.version(draw)}-{draw.integer(1, 9)}ubuntu{draw.integer(0, 9)}~{draw.integer(18, 24)}.04"
        ),
        lambda: f"§{draw.integer(1, 20)}.{draw.integer(1, 20)}.{draw.integer(1, 9)}",
    ]
    return draw.pick(["\n", "\n", " "]).join(draw.pick(shapes)() for _ in range(draw.integer(12, 30)))


def dump(draw: Draw) -> str:
    """A hex dump: offsets, bytes, printable characters."""
    start, rows = draw.bits(20) * 16, []
    for number in range(draw.integer(6, 18)):
        data = [draw.pick([0, 0, 0xFF, draw.bits(8), draw.integer(32, 126), draw.integer(97, 122)]) for _ in range(16)]
        shown = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in data)
        pairs = " ".join(f"{byte:02x}" for byte in data[:8]) + "  " + " ".join(f"{byte:02x}" for byte in data[8:])
        rows.append(f"{start + 16 * number:08x}  {pairs}  |{shown}|")
    return "\n".join(rows)


def bases(draw: Draw) -> str:
    rows = []
    for _ in range(draw.integer(8, 22)):
        value = draw.bits(draw.pick([8, 16, 24, 32, 64]))
        rows.append(
            draw.pick(
                [
                    f"{value} = 0x{value:X}",
                    f"0b{value:b}",
                    f"0o{value:o} = {value}",
                    f"{value:#x}  {value:_}",
                    f"#{value % 0xFFFFFF:06x}",
                    f"{value:_b}",
                    f"\\x{value % 256:02x}\\x{value // 256 % 256:02x}",
                    f"{value % 65536:016b} {value % 65536:5d}",
                ]
            )
        )
    return "\n".join(rows)


def measures(draw: Draw) -> str:
    rows = []
    for _ in range(draw.integer(10, 24)):
        a, b = draw.integer(1, 999), draw.integer(1, 60)
        rows.append(
            draw.pick(
                [
                    f"{a} km = {a * 1000:,} m",
                    f"{b}′ {a % 60}″ N, {a}° E",
                    f"{a} × {b} × {a % 90} mm",
                    f"{b}:{a % 60:02d}.{a:03d}",
                    f"{a}h {b}m",
                    f"{b}/{a}",
                    f"½ + ¼ = ¾; {a}⅓",
                    f"{a}–{a + b}",
                    f"{b}th of {a}",
                    f"{a}%",
                    f"{b}‰",
                    f"1:{a}",
                    f"№ {a}",
                    f"{a}GB/{b}GB ({100 * b // (a + b)}%)",
                    f"x{b}",
                    f"{a}px",
                    f"{b}°C = {(b * 18 + 320) / 10:.1f} °F",
                    f"p. {a}–{a + b % 20}",
                    f"[{a}, {b}]",
                    f"T+{b}d",
                    f"±{a}.{b}",
                    f"{w.ENGLISH.draw(draw, 'noun')} no. {a}{draw.pick('abcd')}",
                ]
            )
        )
    return draw.pick(["\n", ", "]).join(rows)


def fractions(draw: Draw) -> str:
    rows = []
    for _ in range(draw.integer(10, 22)):
        a, b = (Fraction(draw.integer(1, 99), draw.integer(2, 99)) for _ in range(2))
        sign = draw.pick(["+", "-", "*", ":"])
        result = {"+": a + b, "-": a - b, "*": a * b, ":": a / b}[sign]
        rows.append(f"{a} {sign} {b} = {result}    (gcd {gcd(a.denominator, b.denominator)})")
    return "\n".join(rows)


def series(draw: Draw) -> str:
    """A time series as instruments write it: blank-separated, fixed width, slowly changing values."""
    now, step = draw.moment(), timedelta(seconds=draw.pick([1, 10, 60, 600, 3600]))
    values = [draw.real(-50, 1000, 3) for _ in range(draw.integer(1, 5))]
    rows = []
    for _ in range(draw.integer(12, 34)):
        values = [round(value + draw.real(-2, 2, 3), 3) for value in values]
        rows.append(f"{now:%Y-%m-%d %H:%M:%S}  " + "  ".join(f"{value:10.3f}" for value in values))
        now += step
    return "\n".join(rows)


def statement(draw: Draw) -> str:
    balance = draw.skewed(10_000, 9_000_000)
    rows = [f"{'Date':<12}{'Reference':<22}{'Amount':>14}{'Balance':>16}"]
    for _ in range(draw.integer(8, 22)):
        amount = draw.integer(-90_000, 120_000)
        balance += amount
        rows.append(
            f"{draw.moment():%d.%m.%Y}  {draw.pick(w.NOUNS)[:9].upper()} {draw.digits(9):<12}{amount / 100:>+13,.2f}{balance / 100:>16,.2f}"
        )
    return "\n".join(rows)


def addresses(draw: Draw) -> str:
    shapes: list[Callable[[], str]] = [
        lambda: f"{draw.ipv4()}/{draw.integer(8, 32)}",
        lambda: draw.ipv6(),
        lambda: f"{draw.ipv4()}:{draw.integer(1, 65_535)}",
        lambda: ":".join(draw.hexadecimal(2) for _ in range(6)),
        lambda: f"{draw.real(-90, 90, 5)}, {draw.real(-180, 180, 5)}",
        lambda: f"978-0-{draw.digits(3)}-{draw.digits(5)}-{draw.pick('0123456789X')}",
        lambda: f"XX00 {draw.digits(4)} {draw.digits(4)} {draw.digits(4)} {draw.digits(2)}",
        lambda: f"0000-{draw.digits(4)}-{draw.digits(4)}-0000",
        lambda: f"doi:10.5555/{draw.digits(8)}.{draw.integer(2000, 2025)}",
    ]
    return "\n".join(draw.pick(shapes)() for _ in range(draw.integer(10, 24)))


KINDS: list[Callable[[Draw], str]] = [
    csv,
    csv,
    csv,
    arithmetic,
    arithmetic,
    long_addition,
    word_problems,
    dates,
    dates,
    hashes,
    uuids,
    telephone,
    prices,
    scientific,
    integers,
    integers,
    sequence,
    sequence,
    expansion,
    versions,
    dump,
    bases,
    measures,
    fractions,
    series,
    statement,
    addresses,
]


def build() -> dict[str, bytes]:
    return {"numbers.txt": text_file(documents_of(Draw(20_005), KINDS, SIZE))}


if __name__ == "__main__":
    raise SystemExit(main(__file__, build))
