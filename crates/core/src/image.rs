//! Images that come with messages.

use std::{fmt, pin::Pin, sync::Arc};

/// An image for a model.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Image {
    /// The media type, as `image/png`.
    pub media_type: &'static str,
    /// The file.
    pub bytes: Arc<[u8]>,
}

impl Image {
    /// The image in a file, by the file's first bytes: PNG, JPEG, GIF or WebP, which every model with vision reads.
    pub fn read(bytes: Vec<u8>) -> Option<Self> {
        let media_type = match &bytes[..] {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => "image/png",
            [0xff, 0xd8, 0xff, ..] => "image/jpeg",
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => "image/gif",
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
            _ => return None,
        };
        Some(Self { media_type, bytes: bytes.into() })
    }
}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Image({}, {} bytes)", self.media_type, self.bytes.len())
    }
}

/// A fetch under way: the image, or why there is none, for people.
pub type ImageFetch<'a> = Pin<Box<dyn Future<Output = Result<Image, String>> + Send + 'a>>;

/// Fetches an image from the platform of its message.
pub trait ImageSource: Send + Sync {
    /// Fetches the image.
    fn fetch(&self) -> ImageFetch<'_>;
}

/// An image of a message. It is fetched for a turn whose model accepts images, and for no other.
#[derive(Clone)]
pub struct AttachedImage(pub Arc<dyn ImageSource>);

impl fmt::Debug for AttachedImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AttachedImage")
    }
}

impl PartialEq for AttachedImage {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ad2_an_image_is_what_its_bytes_say_and_not_its_name() {
        let kind = |bytes: &[u8]| Image::read(bytes.to_vec()).map(|image| image.media_type);
        assert_eq!(kind(b"\x89PNG\r\n\x1a\n\0\0"), Some("image/png"));
        assert_eq!(kind(b"\xff\xd8\xff\xe0"), Some("image/jpeg"));
        assert_eq!(kind(b"GIF89a.."), Some("image/gif"));
        assert_eq!(kind(b"RIFF\0\0\0\0WEBPVP8 "), Some("image/webp"));
        for other in [&b""[..], b"<svg>", b"<html>", b"RIFF\0\0\0\0WAVE", b"%PDF-1.7", b"\x89PNG"] {
            assert_eq!(kind(other), None);
        }
    }
}
