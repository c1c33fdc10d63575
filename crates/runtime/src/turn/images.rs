//! The images of the messages that a turn answers, for a model that accepts images (AD2).

use std::time::Duration;

use futures::future::join_all;
use greenroom_context::{Assembled, accepts_images};
use greenroom_core::{AttachedImage, Image, Role};

use super::{Turn, request::ContextInputs};
use crate::ResolvedModel;

/// The most images of a turn. The newest are taken.
const MOST: usize = 4;
/// The tokens counted for an image: the most that the large providers count for one of usual size.
const TOKENS: usize = 1600;
/// The time limit for fetching the images.
const FETCH_TIME: Duration = Duration::from_secs(20);

/// The images of a turn.
#[derive(Default)]
pub(super) struct TurnImages {
    images: Vec<Image>,
    /// Why other images are missing, for the receipt.
    missing: Vec<String>,
}

impl Turn {
    /// Fetches the images of the answered messages. They take at most half of `window`, the tokens of the request. The
    /// text of a message describes its images as well, so a turn goes on without those that cannot be fetched.
    pub(super) async fn images(&self, model: &ResolvedModel, window: usize) -> TurnImages {
        let attached = self.burst.iter().flat_map(|cue| &cue.envelope.images);
        let attached: Vec<&AttachedImage> = attached.collect();
        let accepts = self.persona.model.images.unwrap_or_else(|| accepts_images(&model.name));
        if attached.is_empty() || !accepts {
            return TurnImages::default();
        }
        let most = MOST.min(window / 2 / TOKENS);
        let newest = &attached[attached.len().saturating_sub(most)..];
        let fetches = newest.iter().map(|image| async {
            let fetched = self.services.clock.timeout(FETCH_TIME, image.0.fetch()).await;
            fetched.unwrap_or_else(|_| Err("it took too long to fetch".to_owned()))
        });
        let mut all = TurnImages::default();
        if newest.len() < attached.len() {
            let left_out = attached.len() - newest.len();
            all.missing.push(format!("{left_out} of {} images are left out", attached.len()));
        }
        for fetched in join_all(fetches).await {
            match fetched {
                Ok(image) => all.images.push(image),
                Err(why) => all.missing.push(format!("the model does not see an image: {why}")),
            }
        }
        all
    }
}

impl TurnImages {
    /// The tokens that they take in a request.
    pub(super) fn tokens(&self) -> usize {
        self.images.len() * TOKENS
    }

    /// Adds the images to the answered message, and notes about their tokens and about missing images to the receipt.
    pub(super) fn add_to(&self, assembled: &mut Assembled, inputs: &ContextInputs) {
        assembled.receipt.notes.extend(self.missing.iter().cloned());
        if self.images.is_empty() {
            return;
        }
        let answered = inputs.history.get(inputs.trigger).map_or("", |entry| &entry.content);
        let theirs = |content: Option<&str>| {
            assembled.messages.iter().rposition(|message| {
                message.role == Role::User && content.is_none_or(|content| message.content.contains(content))
            })
        };
        let Some(n) = theirs(Some(answered)).or_else(|| theirs(None)) else { return };
        assembled.messages[n].images.clone_from(&self.images);
        let (count, tokens) = (self.images.len(), self.tokens());
        let images = if count == 1 { "1 image".to_owned() } else { format!("{count} images") };
        assembled.receipt.notes.push(format!("{images}, about {tokens} tokens that are not in the sum"));
    }
}
