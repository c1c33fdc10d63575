//! `sqlx::migrate!` reads the migrations when it is compiled: a new file must compile it again.

fn main() {
    println!("cargo:rerun-if-changed=../../migrations/sqlite");
}
