//! Fetches the images of messages for models that accept images (AD2). Each image is fetched once and within limits,
//! because a message may come from a stranger.

use std::sync::Arc;

use greenroom_core::{AttachedImage, Image, ImageFetch, ImageSource};
use tokio::sync::{OnceCell, Semaphore};

use crate::{Adapter, Attachment, text};

/// The largest file that is fetched, in bytes: the limit of the large providers.
const LARGEST: usize = 5 << 20;
/// The most images per message. Further images are only described.
const PER_MESSAGE: usize = 4;
/// Concurrent fetches of an account.
const FETCHES: usize = 4;
/// The media types that models accept.
const TYPES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// Limits the concurrent fetches of an account.
pub(super) struct Fetches(Arc<Semaphore>);

impl Default for Fetches {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(FETCHES)))
    }
}

/// A file whose platform reports it as an image.
struct File {
    adapter: Arc<dyn Adapter>,
    /// The display name.
    name: String,
    source: String,
    fetches: Arc<Semaphore>,
    /// Cached, because several personas may answer the same message. A failure is not cached, so that the next turn
    /// tries again.
    fetched: OnceCell<Image>,
}

impl File {
    async fn fetch_now(&self) -> Result<Image, String> {
        let Self { adapter, name, source, fetches, .. } = self;
        let _permit = fetches.acquire().await;
        let bytes = adapter.fetch(source, LARGEST).await.map_err(|why| format!("{name}: {why}"))?;
        Image::read(bytes).ok_or_else(|| format!("{name} is no PNG, JPEG, GIF or WebP"))
    }
}

impl ImageSource for File {
    fn fetch(&self) -> ImageFetch<'_> {
        Box::pin(async { self.fetched.get_or_try_init(|| self.fetch_now()).await.cloned() })
    }
}

impl Fetches {
    /// The images among the attachments of a message.
    pub(super) fn images(&self, adapter: &Arc<dyn Adapter>, files: &[Attachment]) -> Vec<AttachedImage> {
        let is_image = |file: &&Attachment| {
            let is_readable = file.media_type.as_deref().is_some_and(|kind| TYPES.contains(&kind));
            is_readable && file.bytes.is_none_or(|bytes| bytes <= LARGEST as u64)
        };
        let image = |file: &Attachment| {
            let file = File {
                adapter: adapter.clone(),
                name: text::clean_name(&file.name, "an image"),
                source: file.source.clone()?,
                fetches: self.0.clone(),
                fetched: OnceCell::new(),
            };
            Some(AttachedImage(Arc::new(file)))
        };
        files.iter().filter(is_image).filter_map(image).take(PER_MESSAGE).collect()
    }
}
