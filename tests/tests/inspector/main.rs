//! The page at `/` in a headless browser: the real program, a mock endpoint, Chromium driven by
//! Playwright. What is done in the browser stands in the `.mjs` files, a function a scene.
// helpers of tests say what is wrong by panicking
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod gallery;
mod looks;
mod memories;
mod rooms;
mod stage;
mod talk;
mod trouble;
mod writing;
