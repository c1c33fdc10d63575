//! The assembler from outside.

mod assembly;
mod budgets;
mod scene;
