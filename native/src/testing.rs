//! What tests of several modules need.

/// How much longer than usual random searches are: `EVALKIT_TEST_BUDGET=10` for a long run.
pub fn budget() -> usize {
    let budget = std::env::var("EVALKIT_TEST_BUDGET").unwrap_or_default();
    budget.parse().unwrap_or(1)
}

/// A small deterministic source of random numbers (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ word >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ word >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((word ^ word >> 31) % bound as u64) as usize
    }
}
