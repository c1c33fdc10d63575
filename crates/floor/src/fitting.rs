//! The internals that the program which fits the models needs (`examples/fit_floor`). A room needs none of them.

use crate::members::{MemberId, Members};
use crate::window::{Message, Window};

pub use crate::candidates::{Candidates, OPENING, OTHER, OWN};
pub use crate::model::{LEAVES, Model, TREES, Trees};
pub use crate::situation::SITUATION;

/// A window that uses another model.
pub fn window(model: &'static Model) -> Window {
    Window::with(model)
}

/// Like [`Window::push`]. Also shows `watch` the candidates among which the model chose.
pub fn push(window: &mut Window, message: &Message, members: &Members, watch: &mut dyn FnMut(&Candidates)) {
    window.push_watched(message, members, watch);
}

/// The features of each member that has spoken in the window before a message.
pub fn situations(window: &Window, message: u64) -> Vec<(MemberId, [f32; SITUATION])> {
    let Some(situation) = crate::situation::Situation::of(window, message) else { return Vec::new() };
    let slots = (0..window.speakers.len() as u16).filter(|slot| situation.is_around(*slot));
    slots.filter_map(|slot| Some((window.id_of(slot)?.clone(), situation.row(slot)))).collect()
}
