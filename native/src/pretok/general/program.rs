//! From a pattern's nodes to instructions.
//!
//! What costs time in backtracking is what is tried in vain, and most of that can be seen beforehand from the classes
//! that each part can start with: an alternative that can't start here is not entered, and a run gives nothing back
//! where no shorter one could be followed by what comes next.

use super::classes::{Bits, Classes, Set};
use super::nodes::{tree, Node};

/// No upper bound.
pub const UNBOUNDED: u32 = u32::MAX;

/// An instruction; numbers are places in the program or of sets.
#[derive(Debug)]
pub enum Op {
    Set(u32),
    /// As many of a set as there are, of which none is given back.
    Run {
        set: u32,
        low: u32,
        high: u32,
    },
    /// As many as there are; fewer where the rest doesn't match then. `next`: what the rest has to start with.
    Greedy {
        set: u32,
        low: u32,
        high: u32,
        next: Option<u32>,
    },
    /// As few as the rest can match after.
    Lazy {
        set: u32,
        low: u32,
        high: u32,
    },
    /// The first of two, and the other where the rest doesn't match then.
    Split {
        first: u32,
        second: u32,
    },
    /// The first alternative that can start here; `Branches` has where they stand.
    Branch(u32),
    Jump(u32),
    Start,
    End,
    /// Whether the instructions up to an `Accept` match here (or not); `then` is behind it.
    Ahead {
        negative: bool,
        then: u32,
    },
    Behind {
        set: u32,
        negative: bool,
    },
    /// The first way in which the instructions up to an `Accept` match.
    Atomic {
        then: u32,
    },
    Accept,
}

/// The alternatives of one place: for each class, and for the end of the text, a bit for each that can start so.
pub struct Branches {
    pub places: Vec<u32>,
    pub by_class: Vec<u64>,
    pub at_end: u64,
}

pub struct Program {
    pub classes: Classes,
    pub sets: Vec<Set>,
    pub ops: Vec<Op>,
    pub branches: Vec<Branches>,
}

/// What follows a node: the classes it can start with, whether it can match without taking anything, and whether it
/// matches whatever comes.
#[derive(Clone)]
struct Follow {
    first: Bits,
    nullable: bool,
    sure: bool,
}

impl Program {
    /// `sets` have their classes; `nodes` are (what, a, b) in postfix order, as `tokenizers_impl.patterns.program`
    /// makes them.
    pub fn new(
        starts: &[(u32, u16)],
        sets: &[Vec<u16>],
        nodes: &[(String, u32, u32)],
    ) -> Result<Program, String> {
        let classes = Classes::new(starts)?;
        let node = tree(sets, nodes, classes.count)?;
        let mut builder = Builder {
            classes: classes.count,
            all: Bits::all(classes.count),
            sets: Vec::new(),
            ops: Vec::new(),
            branches: Vec::new(),
        };
        let accept = builder.accepting();
        builder.emit(&node, &accept);
        builder.ops.push(Op::Accept);
        let sets = builder.sets.into_iter();
        Ok(Program {
            sets: sets.map(|bits| Set::new(bits, &classes)).collect(),
            ops: builder.ops,
            branches: builder.branches,
            classes,
        })
    }
}

struct Builder {
    classes: usize,
    all: Bits,
    sets: Vec<Bits>,
    ops: Vec<Op>,
    branches: Vec<Branches>,
}

impl Builder {
    /// What comes after the whole pattern, a look or an atomic group: nothing that could fail.
    fn accepting(&self) -> Follow {
        Follow {
            first: self.all.clone(),
            nullable: true,
            sure: true,
        }
    }

    fn set(&mut self, bits: &Bits) -> u32 {
        let found = self.sets.iter().position(|known| known == bits);
        found.unwrap_or_else(|| {
            self.sets.push(bits.clone());
            self.sets.len() - 1
        }) as u32
    }

    fn place(&self) -> u32 {
        self.ops.len() as u32
    }

    /// What `node` followed by `then` looks like from before it.
    fn before(&self, node: &Node, then: &Follow) -> Follow {
        match node {
            Node::Set(bits) => Follow {
                first: bits.clone(),
                nullable: false,
                sure: false,
            },
            Node::Sequence(parts) => {
                let follow = parts.iter().rev();
                follow.fold(then.clone(), |then, part| self.before(part, &then))
            }
            Node::Either(branches) => {
                let mut whole = Follow {
                    first: self.all.without(&self.all),
                    nullable: false,
                    sure: false,
                };
                for branch in branches {
                    let one = self.before(branch, then);
                    whole.first = whole.first.union(&one.first);
                    whole.nullable |= one.nullable;
                    whole.sure |= one.sure;
                }
                whole
            }
            Node::Repeat { body, low, .. } => {
                let mut inner = self.before(body, then);
                if *low == 0 {
                    inner.first = inner.first.union(&then.first);
                    inner.nullable |= then.nullable;
                    inner.sure = then.sure;
                } else {
                    inner.sure = false;
                }
                inner
            }
            // What an atomic group leaves may not fit what follows, while a shorter match would have.
            Node::Atomic(body) => Follow {
                sure: false,
                ..self.before(body, then)
            },
            Node::Ahead { .. } | Node::Behind { .. } | Node::Start | Node::End => Follow {
                sure: false,
                nullable: true,
                first: self.all.clone(),
            },
        }
    }

    fn emit(&mut self, node: &Node, then: &Follow) {
        match node {
            Node::Set(bits) => {
                let set = self.set(bits);
                self.ops.push(Op::Set(set));
            }
            Node::Sequence(parts) => {
                let mut follows = vec![then.clone()];
                for part in parts.iter().skip(1).rev() {
                    let last = self.before(part, &follows[follows.len() - 1]);
                    follows.push(last);
                }
                for (part, then) in parts.iter().zip(follows.iter().rev()) {
                    self.emit(part, then);
                }
            }
            Node::Either(branches) => self.emit_either(branches, then),
            Node::Repeat {
                body,
                low,
                high,
                lazy,
            } => {
                if let Node::Set(bits) = &**body {
                    self.emit_run(bits, *low, *high, *lazy, then);
                } else {
                    self.emit_repeat(body, *low, *high, *lazy, then);
                }
            }
            Node::Atomic(body) => self.emit_atomic(body),
            Node::Ahead { body, negative } => {
                let place = self.ops.len();
                self.ops.push(Op::Accept);
                self.emit(body, &self.accepting());
                self.ops.push(Op::Accept);
                self.ops[place] = Op::Ahead {
                    negative: *negative,
                    then: self.place(),
                };
            }
            Node::Behind { bits, negative } => {
                let set = self.set(bits);
                self.ops.push(Op::Behind {
                    set,
                    negative: *negative,
                });
            }
            Node::Start => self.ops.push(Op::Start),
            Node::End => self.ops.push(Op::End),
        }
    }

    fn emit_atomic(&mut self, body: &Node) {
        if let Node::Repeat {
            body,
            low,
            high,
            lazy: false,
        } = body
        {
            if let Node::Set(bits) = &**body {
                let set = self.set(bits);
                let (low, high) = (*low, *high);
                return self.ops.push(Op::Run { set, low, high });
            }
        }
        let place = self.ops.len();
        self.ops.push(Op::Accept);
        self.emit(body, &self.accepting());
        self.ops.push(Op::Accept);
        self.ops[place] = Op::Atomic { then: self.place() };
    }

    fn emit_run(&mut self, bits: &Bits, low: u32, high: u32, lazy: bool, then: &Follow) {
        let set = self.set(bits);
        if lazy {
            return self.ops.push(Op::Lazy { set, low, high });
        }
        // Where less is taken, what comes next is a code point of the run's set.
        if then.sure || (!then.nullable && !then.first.meets(bits)) {
            return self.ops.push(Op::Run { set, low, high });
        }
        let next = (!then.nullable).then(|| self.set(&then.first));
        self.ops.push(Op::Greedy {
            set,
            low,
            high,
            next,
        });
    }

    /// The body `low` times, then the rest of the times one inside the other: x{1,3} is x(x(x)?)?.
    fn emit_repeat(&mut self, body: &Node, low: u32, high: u32, lazy: bool, then: &Follow) {
        let once = self.before(body, then);
        // What follows one of several: another one, or the rest.
        let inner = Follow {
            first: once.first.union(&then.first),
            nullable: once.nullable || then.nullable,
            sure: then.sure,
        };
        for time in 0..low {
            let more = time + 1 < low || high > low;
            let sure = inner.sure && time + 1 >= low;
            let follow = Follow {
                sure,
                ..inner.clone()
            };
            self.emit(body, if more { &follow } else { then });
        }
        if high == UNBOUNDED {
            let loop_start = self.place();
            self.ops.push(Op::Accept);
            self.emit(body, &inner);
            self.ops.push(Op::Jump(loop_start));
            self.ops[loop_start as usize] = split(loop_start + 1, self.place(), lazy);
            return;
        }
        let mut open = Vec::new();
        for _ in low..high {
            open.push(self.ops.len());
            self.ops.push(Op::Accept);
            self.emit(body, &inner);
        }
        let end = self.place();
        for place in open {
            self.ops[place] = split(place as u32 + 1, end, lazy);
        }
    }

    fn emit_either(&mut self, branches: &[Node], then: &Follow) {
        let mut jumps = Vec::new();
        let mut places = Vec::new();
        let dispatched = branches.len() <= 64;
        let number = self.branches.len() as u32;
        if dispatched {
            let mut found = Branches {
                places: Vec::new(),
                by_class: Vec::new(),
                at_end: 0,
            };
            let follows: Vec<Follow> = branches.iter().map(|one| self.before(one, then)).collect();
            let bits_of = |can: &dyn Fn(&Follow) -> bool| {
                let able = follows.iter().enumerate().filter(|(_, follow)| can(follow));
                able.fold(0, |bits, (i, _)| bits | 1u64 << i)
            };
            let classes = 0..self.classes as u16;
            let by_class =
                classes.map(|class| bits_of(&|one| one.nullable || one.first.has(class)));
            found.by_class = by_class.collect();
            found.at_end = bits_of(&|one| one.nullable);
            self.branches.push(found);
            self.ops.push(Op::Branch(number));
        }
        for (i, branch) in branches.iter().enumerate() {
            let split_at = self.ops.len();
            if !dispatched && i + 1 < branches.len() {
                self.ops.push(Op::Accept);
            }
            places.push(self.place());
            self.emit(branch, then);
            if i + 1 < branches.len() {
                jumps.push(self.ops.len());
                self.ops.push(Op::Accept);
            }
            if !dispatched && i + 1 < branches.len() {
                self.ops[split_at] = split(split_at as u32 + 1, self.place(), false);
            }
        }
        let end = self.place();
        for jump in jumps {
            self.ops[jump] = Op::Jump(end);
        }
        if dispatched {
            self.branches[number as usize].places = places;
        }
    }
}

fn split(body: u32, rest: u32, lazy: bool) -> Op {
    let (first, second) = if lazy { (rest, body) } else { (body, rest) };
    Op::Split { first, second }
}
