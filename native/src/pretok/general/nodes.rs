//! A pattern as a tree.

use super::classes::Bits;

pub enum Node {
    Set(Bits),
    Sequence(Vec<Node>),
    Either(Vec<Node>),
    Repeat {
        body: Box<Node>,
        low: u32,
        high: u32,
        lazy: bool,
    },
    Atomic(Box<Node>),
    Ahead {
        body: Box<Node>,
        negative: bool,
    },
    Behind {
        bits: Bits,
        negative: bool,
    },
    Start,
    End,
}

/// The tree of nodes that are given as (what, a, b) in postfix order, as `tokenizers_impl.patterns.program` makes them.
pub fn tree(sets: &[Vec<u16>], nodes: &[(String, u32, u32)], count: usize) -> Result<Node, String> {
    let malformed = || "the nodes of a pattern do not fit together".to_string();
    let mut stack: Vec<Node> = Vec::new();
    for (what, a, b) in nodes {
        let mut pop = || stack.pop().map(Box::new).ok_or_else(malformed);
        let node = match what.as_str() {
            "set" => {
                let mut bits = Bits::none(count);
                for &class in sets.get(*a as usize).ok_or_else(malformed)? {
                    if usize::from(class) >= count {
                        return Err(malformed());
                    }
                    bits.add(class);
                }
                Node::Set(bits)
            }
            "sequence" | "either" => {
                let start = stack.len().checked_sub(*a as usize).ok_or_else(malformed)?;
                let mut parts = stack.split_off(start);
                if what == "either" {
                    Node::Either(parts)
                } else {
                    parts = joined_looks(parts);
                    match parts.pop() {
                        Some(only) if parts.is_empty() => only,
                        last => Node::Sequence(parts.into_iter().chain(last).collect()),
                    }
                }
            }
            "greedy" | "lazy" | "possessive" => {
                let repeat = Node::Repeat {
                    body: pop()?,
                    low: *a,
                    high: *b,
                    lazy: what == "lazy",
                };
                if what == "possessive" {
                    Node::Atomic(Box::new(repeat))
                } else {
                    repeat
                }
            }
            "atomic" => Node::Atomic(pop()?),
            "ahead" | "not_ahead" => Node::Ahead {
                body: pop()?,
                negative: what == "not_ahead",
            },
            "behind" | "not_behind" => match *pop()? {
                Node::Set(bits) => Node::Behind {
                    bits,
                    negative: what == "not_behind",
                },
                _ => return Err(malformed()),
            },
            "start" => Node::Start,
            "end" => Node::End,
            _ => return Err(malformed()),
        };
        stack.push(node);
    }
    match stack.pop() {
        Some(node) if stack.is_empty() => Ok(node),
        _ => Err(malformed()),
    }
}

/// `(?!x)y` of two sets is the set of y without x, and so is `(?=x)y` their common part.
fn joined_looks(parts: Vec<Node>) -> Vec<Node> {
    let mut joined: Vec<Node> = Vec::with_capacity(parts.len());
    for part in parts {
        let set = match (joined.last(), &part) {
            (Some(Node::Ahead { body, negative }), Node::Set(bits)) => match &**body {
                Node::Set(looked) if *negative => Some(bits.without(looked)),
                Node::Set(looked) => Some(bits.without(&bits.without(looked))),
                _ => None,
            },
            _ => None,
        };
        match set {
            Some(bits) => {
                joined.pop();
                joined.push(Node::Set(bits));
            }
            None => joined.push(part),
        }
    }
    joined
}
