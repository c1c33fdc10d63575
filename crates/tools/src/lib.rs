//! The tool trait, the memory tools and the tool policy.

mod tool;

pub use tool::{Tool, ToolContext, ToolError};
