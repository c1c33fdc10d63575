//! PNG pictures with a card in a text chunk: `ccv3` or `chara`, base64 of JSON. Pixels are not decoded.

use std::io::Read;

use base64::{
    Engine,
    engine::general_purpose::{STANDARD, STANDARD_NO_PAD},
};
use flate2::{Compression, read::ZlibDecoder, write::ZlibEncoder};
use serde_json::Value;

use crate::{
    FormatError,
    json::{self, Documents, Order},
    secrets,
};

/// The keyword of a lorebook.
const LOREBOOK: &[u8] = b"naidata";
const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
/// The longest text chunk after inflating: base64 of the longest JSON.
const MAX_TEXT: u64 = (json::MAX_WITHIN as u64) * 4 / 3 + 1_024;
/// The most bytes of all texts of a picture, or of all pictures of an archive, after inflating.
pub(crate) const MAX_TEXTS: usize = 2 * MAX_TEXT as usize;
/// The most chunks. A large picture in chunks of 4 KB has a fifth of that.
const MAX_CHUNKS: usize = 20_000;
/// The bytes of a chunk besides its data: length, type and checksum.
const FRAME: usize = 12;

/// A picture, split into chunks.
#[derive(Debug)]
pub(crate) struct Picture<'a> {
    chunks: Vec<Chunk<'a>>,
}

#[derive(Debug, Clone, Copy)]
struct Chunk<'a> {
    kind: [u8; 4],
    data: &'a [u8],
}

/// The cards of a picture, each with the order of its fields.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Cards {
    /// The chunk `ccv3`.
    pub v3: Option<(Value, Order)>,
    /// The chunk `chara`.
    pub v2: Option<(Value, Order)>,
}

/// Whether the bytes are a PNG picture.
pub(crate) fn is_png(bytes: &[u8]) -> bool {
    bytes.starts_with(SIGNATURE)
}

impl<'a> Picture<'a> {
    /// Splits a picture into its chunks. Ignores bytes after the last chunk. Does not verify checksums, because a wrong
    /// one does not change the card.
    pub fn read(bytes: &'a [u8]) -> Result<Self, FormatError> {
        let mut rest = bytes.strip_prefix(SIGNATURE).ok_or_else(|| damaged("there is no PNG signature"))?;
        let mut chunks = Vec::new();
        while let Some((head, after)) = rest.split_first_chunk::<8>() {
            let [a, b, c, d, kind @ ..] = *head;
            let length = u32::from_be_bytes([a, b, c, d]) as usize;
            let Some(data) = after.get(..length) else {
                return Err(damaged(&format!("the chunk {} is cut off", String::from_utf8_lossy(&kind))));
            };
            chunks.push(Chunk { kind, data });
            if chunks.len() > MAX_CHUNKS {
                let limit = format!("{MAX_CHUNKS} chunks");
                return Err(FormatError::TooLarge { what: "the picture".into(), limit });
            }
            if kind == *b"IEND" {
                break;
            }
            rest = after.get(length + 4..).unwrap_or_default();
        }
        Ok(Self { chunks })
    }

    /// The cards of the picture, and the card chunks that are left out, with the reasons: damaged chunks beside a good
    /// one, and further chunks of the same kind.
    ///
    /// # Errors
    /// The error of the newest card, if no card can be read.
    pub fn cards(&self) -> Result<(Cards, Vec<(String, String)>), FormatError> {
        let mut cards = Cards::default();
        let mut left_out = Vec::new();
        let mut failed = None;
        let mut documents = Documents::within();
        let mut room = MAX_TEXTS;
        for chunk in &self.chunks {
            let Some(keyword) = chunk.keyword() else { continue };
            let (place, name) = match keyword {
                Keyword::V3 => (&mut cards.v3, "ccv3"),
                Keyword::V2 => (&mut cards.v2, "chara"),
            };
            let mut leave_out = |reason: String| left_out.push((format!("(the chunk {name})"), reason));
            match (chunk.text(&mut room).and_then(|text| decode(text, &mut documents)), &place) {
                (Ok(Document { card, order, twice }), None) => {
                    *place = Some((card, order));
                    twice
                        .into_iter()
                        .for_each(|field| leave_out(format!("{field} is there twice; the last one counts")));
                }
                (Ok(Document { card, .. }), Some((first, _))) if card == *first => {}
                (Ok(_), Some(_)) => leave_out("the picture has another one before it, which counts".into()),
                (Err(error @ (FormatError::TooLarge { .. } | FormatError::TooDeep { .. })), _) => {
                    return Err(error);
                }
                (Err(error), _) => {
                    leave_out(format!(
                        "it cannot be read, and the other card of the picture counts: {error}"
                    ));
                    if failed.is_none() || name == "ccv3" {
                        failed = Some(error);
                    }
                }
            }
        }
        match failed {
            Some(error) if cards == Cards::default() => Err(error),
            _ => Ok((cards, left_out)),
        }
    }

    /// The picture without texts that contain credentials; `None` if there are none. `room`: the bytes that texts may
    /// still take.
    ///
    /// # Errors
    /// [`FormatError::TooLarge`] if a text is too large to be searched.
    pub fn without_secrets(&self, room: &mut usize) -> Result<Option<Vec<u8>>, FormatError> {
        let mut chunks: Vec<Chunk<'a>> = Vec::with_capacity(self.chunks.len());
        for chunk in &self.chunks {
            if !chunk.holds_secret(room)? {
                chunks.push(*chunk);
            }
        }
        if chunks.len() == self.chunks.len() {
            return Ok(None);
        }
        let mut picture = begun(&chunks);
        chunks.iter().for_each(|chunk| put(&mut picture, &chunk.kind, &[chunk.data]));
        Ok(Some(picture))
    }

    /// The NovelAI lorebook in the picture, with the order of its fields and its duplicate fields.
    pub fn lorebook(&self) -> Result<Option<(Value, Order, Vec<String>)>, FormatError> {
        let chunk = self.chunks.iter().find(|chunk| chunk.is_lorebook());
        chunk
            .map(|chunk| {
                let Document { card, order, twice } =
                    decode(chunk.text(&mut { MAX_TEXTS })?, &mut Documents::within())?;
                Ok((card, order, twice))
            })
            .transpose()
    }

    /// The picture with this lorebook instead of its own.
    pub fn with_lorebook(&self, book: &Value, order: &Order) -> Vec<u8> {
        self.write(&[(LOREBOOK, book, order)], |chunk| !chunk.is_lorebook())
    }

    /// The picture without its lorebook.
    pub fn without_lorebook(&self) -> Vec<u8> {
        self.write(&[], |chunk| !chunk.is_lorebook())
    }

    /// The picture without cards.
    pub fn without_cards(&self) -> Vec<u8> {
        self.write(&[], |chunk| chunk.keyword().is_none())
    }

    /// The picture with these cards instead of its own. Each card has the order of its fields.
    pub fn with_cards(&self, v3: Option<(&Value, &Order)>, v2: Option<(&Value, &Order)>) -> Vec<u8> {
        let v2 = v2.map(|(card, order)| (&b"chara"[..], card, order));
        let v3 = v3.map(|(card, order)| (&b"ccv3"[..], card, order));
        self.write(&v2.into_iter().chain(v3).collect::<Vec<_>>(), |chunk| chunk.keyword().is_none())
    }

    /// Writes the chunks that `stays` selects, and then the documents under their keywords.
    fn write(&self, texts: &[(&[u8], &Value, &Order)], stays: impl Fn(&Chunk<'_>) -> bool) -> Vec<u8> {
        let is_kept = |chunk: &&Chunk<'a>| stays(chunk) && chunk.kind != *b"IEND";
        let kept: Vec<Chunk<'a>> = self.chunks.iter().filter(is_kept).copied().collect();
        let mut out = begun(&kept);
        for chunk in &kept {
            put(&mut out, &chunk.kind, &[chunk.data]);
        }
        for (keyword, value, order) in texts {
            let text = STANDARD.encode(json::compact(value, order));
            put(&mut out, b"tEXt", &[keyword, b"\0", text.as_bytes()]);
        }
        put(&mut out, b"IEND", &[]);
        out
    }
}

/// The beginning of a picture, with capacity for these chunks and the end. A growing vector would take twice the memory
/// (X12).
fn begun(chunks: &[Chunk<'_>]) -> Vec<u8> {
    let length: usize = chunks.iter().map(|chunk| chunk.data.len() + FRAME).sum();
    let mut out = Vec::with_capacity(SIGNATURE.len() + length + FRAME);
    out.extend(SIGNATURE);
    out
}

/// Writes a chunk; `parts` are concatenated.
fn put(out: &mut Vec<u8>, kind: &[u8], parts: &[&[u8]]) {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    out.reserve_exact(length + FRAME);
    out.extend((length as u32).to_be_bytes());
    let from = out.len();
    out.extend(kind);
    parts.iter().for_each(|part| out.extend(*part));
    out.extend(crc32fast::hash(&out[from..]).to_be_bytes());
}

enum Keyword {
    V2,
    V3,
}

impl Chunk<'_> {
    /// Whether the chunk is a text or a card that contains a credential.
    fn holds_secret(&self, room: &mut usize) -> Result<bool, FormatError> {
        if !matches!(&self.kind, b"tEXt" | b"zTXt" | b"iTXt") {
            return Ok(false);
        }
        let text = match self.text(room) {
            Ok(text) => text,
            Err(error @ FormatError::TooLarge { .. }) => return Err(error),
            Err(_) => return Ok(false),
        };
        Ok(match self.keyword().is_some() || self.is_lorebook() {
            true => decode(text, &mut Documents::within())
                .is_ok_and(|mut it| !secrets::remove(&mut it.card).is_empty()),
            false => secrets::are_in(&text),
        })
    }

    fn is_lorebook(&self) -> bool {
        matches!(&self.kind, b"tEXt" | b"zTXt" | b"iTXt")
            && self.data.split(|byte| *byte == 0).next() == Some(LOREBOOK)
    }

    /// The kind of card in the chunk, if any.
    fn keyword(&self) -> Option<Keyword> {
        if !matches!(&self.kind, b"tEXt" | b"zTXt" | b"iTXt") {
            return None;
        }
        let keyword = self.data.split(|byte| *byte == 0).next()?;
        match () {
            () if keyword.eq_ignore_ascii_case(b"ccv3") => Some(Keyword::V3),
            () if keyword.eq_ignore_ascii_case(b"chara") => Some(Keyword::V2),
            () => None,
        }
    }

    /// The text of the chunk, inflated if necessary. Its bytes are subtracted from `room`.
    fn text(&self, room: &mut usize) -> Result<Vec<u8>, FormatError> {
        let cut = || damaged("the chunk of the card is cut off");
        let after_zero = |data: &'_ [u8]| data.iter().position(|byte| *byte == 0).map(|at| at + 1);
        let rest = after_zero(self.data).map(|at| &self.data[at..]).ok_or_else(cut)?;
        match &self.kind {
            b"zTXt" => inflate(rest.get(1..).ok_or_else(cut)?, room),
            b"iTXt" => {
                let (flag, rest) = (rest.first().copied().ok_or_else(cut)?, rest.get(2..).ok_or_else(cut)?);
                let rest = after_zero(rest).map(|at| &rest[at..]).ok_or_else(cut)?;
                let rest = after_zero(rest).map(|at| &rest[at..]).ok_or_else(cut)?;
                if flag == 1 { inflate(rest, room) } else { Ok(rest.to_vec()) }
            }
            _ => Ok(rest.to_vec()),
        }
    }
}

/// Inflates at most [`MAX_TEXT`] bytes and at most `room`. A small picture may contain many large texts (X12).
fn inflate(data: &[u8], room: &mut usize) -> Result<Vec<u8>, FormatError> {
    let mut text = Vec::new();
    let read = ZlibDecoder::new(data).take(MAX_TEXT.min(*room as u64) + 1).read_to_end(&mut text);
    if text.len() as u64 > MAX_TEXT {
        return Err(FormatError::TooLarge {
            what: "a packed text in the picture".into(),
            limit: "8 MB".into(),
        });
    }
    *room = room.checked_sub(text.len()).ok_or_else(|| FormatError::TooLarge {
        what: "the packed text of the picture or the pictures".into(),
        limit: format!("{} MB", MAX_TEXTS >> 20),
    })?;
    read.map_err(|error| damaged(&format!("the card cannot be inflated: {error}")))?;
    Ok(text)
}

/// The JSON of a chunk.
struct Document {
    card: Value,
    order: Order,
    /// The duplicate fields.
    twice: Vec<String>,
}

/// Parses JSON, or base64 of JSON. The documents of a picture share a memory limit.
fn decode(mut text: Vec<u8>, documents: &mut Documents) -> Result<Document, FormatError> {
    if text.len() as u64 > MAX_TEXT {
        return Err(FormatError::TooLarge { what: "the card in the picture".into(), limit: "8 MB".into() });
    }
    if !text.trim_ascii_start().starts_with(b"{") {
        text.retain(|byte| !byte.is_ascii_whitespace() && !matches!(byte, b'=' | 0));
        // some tools use the URL-safe base64 alphabet
        for byte in &mut text {
            match byte {
                b'-' => *byte = b'+',
                b'_' => *byte = b'/',
                _ => {}
            }
        }
        text = STANDARD_NO_PAD
            .decode(text)
            .map_err(|error| damaged(&format!("the card is no base64: {error}")))?;
    }
    if text.is_empty() {
        return Err(damaged("the chunk of the card is empty"));
    }
    let text = String::from_utf8(text).map_err(|_| damaged("the card is not UTF-8"))?;
    let card = documents.apart().parse(&text)?;
    if !card.is_object() {
        return Err(damaged("the chunk of the card holds something else than a card"));
    }
    let (order, twice) = (std::mem::take(&mut documents.order), std::mem::take(&mut documents.twice));
    Ok(Document { card, order, twice })
}

fn damaged(message: &str) -> FormatError {
    FormatError::Damaged { container: "picture", message: message.to_owned() }
}

/// A small picture of one colour, for a card without a picture.
pub(crate) fn blank() -> Vec<u8> {
    const SIDE: u32 = 64;
    let row: Vec<u8> = std::iter::once(0).chain(std::iter::repeat_n(0xb0, SIDE as usize)).collect();
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    // writing into memory cannot fail
    let _ = std::io::Write::write_all(&mut encoder, &row.repeat(SIDE as usize));
    let pixels = encoder.finish().unwrap_or_default();
    // 8 bits of grey, no interlace
    let header = [&SIDE.to_be_bytes()[..], &SIDE.to_be_bytes(), &[8, 0, 0, 0, 0]].concat();
    let chunks = vec![Chunk { kind: *b"IHDR", data: &header }, Chunk { kind: *b"IDAT", data: &pixels }];
    Picture { chunks }.without_cards()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn chunk(kind: &[u8], data: &[u8]) -> Vec<u8> {
        [&(data.len() as u32).to_be_bytes()[..], kind, data, &[0; 4]].concat()
    }

    fn deflated(data: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        std::io::Write::write_all(&mut encoder, data).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn pf2_a_card_written_into_a_picture_is_read_from_it_and_the_rest_stays() {
        let (v3, v2, order) = (json!({ "a": "ü" }), json!({ "a": 2 }), Order::default());
        let blank = blank();
        let bytes = Picture::read(&blank).unwrap().with_cards(Some((&v3, &order)), Some((&v2, &order)));
        let picture = Picture::read(&bytes).unwrap();
        let cards = picture.cards().unwrap().0;
        assert_eq!((cards.v3, cards.v2), (Some((v3, order.clone())), Some((v2, order))));
        assert_eq!(picture.without_cards(), blank);
    }

    #[test]
    fn pf1_a_card_is_found_in_every_kind_of_text_chunk_whatever_its_case() {
        let card = STANDARD.encode(r#"{"name":"Nova"}"#);
        let plain = [b"Chara\0", card.as_bytes()].concat();
        let packed = [b"CCV3\0\0".to_vec(), deflated(card.as_bytes())].concat();
        let international = [b"ccv3\0\x01\0en\0\0".to_vec(), deflated(card.as_bytes())].concat();
        for (kind, data) in [(b"tEXt", plain), (b"zTXt", packed), (b"iTXt", international)] {
            let bytes = [SIGNATURE.to_vec(), chunk(kind, &data), chunk(b"IEND", b"")].concat();
            let (cards, _) = Picture::read(&bytes).unwrap().cards().unwrap();
            assert_eq!(cards.v2.or(cards.v3).unwrap().0, json!({ "name": "Nova" }));
        }
    }

    #[test]
    fn pf8_a_picture_of_too_many_chunks_is_refused() {
        let of = |chunks: usize| {
            [SIGNATURE, &chunk(b"tEXt", b"a\0b").repeat(chunks), &chunk(b"IEND", b"")].concat()
        };
        assert!(Picture::read(&of(MAX_CHUNKS - 1)).is_ok());
        let refused = Picture::read(&of(MAX_CHUNKS)).unwrap_err();
        assert!(matches!(refused, FormatError::TooLarge { .. }), "{refused}");
    }

    #[test]
    fn pf1_a_broken_card_beside_a_good_one_fails_no_import_and_is_named() {
        let texts = |texts: &[&[u8]]| -> Vec<u8> {
            let chunks = texts.iter().flat_map(|text| chunk(b"tEXt", text));
            [SIGNATURE.to_vec(), chunks.collect(), chunk(b"IEND", b"")].concat()
        };
        let good = b"chara\0{\"name\":\"Nova\"}";
        let other = b"chara\0{\"name\":\"Zoe\",\"a\":1,\"a\":2}";
        for broken in [&b"ccv3\0{\"name\":"[..], b"ccv3\0!!!", b"CCV3\0/////w", b"ccv3\0bnVsbA=="] {
            let bytes = texts(&[broken, good]);
            let (cards, left_out) = Picture::read(&bytes).unwrap().cards().unwrap();
            assert_eq!((cards.v2.unwrap().0, cards.v3), (json!({ "name": "Nova" }), None));
            assert!(
                left_out[0].0.contains("ccv3") && left_out[0].1.contains("cannot be read"),
                "{left_out:?}"
            );
            let bytes = texts(&[b"chara\0x!", broken]);
            assert!(Picture::read(&bytes).unwrap().cards().is_err());
        }
        let ended = STANDARD.encode(r#"{"name":"Nova"}"#) + "\r\n\0";
        let bytes = texts(&[&[b"chara\0", ended.as_bytes()].concat()]);
        assert!(Picture::read(&bytes).unwrap().cards().unwrap().0.v2.is_some());
        let safe = base64::engine::general_purpose::URL_SAFE.encode(r#"{"name":"ÿÿ??>>~~"}"#);
        let bytes = texts(&[&[b"chara\0", safe.as_bytes()].concat()]);
        let card = Picture::read(&bytes).unwrap().cards().unwrap().0.v2.unwrap();
        assert_eq!(card.0, json!({ "name": "ÿÿ??>>~~" }));
        let bytes = texts(&[good, other, good]);
        let (cards, left_out) = Picture::read(&bytes).unwrap().cards().unwrap();
        assert_eq!((cards.v2.unwrap().0, left_out.len()), (json!({ "name": "Nova" }), 1));
        let bytes = texts(&[other]);
        assert!(Picture::read(&bytes).unwrap().cards().unwrap().1[0].1.starts_with("a is there twice"));
    }

    #[test]
    fn pf8_a_packed_chunk_that_grows_without_end_is_refused() {
        let packed = [b"ccv3\0\0".to_vec(), deflated(&vec![b'A'; 40 << 20])].concat();
        let bytes = [SIGNATURE.to_vec(), chunk(b"zTXt", &packed)].concat();
        assert!(matches!(Picture::read(&bytes).unwrap().cards(), Err(FormatError::TooLarge { .. })));
    }
}
