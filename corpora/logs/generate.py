"""Generates ``logs.txt``: the formats in which servers, clusters and programs write what happened."""
# ruff: noqa: E501 -- a template reads best on the one line that it becomes

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

if __name__ == "__main__" and not __package__:  # run as a file, not with -m
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from corpora import _words as w
from corpora._generate import Draw, documents_of, main, text_file

SIZE = 200_000
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]


def event(draw: Draw) -> str:
    """What a program says in one line."""
    noun, other = draw.pick(w.NOUNS), draw.pick(w.NOUNS)
    lines: list[Callable[[], str]] = [
        lambda: f"connection to {w.login(draw)}@{draw.ipv4()}:{port(draw)} closed after {draw.skewed(1, 90_000)}ms",
        lambda: f"{noun} {draw.uuid()} not found, retrying in {draw.integer(1, 30)}s (attempt {draw.integer(1, 5)}/5)",
        lambda: f"loaded {draw.skewed(1, 90_000)} {noun}s from /var/lib/{draw.pick(w.SERVICES)}/{other}.db",
        lambda: f"cache hit ratio {draw.real(0, 1, 3)} over {draw.skewed(10, 10**6)} lookups",
        lambda: f"Failed to {draw.pick(w.VERBS)} {noun}: permission denied",
        lambda: f"request_id={draw.hexadecimal(16)} user={draw.integer(1, 10**6)} took {draw.real(0.1, 900, 3)} ms",
        lambda: f"queue depth {draw.skewed(0, 5000)} exceeds soft limit of {draw.pick([100, 256, 1000, 4096])}",
        lambda: (
            f"GET https://{draw.pick(w.SERVICES)}.{draw.pick(w.DOMAINS)}/v{draw.integer(1, 3)}/{noun} -> {status(draw)}"
        ),
        lambda: (
            f"Slow query ({draw.real(1, 60, 2)} s): SELECT * FROM {noun}s WHERE {other}_id = {draw.integer(1, 9999)}"
        ),
        lambda: (
            f"wrote {draw.skewed(1, 10**8)} bytes to s3://{noun}-{other}/{draw.integer(2019, 2025)}/part-"
            f"{draw.integer(0, 99):05d}.parquet"
        ),
        lambda: f"{w.ENGLISH.draw(draw, 'clause')}",
        lambda: (
            f"feature flag '{noun}-{other}' is now {draw.pick(['on', 'off', '10%', '50%'])} for {draw.pick(w.COUNTRIES)}"
        ),
        lambda: f"certificate CN={draw.pick(w.SERVICES)}.{draw.pick(w.DOMAINS)} expires in {draw.integer(1, 90)} days",
        lambda: (
            f"[{noun}] heap {draw.integer(1, 4000)}M/{draw.integer(4, 16) * 1024}M, gc pause {draw.real(0, 250, 1)}ms"
        ),
        lambda: f"config reloaded: {noun}.{other} {draw.integer(1, 99)} => {draw.integer(1, 99)}",
        lambda: f"rate limit exceeded for {draw.ipv6()} ({draw.integer(61, 400)} req/min)",
        lambda: f"unexpected token '{draw.pick('{}[]<>,;')}' in {noun}.yaml, line {draw.integer(1, 400)}",
        lambda: f"checksum mismatch: expected {draw.hexadecimal(40)}, got {draw.hexadecimal(40)}",
        lambda: f"user {w.email(draw)} logged in from {draw.pick(w.CITIES)[0]} ({draw.ipv4()})",
        lambda: (
            f"migrated {draw.skewed(1, 400)} of {draw.integer(400, 900)} {noun}s, ETA {draw.integer(1, 59)}m{draw.integer(0, 59)}s"
        ),
    ]
    return draw.pick(lines)()


def port(draw: Draw) -> int:
    return draw.pick([22, 80, 443, 3306, 5432, 6379, 8080, 9092, draw.integer(32_768, 60_999)])


def status(draw: Draw) -> int:
    return draw.pick([200, 200, 200, 200, 201, 204, 301, 302, 304, 400, 401, 403, 404, 404, 429, 499, 500, 502, 503])


def level(draw: Draw) -> str:
    return draw.pick(["INFO", "INFO", "INFO", "INFO", "DEBUG", "DEBUG", "WARN", "ERROR", "TRACE"])


def host(draw: Draw) -> str:
    return (
        f"{draw.pick(w.SERVICES)}-{draw.pick(['eu1', 'us2', 'prod', 'stage', 'db', 'edge'])}-{draw.integer(1, 40):02d}"
    )


def clock(draw: Draw, count: int) -> Iterator[datetime]:
    """Moments that go on, in bursts with pauses between, as in a real log."""
    now = draw.moment()
    for _ in range(count):
        yield now
        pause = draw.skewed(1, 900) if draw.chance(0.2) else 0
        now += timedelta(seconds=pause, microseconds=draw.skewed(10, 999_000))


def lines_of(draw: Draw, low: int, high: int, line: Callable[[datetime], str]) -> str:
    return "\n".join(line(moment) for moment in clock(draw, draw.integer(low, high)))


def iso(moment: datetime, places: int = 3, zone: str = "Z") -> str:
    fraction = f"{moment.microsecond:06d}"[:places]
    return moment.strftime("%Y-%m-%dT%H:%M:%S") + (f".{fraction}" if places else "") + zone


def syslog(draw: Draw) -> str:
    machine = host(draw)
    daemons = [f"{draw.pick(w.SERVICES)}d[{draw.integer(300, 65_000)}]" for _ in range(4)] + [
        "kernel",
        "CRON[2211]",
    ]

    def line(moment: datetime) -> str:
        return f"{MONTHS[moment.month - 1]} {moment.day:2d} {moment:%H:%M:%S} {machine} {draw.pick(daemons)}: {event(draw)}"

    return lines_of(draw, 8, 22, line)


def syslog_5424(draw: Draw) -> str:
    machine = f"{host(draw)}.{draw.pick(w.DOMAINS)}"

    def line(moment: datetime) -> str:
        data = (
            f'[{draw.pick(w.NOUNS)}@32473 id="{draw.digits(4)}" zone="{draw.pick(w.NOUNS)}"]'
            if draw.chance(0.5)
            else "-"
        )
        return (
            f"<{draw.integer(8, 191)}>1 {iso(moment, 6)} {machine} {draw.pick(w.SERVICES)} {draw.integer(1, 32_768)} "
            f"ID{draw.integer(1, 99)} {data} {event(draw)}"
        )

    return lines_of(draw, 6, 14, line)


AGENTS = [
    "Mozilla/5.0 (X11; Linux x86_64; rv:{0}.0) Gecko/20100101 Firefox/{0}.0",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{0}.0.0.0 Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_{1} like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148",
    "curl/8.{1}.0",
    "python-requests/2.{1}.1",
    "Go-http-client/1.1",
    "kube-probe/1.{1}",
    "-",
    "ExampleBot/{1}.0 (+https://bot.example.org/about)",
    "okhttp/4.{1}.0",
]


def path(draw: Draw) -> str:
    shapes: list[Callable[[], str]] = [
        lambda: f"/{draw.pick(w.NOUNS)}/{draw.integer(1, 99_999)}",
        lambda: (
            f"/api/v{draw.integer(1, 3)}/{draw.pick(w.NOUNS)}s?page={draw.skewed(1, 90)}&sort=-{draw.pick(w.NOUNS)}"
        ),
        lambda: f"/static/{draw.pick(w.NOUNS)}.{draw.hexadecimal(8)}.{draw.pick(['js', 'css', 'png', 'woff2', 'svg'])}",
        lambda: (
            f"/search?q={draw.pick(w.ADJECTIVES)}+{draw.pick(w.NOUNS)}%20{draw.pick(['caf%C3%A9', '%E4%B8%AD', 'a%26b'])}"
        ),
        lambda: draw.pick(["/", "/robots.txt", "/favicon.ico", "/healthz", "/wp-login.php", "/.env", "/metrics"]),
        lambda: f"/{draw.pick(['de', 'fr', 'ja', 'en'])}/{draw.pick(w.NOUNS)}-{draw.pick(w.NOUNS)}.html",
    ]
    return draw.pick(shapes)()


def access_log(draw: Draw) -> str:
    combined, zone = draw.chance(0.8), draw.pick(["+0000", "+0200", "-0700", "+0530"])

    def line(moment: datetime) -> str:
        method = draw.pick(["GET", "GET", "GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS"])
        stamp = f"{moment.day:02d}/{MONTHS[moment.month - 1]}/{moment:%Y:%H:%M:%S} {zone}"
        address = draw.ipv6() if draw.chance(0.2) else draw.ipv4()
        user = w.login(draw) if draw.chance(0.1) else "-"
        protocol = draw.pick(["1.1", "2.0"])
        text = f'{address} - {user} [{stamp}] "{method} {path(draw)} HTTP/{protocol}" {status(draw)} {draw.skewed(0, 90_000)}'
        if combined:
            agent = draw.pick(AGENTS).format(draw.integer(90, 140), draw.integer(0, 30))
            text += f' "{w.domain_url(draw) if draw.chance(0.3) else "-"}" "{agent}"'
        return text

    return lines_of(draw, 6, 16, line)


def nginx_error(draw: Draw) -> str:
    worker = draw.integer(8, 4000)

    def line(moment: datetime) -> str:
        reason = draw.pick(
            [
                "connect() failed (111: Connection refused) while connecting to upstream",
                "upstream timed out (110: Operation timed out) while reading response header from upstream",
                'open() "/srv/www/missing" failed (2: No such file or directory)',
                "client intended to send too large body: 10485761 bytes",
                "SSL_do_handshake() failed",
            ]
        )
        return (
            f"{moment:%Y/%m/%d %H:%M:%S} [{draw.pick(['error', 'warn', 'crit', 'notice'])}] {worker}#{worker}: "
            f"*{draw.skewed(1, 99_999)} {reason}, client: {draw.ipv4()}, server: {draw.pick(w.DOMAINS)}, "
            f'request: "GET {path(draw)} HTTP/1.1", upstream: "http://{draw.ipv4()}:{port(draw)}/"'
        )

    return lines_of(draw, 4, 9, line)


def json_log(draw: Draw) -> str:
    service, build = draw.pick(w.SERVICES), draw.hexadecimal(7)
    names = draw.pick([("ts", "level", "msg"), ("@timestamp", "severity", "message"), ("time", "lvl", "event")])
    extras: dict[str, Callable[[], object]] = {
        "trace_id": lambda: draw.hexadecimal(32),
        "span_id": lambda: draw.hexadecimal(16),
        "duration_ms": lambda: draw.real(0, 3000, 3),
        "user": lambda: {"id": draw.integer(1, 10**6), "email": w.email(draw)},
        "status": lambda: status(draw),
        "tags": lambda: draw.some(w.NOUNS, draw.integer(0, 3)),
        "host": lambda: host(draw),
        "name": lambda: w.person(draw),
        "error": lambda: {"kind": f"{draw.pick(w.NOUNS).capitalize()}Error", "message": event(draw)},
        "caller": lambda: f"{draw.pick(w.NOUNS)}/{draw.pick(w.NOUNS)}.go:{draw.integer(10, 900)}",
    }
    chosen = draw.some(extras, draw.integer(2, 5))

    def line(moment: datetime) -> str:
        stamp: object = (
            iso(moment) if names[0] != "time" else int((moment - datetime(1970, 1, 1)).total_seconds() * 1000)
        )
        record: dict[str, object] = {
            names[0]: stamp,
            names[1]: level(draw).lower(),
            "service": service,
            "build": build,
        }
        record[names[2]] = event(draw)
        record.update((name, extras[name]()) for name in chosen)
        return json.dumps(record, ensure_ascii=False, separators=(",", ":"))

    return lines_of(draw, 4, 10, line)


def logfmt(draw: Draw) -> str:
    def line(moment: datetime) -> str:
        return (
            f'time="{iso(moment, 0)}" level={level(draw).lower()} msg="{event(draw)}" component={draw.pick(w.SERVICES)} '
            f"{draw.pick(w.NOUNS)}={draw.skewed(0, 9999)} {draw.pick(w.NOUNS)}_bytes={draw.skewed(0, 10**7)}"
        )

    return lines_of(draw, 6, 14, line)


def camel(draw: Draw, parts: int = 2) -> str:
    return "".join(draw.pick(w.NOUNS + w.ADJECTIVES).capitalize() for _ in range(parts))


def java_trace(draw: Draw) -> str:
    base = f"{draw.pick(['org', 'com', 'net'])}.example.{draw.pick(w.SERVICES)}"
    frames_of_others = [
        "java.base/java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1144)",
        "java.base/java.lang.Thread.run(Thread.java:1583)",
        "java.base/java.util.ArrayList.forEach(ArrayList.java:1596)",
        "java.base/jdk.internal.reflect.DirectMethodHandleAccessor.invoke(DirectMethodHandleAccessor.java:103)",
    ]

    def frame() -> str:
        if draw.chance(0.2):
            return f"\tat {draw.pick(frames_of_others)}"
        owner = camel(draw) + draw.pick(["Service", "Controller", "Repository", "Handler", "Factory", "Impl"])
        method = draw.pick(w.VERBS) + draw.pick(w.NOUNS).capitalize() + draw.pick(["", "", "$1", "Async"])
        return f"\tat {base}.{draw.pick(w.NOUNS)}.{owner}.{method}({owner}.java:{draw.integer(12, 900)})"

    def failure() -> str:
        known = [
            "java.lang.NullPointerException",
            "java.lang.IllegalStateException",
            "java.io.IOException",
            "java.sql.SQLTimeoutException",
            f"{base}.{camel(draw)}Exception",
        ]
        return f"{draw.pick(known)}: {event(draw)}"

    def line(moment: datetime) -> str:
        name = draw.pick(
            [
                f"http-nio-8080-exec-{draw.integer(1, 40)}",
                f"pool-{draw.integer(1, 9)}-thread-{draw.integer(1, 9)}",
            ]
        )
        text = f"{moment:%Y-%m-%d %H:%M:%S},{moment.microsecond // 1000:03d} {level(draw):5} [{name}] {base}.{camel(draw)} - "
        return text + event(draw)

    rows = []
    for moment in clock(draw, draw.integer(2, 4)):
        rows.append(line(moment))
        if draw.chance(0.6):
            rows.append(failure())
            rows.extend(frame() for _ in range(draw.integer(4, 12)))
            if draw.chance(0.6):
                rows.append(f"Caused by: {failure()}")
                rows.extend(frame() for _ in range(draw.integer(2, 6)))
                rows.append(f"\t... {draw.integer(3, 60)} common frames omitted")
    return "\n".join(rows)


def python_trace(draw: Draw) -> str:
    rows = [
        f"{draw.moment():%Y-%m-%d %H:%M:%S} ERROR {draw.pick(w.SERVICES)}.{draw.pick(w.NOUNS)}: {event(draw)}",
        "Traceback (most recent call last):",
    ]
    for depth in range(draw.integer(2, 6)):
        verb, noun = draw.pick(w.VERBS), draw.pick(w.NOUNS)
        file = f"/srv/{draw.pick(w.SERVICES)}/{draw.pick(w.NOUNS)}/{noun}.py"
        rows += [
            f'  File "{file}", line {draw.integer(3, 700)}, in {verb}_{noun}',
            f"    {noun} = self.{draw.pick(w.VERBS)}({draw.pick(w.NOUNS)}, {draw.pick(w.NOUNS)}={draw.integer(0, 99)})",
        ]
        if depth and draw.chance(0.3):
            rows.append("    " + " " * len(noun) + "   ^^^^^^^^^^^^^^^^")
    missing = draw.pick(w.NOUNS)
    rows.append(
        draw.pick(
            [
                f"KeyError: '{missing}'",
                f"ValueError: invalid literal for int() with base 10: '{missing}'",
                f"AttributeError: 'NoneType' object has no attribute '{missing}'",
                "ZeroDivisionError: division by zero",
                f"TimeoutError: {event(draw)}",
                f"UnicodeDecodeError: 'utf-8' codec can't decode byte 0x{draw.hexadecimal(2)} in position "
                f"{draw.integer(0, 9999)}: invalid start byte",
            ]
        )
    )
    return "\n".join(rows)


def go_panic(draw: Draw) -> str:
    rows = [
        f"panic: runtime error: {draw.pick(['index out of range [5] with length 3', 'invalid memory address'])}",
        f"[signal SIGSEGV: segmentation violation code=0x1 addr=0x{draw.hexadecimal(2)} pc=0x{draw.hexadecimal(6)}]",
        "",
        f"goroutine {draw.integer(1, 900)} [running]:",
    ]
    for _ in range(draw.integer(3, 8)):
        noun = draw.pick(w.NOUNS)
        rows += [
            f"example.com/{draw.pick(w.SERVICES)}/{noun}.(*{camel(draw)}).{camel(draw)}(0xc{draw.hexadecimal(9)}, "
            f"0x{draw.hexadecimal(2)})",
            f"\t/go/src/{draw.pick(w.SERVICES)}/{noun}/{noun}.go:{draw.integer(9, 600)} +0x{draw.hexadecimal(3)}",
        ]
    return "\n".join([*rows, "exit status 2"])


def systemd(draw: Draw) -> str:
    machine = host(draw)

    def line(moment: datetime) -> str:
        unit = (
            f"{draw.pick(w.SERVICES)}{draw.pick(['', '-' + draw.pick(w.NOUNS), '@' + str(draw.integer(1, 9))])}.service"
        )
        said = draw.pick(
            [
                f"Started {unit} - {w.ENGLISH.draw(draw, 'title')}.",
                f"{unit}: Deactivated successfully.",
                f"{unit}: Main process exited, code=exited, status={draw.integer(1, 255)}/FAILURE",
                f"{unit}: Consumed {draw.integer(1, 59)}min {draw.real(0, 60, 3)}s CPU time, {draw.real(1, 900, 1)}M memory peak.",
                f"{unit}: Scheduled restart job, restart counter is at {draw.skewed(1, 30)}.",
                f"Stopping {unit}...",
                f"Reached target {draw.pick(['Multi-User System', 'Network is Online', 'Timer Units'])}.",
            ]
        )
        return f"{MONTHS[moment.month - 1]} {moment.day:02d} {moment:%H:%M:%S} {machine} systemd[1]: {said}"

    return lines_of(draw, 7, 16, line)


def pod(draw: Draw) -> str:
    return f"{draw.pick(w.SERVICES)}-{draw.pick(w.NOUNS)}-{draw.hexadecimal(9)}-{draw.identifier(5)}"


def klog(draw: Draw) -> str:
    def line(moment: datetime) -> str:
        said = draw.pick(
            [
                f'"SyncLoop (PLEG): event for pod" pod="{draw.pick(w.NOUNS)}/{pod(draw)}" event={{"ID":"{draw.uuid()}"}}',
                f'"Probe failed" probeType="Readiness" pod="default/{pod(draw)}" output="HTTP probe failed with statuscode: 503"',
                f"Successfully assigned {draw.pick(w.NOUNS)}/{pod(draw)} to node-{draw.integer(1, 60)}",
                f'"Failed to pull image" err="rpc error: code = NotFound" image="registry.example/{draw.pick(w.SERVICES)}'
                f'@sha256:{draw.hexadecimal(64)}"',
                f"Caches are synced for {draw.pick(w.NOUNS)}",
            ]
        )
        return (
            f"{draw.pick('IIIIWE')}{moment:%m%d %H:%M:%S}.{moment.microsecond:06d} {draw.integer(1, 9999):7d} "
            f"{draw.pick(w.NOUNS)}_{draw.pick(w.NOUNS)}.go:{draw.integer(20, 2000)}] {said}"
        )

    return lines_of(draw, 6, 12, line)


def kube_table(draw: Draw) -> str:
    rows = [f"{'NAME':<52} READY   {'STATUS':<18} RESTARTS        AGE     IP            NODE"]
    for _ in range(draw.integer(5, 14)):
        ready = draw.integer(0, 2)
        state = draw.pick(
            ["Running"] * 5 + ["CrashLoopBackOff", "ImagePullBackOff", "Completed", "Pending", "OOMKilled"]
        )
        rows.append(
            f"{pod(draw):<52} {ready}/2     {state:<18} {draw.skewed(0, 90)} ({draw.integer(1, 59)}m ago)     "
            f"{draw.integer(1, 90)}d     10.244.{draw.integer(0, 9)}.{draw.integer(2, 254):<5} node-{draw.integer(1, 40)}"
        )
    return "\n".join(rows)


def container(draw: Draw) -> str:
    def line(moment: datetime) -> str:
        return (
            f"{iso(moment, 6)[:-1]}{draw.integer(100, 999)}Z {draw.pick(['stdout', 'stderr'])} {draw.pick('FFFP')} "
            f"{level(draw)} {event(draw)}"
        )

    return lines_of(draw, 6, 14, line)


def postgres(draw: Draw) -> str:
    def line(moment: datetime) -> str:
        noun = draw.pick(w.NOUNS)
        said = draw.pick(
            [
                f"LOG:  duration: {draw.real(0.1, 9000, 3)} ms  statement: UPDATE {noun}s SET {draw.pick(w.NOUNS)} = $1 WHERE id = $2",
                f'ERROR:  duplicate key value violates unique constraint "{noun}s_pkey"\nDETAIL:  Key (id)=({draw.integer(1, 9999)}) '
                "already exists.",
                f"LOG:  checkpoint complete: wrote {draw.skewed(1, 9000)} buffers ({draw.real(0, 60, 1)}%)",
                f'FATAL:  password authentication failed for user "{w.login(draw)}"',
                f'LOG:  automatic vacuum of table "main.public.{noun}s": index scans: {draw.integer(0, 2)}',
                f"WARNING:  there is no transaction in progress\nHINT:  {w.ENGLISH.draw(draw, 'sentence')}",
            ]
        )
        prefix = f"{moment:%Y-%m-%d %H:%M:%S}.{moment.microsecond // 1000:03d} UTC [{draw.integer(40, 9999)}] "
        return "\n".join(prefix + row for row in said.split("\n"))

    return lines_of(draw, 5, 12, line)


def tracing(draw: Draw) -> str:
    crate = f"{draw.pick(w.SERVICES)}_{draw.pick(w.NOUNS)}"

    def line(moment: datetime) -> str:
        span = f'{draw.pick(w.VERBS)}{{id={draw.integer(1, 9999)} {draw.pick(w.NOUNS)}="{draw.pick(w.NOUNS)}"}}'
        return f"{iso(moment, 6)} {level(draw):>5} {span}: {crate}::{draw.pick(w.NOUNS)}: {event(draw)}"

    return lines_of(draw, 6, 14, line)


def sshd(draw: Draw) -> str:
    machine = host(draw)

    def line(moment: datetime) -> str:
        address = f"{draw.ipv4()} port {draw.integer(32_768, 60_999)}"
        said = draw.pick(
            [
                f"Failed password for invalid user {w.login(draw)} from {address} ssh2",
                f"Accepted publickey for {w.login(draw)} from {address} ssh2: ED25519 SHA256:{draw.base64(43)}",
                f"Connection closed by authenticating user root {address} [preauth]",
                f"pam_unix(sshd:session): session opened for user {w.login(draw)}(uid={draw.integer(1000, 1099)}) by (uid=0)",
                f"Received disconnect from {address}:11: Bye Bye [preauth]",
            ]
        )
        return f"{MONTHS[moment.month - 1]} {moment.day:2d} {moment:%H:%M:%S} {machine} sshd[{draw.integer(900, 30_000)}]: {said}"

    return lines_of(draw, 7, 16, line)


def kernel(draw: Draw) -> str:
    seconds, rows = draw.integer(0, 90_000), []
    for _ in range(draw.integer(7, 16)):
        seconds += draw.skewed(0, 60)
        said = draw.pick(
            [
                f"usb {draw.integer(1, 4)}-{draw.integer(1, 9)}: new high-speed USB device number {draw.integer(2, 40)} using xhci_hcd",
                f"EXT4-fs (sd{draw.pick('abcd')}{draw.integer(1, 5)}): mounted filesystem {draw.uuid()} r/w with ordered data mode",
                f"Out of memory: Killed process {draw.integer(900, 30_000)} ({draw.pick(w.SERVICES)}) total-vm:{draw.integer(10**5, 10**7)}kB",
                f"eth{draw.integer(0, 3)}: link becomes ready",
                f"pci 0000:00:{draw.hexadecimal(2)}.0: BAR 0 [mem 0x{draw.hexadecimal(8)}]",
                f"IPv6: ADDRCONF(NETDEV_CHANGE): veth{draw.hexadecimal(7)}: link becomes ready",
                f"CPU{draw.integer(0, 63)}: Core temperature is above threshold, cpu clock is throttled (total events = "
                f"{draw.skewed(1, 99_999)})",
                f"BUG: unable to handle page fault for address: ffff{draw.hexadecimal(12)}",
            ]
        )
        rows.append(f"[{seconds:6d}.{draw.integer(0, 999_999):06d}] {said}")
    return "\n".join(rows)


def ci(draw: Draw) -> str:
    rows = [f"##[group]Run {draw.pick(['cargo test', 'npm ci', 'pytest -q', 'make check', 'go test ./...'])}"]
    for moment in clock(draw, draw.integer(7, 18)):
        noun = draw.pick(w.NOUNS)
        said = draw.pick(
            [
                f"\x1b[32mPASS\x1b[0m tests/{noun}.test.ts ({draw.real(0, 9, 2)} s)",
                f"   Compiling {w.package(draw)} v{w.version(draw)}",
                f"test {noun}::{draw.pick(w.VERBS)}s_{draw.pick(w.NOUNS)} ... {draw.pick(['ok', 'ok', 'ok', 'FAILED', 'ignored'])}",
                f"tests/test_{noun}.py {'.' * draw.integer(2, 30)}{draw.pick(['', 'F', 's', 'x'])} [{draw.integer(1, 100):3d}%]",
                f"warning: unused variable: `{noun}` --> src/{noun}.rs:{draw.integer(1, 400)}:{draw.integer(1, 80)}",
                f"Downloading {w.package(draw)}-{w.version(draw)}.tar.gz ({draw.real(1, 90, 1)} MB) "
                f"{'━' * draw.integer(5, 30)} {draw.integer(1, 100)}%",
                f"{draw.pick(['✓', '✗', '⚠'])} {w.ENGLISH.draw(draw, 'title')}",
            ]
        )
        rows.append(f"{iso(moment, 6)[:-1]}{draw.integer(0, 9)}Z {said}")
    return "\n".join([*rows, "##[endgroup]", f"##[error]Process completed with exit code {draw.integer(1, 2)}."])


def balancer(draw: Draw) -> str:
    def line(moment: datetime) -> str:
        times = " ".join(f"{draw.real(0, 1, 6):.6f}" for _ in range(3))
        return (
            f"https {iso(moment, 6)} app/{draw.pick(w.SERVICES)}/{draw.hexadecimal(16)} {draw.ipv4()}:{port(draw)} "
            f"{draw.ipv4()}:{port(draw)} {times} {status(draw)} {status(draw)} {draw.skewed(34, 9999)} {draw.skewed(34, 99_999)} "
            f'"GET https://{draw.pick(w.DOMAINS)}:443{path(draw)} HTTP/2.0" TLS_AES_128_GCM_SHA256 TLSv1.3 '
            f'"Root=1-{draw.hexadecimal(8)}-{draw.hexadecimal(24)}"'
        )

    return lines_of(draw, 4, 9, line)


def windows_event(draw: Draw) -> str:
    def line(moment: datetime) -> str:
        half = "AM" if moment.hour < 12 else "PM"
        return (
            f"{draw.pick(['Information', 'Warning', 'Error'])}\t{moment.month}/{moment.day}/{moment.year} "
            f"{(moment.hour + 11) % 12 + 1}:{moment:%M:%S} {half}\t{camel(draw)}-{camel(draw, 1)}\t{draw.integer(1, 9999)}\t"
            f'({draw.pick(["None", "1", "102"])})\t"The {camel(draw, 1)} service entered the '
            f'{draw.pick(["running", "stopped", "paused"])} state. C:\\ProgramData\\{camel(draw)}\\{draw.pick(w.NOUNS)}.log"'
        )

    return lines_of(draw, 5, 10, line)


def app_log(draw: Draw) -> str:
    style, name = draw.integer(0, 4), f"{draw.pick(w.SERVICES)}.{draw.pick(w.NOUNS)}"

    def line(moment: datetime) -> str:
        kind, text = level(draw), event(draw)
        if style == 0:
            return f'[{moment:%Y-%m-%d %H:%M:%S}] {name}.{kind}: {text} {{"id":"{draw.uuid()}"}} []'
        if style == 1:
            return f"{moment:%d.%m.%Y %H:%M:%S} | {kind:<7} | {name} | {text}"
        if style == 2:
            return f"{kind[0]}, [{iso(moment, 6, '')} #{draw.integer(1, 9999)}]  {kind:>5} -- : [{draw.uuid()}] {text}"
        if style == 3:
            return f"{int((moment - datetime(1970, 1, 1)).total_seconds())}\t{kind}\t{draw.ipv4()}\t{text}"
        return f"{DAYS[moment.weekday()]} {MONTHS[moment.month - 1]} {moment:%d %H:%M:%S %Y} ({draw.integer(1, 999)}) {text}"

    return lines_of(draw, 7, 18, line)


def commits(draw: Draw) -> str:
    rows = []
    for moment in clock(draw, draw.integer(3, 6)):
        rows += [
            f"commit {draw.hexadecimal(40)}",
            f"Author: {w.person(draw)} <{w.email(draw)}>",
            f"Date:   {DAYS[moment.weekday()]} {MONTHS[moment.month - 1]} {moment.day} {moment:%H:%M:%S %Y} +0100",
            "",
            f"    {w.ENGLISH.draw(draw, 'title')}",
            "",
            f"    {w.ENGLISH.draw(draw, 'sentence')}",
            "",
        ]
    return "\n".join(rows)


KINDS: list[Callable[[Draw], str]] = [
    syslog,
    syslog_5424,
    access_log,
    access_log,
    nginx_error,
    json_log,
    json_log,
    logfmt,
    java_trace,
    java_trace,
    python_trace,
    go_panic,
    systemd,
    klog,
    kube_table,
    container,
    postgres,
    tracing,
    sshd,
    kernel,
    ci,
    balancer,
    windows_event,
    app_log,
    app_log,
    commits,
]


def build() -> dict[str, bytes]:
    return {"logs.txt": text_file(documents_of(Draw(20_002), KINDS, SIZE))}


if __name__ == "__main__":
    raise SystemExit(main(__file__, build))
