//! The XML stream to a server (RFC 6120): opens and encrypts it, reads and sends elements.

use std::{path::Path, time::Duration};

use quick_xml::{
    NsReader, XmlVersion,
    events::{BytesStart, Event},
    name::ResolveResult,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, BufReader, ReadHalf, Take, WriteHalf},
    time::timeout,
};

use super::xml::Element;
use crate::tls::{self, Duplex};

pub(super) const CLIENT: &str = "jabber:client";
pub(super) const STREAM: &str = "http://etherx.jabber.org/streams";

/// The time limit for connecting and for sending an element.
const DIAL_TIME: Duration = Duration::from_secs(20);
/// The longest element in bytes; servers permit less.
const LONGEST: u64 = 1 << 20;
/// The deepest nesting of elements.
const DEEPEST: usize = 40;

type Source = BufReader<Take<ReadHalf<Box<dyn Duplex>>>>;

/// The read half of a stream.
pub(super) struct Reader {
    xml: NsReader<Source>,
    /// Makes `next` unsafe to cancel: dropping its future loses a partly read element. So it runs in a separate task.
    buffer: Vec<u8>,
}

/// The write half of a stream.
pub(super) struct Writer(WriteHalf<Box<dyn Duplex>>);

/// A stream with both halves.
pub(super) struct Stream {
    pub(super) reader: Reader,
    pub(super) writer: Writer,
}

/// The address of a server.
pub(super) struct Target<'a> {
    /// The domain of the account, which the certificate must name.
    pub(super) domain: &'a str,
    /// `host:port`. With the prefix `xmpps://`, TLS begins at once.
    pub(super) server: &'a str,
    pub(super) tls: bool,
    pub(super) ca_file: Option<&'a Path>,
}

impl Stream {
    fn new(stream: Box<dyn Duplex>) -> Self {
        let (reader, writer) = tokio::io::split(stream);
        let source = BufReader::new(reader.take(LONGEST));
        Self { reader: Reader::new(source), writer: Writer(writer) }
    }

    /// Connects, opens a stream and encrypts it if the settings say so. Returns the stream and the features that the
    /// server offers then.
    ///
    /// # Errors
    /// What failed, with the server's name.
    pub(super) async fn dial(target: &Target<'_>) -> Result<(Self, Element), String> {
        let Target { domain, server, tls, ca_file } = *target;
        let (at_once, server) = match server.strip_prefix("xmpps://") {
            Some(rest) => (true, rest),
            None => (false, server.strip_prefix("xmpp://").unwrap_or(server)),
        };
        let (host, port) = tls::address(server, if at_once { 5223 } else { 5222 })?;
        let connecting = timeout(DIAL_TIME, async {
            let mut stream = tls::plain(&host, port).await?;
            if tls && at_once {
                stream = tls::encrypted(stream, domain, ca_file).await?;
            }
            let mut stream = Self::new(stream);
            let mut features = stream.open(domain).await?;
            if tls && !at_once {
                stream = stream.start_tls(&features, domain, ca_file).await?;
                features = stream.open(domain).await?;
            }
            Ok::<_, String>((stream, features))
        });
        connecting
            .await
            .unwrap_or_else(|_| Err("it does not answer".into()))
            .map_err(|error| format!("cannot connect to {host}:{port}: {error}"))
    }

    /// Opens the stream, and again after TLS began and after signing on. Returns the features.
    pub(super) async fn open(&mut self, domain: &str) -> Result<Element, String> {
        let header = Element::new("stream:stream", "").with("to", domain).with("version", "1.0");
        let header = header.with("xmlns", CLIENT).with("xmlns:stream", STREAM).to_xml("");
        let header = header.strip_suffix("</stream:stream>").unwrap_or(&header);
        self.writer.send_text(&format!("<?xml version='1.0'?>{header}")).await?;
        self.reader.header().await?;
        let features = self.reader.next().await?.ok_or("the server closed the stream")?;
        match features.is("features", STREAM) {
            true => Ok(features),
            false => Err(problem(&features)),
        }
    }

    async fn start_tls(
        mut self,
        features: &Element,
        domain: &str,
        ca_file: Option<&Path>,
    ) -> Result<Self, String> {
        const TLS: &str = "urn:ietf:params:xml:ns:xmpp-tls";
        if features.get("starttls", TLS).is_none() {
            return Err("it offers no encryption".into());
        }
        self.writer.send(&Element::new("starttls", TLS)).await?;
        let answer = self.reader.next().await?.ok_or("the server closed the stream")?;
        if !answer.is("proceed", TLS) {
            return Err("it refuses to encrypt".into());
        }
        let source = self.reader.xml.into_inner();
        // text before the encryption may come from another server
        if !source.buffer().is_empty() {
            return Err("it sent text before the encryption began".into());
        }
        let plain = source.into_inner().into_inner().unsplit(self.writer.0);
        Ok(Self::new(tls::encrypted(plain, domain, ca_file).await?))
    }

    /// Begins a new XML document on the same connection.
    pub(super) fn restart(self) -> Self {
        Self { reader: Reader::new(self.reader.xml.into_inner()), writer: self.writer }
    }
}

/// The text of a stream error.
pub(super) fn problem(element: &Element) -> String {
    const STREAMS: &str = "urn:ietf:params:xml:ns:xmpp-streams";
    let condition = element.get_ns(STREAMS).map_or(element.name.as_str(), |condition| &condition.name);
    match element.get("text", STREAMS) {
        Some(text) => format!("the server said: {condition}: {}", text.text),
        None => format!("the server said: {condition}"),
    }
}

impl Writer {
    /// Sends an element.
    ///
    /// # Errors
    /// The error of the system.
    pub(super) async fn send(&mut self, element: &Element) -> Result<(), String> {
        self.send_text(&element.to_xml(CLIENT)).await
    }

    /// Ends the stream.
    pub(super) async fn close(&mut self) {
        let _ = self.send_text("</stream:stream>").await;
    }

    async fn send_text(&mut self, text: &str) -> Result<(), String> {
        let sent = async {
            self.0.write_all(text.as_bytes()).await?;
            self.0.flush().await
        };
        match timeout(DIAL_TIME, sent).await {
            Ok(sent) => sent.map_err(|error| error.to_string()),
            Err(_) => Err("the server takes nothing any more".into()),
        }
    }
}

impl Reader {
    fn new(source: Source) -> Self {
        Self { xml: NsReader::from_reader(source), buffer: Vec::new() }
    }

    /// Reads up to the start of the stream's content.
    async fn header(&mut self) -> Result<(), String> {
        loop {
            self.buffer.clear();
            match self.xml.read_event_into_async(&mut self.buffer).await.map_err(|e| e.to_string())? {
                Event::Start(_) => return Ok(()),
                Event::Eof | Event::Empty(_) => return Err("the server closed the stream".into()),
                Event::DocType(_) | Event::GeneralRef(_) => return Err("the server sent no XMPP".into()),
                _ => {}
            }
        }
    }

    /// The next element of the stream; `None` at its end. Not cancel-safe.
    ///
    /// # Errors
    /// The input is no XML or too long.
    pub(super) async fn next(&mut self) -> Result<Option<Element>, String> {
        self.xml.get_mut().get_mut().set_limit(LONGEST);
        let mut open: Vec<Element> = Vec::new();
        loop {
            self.buffer.clear();
            let read = self.xml.read_resolved_event_into_async(&mut self.buffer).await;
            let (ns, event) = read.map_err(broken)?;
            let done = match event {
                Event::Start(start) => {
                    if open.len() >= DEEPEST {
                        return Err("the server sent an element that is too deep".into());
                    }
                    open.push(element(&ns, &start)?);
                    None
                }
                Event::Empty(start) => Some(element(&ns, &start)?),
                Event::End(_) => match open.pop() {
                    Some(element) => Some(element),
                    None => return Ok(None),
                },
                Event::Text(text) => {
                    if let Some(inner) = open.last_mut() {
                        inner.text.push_str(&text.xml10_content());
                    }
                    None
                }
                Event::CData(text) => {
                    if let Some(inner) = open.last_mut() {
                        inner.text.push_str(&text.xml10_content());
                    }
                    None
                }
                Event::GeneralRef(reference) => {
                    let c = reference.resolve_char_ref().map_err(|error| error.to_string())?;
                    let text = match (c, &*reference.xml10_content()) {
                        (Some(c), _) => c.to_string(),
                        (None, name) => predefined(name).ok_or("the server sent an unknown entity")?.into(),
                    };
                    if let Some(inner) = open.last_mut() {
                        inner.text.push_str(&text);
                    }
                    None
                }
                Event::Eof => return Ok(None),
                // RFC 6120, 11.1 forbids these in a stream
                Event::Decl(_) | Event::Comment(_) | Event::PI(_) | Event::DocType(_) => {
                    return Err("the server sent XML that XMPP forbids".into());
                }
            };
            if let Some(done) = done {
                match open.last_mut() {
                    Some(parent) => parent.children.push(done),
                    None => return Ok(Some(done)),
                }
            }
        }
    }
}

fn element(ns: &ResolveResult<'_>, start: &BytesStart<'_>) -> Result<Element, String> {
    let ns = match ns {
        ResolveResult::Bound(ns) => ns.0,
        _ => "",
    };
    let mut element = Element::new(start.local_name().as_ref(), ns);
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| error.to_string())?;
        // namespace declarations are resolved in the elements
        if attribute.key.as_namespace_binding().is_some() {
            continue;
        }
        let value = attribute.normalized_value(XmlVersion::Explicit1_0).map_err(|error| error.to_string())?;
        element.attributes.push((attribute.key.as_ref().to_owned(), value.into_owned()));
    }
    Ok(element)
}

fn predefined(name: &str) -> Option<&'static str> {
    quick_xml::escape::resolve_predefined_entity(name)
}

/// The reason why reading failed.
fn broken(error: quick_xml::Error) -> String {
    match &error {
        quick_xml::Error::Io(error) => tls::reason(error),
        error => error.to_string(),
    }
}
