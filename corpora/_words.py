"""Word lists and a small English grammar that the generators share. All invented or common vocabulary."""

from __future__ import annotations

from corpora._generate import Draw, Grammar


def _listed(text: str) -> list[str]:
    """The words of a text; an underscore stands for a blank inside one."""
    return [word.replace("_", " ") for word in text.split()]


NOUNS = _listed(
    """
    account address alarm album anchor archive arrow article atlas attic badge balance bakery barrel
    basket battery beacon bell bench bicycle blanket board boat bottle branch bridge bucket budget
    button cabin cable calendar camera candle canvas captain carpet castle catalogue ceiling channel
    chapter circuit cloud coast collar column comet compass contract copper corner cottage counter
    cradle crystal current curtain customer delivery desert device dial diary dock door drawer driver
    echo elevator engine envelope estate exhibit factory feather fence ferry field filter flag flame
    forest fountain frame freight furnace garden gate glacier glass grain guest hammer harbour harvest
    helmet hinge horizon hospital hotel index invoice island jacket journal kettle keyboard kitchen
    ladder lamp lantern ledger lemon lens letter library licence lighthouse loom machine magnet map
    market meadow member message meter mill mirror module monitor motor mountain museum needle neighbour
    notebook oasis office orchard order oven package paddle palace panel parcel passage passenger
    payment pebble pencil permit pier pillow pipeline planet platform pocket policy pond portrait pump
    quarry queue quilt radio railway rain recipe record region report reservoir ribbon river road robot
    roof rope saddle sail sample satellite scale schedule school screen season sensor server shelf
    shipment signal silver sketch smoke socket spring stable staircase station statue steam storm stream
    studio summit supplier survey switch table tailor tank teacher telescope tenant terrace theatre
    thread ticket tide timber tower tractor train transfer trolley tunnel turbine umbrella valley valve
    vault vehicle vessel village vineyard voyage wagon wallet warehouse watch wave well wheel window
    winter workshop yard
    """
)

ADJECTIVES = _listed(
    """
    amber ancient annual blue brief bright broken busy calm careful central cheap clean clear coastal
    cold common complete compact crooked current daily damp deep delicate dense distant double dry early
    eastern empty even external faint fast final firm flat foreign fragile free fresh full gentle golden
    grand green grey heavy hidden hollow honest idle inner internal iron large late lazy light local
    lonely loud lucky main major manual marble minor modern modest monthly narrow neat new noisy
    northern old open orange outer pale partial plain polite portable primary private proud public quick
    quiet rapid rare raw ready recent red regular remote rough round rural rusty secondary secure
    shallow sharp short silent simple single slow small smooth soft solid southern spare stable steady
    steep still strange strong sudden summer sunny swift tall temporary thick thin tidy tiny urban
    useful vacant valid violet warm weekly western white wide wild wooden yellow young
    """
)

VERBS = _listed(
    """
    accept add adjust allow answer apply archive arrange ask assign attach balance block borrow build
    call cancel carry change charge check clean clear close collect compare confirm connect copy count
    cover create deliver design detach disable divide draw drop edit empty enable enter estimate expand
    export fetch fill filter find finish fix fold follow forward freeze gather guard handle hide import
    improve include inspect install invite join keep label launch lift link list load lock mark measure
    merge mix monitor move name notice open order pack paint pause pin plan plant polish post prepare
    print protect publish push rebuild receive record refresh reject release remove rename repair
    replace reply request reserve reset resize restore return review rotate save scan schedule seal
    select send separate share ship shift sign sort split start stop store submit sync test trace track
    train transfer translate trim turn unlock update upload validate visit warm wash watch weigh wrap
    """
)

ADVERBS = _listed(
    """
    again almost already always badly briefly carefully clearly daily directly early easily evenly
    finally gently hardly lately mostly nearly never often partly quickly quietly rarely safely seldom
    silently slowly smoothly soon still suddenly twice usually weekly well
    """
)

FIRST_NAMES = _listed(
    """
    Ada Agnieszka Aïcha Alejandro Amara Anaïs Anders Anjali Aoife Arjun Aylin Beatriz Björn Bogdan
    Bronagh Carlos Chiara Chloé Dagný Daniel Daria Dmitri Eilidh Elif Emeka Émile Esther Eun-ji Farah
    Fatima Femke Finn François Freya Gábor Giulia Gökhan Grace Håkon Hana Hassan Helmi Ines Ingrid Isak
    Ivana Jānis Jasmin Jelena João Joséphine Jürgen Kaito Katarzyna Kenji Kerstin Kofi Lakshmi Lars
    Leila Liam Linh Lucía Łukasz Maeve Malik Marek María Matteo Mei Mihai Milan Mira Mohammed Nadia
    Nguyen Niamh Nikos Noor Nuno Olga Omar Oskar Øyvind Paolo Petra Priya Rafael Renée Rosa Ryo Saoirse
    Sara Sébastien Selma Siobhán Sofía Søren Svetlana Tadeusz Tamar Teresa Thandi Thomas Tiago Tomáš
    Ulla Vera Viktor Wei Wiktoria Yara Yusuf Zeynep Zoë Zuzana
    """
)

LAST_NAMES = _listed(
    """
    Abara Adeyemi Ahmed Almeida Andersson Aydın Bakker Bauer Bianchi Boateng Bjarnason Castillo
    Chatterjee Choi Côté Dąbrowska Delacroix Dubois Dvořák Eriksen Esposito Fernandes Fischer Fitzgerald
    Gallagher García Goldberg Grønning Gupta Haddad Hakimi Hansen Hernández Horváth Ibáñez Ito Ivanova
    Jansen Järvinen Jensen Jovanović Kaya Kovač Kowalski Krüger Kumar Kuznetsov Larsen Lebedev Lefèvre
    Lindqvist Lopes MacLeod Mahlangu Marchetti Mbeki Mendoza Meyer Moreau Müller Muñoz Nakamura
    Ní_Bhriain Novák Nowak O'Brien O'Connor Okafor Olsen Ortiz Öztürk Papadopoulos Patel Pereira Petrov
    Pham Popescu Quinn Rahman Reyes Richter Rossi Saito Salazar Sánchez Schäfer Schmidt Şahin Silva
    Singh Sokolova Sørensen Suzuki Szabó Takahashi Tanaka Thorsen Tran Turner Ueda Vargas Vermeulen
    Wagner Walker Weiß Wiśniewski Yamada Yılmaz Zając Zhou Zieliński
    """
)

CITIES = (
    ("Oslo", "NO", 59.91, 10.75),
    ("Tromsø", "NO", 69.65, 18.96),
    ("Malmö", "SE", 55.6, 13.0),
    ("Århus", "DK", 56.16, 10.2),
    ("Reykjavík", "IS", 64.15, -21.94),
    ("Turku", "FI", 60.45, 22.27),
    ("Tallinn", "EE", 59.44, 24.75),
    ("Kraków", "PL", 50.06, 19.94),
    ("Łódź", "PL", 51.76, 19.46),
    ("Brno", "CZ", 49.2, 16.61),
    ("Košice", "SK", 48.72, 21.26),
    ("Győr", "HU", 47.69, 17.65),
    ("Köln", "DE", 50.94, 6.96),
    ("München", "DE", 48.14, 11.58),
    ("Graz", "AT", 47.07, 15.44),
    ("Zürich", "CH", 47.38, 8.54),
    ("Genève", "CH", 46.2, 6.15),
    ("Liège", "BE", 50.63, 5.57),
    ("Utrecht", "NL", 52.09, 5.12),
    ("Nîmes", "FR", 43.84, 4.36),
    ("Besançon", "FR", 47.24, 6.02),
    ("A Coruña", "ES", 43.36, -8.41),
    ("Málaga", "ES", 36.72, -4.42),
    ("Évora", "PT", 38.57, -7.91),
    ("Torino", "IT", 45.07, 7.69),
    ("Catania", "IT", 37.5, 15.09),
    ("Split", "HR", 43.51, 16.44),
    ("Niš", "RS", 43.32, 21.9),
    ("Iași", "RO", 47.16, 27.59),
    ("Plovdiv", "BG", 42.14, 24.75),
    ("Θεσσαλονίκη", "GR", 40.64, 22.94),
    ("İzmir", "TR", 38.42, 27.14),
    ("Львів", "UA", 49.84, 24.03),
    ("თბილისი", "GE", 41.72, 44.79),
    ("Երևան", "AM", 40.18, 44.51),
    ("חיפה", "IL", 32.79, 34.99),
    ("عمّان", "JO", 31.95, 35.93),
    ("Fès", "MA", 34.03, -5.0),
    ("Dakar", "SN", 14.72, -17.47),
    ("Kumasi", "GH", 6.69, -1.62),
    ("Nairobi", "KE", -1.29, 36.82),
    ("Durban", "ZA", -29.86, 31.02),
    ("पुणे", "IN", 18.52, 73.86),
    ("কলকাতা", "IN", 22.57, 88.36),
    ("เชียงใหม่", "TH", 18.79, 98.98),
    ("Đà Nẵng", "VN", 16.05, 108.2),
    ("Cebu", "PH", 10.32, 123.89),
    ("成都", "CN", 30.57, 104.07),
    ("台南", "TW", 22.99, 120.21),
    ("부산", "KR", 35.18, 129.08),
    ("札幌", "JP", 43.06, 141.35),
    ("金沢", "JP", 36.56, 136.66),
    ("Hobart", "AU", -42.88, 147.33),
    ("Dunedin", "NZ", -45.87, 170.5),
    ("Québec", "CA", 46.81, -71.21),
    ("Halifax", "CA", 44.65, -63.57),
    ("Boise", "US", 43.62, -116.2),
    ("Duluth", "US", 46.79, -92.1),
    ("Mérida", "MX", 20.97, -89.62),
    ("Medellín", "CO", 6.24, -75.58),
    ("Cusco", "PE", -13.53, -71.97),
    ("Valparaíso", "CL", -33.05, -71.61),
    ("Córdoba", "AR", -31.42, -64.18),
    ("São Luís", "BR", -2.53, -44.3),
    ("Belém", "BR", -1.46, -48.5),
)

GREETINGS = {
    "en": "Good morning, {0}! You have {1} new messages.",
    "de": "Guten Morgen, {0}! Sie haben {1} neue Nachrichten.",
    "fr": "Bonjour {0} ! Vous avez {1} nouveaux messages.",
    "es": "¡Buenos días, {0}! Tienes {1} mensajes nuevos.",
    "pl": "Dzień dobry, {0}! Masz {1} nowych wiadomości.",
    "cs": "Dobré ráno, {0}! Máte {1} nových zpráv.",
    "ru": "Доброе утро, {0}! У вас {1} новых сообщений.",
    "el": "Καλημέρα, {0}! Έχετε {1} νέα μηνύματα.",
    "tr": "Günaydın {0}! {1} yeni mesajınız var.",
    "he": "בוקר טוב, {0}! יש לך {1} הודעות חדשות.",
    "ar": "صباح الخير يا {0}! لديك {1} رسائل جديدة.",
    "hi": "सुप्रभात, {0}! आपके {1} नए संदेश हैं।",
    "th": "สวัสดีตอนเช้า {0} คุณมีข้อความใหม่ {1} ข้อความ",
    "ja": "おはようございます、{0}さん。新着メッセージが{1}件あります。",
    "ko": "좋은 아침입니다, {0}님! 새 메시지가 {1}개 있습니다.",
    "zh": "早上好，{0}！您有{1}条新消息。",
    "vi": "Chào buổi sáng, {0}! Bạn có {1} tin nhắn mới.",
    "fi": "Hyvää huomenta, {0}! Sinulla on {1} uutta viestiä.",
}

EMOJI = ["🚀", "🎉", "✅", "⚠️", "🐛", "🔥", "❤️", "👍🏽", "👩‍💻", "🇳🇴", "☕", "🧪", "📦", "🌧️", "🦊"]

COLOURS = (
    "amber",
    "azure",
    "beige",
    "coral",
    "crimson",
    "cyan",
    "ivory",
    "jade",
    "lilac",
    "maroon",
    "olive",
    "teal",
)
LICENCES = ("MIT", "Apache-2.0", "BSD-3-Clause", "ISC", "MPL-2.0", "GPL-3.0-or-later", "0BSD")
COUNTRIES = sorted({country for _, country, _, _ in CITIES})
DOMAINS = (
    "example.com",
    "example.org",
    "example.net",
    "shop.example",
    "mail.test",
    "internal.example",
    "api.test",
)
SERVICES = (
    "auth",
    "billing",
    "cart",
    "catalog",
    "checkout",
    "crawler",
    "digest",
    "export",
    "feed",
    "gateway",
    "geo",
    "importer",
    "indexer",
    "inventory",
    "ledger",
    "mailer",
    "media",
    "notifier",
    "orders",
    "payments",
    "pricing",
    "profile",
    "proxy",
    "quota",
    "ranker",
    "scheduler",
    "search",
    "session",
    "shipping",
    "sync",
    "telemetry",
    "thumbnails",
    "webhook",
)


def _syllables(draw: Draw) -> str:
    onsets = _listed("b br c cl d dr f fl g gr h j k l m n p pl qu r s sh st t tr v w z")
    vowels = _listed("a e i o u ai ea io ou y")
    codas = ["", "", "", "n", "r", "l", "s", "x", "rk", "nd", "th"]
    return "".join(draw.pick(onsets) + draw.pick(vowels) + draw.pick(codas) for _ in range(draw.integer(2, 3)))


def person(draw: Draw) -> str:
    return f"{draw.pick(FIRST_NAMES)} {draw.pick(LAST_NAMES)}"


def login(draw: Draw) -> str:
    """A user name, always ASCII."""
    style = draw.integer(0, 3)
    if style == 0:
        return draw.pick(ADJECTIVES) + "_" + draw.pick(NOUNS)
    if style == 1:
        return draw.pick("abcdefghijklmnoprstvwz") + draw.pick(NOUNS) + str(draw.integer(1, 99))
    if style == 2:
        return _syllables(draw)
    return draw.pick(NOUNS) + "." + _syllables(draw)


def email(draw: Draw) -> str:
    return f"{login(draw)}@{draw.pick(DOMAINS)}"


def company(draw: Draw) -> str:
    stem = draw.pick([_syllables(draw).capitalize(), draw.pick(NOUNS).capitalize(), draw.pick(LAST_NAMES)])
    form = draw.pick(["GmbH", "Ltd", "Inc.", "S.A.", "AB", "AS", "& Co.", "Oy", "B.V.", "Works", "Labs", "Sons"])
    return f"{stem} {form}"


def product(draw: Draw) -> str:
    name = f"{draw.pick(ADJECTIVES)} {draw.pick(NOUNS)}"
    style = draw.integer(0, 3)
    if style == 0:
        return f"{name.title()} {draw.pick('ABCKXZ')}{draw.integer(1, 990)}"
    if style == 1:
        return f"{draw.pick(COLOURS)} {name}"
    if style == 2:
        unit = draw.pick(["cm", "mm", "ml", "g"])
        return f"{name.title()} ({draw.integer(1, 48)} × {draw.integer(1, 99)} {unit})"
    return name.capitalize()


def domain_url(draw: Draw) -> str:
    path = "/".join(draw.pick(NOUNS) for _ in range(draw.integer(1, 3)))
    wanted = draw.pick([draw.identifier(6), str(draw.integer(1, 999)), draw.pick(NOUNS)])
    query = f"?{draw.pick(NOUNS)}={wanted}"
    return f"https://{draw.pick(SERVICES)}.{draw.pick(DOMAINS)}/{path}" + (query if draw.chance(0.35) else "")


def package(draw: Draw) -> str:
    """A plausible package name that nobody needs to have published."""
    return draw.pick(["-", "_", "-", ""]).join(
        [draw.pick([_syllables(draw), draw.pick(ADJECTIVES), draw.pick(NOUNS)]), draw.pick(NOUNS)]
    )


def version(draw: Draw) -> str:
    core = f"{draw.skewed(0, 24)}.{draw.skewed(0, 40)}.{draw.skewed(0, 60)}"
    style = draw.integer(0, 9)
    if style == 0:
        return f"{core}-rc.{draw.integer(1, 5)}"
    if style == 1:
        return f"{core}-{draw.pick(['alpha', 'beta', 'next'])}.{draw.integer(1, 30)}+{draw.hexadecimal(7)}"
    return core


def _third_person(draw: Draw) -> str:
    verb = draw.pick(VERBS)
    if verb.endswith(("s", "sh", "ch", "x")):
        return verb + "es"
    return verb[:-1] + "ies" if verb.endswith("y") and verb[-2] not in "aeiou" else verb + "s"


def _plural(draw: Draw) -> str:
    noun = draw.pick(NOUNS)
    if noun.endswith(("s", "x", "ch", "sh")):
        return noun + "es"
    return noun[:-1] + "ies" if noun.endswith("y") and noun[-2] not in "aeiou" else noun + "s"


ENGLISH = Grammar(
    {
        "noun": NOUNS,
        "nouns": _plural,
        "adj": ADJECTIVES,
        "verb": VERBS,
        "verbs": _third_person,
        "adv": ADVERBS,
        "first": FIRST_NAMES,
        "city": lambda draw: draw.pick(CITIES)[0],
        "few": lambda draw: str(draw.skewed(2, 60)),
        "number": lambda draw: str(draw.skewed(1, 9999)),
        "np": [
            "the {noun}",
            "the {adj} {noun}",
            "every {noun}",
            "{few} {nouns}",
            "{first}'s {noun}",
            "a {noun} of {nouns}",
            "the {noun} in {city}",
            "most {nouns}",
            "no {adj} {noun}",
        ],
        "clause": [
            "the {noun} {verbs} {np}",
            "{first} {verbs} {np} {adv}",
            "we {verb} {np}",
            "you can't {verb} {np}",
            "they {verb} {np} before {np}",
            "it's {adj}",
            "there is {np} near {np}",
            "nobody {verbs} {np}",
            "{nouns} {verb} {adv}",
        ],
        "sentence": [
            "{Clause}.",
            "{Clause}.",
            "If {clause}, {clause}.",
            "{Clause}, but {clause}.",
            "Don't {verb} {np}!",
            "{Verb} {np}, then {verb} {np}.",
            "Why do {nouns} {verb} {adv}?",
            "{Clause} because {clause}.",
            "{Clause}; {clause}.",
            '"{Clause}," said {first}.',
        ],
        "paragraph": [
            "{sentence} {sentence}",
            "{sentence} {sentence} {sentence}",
            "{sentence}",
            "{sentence} {sentence} {sentence} {sentence}",
        ],
        "title": [
            "{Adj} {nouns}",
            "{Verb} the {noun}",
            "The {adj} {noun}",
            "{Nouns} and {nouns}",
            "How to {verb} a {noun}",
            "{Noun} {number}",
            "Notes on {nouns}",
        ],
    }
)
