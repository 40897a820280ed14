"""Generates ``sql.txt``: schemas, queries, migrations and procedures in four dialects."""
# ruff: noqa: E501 -- a template reads best on the one line that it becomes

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

if __name__ == "__main__" and not __package__:  # run as a file, not with -m
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from corpora import _words as w
from corpora._generate import Draw, documents_of, main, text_file

SIZE = 150_000

TYPES = {
    "id": {
        "postgres": "bigint GENERATED ALWAYS AS IDENTITY",
        "mysql": "BIGINT UNSIGNED NOT NULL AUTO_INCREMENT",
        "sqlite": "INTEGER",
        "tsql": "INT IDENTITY(1,1)",
    },
    "text": {"postgres": "text", "mysql": "VARCHAR(255)", "sqlite": "TEXT", "tsql": "NVARCHAR(200)"},
    "int": {"postgres": "integer", "mysql": "INT", "sqlite": "INTEGER", "tsql": "INT"},
    "money": {"postgres": "numeric(12,2)", "mysql": "DECIMAL(12,2)", "sqlite": "REAL", "tsql": "MONEY"},
    "time": {"postgres": "timestamptz", "mysql": "DATETIME(3)", "sqlite": "TEXT", "tsql": "DATETIME2"},
    "bool": {"postgres": "boolean", "mysql": "TINYINT(1)", "sqlite": "INTEGER", "tsql": "BIT"},
    "json": {"postgres": "jsonb", "mysql": "JSON", "sqlite": "TEXT", "tsql": "NVARCHAR(MAX)"},
    "uuid": {"postgres": "uuid", "mysql": "CHAR(36)", "sqlite": "TEXT", "tsql": "UNIQUEIDENTIFIER"},
}
DIALECTS = ["postgres", "postgres", "mysql", "sqlite", "tsql"]


@dataclass(frozen=True)
class Column:
    name: str
    kind: str


@dataclass(frozen=True)
class Table:
    name: str
    columns: tuple[Column, ...]
    parent: str | None

    def of(self, *kinds: str) -> list[Column]:
        return [column for column in self.columns if column.kind in kinds]


def plural(noun: str) -> str:
    if noun.endswith("y"):
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def tables(draw: Draw, count: int) -> list[Table]:
    """Tables that refer to one another, each with a few typed columns."""
    made: list[Table] = []
    for noun in draw.some(w.NOUNS, count):
        columns = [Column("id", "id")]
        names: dict[str, list[str]] = {
            "text": ["name", "title", "email", "code", "status", "note", "slug", "city"],
            "int": ["quantity", "position", "stock", "version", "duration_ms", "level"],
            "money": ["price", "amount", "balance", "discount", "tax"],
            "time": ["created_at", "updated_at", "shipped_at", "expires_at", "deleted_at"],
            "bool": ["is_active", "is_default", "archived", "verified"],
            "json": ["payload", "settings", "attributes"],
            "uuid": ["external_id", "trace_id"],
        }
        for kind, many in (
            ("text", 3),
            ("int", 2),
            ("money", 2),
            ("time", 2),
            ("bool", 1),
            ("json", 1),
            ("uuid", 1),
        ):
            for name in draw.some(names[kind], draw.integer(1 if kind in ("text", "money", "time") else 0, many)):
                prefix = f"{draw.pick(w.ADJECTIVES)}_" if draw.chance(0.2) else ""
                columns.append(Column(prefix + name, kind))
        parent = draw.pick(made).name if made and draw.chance(0.85) else None
        if parent:
            columns.insert(1, Column(f"{parent}_id", "int"))
        made.append(Table(noun, tuple(columns), parent))
    return made


def city(draw: Draw) -> str:
    return draw.pick(w.CITIES)[0]


def adjective(draw: Draw) -> str:
    return draw.pick(w.ADJECTIVES)


def literal(draw: Draw, column: Column) -> str:
    if column.kind == "text":
        if draw.chance(0.05):
            return "NULL"
        makers: list[Callable[[Draw], str]] = [w.person, w.product, w.company, w.email, city, adjective]
        text = draw.pick(makers)(draw)
        return "'" + text.replace("'", "''") + "'"
    if column.kind == "money":
        return f"{draw.skewed(0, 9_999_999) / 100:.2f}"
    if column.kind == "time":
        return draw.pick(
            [
                f"'{draw.moment():%Y-%m-%d %H:%M:%S}'",
                f"'{draw.moment():%Y-%m-%d}'",
                "NULL",
                "CURRENT_TIMESTAMP",
            ]
        )
    if column.kind == "bool":
        return draw.pick(["TRUE", "FALSE", "1", "0"])
    if column.kind == "json":
        return f'\'{{"{draw.pick(w.NOUNS)}": {draw.integer(0, 99)}, "tags": ["{draw.pick(w.NOUNS)}", "{draw.pick(w.NOUNS)}"]}}\''
    if column.kind == "uuid":
        return f"'{draw.uuid()}'"
    return str(draw.skewed(1, 9999))


def cased(draw: Draw, sql: str) -> str:
    """Some people write the keywords in lower case; quoted text stays as it is."""
    if not draw.chance(0.25):
        return sql
    pieces = sql.split("'")
    return "'".join(piece.lower() if number % 2 == 0 else piece for number, piece in enumerate(pieces))


def comment(draw: Draw) -> str:
    sentence = w.ENGLISH.draw(draw, "sentence")
    style = draw.integer(0, 3)
    if style == 0:
        return f"-- {sentence}\n"
    if style == 1:
        return f"/* {sentence}\n   {w.ENGLISH.draw(draw, 'sentence')} */\n"
    if style == 2:
        return f"-- {draw.pick(['TODO', 'FIXME', 'NOTE'])}({w.login(draw)}): {sentence}\n"
    return ""


def create(draw: Draw, table: Table, dialect: str) -> str:
    rows = []
    for column in table.columns:
        extra = draw.pick(["", " NOT NULL", " NOT NULL", " UNIQUE" if column.kind in ("text", "uuid") else ""])
        if column.kind in ("money", "int") and draw.chance(0.3):
            extra += f" DEFAULT {draw.pick([0, 1])} CHECK ({column.name} >= 0)"
        if column.kind == "time" and draw.chance(0.5):
            extra += " DEFAULT CURRENT_TIMESTAMP"
        if column.name == "id":
            extra = " PRIMARY KEY"
        elif table.parent and column.name == f"{table.parent}_id":
            extra = f" NOT NULL REFERENCES {plural(table.parent)} (id)" + draw.pick(
                ["", " ON DELETE CASCADE", " ON DELETE SET NULL"]
            )
        rows.append((column.name, TYPES[column.kind][dialect] + extra))
    width = max(len(name) for name, _ in rows) + 1 if draw.chance(0.5) else 0
    body = ",\n".join(f"    {name:<{width}} {rest}" for name, rest in rows)
    name = {
        "postgres": plural(table.name),
        "mysql": f"`{plural(table.name)}`",
        "sqlite": f'"{plural(table.name)}"',
        "tsql": f"[dbo].[{plural(table.name)}]",
    }[dialect]
    tail = {
        "postgres": ";",
        "mysql": "\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;",
        "sqlite": " STRICT;",
        "tsql": ";\nGO",
    }[dialect]
    closing = "" if dialect == "mysql" else "\n)"
    exists = "" if dialect == "tsql" else draw.pick(["", "IF NOT EXISTS "])
    return f"CREATE TABLE {exists}{name} (\n{body}{closing}{tail}"


def ddl(draw: Draw) -> str:
    dialect, made = draw.pick(DIALECTS), tables(draw, draw.integer(2, 3))
    parts = [comment(draw) + create(draw, table, dialect) for table in made]
    for table in made:
        column = draw.pick(table.columns[1:])
        kind = draw.pick(["INDEX", "UNIQUE INDEX", "INDEX"])
        where = f" WHERE {column.name} IS NOT NULL" if dialect in ("postgres", "sqlite") and draw.chance(0.4) else ""
        parts.append(
            f"CREATE {kind} {draw.pick(['idx', 'ix'])}_{plural(table.name)}_{column.name} ON {plural(table.name)} ({column.name}{draw.pick(['', ' DESC'])}){where};"
        )
    if dialect == "postgres":
        parts.append(f"COMMENT ON TABLE {plural(made[0].name)} IS {literal(draw, Column('c', 'text'))};")
    return "\n\n".join(parts)


def insert(draw: Draw) -> str:
    table = tables(draw, 2)[1]
    columns = [column for column in table.columns if column.name != "id"]
    names = ", ".join(column.name for column in columns)
    rows = ["(" + ", ".join(literal(draw, column) for column in columns) + ")" for _ in range(draw.integer(4, 14))]
    conflict = draw.pick(
        [
            "",
            "",
            f"\nON CONFLICT ({columns[0].name}) DO UPDATE SET {columns[-1].name} = EXCLUDED.{columns[-1].name}",
            "\nON CONFLICT DO NOTHING",
            f"\nON DUPLICATE KEY UPDATE {columns[-1].name} = VALUES({columns[-1].name})",
            "\nRETURNING id",
        ]
    )
    if draw.chance(0.3):
        return "\n".join(f"INSERT INTO {plural(table.name)} ({names}) VALUES {row};" for row in rows)
    return comment(draw) + cased(
        draw, f"INSERT INTO {plural(table.name)} ({names}) VALUES\n  " + ",\n  ".join(rows) + conflict + ";"
    )


def condition(draw: Draw, alias: str, table: Table) -> str:
    column = draw.pick(table.columns)
    name = f"{alias}.{column.name}"
    if column.kind == "text":
        return draw.pick(
            [
                f"{name} LIKE '%{draw.pick(w.NOUNS)}%'",
                f"{name} = {literal(draw, column)}",
                f"LOWER({name}) IN ('{draw.pick(w.NOUNS)}', '{draw.pick(w.NOUNS)}')",
                f"{name} IS NOT NULL",
                f"{name} <> ''",
            ]
        )
    if column.kind == "time":
        return draw.pick(
            [
                f"{name} >= '{draw.moment():%Y-%m-%d}'",
                f"{name} > NOW() - INTERVAL '{draw.integer(1, 90)} days'",
                f"{name} BETWEEN '{draw.integer(2019, 2021)}-01-01' AND '{draw.integer(2022, 2025)}-12-31'",
                f"{name} IS NULL",
            ]
        )
    if column.kind == "json":
        return draw.pick(
            [
                f"{name} ->> '{draw.pick(w.NOUNS)}' = '{draw.pick(w.NOUNS)}'",
                f"{name} @> '{{\"{draw.pick(w.NOUNS)}\": true}}'",
                f"JSON_EXTRACT({name}, '$.{draw.pick(w.NOUNS)}') > {draw.integer(0, 9)}",
            ]
        )
    if column.kind == "bool":
        return f"{draw.pick(['', 'NOT '])}{name}"
    if column.kind == "uuid":
        return f"{name} = '{draw.uuid()}'"
    return draw.pick(
        [
            f"{name} > {draw.skewed(0, 9999)}",
            f"{name} % {draw.integer(2, 9)} = 0",
            f"{name} BETWEEN {draw.integer(1, 40)} AND {draw.integer(50, 900)}",
            f"{name} IN ({', '.join(str(draw.integer(1, 999)) for _ in range(draw.integer(2, 6)))})",
        ]
    )


def where(draw: Draw, alias: str, table: Table) -> str:
    terms = [condition(draw, alias, table) for _ in range(draw.integer(1, 3))]
    return f"WHERE {terms[0]}" + "".join(f"\n  {draw.pick(['AND', 'AND', 'OR'])} {term}" for term in terms[1:])


def joins(draw: Draw, made: list[Table]) -> str:
    rows = [f"FROM {plural(made[0].name)} AS {alias(made[0])}"]
    for table in made[1:]:
        kind = draw.pick(["JOIN", "INNER JOIN", "LEFT JOIN", "LEFT OUTER JOIN", "FULL JOIN"])
        rows.append(
            f"{kind} {plural(table.name)} {alias(table)} ON {alias(table)}.{made[0].name}_id = {alias(made[0])}.id"
        )
    return "\n".join(rows)


def alias(table: Table) -> str:
    return table.name[:3]


def select(draw: Draw) -> str:
    """One to three queries over the same tables."""
    made = tables(draw, 3)
    queries = []
    for _ in range(draw.integer(1, 3)):
        used = made[: draw.integer(1, 3)]
        shown = [f"{alias(table)}.{column.name}" for table in used for column in draw.some(table.columns, 2)]
        table = draw.pick(used)
        number = draw.pick(table.of("money", "int", "id")).name
        total = draw.pick(["SUM", "AVG", "MAX", "MIN", "COUNT"])
        shape = draw.integer(0, 3)
        if shape == 0:
            text = f"SELECT {', '.join(shown)}\n{joins(draw, used)}\n{where(draw, alias(table), table)}\nORDER BY {shown[0]} {draw.pick(['ASC', 'DESC', 'DESC NULLS LAST'])}\nLIMIT {draw.pick([10, 20, 100])} OFFSET {draw.integer(0, 9) * 20};"
        elif shape == 1:
            text = f"SELECT {shown[0]},\n       COUNT(*) AS n,\n       {total}({alias(table)}.{number}) AS {total}_{number}\n{joins(draw, used)}\n{where(draw, alias(table), table)}\nGROUP BY {shown[0]}\nHAVING COUNT(*) > {draw.integer(1, 50)}\nORDER BY n DESC, 1;"
        elif shape == 2:
            cases = "\n".join(
                f"         WHEN {condition(draw, alias(table), table)} THEN '{draw.pick(w.ADJECTIVES)}'"
                for _ in range(draw.integer(2, 4))
            )
            text = f"SELECT DISTINCT {shown[0]},\n       CASE\n{cases}\n         ELSE '{draw.pick(w.ADJECTIVES)}'\n       END AS {draw.pick(w.NOUNS)}_class,\n       COALESCE({alias(table)}.{number}, 0) * 1.{draw.integer(1, 25)} AS adjusted\n{joins(draw, used)};"
        else:
            other = draw.pick(made)
            text = f"SELECT *\n{joins(draw, used)}\nWHERE {draw.pick(['', 'NOT '])}EXISTS (\n    SELECT 1 FROM {plural(other.name)} x WHERE x.id = {alias(used[0])}.id AND {condition(draw, 'x', other)}\n)\nUNION ALL\nSELECT * FROM {plural(used[0].name)}_archive {where(draw, plural(used[0].name) + '_archive', used[0])};"
        queries.append(comment(draw) + cased(draw, text))
    return "\n\n".join(queries)


def with_tables(draw: Draw) -> str:
    made = tables(draw, 3)
    first, second, third = made
    money, time = draw.pick(second.of("money")).name, draw.pick(second.of("time")).name
    step = draw.pick(["day", "week", "month", "quarter"])
    recursive = (
        f"WITH RECURSIVE tree (id, parent_id, depth, path) AS (\n    SELECT id, parent_id, 0, ARRAY[id] FROM {plural(first.name)} WHERE parent_id IS NULL\n    UNION ALL\n"
        f"    SELECT c.id, c.parent_id, t.depth + 1, t.path || c.id\n    FROM {plural(first.name)} c JOIN tree t ON c.parent_id = t.id\n    WHERE NOT c.id = ANY(t.path) AND t.depth < {draw.integer(5, 40)}\n)\n"
        f"SELECT REPEAT('  ', depth) || id AS {draw.pick(w.NOUNS)}, path FROM tree ORDER BY path;"
    )
    plain = (
        f"WITH per_{step} AS (\n    SELECT DATE_TRUNC('{step}', {time}) AS {step}, SUM({money}) AS total, COUNT(DISTINCT id) AS n\n    FROM {plural(second.name)}\n    {where(draw, plural(second.name), second)}\n    GROUP BY 1\n),\n"
        f"{draw.pick(w.ADJECTIVES)}_{plural(third.name)} AS (\n    SELECT id FROM {plural(third.name)} WHERE {condition(draw, plural(third.name), third)}\n)\n"
        f"SELECT {step}, total, n,\n       total - LAG(total) OVER (ORDER BY {step}) AS change,\n       ROUND(100.0 * total / NULLIF(SUM(total) OVER (), 0), {draw.integer(1, 3)}) AS share\nFROM per_{step}\nORDER BY {step};"
    )
    return comment(draw) + cased(draw, draw.pick([recursive, plain, plain]))


def windows(draw: Draw) -> str:
    table = tables(draw, 2)[1]
    part, order, money = (
        draw.pick(table.of("text")).name,
        draw.pick(table.of("time")).name,
        draw.pick(table.of("money")).name,
    )
    offers = [
        f"ROW_NUMBER() OVER (PARTITION BY {part} ORDER BY {order} DESC) AS rn",
        f"RANK() OVER (ORDER BY {money} DESC) AS place",
        f"DENSE_RANK() OVER (PARTITION BY {part} ORDER BY {money}) AS dense_place",
        f"SUM({money}) OVER (PARTITION BY {part} ORDER BY {order} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS running_{money}",
        f"AVG({money}) OVER (ORDER BY {order} ROWS {draw.integer(2, 29)} PRECEDING) AS moving_average",
        f"NTILE({draw.pick([4, 10, 100])}) OVER (ORDER BY {money}) AS bucket",
        f"FIRST_VALUE({part}) OVER w AS first_{part}",
        f"LEAD({order}, {draw.integer(1, 3)}) OVER w AS following",
        "PERCENT_RANK() OVER w AS percentile",
        f"COUNT(*) FILTER (WHERE {money} > {draw.integer(1, 500)}) OVER w AS expensive",
    ]
    chosen = draw.some(offers, draw.integer(2, 4))
    named = (
        f"\nWINDOW w AS (PARTITION BY {part} ORDER BY {order})" if any("OVER w" in offer for offer in chosen) else ""
    )
    inner = f"SELECT id, {part}, {money},\n       " + ",\n       ".join(chosen) + f"\nFROM {plural(table.name)}{named}"
    if "AS rn" in inner:
        inner = (
            "SELECT * FROM (\n    " + inner.replace("\n", "\n    ") + f"\n) ranked\nWHERE rn <= {draw.integer(1, 5)}"
        )
    return comment(draw) + cased(draw, inner + ";")


def migration(draw: Draw) -> str:
    table = tables(draw, 2)[1]
    name = plural(table.name)
    added = Column(
        f"{draw.pick(w.ADJECTIVES)}_{draw.pick(w.NOUNS)}",
        draw.pick(["text", "int", "money", "bool", "time", "json"]),
    )
    old = draw.pick(table.columns[1:])
    up = [f"ALTER TABLE {name} ADD COLUMN {added.name} {TYPES[added.kind]['postgres']};"]
    down = [f"ALTER TABLE {name} DROP COLUMN {added.name};"]
    steps = [
        (
            f"ALTER TABLE {name} RENAME COLUMN {old.name} TO {old.name}_old;",
            f"ALTER TABLE {name} RENAME COLUMN {old.name}_old TO {old.name};",
        ),
        (
            f"CREATE INDEX CONCURRENTLY ix_{name}_{added.name} ON {name} USING {draw.pick(['btree', 'gin', 'hash', 'brin'])} ({added.name});",
            f"DROP INDEX IF EXISTS ix_{name}_{added.name};",
        ),
        (
            f"UPDATE {name} SET {added.name} = {literal(draw, added)} WHERE {old.name} IS NULL;",
            "-- nothing to undo",
        ),
        (
            f"ALTER TABLE {name} ADD CONSTRAINT ck_{name}_{old.name} CHECK ({condition(draw, name, table)}) NOT VALID;",
            f"ALTER TABLE {name} DROP CONSTRAINT ck_{name}_{old.name};",
        ),
        (
            f"ALTER TABLE {name} ALTER COLUMN {old.name} SET NOT NULL;",
            f"ALTER TABLE {name} ALTER COLUMN {old.name} DROP NOT NULL;",
        ),
        (
            f"GRANT SELECT, {draw.pick(['INSERT', 'UPDATE', 'DELETE'])} ON {name} TO {w.login(draw).split('.')[0]};",
            f"REVOKE ALL ON {name} FROM PUBLIC;",
        ),
    ]
    for forward, back in draw.some(steps, draw.integer(1, 4)):
        up.append(forward)
        down.insert(0, back)
    head = f"-- {draw.moment():%Y%m%d%H%M%S}_{draw.pick(w.VERBS)}_{draw.pick(w.NOUNS)}_{draw.pick(w.NOUNS)}.sql\n"
    style = draw.integer(0, 2)
    marks = [
        ("-- migrate:up", "-- migrate:down"),
        ("-- +goose Up", "-- +goose Down"),
        ("BEGIN;", "COMMIT;\n\n-- rollback:\nBEGIN;"),
    ][style]
    return (
        head
        + marks[0]
        + "\n"
        + "\n".join(up)
        + "\n\n"
        + marks[1]
        + "\n"
        + "\n".join(down)
        + ("\nCOMMIT;" if style == 2 else "")
    )


def procedure(draw: Draw) -> str:
    table = tables(draw, 2)[1]
    name, money, time = (
        plural(table.name),
        draw.pick(table.of("money")).name,
        draw.pick(table.of("time")).name,
    )
    verb, noun = draw.pick(w.VERBS), table.name
    kind = draw.integer(0, 3)
    if kind == 0:
        return (
            f"{comment(draw)}CREATE OR REPLACE FUNCTION {verb}_{noun}(p_id bigint, p_{money} numeric DEFAULT {draw.integer(0, 99)})\nRETURNS {draw.pick(['void', 'numeric', 'boolean', f'SETOF {name}'])}\nLANGUAGE plpgsql\nAS $$\nDECLARE\n    v_{money} numeric;\n    v_count integer := 0;\nBEGIN\n"
            f"    SELECT {money} INTO STRICT v_{money} FROM {name} WHERE id = p_id FOR UPDATE;\n\n    IF v_{money} < p_{money} THEN\n        RAISE EXCEPTION '{noun} % has only %', p_id, v_{money} USING ERRCODE = 'P{draw.digits(4)}';\n    ELSIF v_{money} IS NULL THEN\n        RAISE NOTICE '{literal(draw, Column('x', 'bool'))}';\n    END IF;\n\n"
            f"    FOR i IN 1..{draw.integer(2, 12)} LOOP\n        UPDATE {name} SET {money} = {money} - p_{money} / i, {time} = now() WHERE id = p_id;\n        GET DIAGNOSTICS v_count = ROW_COUNT;\n        EXIT WHEN v_count = 0;\n    END LOOP;\n    RETURN;\nEXCEPTION\n    WHEN no_data_found THEN\n        INSERT INTO {name} (id, {money}) VALUES (p_id, -p_{money});\nEND;\n$$;"
        )
    if kind == 1:
        return (
            f"DELIMITER //\nCREATE PROCEDURE `{verb}_{noun}`(IN p_limit INT, OUT p_done INT)\nBEGIN\n    DECLARE finished INT DEFAULT FALSE;\n    DECLARE v_id BIGINT;\n    DECLARE cur CURSOR FOR SELECT id FROM `{name}` {where(draw, name, table)} LIMIT {draw.integer(10, 5000)};\n    DECLARE CONTINUE HANDLER FOR NOT FOUND SET finished = TRUE;\n"
            f"    SET p_done = 0;\n    OPEN cur;\n    read_loop: LOOP\n        FETCH cur INTO v_id;\n        IF finished OR p_done >= p_limit THEN LEAVE read_loop; END IF;\n        UPDATE `{name}` SET `{money}` = ROUND(`{money}` * {draw.real(0.5, 1.5, 3)}, 2) WHERE id = v_id;\n        SET p_done = p_done + 1;\n    END LOOP;\n    CLOSE cur;\nEND //\nDELIMITER ;\n\nCALL {verb}_{noun}({draw.integer(1, 900)}, @done);\nSELECT @done;"
        )
    if kind == 2:
        return (
            f"CREATE OR ALTER PROCEDURE [dbo].[{verb.capitalize()}{noun.capitalize()}]\n    @Id INT,\n    @{money.replace('_', '').capitalize()} MONEY = NULL\nAS\nBEGIN\n    SET NOCOUNT ON;\n    BEGIN TRY\n        BEGIN TRANSACTION;\n        MERGE [dbo].[{name}] AS target\n        USING (SELECT @Id AS id) AS source ON target.id = source.id\n"
            f"        WHEN MATCHED AND target.[{money}] > {draw.integer(1, 500)} THEN UPDATE SET [{time}] = SYSUTCDATETIME()\n        WHEN NOT MATCHED THEN INSERT ([{money}]) VALUES (ISNULL(@{money.replace('_', '').capitalize()}, 0));\n        COMMIT;\n    END TRY\n    BEGIN CATCH\n        IF @@TRANCOUNT > 0 ROLLBACK;\n        THROW {draw.integer(50_000, 59_999)}, N'{w.ENGLISH.draw(draw, 'clause').replace(chr(39), chr(39) * 2)}', 1;\n    END CATCH\nEND;\nGO"
        )
    return (
        f"CREATE FUNCTION trg_{name}_{verb}() RETURNS trigger LANGUAGE plpgsql AS $body$\nBEGIN\n    IF TG_OP = 'DELETE' THEN\n        INSERT INTO {name}_log (row_id, old_row, at) VALUES (OLD.id, to_jsonb(OLD), clock_timestamp());\n        RETURN OLD;\n    END IF;\n    NEW.{time} := COALESCE(NEW.{time}, now());\n    IF NEW.{money} IS DISTINCT FROM OLD.{money} THEN\n"
        f"        PERFORM pg_notify('{draw.pick(w.NOUNS)}', json_build_object('id', NEW.id, '{money}', NEW.{money})::text);\n    END IF;\n    RETURN NEW;\nEND;\n$body$;\n\nCREATE TRIGGER {verb}_{noun} {draw.pick(['BEFORE', 'AFTER'])} INSERT OR UPDATE OR DELETE ON {name}\n    FOR EACH ROW EXECUTE FUNCTION trg_{name}_{verb}();"
    )


def views(draw: Draw) -> str:
    made = tables(draw, 2)
    table = made[1]
    name, money, text = (
        plural(table.name),
        draw.pick(table.of("money")).name,
        draw.pick(table.of("text")).name,
    )
    label = f"{draw.pick(w.ADJECTIVES)}_{name}"
    parts = [
        f"CREATE OR REPLACE VIEW {label} AS\nSELECT id, {text}, {money}::numeric(10,{draw.integer(0, 4)}) AS {money}\nFROM {name}\n{where(draw, name, table)};",
        f"CREATE MATERIALIZED VIEW mv_{label} AS\nSELECT {text}, PERCENTILE_CONT(0.{draw.integer(1, 99)}) WITHIN GROUP (ORDER BY {money}) AS p, STDDEV_SAMP({money}) AS sd\nFROM {name} GROUP BY ROLLUP ({text})\nWITH NO DATA;\n\nREFRESH MATERIALIZED VIEW CONCURRENTLY mv_{label};",
        f"EXPLAIN (ANALYZE, BUFFERS)\nSELECT * FROM {label} WHERE {condition(draw, label, table)};\n\n--                                  QUERY PLAN\n-- ------------------------------------------------------------------------------\n--  Seq Scan on {name}  (cost=0.00..{draw.real(10, 9000, 2)} rows={draw.skewed(1, 99_999)} width={draw.integer(8, 200)}) (actual time={draw.real(0, 1, 3)}..{draw.real(1, 90, 3)} rows={draw.skewed(1, 9999)} loops=1)\n--    Filter: ({money} > '{draw.integer(1, 99)}'::numeric)\n--  Execution Time: {draw.real(1, 900, 3)} ms",
        f"DELETE FROM {name} USING {plural(made[0].name)} p WHERE p.id = {name}.id AND {condition(draw, 'p', made[0])};",
        f"UPDATE {name} AS t\nSET {money} = s.total, {text} = INITCAP(TRIM(BOTH ' ' FROM t.{text}))\nFROM (SELECT id, SUM({money}) AS total FROM {name} GROUP BY id) AS s\nWHERE s.id = t.id AND t.{text} SIMILAR TO '{draw.pick(['[A-Z]{2}%', '%(a|b)+', '_{3,}'])}';",
    ]
    return comment(draw) + "\n\n".join(draw.some(parts, draw.integer(2, 3)))


def dump(draw: Draw) -> str:
    """A table's rows as a database dump holds them: tab-separated, with ``\\N`` for NULL."""
    table = tables(draw, 2)[1]
    rows = []
    for number in range(draw.integer(5, 14)):
        cells = [str(number + 1)] + [
            literal(draw, column)
            .strip("'")
            .replace("NULL", "\\N")
            .replace("CURRENT_TIMESTAMP", f"{draw.moment()}")
            .replace("''", "'")
            for column in table.columns[1:]
        ]
        rows.append("\t".join(cells))
    names = ", ".join(column.name for column in table.columns)
    return (
        f"--\n-- Data for Name: {plural(table.name)}; Type: TABLE DATA; Schema: public; Owner: {w.login(draw)}\n--\n\nCOPY public.{plural(table.name)} ({names}) FROM stdin;\n"
        + "\n".join(rows)
        + f"\n\\.\n\nSELECT pg_catalog.setval('public.{plural(table.name)}_id_seq', {len(rows)}, true);"
    )


def partitions(draw: Draw) -> str:
    table = tables(draw, 2)[1]
    name, time = plural(table.name), draw.pick(table.of("time")).name
    year = draw.integer(2019, 2024)
    rows = [
        f"CREATE TABLE {name}_{year}_{month:02d} PARTITION OF {name}\n    FOR VALUES FROM ('{year}-{month:02d}-01') TO ('{year + month // 12}-{month % 12 + 1:02d}-01');"
        for month in range(1, draw.integer(4, 12) + 1)
    ]
    return (
        f"{comment(draw)}ALTER TABLE {name} RENAME TO {name}_unpartitioned;\nCREATE TABLE {name} (LIKE {name}_unpartitioned INCLUDING ALL) PARTITION BY RANGE ({time});\n\n"
        + "\n".join(rows)
    )


def one_liners(draw: Draw) -> str:
    """Queries as an ORM or a log writes them: one line each, quoted names, numbered parameters."""
    made = tables(draw, 3)
    rows = []
    for _ in range(draw.integer(4, 9)):
        table = draw.pick(made)
        q = f'"{plural(table.name)}"'
        columns = [f'{q}."{column.name}"' for column in draw.some(table.columns, draw.integer(2, 6))]
        rows.append(
            draw.pick(
                [
                    f"SELECT {', '.join(columns)} FROM {q} WHERE {columns[0]} = $1 AND ({columns[-1]} > $2 OR {columns[-1]} IS NULL) ORDER BY {columns[0]} ASC LIMIT $3",
                    f'UPDATE {q} SET {columns[0].split(".")[1]} = $1 WHERE {q}."id" IN ($2, $3, $4)',
                    f"SELECT COUNT(*) FROM (SELECT 1 AS one FROM {q} WHERE {columns[0]} = {draw.integer(1, 9999)} LIMIT {draw.integer(2, 51)}) subquery_for_count",
                    f'DELETE FROM {q} WHERE {q}."id" = {draw.integer(1, 99_999)} -- {draw.real(0, 40, 1)}ms',
                    f"SAVEPOINT active_record_{draw.integer(1, 9)}; RELEASE SAVEPOINT active_record_{draw.integer(1, 9)};",
                ]
            )
        )
    return "\n".join(rows)


KINDS: list[Callable[[Draw], str]] = [
    ddl,
    ddl,
    insert,
    insert,
    select,
    select,
    select,
    with_tables,
    windows,
    migration,
    migration,
    procedure,
    procedure,
    views,
    dump,
    partitions,
    one_liners,
]


def build() -> dict[str, bytes]:
    return {"sql.txt": text_file(documents_of(Draw(20_003), KINDS, SIZE))}


if __name__ == "__main__":
    raise SystemExit(main(__file__, build))
