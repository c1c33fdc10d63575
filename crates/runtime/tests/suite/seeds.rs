//! The scenarios of the seed documents, each under its own profile, through the runtime and its
//! stream of events.

mod as_;
mod bd;
mod fg;
mod jv;
mod wb;

use greenroom_persona::{Persona, Profile};

use super::house::persona;

/// Ada with a memory profile.
fn ada(profile: Profile) -> Persona {
    let mut ada = persona("ada");
    ada.memory = profile.settings();
    ada
}
