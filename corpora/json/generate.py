"""Generates ``json.txt``: JSON as APIs, tools and editors write it."""
# ruff: noqa: E501 -- a template reads best on the one line that it becomes

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

if __name__ == "__main__" and not __package__:  # run as a file, not with -m
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from corpora import _words as w
from corpora._generate import Draw, documents_of, main, text_file

Json = Any
SIZE = 200_000
en = w.ENGLISH


def written(draw: Draw, value: Json) -> str:
    """The value in one of the layouts in use; they differ in blanks, line ends and escapes."""
    escaped = draw.chance(0.3)
    layout = draw.integer(0, 6)
    if layout <= 1:
        return json.dumps(value, ensure_ascii=escaped, separators=(",", ":"))
    if layout <= 3:
        return json.dumps(value, ensure_ascii=escaped, indent=2)
    if layout == 4:
        return json.dumps(value, ensure_ascii=escaped, indent=4)
    if layout == 5:
        return json.dumps(value, ensure_ascii=escaped, indent="\t")
    return json.dumps(value, ensure_ascii=escaped).replace("/", "\\/" if draw.chance(0.5) else "/")


def stamp(draw: Draw) -> Json:
    moment = draw.moment()
    style = draw.integer(0, 4)
    if style == 0:
        return int((moment - datetime(1970, 1, 1)).total_seconds())
    if style == 1:
        return moment.isoformat(timespec="milliseconds") + "Z"
    if style == 2:
        return moment.isoformat(timespec="seconds") + draw.pick(["+01:00", "-05:00", "+05:30", "+00:00"])
    if style == 3:
        return moment.strftime("%Y-%m-%d")
    return moment.isoformat(timespec="seconds") + "Z"


def key(draw: Draw) -> str:
    """An object key in one of the usual cases."""
    first, second = draw.pick(w.ADJECTIVES + w.VERBS), draw.pick(w.NOUNS)
    style = draw.integer(0, 3)
    if style == 0:
        return f"{first}_{second}"
    if style == 1:
        return first + second.capitalize()
    return f"{first}-{second}" if style == 2 else second


def scalar(draw: Draw) -> Json:
    makers: list[Callable[[], Json]] = [
        lambda: draw.skewed(0, 100_000),
        lambda: draw.real(-10, 1000, draw.integer(1, 4)),
        lambda: draw.chance(0.5),
        lambda: None,
        lambda: draw.pick(w.NOUNS),
        lambda: en.draw(draw, "sentence"),
        lambda: draw.uuid(),
        lambda: w.domain_url(draw),
        lambda: "",
        lambda: draw.pick(w.EMOJI) + " " + en.draw(draw, "title"),
    ]
    return draw.pick(makers)()


def nested(draw: Draw, depth: int) -> Json:
    if depth == 0 or draw.chance(0.2):
        return scalar(draw)
    if draw.chance(0.35):
        return [nested(draw, depth - 1) for _ in range(draw.integer(0, 4))]
    return {key(draw): nested(draw, depth - 1) for _ in range(draw.integer(1, 5))}


def users(draw: Draw) -> Json:
    page, size = draw.integer(1, 40), draw.integer(3, 8)
    listed = [
        {
            "id": draw.pick([draw.integer(1, 99_999), draw.uuid()]),
            "name": w.person(draw),
            "email": w.email(draw),
            "active": draw.chance(0.8),
            "roles": draw.some(["admin", "editor", "viewer", "owner", "billing", "guest"], draw.integer(0, 3)),
            "created_at": stamp(draw),
            **({"address": address(draw)} if draw.chance(0.4) else {}),
        }
        for _ in range(size)
    ]
    return {
        "data": listed,
        "meta": {"page": page, "per_page": size, "total": page * size + draw.integer(0, 900)},
        "links": {"self": f"/v2/users?page={page}", "next": f"/v2/users?page={page + 1}", "prev": None},
    }


def address(draw: Draw) -> Json:
    city, country, lat, lon = draw.pick(w.CITIES)
    return {
        "street": f"{draw.pick(w.NOUNS).capitalize()} {draw.pick(['Street', 'Lane', 'gata', 'straße', 'Road'])} "
        f"{draw.integer(1, 180)}",
        "postcode": draw.digits(draw.integer(4, 6)),
        "city": city,
        "country": country,
        "geo": {
            "lat": round(lat + draw.real(-0.05, 0.05, 5), 5),
            "lng": round(lon + draw.real(-0.05, 0.05, 5), 5),
        },
    }


def problem(draw: Draw) -> Json:
    status, title = draw.pick(
        [
            (400, "Bad Request"),
            (401, "Unauthorized"),
            (403, "Forbidden"),
            (404, "Not Found"),
            (409, "Conflict"),
            (422, "Unprocessable Content"),
            (429, "Too Many Requests"),
            (500, "Internal Server Error"),
            (503, "Unavailable"),
        ]
    )
    return {
        "type": f"https://errors.example.com/{title.lower().replace(' ', '-')}",
        "title": title,
        "status": status,
        "detail": en.draw(draw, "paragraph"),
        "instance": f"/{draw.pick(w.SERVICES)}/{draw.uuid()}",
        "errors": [
            {
                "pointer": f"/{draw.pick(w.NOUNS)}/{draw.integer(0, 9)}/{key(draw)}",
                "code": key(draw).upper(),
                "message": en.draw(draw, "clause"),
            }
            for _ in range(draw.integer(0, 5))
        ],
        "trace_id": draw.hexadecimal(32),
    }


def npm_manifest(draw: Draw) -> Json:
    def pinned(count: int) -> dict[str, str]:
        names = sorted(w.package(draw).replace("_", "-") for _ in range(count))
        scope = f"@{draw.pick(w.NOUNS)}/"
        return {
            (scope if draw.chance(0.3) else "") + name: draw.pick(["^", "~", ">=", ""]) + w.version(draw)
            for name in names
        }

    commands = [
        "tsc -p .",
        "node --test",
        "eslint . --fix",
        "vite build",
        "rm -rf dist && npm run build",
        "jest --ci",
    ]
    return {
        "name": w.package(draw),
        "version": w.version(draw),
        "description": en.draw(draw, "sentence"),
        "private": draw.chance(0.4),
        "type": draw.pick(["module", "commonjs"]),
        "main": f"./dist/{draw.pick(['index', 'main', 'cli'])}.js",
        "exports": {".": {"import": "./dist/index.mjs", "require": "./dist/index.cjs", "types": "./dist/index.d.ts"}},
        "scripts": {
            name: draw.pick(commands) for name in draw.some(["build", "test", "lint", "start", "clean", "dev"], 4)
        },
        "dependencies": pinned(draw.integer(1, 9)),
        "devDependencies": pinned(draw.integer(0, 7)),
        "engines": {"node": f">={draw.pick([18, 20, 22, 24])}"},
        "author": f"{w.person(draw)} <{w.email(draw)}>",
        "license": draw.pick(w.LICENCES),
    }


def lock_file(draw: Draw) -> Json:
    entries = {}
    for _ in range(draw.integer(4, 9)):
        name, release = w.package(draw).replace("_", "-"), w.version(draw)
        entries[f"node_modules/{name}"] = {
            "version": release,
            "resolved": f"https://registry.example/{name}/-/{name}-{release}.tgz",
            "integrity": f"sha512-{draw.base64(86)}==",
            **({"dev": True} if draw.chance(0.3) else {}),
            **({"engines": {"node": ">= 18"}} if draw.chance(0.5) else {}),
        }
    return {"name": w.package(draw), "lockfileVersion": 3, "requires": True, "packages": entries}


def geojson(draw: Draw) -> Json:
    def point(lat: float, lon: float, spread: float) -> list[float]:
        places = draw.pick([3, 5, 6])
        return [round(degrees + draw.real(-spread, spread, 6), places) for degrees in (lon, lat)]

    features = []
    for _ in range(draw.integer(2, 6)):
        city, country, lat, lon = draw.pick(w.CITIES)
        kind = draw.pick(["Point", "LineString", "Polygon"])
        coordinates: Json = point(lat, lon, 0.1)
        if kind != "Point":
            coordinates = [point(lat, lon, 0.02) for _ in range(draw.integer(4, 12))]
        if kind == "Polygon":
            coordinates = [[*coordinates, coordinates[0]]]
        features.append(
            {
                "type": "Feature",
                "id": draw.pick([draw.integer(1, 10**9), f"way/{draw.digits(9)}"]),
                "geometry": {"type": kind, "coordinates": coordinates},
                "properties": {
                    "name": f"{city} {draw.pick(w.NOUNS)}",
                    "country": country,
                    "elevation": draw.real(-3, 2400, 1),
                    "surface": draw.pick(["gravel", "asphalt", None]),
                },
            }
        )
    return {"type": "FeatureCollection", "features": features}


def compiler_config(draw: Draw) -> Json:
    options = [
        "strict",
        "noEmit",
        "declaration",
        "sourceMap",
        "incremental",
        "noUnusedLocals",
        "esModuleInterop",
        "resolveJsonModule",
        "isolatedModules",
        "skipLibCheck",
        "noImplicitOverride",
    ]
    return {
        "$schema": "https://json.example.org/tsconfig.json",
        "extends": f"./{draw.pick(w.NOUNS)}.base.json",
        "compilerOptions": {
            "target": draw.pick(["ES2020", "ES2022", "ESNext"]),
            "lib": draw.some(["DOM", "DOM.Iterable", "ES2022", "WebWorker"], 2),
            **{option: draw.chance(0.7) for option in draw.some(options, draw.integer(3, 9))},
            "paths": {f"@{draw.pick(w.NOUNS)}/*": [f"./src/{draw.pick(w.NOUNS)}/*"] for _ in range(draw.integer(1, 4))},
        },
        "include": ["src/**/*.ts", f"{draw.pick(w.NOUNS)}/**/*.tsx"],
        "exclude": ["node_modules", "dist", "**/*.test.ts"],
    }


def open_api(draw: Draw) -> Json:
    paths = {}
    for _ in range(draw.integer(1, 3)):
        noun = draw.pick(w.NOUNS)
        paths[f"/{noun}s/{{{noun}Id}}"] = {
            draw.pick(["get", "put", "delete", "patch"]): {
                "operationId": draw.pick(w.VERBS) + noun.capitalize(),
                "summary": en.draw(draw, "title"),
                "parameters": [
                    {
                        "name": f"{noun}Id",
                        "in": "path",
                        "required": True,
                        "schema": {"type": "string", "format": "uuid"},
                    },
                    {
                        "name": "limit",
                        "in": "query",
                        "schema": {"type": "integer", "maximum": draw.pick([50, 100, 500])},
                    },
                ],
                "responses": {
                    "200": {
                        "description": "OK",
                        "content": {
                            "application/json": {"schema": {"$ref": f"#/components/schemas/{noun.capitalize()}"}}
                        },
                    },
                    draw.pick(["404", "409", "default"]): {"description": en.draw(draw, "sentence")},
                },
                "security": [{"bearerAuth": []}],
            }
        }
    return {
        "openapi": "3.1.0",
        "info": {"title": en.draw(draw, "title"), "version": w.version(draw)},
        "paths": paths,
    }


def schema(draw: Draw) -> Json:
    def rule(depth: int) -> Json:
        kind = draw.pick(
            ["string", "integer", "number", "boolean", "array", "object"] if depth else ["string", "integer"]
        )
        if kind == "array":
            return {
                "type": "array",
                "items": rule(depth - 1),
                "minItems": draw.integer(0, 2),
                "uniqueItems": True,
            }
        if kind == "object":
            return shape(depth - 1)
        if kind == "string":
            extra: Json = draw.pick(
                [
                    {"minLength": draw.integer(1, 5)},
                    {"format": draw.pick(["date-time", "email", "uri", "ipv4"])},
                    {"enum": draw.some(w.ADJECTIVES, 4)},
                    {"pattern": draw.pick([r"^[A-Z]{2}\d{4,}$", r"^\w+@\w+\.\w{2,}$"])},
                ]
            )
            return {"type": "string", **extra, "description": en.draw(draw, "clause")}
        if kind in ("integer", "number"):
            return {
                "type": kind,
                "minimum": draw.integer(-10, 1),
                "exclusiveMaximum": draw.pick([10, 100, 65536]),
            }
        return {"type": kind, "default": draw.chance(0.5)}

    def shape(depth: int) -> Json:
        properties = {key(draw): rule(depth) for _ in range(draw.integer(2, 5))}
        return {
            "type": "object",
            "properties": properties,
            "additionalProperties": False,
            "required": draw.some(properties, draw.integer(1, len(properties))),
        }

    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": w.domain_url(draw), **shape(2)}


def organisation(draw: Draw) -> Json:
    def unit(depth: int) -> Json:
        below = [unit(depth - 1) for _ in range(draw.integer(1, 3))] if depth else []
        return {
            "name": w.person(draw),
            "title": f"{draw.pick(['Head', 'Lead', 'Chief', 'Junior'])} of {draw.pick(w.NOUNS)}s",
            "since": draw.integer(1998, 2025),
            "reports": below,
        }

    return unit(3)


def readings(draw: Draw) -> Json:
    city, country, lat, lon = draw.pick(w.CITIES)
    count, level = draw.integer(12, 40), draw.real(-15, 30, 1)
    series = []
    for _ in range(count):
        level = round(level + draw.real(-1.5, 1.5, 1), 1)
        series.append(level)
    return {
        "station": {"id": f"{country}-{draw.digits(5)}", "name": city, "position": [lat, lon]},
        "interval": draw.pick(["PT10M", "PT1H", "P1D"]),
        "unit": draw.pick(["°C", "hPa", "mm", "µg/m³", "m/s"]),
        "start": stamp(draw),
        "values": series,
        "quality": [draw.pick([0, 0, 0, 1, 2]) for _ in range(count)],
    }


def chat(draw: Draw) -> Json:
    return {
        "channel": f"#{draw.pick(w.NOUNS)}-{draw.pick(w.NOUNS)}",
        "messages": [
            {
                "ts": f"{draw.digits(10)}.{draw.digits(6)}",
                "user": f"U{draw.identifier(8).upper()}",
                "text": draw.pick(
                    [
                        en.draw(draw, "paragraph"),
                        en.draw(draw, "sentence") + "\n\n> " + en.draw(draw, "sentence"),
                        f"{draw.pick(w.EMOJI)} {en.draw(draw, 'clause')} {draw.pick(w.EMOJI)}",
                        f'see "{w.domain_url(draw)}"',
                        f"C:\\{draw.pick(w.NOUNS)}\\{draw.pick(w.NOUNS)}.txt\t({w.login(draw)})",
                        draw.pick(list(w.GREETINGS.values())).format(draw.pick(w.FIRST_NAMES), draw.integer(2, 40)),
                    ]
                ),
                "reactions": [
                    {"name": draw.pick(w.EMOJI), "count": draw.skewed(1, 30)} for _ in range(draw.skewed(0, 3))
                ],
            }
            for _ in range(draw.integer(3, 9))
        ],
        "has_more": draw.chance(0.5),
    }


def order(draw: Draw) -> Json:
    lines, total = [], 0
    for _ in range(draw.integer(1, 6)):
        cents, quantity = draw.skewed(99, 60_000), draw.skewed(1, 12)
        total += cents * quantity
        lines.append(
            {
                "sku": f"{draw.pick(w.NOUNS)[:3].upper()}-{draw.digits(5)}",
                "name": w.product(draw),
                "qty": quantity,
                "unit_price": cents / 100,
                "tax_rate": draw.pick([0.0, 0.07, 0.19, 0.25]),
            }
        )
    return {
        "orderId": f"{draw.integer(2019, 2025)}-{draw.digits(7)}",
        "placedAt": stamp(draw),
        "customer": {
            "name": w.person(draw),
            "company": draw.pick([None, w.company(draw)]),
            "shipTo": address(draw),
        },
        "currency": draw.pick(["EUR", "USD", "NOK", "JPY", "INR", "BRL"]),
        "lines": lines,
        "total": total / 100,
        "status": draw.pick(["paid", "shipped", "returned", "awaiting_payment"]),
    }


def translations(draw: Draw) -> Json:
    result: dict[str, Json] = {}
    for code in draw.some(w.GREETINGS, draw.integer(4, 8)):
        name = draw.pick(w.FIRST_NAMES)
        result[code] = {
            "greeting": w.GREETINGS[code].format("{name}", "{count}"),
            "example": w.GREETINGS[code].format(name, draw.integer(2, 99)),
        }
    return result


def notebook(draw: Draw) -> Json:
    cells: list[Json] = []
    for number in range(draw.integer(2, 5)):
        noun, verb = draw.pick(w.NOUNS), draw.pick(w.VERBS)
        if draw.chance(0.4):
            cells.append(
                {
                    "cell_type": "markdown",
                    "metadata": {},
                    "source": [f"## {en.draw(draw, 'title')}\n", "\n", en.draw(draw, "sentence")],
                }
            )
        else:
            source = [
                f'{noun} = {verb}_{draw.pick(w.NOUNS)}(path="{draw.pick(w.NOUNS)}.csv", limit={draw.integer(1, 500)})\n',
                f'print(f"{{len({noun})=}}")',
            ]
            cells.append(
                {
                    "cell_type": "code",
                    "execution_count": number + 1,
                    "metadata": {},
                    "source": source,
                    "outputs": [
                        {
                            "name": "stdout",
                            "output_type": "stream",
                            "text": [f"len({noun})={draw.skewed(1, 9999)}\n"],
                        }
                    ],
                }
            )
    return {
        "cells": cells,
        "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def graph_answer(draw: Draw) -> Json:
    noun = draw.pick(w.NOUNS)
    edges = [
        {
            "cursor": draw.base64(11) + "=",
            "node": {
                "__typename": noun.capitalize(),
                "id": draw.base64(16),
                key(draw): scalar(draw),
                key(draw): scalar(draw),
            },
        }
        for _ in range(draw.integer(2, 6))
    ]
    return {
        "data": {
            f"all{noun.capitalize()}s": {
                "totalCount": draw.skewed(6, 9999),
                "edges": edges,
                "pageInfo": {"hasNextPage": draw.chance(0.5), "endCursor": edges[-1]["cursor"]},
            }
        },
        "errors": None,
    }


def webhook(draw: Draw) -> Json:
    noun = draw.pick(w.NOUNS)
    return {
        "specversion": "1.0",
        "type": f"com.example.{noun}.{draw.pick(['created', 'updated', 'deleted', 'expired'])}.v{draw.integer(1, 3)}",
        "source": f"/{draw.pick(w.SERVICES)}/{draw.pick(w.SERVICES)}",
        "id": draw.uuid(),
        "time": stamp(draw),
        "data": {noun: nested(draw, 3), "previous": nested(draw, 2)},
        "signature": f"sha256={draw.hexadecimal(64)}",
    }


def policy(draw: Draw) -> Json:
    return {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": draw.pick(w.VERBS).capitalize() + draw.pick(w.NOUNS).capitalize(),
                "Effect": draw.pick(["Allow", "Deny"]),
                "Action": [
                    f"{draw.pick(w.SERVICES)}:{draw.pick(['Get', 'Put', 'List', 'Delete'])}"
                    f"{draw.pick(w.NOUNS).capitalize()}"
                    for _ in range(draw.integer(1, 4))
                ],
                "Resource": f"arn:example:{draw.pick(w.SERVICES)}:eu-{draw.pick(['north', 'west'])}-{draw.integer(1, 3)}:"
                f"{draw.digits(12)}:{draw.pick(w.NOUNS)}/*",
                "Condition": {"StringLike": {f"example:{key(draw)}": [f"{draw.pick(w.NOUNS)}-*"]}},
            }
            for _ in range(draw.integer(1, 4))
        ],
    }


def state(draw: Draw) -> Json:
    resources = [
        {
            "mode": "managed",
            "type": f"cloud_{draw.pick(w.NOUNS)}",
            "name": draw.pick(w.NOUNS),
            "provider": f'provider["registry.example/{draw.pick(w.NOUNS)}/cloud"]',
            "instances": [
                {
                    "schema_version": draw.integer(0, 2),
                    "attributes": {
                        "id": f"{draw.pick(w.NOUNS)[:2]}-{draw.hexadecimal(17)}",
                        "cidr_block": f"10.{draw.integer(0, 99)}.0.0/16",
                        "tags": {"Name": w.package(draw), "env": draw.pick(["dev", "stage", "prod"])},
                    },
                }
            ],
        }
        for _ in range(draw.integer(1, 4))
    ]
    return {
        "version": 4,
        "serial": draw.integer(1, 400),
        "lineage": draw.uuid(),
        "outputs": {},
        "resources": resources,
    }


def patch(draw: Draw) -> Json:
    return [
        draw.pick(
            [
                {"op": "replace", "path": f"/{key(draw)}/{draw.integer(0, 20)}", "value": scalar(draw)},
                {"op": "add", "path": f"/{draw.pick(w.NOUNS)}/-", "value": nested(draw, 2)},
                {"op": "remove", "path": f"/a~1b/{key(draw)}"},
                {"op": "move", "from": f"/{key(draw)}", "path": f"/{key(draw)}/{draw.pick(w.NOUNS)}"},
            ]
        )
        for _ in range(draw.integer(3, 12))
    ]


def dashboard(draw: Draw) -> Json:
    def panel(number: int) -> Json:
        metric = f"{draw.pick(w.SERVICES)}_{draw.pick(w.NOUNS)}_{draw.pick(['total', 'seconds_bucket', 'bytes'])}"
        return {
            "id": number,
            "type": draw.pick(["timeseries", "stat", "heatmap", "table"]),
            "title": en.draw(draw, "title"),
            "gridPos": {"x": 12 * (number % 2), "y": 8 * (number // 2), "w": 12, "h": 8},
            "targets": [
                {
                    "expr": f'sum by ({draw.pick(w.NOUNS)}) (rate({metric}{{job="{draw.pick(w.SERVICES)}",code=~"5.."}}[5m]))',
                    "refId": "ABCDEFGH"[number],
                }
            ],
            "options": {"decimals": draw.pick([None, 0, 2])},
        }

    return {
        "uid": draw.identifier(9),
        "title": en.draw(draw, "title"),
        "refresh": "30s",
        "tags": draw.some(w.SERVICES, 2),
        "panels": [panel(number) for number in range(draw.integer(2, 5))],
    }


def matrix(draw: Draw) -> Json:
    rows, columns = draw.integer(3, 9), draw.integer(3, 9)
    return {
        "shape": [rows, columns],
        "dtype": draw.pick(["f4", "i8", "u1"]),
        "rows": [[draw.pick([draw.integer(0, 255), draw.real(-1, 1, 6)]) for _ in range(columns)] for _ in range(rows)],
    }


def recipe(draw: Draw) -> Json:
    return {
        "@context": "https://schema.example",
        "@type": "Recipe",
        "name": en.draw(draw, "title"),
        "author": w.person(draw),
        "prepTime": f"PT{draw.integer(5, 55)}M",
        "recipeYield": draw.integer(1, 12),
        "recipeIngredient": [
            f"{draw.pick(['½', '¼', '2', '250', '1½', '3–4'])} {draw.pick(['g', 'ml', 'tsp', 'cups', 'kg'])} "
            f"{draw.pick(['jalapeño', 'crème fraîche', '味噌', 'rice', 'flour', 'sugar', 'Käse', 'сало', 'za’atar'])}"
            for _ in range(draw.integer(3, 8))
        ],
        "recipeInstructions": [
            {"@type": "HowToStep", "position": n + 1, "text": en.draw(draw, "sentence")}
            for n in range(draw.integer(2, 6))
        ],
    }


def arbitrary(draw: Draw) -> Json:
    return {key(draw): nested(draw, 4) for _ in range(draw.integer(3, 6))}


def tricky_strings(draw: Draw) -> Json:
    samples = [
        "tab\there",
        'quote " inside',
        "back\\slash",
        "line\nbreak",
        "\u0000",
        "\u001b[31mred\u001b[0m",
        "</script>",
        "👩‍👩‍👧‍👦",
        "𝔘𝔫𝔦𝔠𝔬𝔡𝔢",
        "e\u0301 vs é",
        "\u202eright to left",
        "NaN",
        "null",
        "1e309",
        "-0.0",
        "日本語\u3000テキスト",
        "𠮷野家",
        "ﬁligree",
        "Ω≈ç√∫",
        "zero\u200bwidth",
        '{"nested": "json"}',
        "%s %d {0} ${HOME}",
        "ﷺ",
        "à la carte",
        "\ufeffBOM",
        "ß → SS",
        "İstanbul ısı",
        "½ + ¼ = ¾",
        "\u2028line separator",
    ]
    return {
        f"{key(draw)}{n}": {"value": sample, "length": len(sample), "note": en.draw(draw, "clause")}
        for n, sample in enumerate(draw.some(samples, draw.integer(6, 14)))
    }


SHAPES: list[Callable[[Draw], Json]] = [
    users,
    problem,
    npm_manifest,
    lock_file,
    geojson,
    compiler_config,
    open_api,
    schema,
    organisation,
    readings,
    chat,
    order,
    translations,
    notebook,
    graph_answer,
    webhook,
    policy,
    state,
    patch,
    dashboard,
    matrix,
    recipe,
    arbitrary,
    tricky_strings,
]


def one_of(shape: Callable[[Draw], Json]) -> Callable[[Draw], str]:
    return lambda draw: written(draw, shape(draw))


def json_lines(draw: Draw) -> str:
    """Records of one shape, one a line: the minified form that most JSON on disk has."""
    shape = draw.pick([webhook, order, readings, problem, address])
    return "\n".join(json.dumps(shape(draw), ensure_ascii=False) for _ in range(draw.integer(2, 5)))


def build() -> dict[str, bytes]:
    kinds = [*(one_of(shape) for shape in SHAPES), json_lines]
    return {"json.txt": text_file(documents_of(Draw(20_001), kinds, SIZE))}


if __name__ == "__main__":
    raise SystemExit(main(__file__, build))
