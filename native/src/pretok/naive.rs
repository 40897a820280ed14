//! The oracle: the patterns themselves, matched by plain backtracking.
//!
//! It reads just the syntax that they use, and takes classes from general categories rather than from the class
//! bits of the splitters. (An existing regex engine would bring classes of its own Unicode version.)

use super::{is_han, Kind};
use crate::unicode;

const O200K: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const CL100K: &str = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++\Z|\s*[\r\n]|\s+(?!\S)|\s";
const LLAMA3: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

/// The pattern of a kind, written out; that of zh leaves Han runs whole.
pub fn pattern(kind: Kind) -> String {
    let gpt2 = |number: &str| {
        format!(r"'(?:[sdmt]|ll|ve|re)| ?\p{{L}}+|{number}| ?[^\s\p{{L}}\p{{N}}]+|\s+(?!\S)|\s+")
    };
    let chinese = |han: &str| {
        format!(
            r"'(?:[sdmt]|ll|ve|re)|{han}| ?(?:(?!\p{{Han}})\p{{L}})+| ?(?:(?!\p{{Han}})\p{{N}})+| ?(?:(?!\p{{Han}})[^\s\p{{L}}\p{{N}}])+|\s+(?!\S)|\s+"
        )
    };
    match kind {
        Kind::Gpt2 => gpt2(r" ?\p{N}+"),
        Kind::Digits3 => gpt2(r" ?\p{N}{1,3}"),
        Kind::Digit1 => gpt2(r" ?\p{N}"),
        Kind::ZhChar => chinese(r"\p{Han}"),
        Kind::Zh | Kind::ZhRun => chinese(r"\p{Han}+"),
        Kind::Cl100k => CL100K.into(),
        Kind::O200k => O200K.into(),
        Kind::Llama3 => LLAMA3.into(),
        Kind::Qwen2 => LLAMA3.replace("{1,3}", ""),
        Kind::BytesOnly => r"(?s:.)+".into(),
    }
}

enum Node {
    /// Any of these, or with `true` none of them.
    Set(Vec<Item>, bool),
    Sequence(Vec<Node>),
    Either(Vec<Node>),
    /// From, up to, possessive.
    Repeat(Box<Node>, usize, usize, bool),
    NotAhead(Box<Node>),
    End,
}

#[derive(Clone)]
enum Item {
    Char(char),
    AnyCase(char),
    Category(String),
    Space,
    Han,
}

impl Item {
    fn has(&self, c: char) -> bool {
        match self {
            Item::Char(own) => c == *own,
            Item::AnyCase(own) => c.to_ascii_lowercase() == *own || (*own == 's' && c == 'ſ'),
            Item::Category(start) => unicode::category(c).starts_with(start.as_str()),
            Item::Space => "\t\n\u{b}\u{c}\r \u{85}\u{a0}\u{1680}\u{2000}\u{2001}\u{2002}\u{2003}\u{2004}\u{2005}\u{2006}\u{2007}\u{2008}\u{2009}\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}".contains(c),
            Item::Han => is_han(c),
        }
    }
}

/// A pattern of the supported syntax.
pub struct Pattern(Node);

impl Pattern {
    pub fn new(pattern: &str) -> Pattern {
        let mut parser = Parser {
            rest: pattern.chars().collect::<Vec<_>>(),
            at: 0,
            any_case: false,
        };
        let node = parser.either();
        assert_eq!(parser.at, parser.rest.len(), "unread rest of {pattern}");
        Pattern(node)
    }

    /// The lengths, in code points, of the matches from the left; each place must match.
    pub fn split(&self, text: &[char]) -> Vec<usize> {
        let mut lengths = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let mut end = at;
            assert!(matches(&self.0, text, at, &mut |found| {
                end = found;
                true
            }));
            assert!(end > at);
            lengths.push(end - at);
            at = end;
        }
        lengths
    }
}

/// Whether `node` matches at `at` in a way that `then` accepts the end of, tried in the order of a regex.
fn matches(node: &Node, text: &[char], at: usize, then: &mut dyn FnMut(usize) -> bool) -> bool {
    match node {
        Node::Set(items, negated) => {
            at < text.len()
                && items.iter().any(|item| item.has(text[at])) != *negated
                && then(at + 1)
        }
        Node::Sequence(nodes) => match nodes.split_first() {
            None => then(at),
            Some((first, rest)) => matches(first, text, at, &mut |end| {
                rest_of_sequence(rest, text, end, then)
            }),
        },
        Node::Either(nodes) => nodes.iter().any(|node| matches(node, text, at, then)),
        Node::Repeat(node, from, to, false) => repeat(node, *from, *to, text, at, then),
        Node::Repeat(node, from, to, true) => {
            let mut end = None;
            repeat(node, *from, *to, text, at, &mut |found| {
                end = Some(found);
                true
            });
            end.is_some_and(then)
        }
        Node::NotAhead(node) => !matches(node, text, at, &mut |_| true) && then(at),
        Node::End => at == text.len() && then(at),
    }
}

fn rest_of_sequence(
    nodes: &[Node],
    text: &[char],
    at: usize,
    then: &mut dyn FnMut(usize) -> bool,
) -> bool {
    match nodes.split_first() {
        None => then(at),
        Some((first, rest)) => matches(first, text, at, &mut |end| {
            rest_of_sequence(rest, text, end, then)
        }),
    }
}

fn repeat(
    node: &Node,
    from: usize,
    to: usize,
    text: &[char],
    at: usize,
    then: &mut dyn FnMut(usize) -> bool,
) -> bool {
    (to > 0
        && matches(node, text, at, &mut |end| {
            repeat(node, from.saturating_sub(1), to - 1, text, end, then)
        }))
        || (from == 0 && then(at))
}

struct Parser {
    rest: Vec<char>,
    at: usize,
    any_case: bool,
}

impl Parser {
    fn take(&mut self, expected: &str) -> bool {
        let found = self.rest[self.at..]
            .iter()
            .take(expected.chars().count())
            .copied();
        let same = found.eq(expected.chars());
        if same {
            self.at += expected.chars().count();
        }
        same
    }

    fn either(&mut self) -> Node {
        let mut nodes = vec![self.sequence()];
        while self.take("|") {
            nodes.push(self.sequence());
        }
        Node::Either(nodes)
    }

    fn sequence(&mut self) -> Node {
        let mut nodes = Vec::new();
        while self.at < self.rest.len() && !matches!(self.rest[self.at], '|' | ')') {
            let node = self.atom();
            let (from, to) = if self.take("?") {
                (0, 1)
            } else if self.take("*") {
                (0, usize::MAX)
            } else if self.take("+") {
                (1, usize::MAX)
            } else if self.take("{1,3}") {
                (1, 3)
            } else {
                nodes.push(node);
                continue;
            };
            let possessive = self.take("+");
            nodes.push(Node::Repeat(Box::new(node), from, to, possessive));
        }
        Node::Sequence(nodes)
    }

    fn atom(&mut self) -> Node {
        if self.take("(?!") {
            Node::NotAhead(Box::new(self.group()))
        } else if self.take("(?:") {
            self.group()
        } else if self.take("(?i:") {
            self.any_case = true;
            let node = self.group();
            self.any_case = false;
            node
        } else if self.take("(?s:.)") {
            Node::Set(Vec::new(), true)
        } else if self.take("[") {
            let negated = self.take("^");
            let mut items = Vec::new();
            while !self.take("]") {
                items.push(self.item());
            }
            Node::Set(items, negated)
        } else if self.take(r"\Z") {
            Node::End
        } else if self.take(r"\S") {
            Node::Set(vec![Item::Space], true)
        } else {
            Node::Set(vec![self.item()], false)
        }
    }

    fn group(&mut self) -> Node {
        let node = self.either();
        assert!(self.take(")"));
        node
    }

    fn item(&mut self) -> Item {
        if self.take(r"\s") {
            Item::Space
        } else if self.take(r"\r") {
            Item::Char('\r')
        } else if self.take(r"\n") {
            Item::Char('\n')
        } else if self.take(r"\p{Han}") {
            Item::Han
        } else if self.take(r"\p{") {
            let mut name = String::new();
            while !self.take("}") {
                name.push(self.rest[self.at]);
                self.at += 1;
            }
            Item::Category(name)
        } else {
            let c = self.rest[self.at];
            assert!(!r"\()[]{}*+?.^$".contains(c), "unknown syntax at {c:?}");
            self.at += 1;
            if self.any_case && c.is_ascii_lowercase() {
                Item::AnyCase(c)
            } else {
                Item::Char(c)
            }
        }
    }
}
