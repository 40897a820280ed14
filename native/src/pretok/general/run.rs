//! Matching: by backtracking over the instructions, with a bound on how much of it there may be.

use super::classes::Set;
use super::program::{Op, Program, UNBOUNDED};

/// A text of n bytes may cost this much and EFFORT_PER_BYTE times n more, in instructions and looks at code points.
/// Real patterns need some ten per byte.
const EFFORT: u64 = 50_000_000;
const EFFORT_PER_BYTE: u64 = 500;
/// Places to come back to, at most.
const FRAMES: usize = 1 << 22;

/// The pattern took more than it may: it tries the same text in too many ways.
#[derive(Debug)]
pub struct TooMuch;

/// A place to come back to when what was tried fails.
struct Frame {
    op: u32,
    at: usize,
    more: More,
}

/// What is left to try there.
enum More {
    /// Just go on there.
    Go,
    /// Runs that end earlier, but not before this place.
    Shorter(usize),
    /// So many more code points.
    Longer(u32),
    /// These alternatives.
    Branches(u64),
}

/// Matches one text; keeps its memory from match to match.
pub struct Matcher<'p, 't> {
    program: &'p Program,
    text: &'t [u8],
    frames: Vec<Frame>,
    effort: u64,
}

impl<'p, 't> Matcher<'p, 't> {
    pub fn new(program: &'p Program, text: &'t [u8]) -> Self {
        Matcher {
            program,
            text,
            frames: Vec::new(),
            effort: EFFORT + EFFORT_PER_BYTE * text.len() as u64,
        }
    }

    /// The end of the match that starts at `at`, where there is one.
    pub fn end_of_match(&mut self, at: usize) -> Result<Option<usize>, TooMuch> {
        self.run(0, at)
    }

    #[inline(always)]
    fn spend(&mut self, effort: u64) -> Result<(), TooMuch> {
        self.effort = self.effort.checked_sub(effort).ok_or(TooMuch)?;
        Ok(())
    }

    #[inline(always)]
    fn set(&self, number: u32) -> &'p Set {
        &self.program.sets[number as usize]
    }

    fn push(&mut self, op: u32, at: usize, more: More) -> Result<(), TooMuch> {
        if self.frames.len() >= FRAMES {
            return Err(TooMuch);
        }
        self.frames.push(Frame { op, at, more });
        Ok(())
    }

    /// Runs from an instruction up to its `Accept`. Calls itself for looks and atomic groups, as deep as these are
    /// inside one another in the pattern.
    fn run(&mut self, mut op: u32, mut at: usize) -> Result<Option<usize>, TooMuch> {
        let program = self.program;
        let (classes, text) = (&program.classes, self.text);
        let base = self.frames.len();
        loop {
            self.spend(1)?;
            let matched = match program.ops[op as usize] {
                Op::Set(set) => {
                    let length = self.set(set).length_at(classes, text, at);
                    at += length;
                    op += 1;
                    length != 0
                }
                Op::Run { set, low, high } => {
                    let (end, taken) = self.set(set).run(classes, text, at, high);
                    self.spend((end - at) as u64 / 8)?;
                    at = end;
                    op += 1;
                    taken >= low
                }
                Op::Greedy { set, low, high, .. } => {
                    let set = self.set(set);
                    let (least, taken) = set.run(classes, text, at, low);
                    if taken == low {
                        let (end, _) = set.run(classes, text, least, high - low);
                        self.spend((end - at) as u64 / 8)?;
                        if end > least {
                            self.push(op, end, More::Shorter(least))?;
                        }
                        at = end;
                        op += 1;
                    }
                    taken == low
                }
                Op::Lazy { set, low, high } => {
                    let (least, taken) = self.set(set).run(classes, text, at, low);
                    if taken == low && high > low {
                        let left = if high == UNBOUNDED { high } else { high - low };
                        self.push(op, least, More::Longer(left))?;
                    }
                    at = least;
                    op += 1;
                    taken == low
                }
                Op::Split { first, second } => {
                    self.push(second, at, More::Go)?;
                    op = first;
                    true
                }
                Op::Branch(number) => {
                    let branches = &program.branches[number as usize];
                    let able = if at < text.len() {
                        branches.by_class[usize::from(classes.at(text, at).0)]
                    } else {
                        branches.at_end
                    };
                    self.branch(able, &mut op, at)?
                }
                Op::Jump(to) => {
                    op = to;
                    true
                }
                Op::Start => {
                    op += 1;
                    at == 0
                }
                Op::End => {
                    op += 1;
                    at == text.len()
                }
                Op::Ahead { negative, then } => {
                    let found = self.run(op + 1, at)?.is_some();
                    op = then;
                    found != negative
                }
                Op::Behind { set, negative } => {
                    op += 1;
                    let before = start_of_last(text, at);
                    let found = at > 0 && self.set(set).length_at(classes, text, before) != 0;
                    found != negative
                }
                Op::Atomic { then } => match self.run(op + 1, at)? {
                    Some(end) => {
                        at = end;
                        op = then;
                        true
                    }
                    None => false,
                },
                Op::Accept => {
                    self.frames.truncate(base);
                    return Ok(Some(at));
                }
            };
            if !matched && !self.go_back(base, &mut op, &mut at)? {
                return Ok(None);
            }
        }
    }

    /// Goes into the first of the alternatives, and leaves the others to come back to.
    #[inline(always)]
    fn branch(&mut self, able: u64, op: &mut u32, at: usize) -> Result<bool, TooMuch> {
        let Op::Branch(number) = self.program.ops[*op as usize] else {
            unreachable!("alternatives belong to a branch");
        };
        if able == 0 {
            return Ok(false);
        }
        let others = able & (able - 1);
        if others != 0 {
            self.push(*op, at, More::Branches(others))?;
        }
        let branches = &self.program.branches[number as usize];
        *op = branches.places[able.trailing_zeros() as usize];
        Ok(true)
    }

    /// Takes up what was left to try last; false where nothing is left.
    fn go_back(&mut self, base: usize, op: &mut u32, at: &mut usize) -> Result<bool, TooMuch> {
        let program = self.program;
        while self.frames.len() > base {
            let Some(frame) = self.frames.pop() else {
                break;
            };
            (*op, *at) = (frame.op, frame.at);
            match frame.more {
                More::Go => return Ok(true),
                More::Branches(able) => return self.branch(able, op, *at),
                More::Shorter(least) => {
                    let Op::Greedy { next, .. } = program.ops[*op as usize] else {
                        unreachable!("only greedy runs give back");
                    };
                    if self.give_back(at, least, next)? {
                        if *at > least {
                            self.push(*op, *at, More::Shorter(least))?;
                        }
                        *op += 1;
                        return Ok(true);
                    }
                }
                More::Longer(left) => {
                    let Op::Lazy { set, .. } = program.ops[*op as usize] else {
                        unreachable!("only lazy runs take more");
                    };
                    self.spend(1)?;
                    let length = self.set(set).length_at(&program.classes, self.text, *at);
                    if length != 0 {
                        *at += length;
                        let left = if left == UNBOUNDED { left } else { left - 1 };
                        if left > 0 {
                            self.push(*op, *at, More::Longer(left))?;
                        }
                        *op += 1;
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Steps back from the end of a run to the last place before it that the rest can start at; false where there is
    /// none from `least` on.
    fn give_back(
        &mut self,
        at: &mut usize,
        least: usize,
        next: Option<u32>,
    ) -> Result<bool, TooMuch> {
        while *at > least {
            self.spend(1)?;
            *at = start_of_last(self.text, *at);
            let fits = |set| {
                self.set(set)
                    .length_at(&self.program.classes, self.text, *at)
                    != 0
            };
            if next.is_none_or(fits) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Where the code point starts that ends at `at`.
#[inline(always)]
fn start_of_last(text: &[u8], at: usize) -> usize {
    let mut start = at.saturating_sub(1);
    while start > 0 && text[start] & 0xC0 == 0x80 {
        start -= 1;
    }
    start
}
