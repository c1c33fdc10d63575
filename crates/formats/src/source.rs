//! The source of a persona: the data of the imported file without secrets. It is stored beside the persona file, so
//! that an export loses nothing (PF2).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    FormatError,
    json::{self, Order, Ordered},
};

/// A supported format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Character Card V1: flat JSON.
    CardV1,
    /// Character Card V2.
    CardV2,
    /// Character Card V3.
    CardV3,
    /// A lorebook alone: SillyTavern World Info, `lorebook_v3`, or a character book.
    Lorebook,
    /// An ElizaOS character of any generation.
    Eliza,
    /// A Letta agent file.
    Letta,
    /// Markdown files of the SOUL.md family; also one Markdown file alone.
    Soul,
    /// The manifest `soul.json` alone.
    SoulJson,
    /// AIEOS.
    Aieos,
    /// A coding tool's agent in Markdown.
    AgentMarkdown,
    /// A coding tool's agent in TOML.
    AgentToml,
    /// A Backyard archive.
    Byaf,
    /// CrewAI's `agents.yaml`.
    CrewAi,
}

impl Format {
    /// The name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::CardV1 => "Character Card V1",
            Self::CardV2 => "Character Card V2",
            Self::CardV3 => "Character Card V3",
            Self::Lorebook => "lorebook",
            Self::Eliza => "ElizaOS character",
            Self::Letta => "Letta agent file",
            Self::Soul => "SOUL.md family",
            Self::SoulJson => "soul.json",
            Self::Aieos => "AIEOS",
            Self::AgentMarkdown => "agent in Markdown",
            Self::AgentToml => "agent in TOML",
            Self::Byaf => "Backyard archive",
            Self::CrewAi => "CrewAI agents.yaml",
        }
    }

    /// The fields that only identify the format, as a receipt names them.
    pub(crate) fn own_fields(self) -> &'static [&'static str] {
        match self {
            Self::CardV2 | Self::CardV3 | Self::Lorebook => &["spec", "spec_version"],
            Self::Soul => &["soul.json.specVersion"],
            Self::SoulJson => &["specVersion"],
            Self::Aieos => &["standard"],
            _ => &[],
        }
    }

    /// Whether it is a character card.
    pub fn is_card(self) -> bool {
        matches!(self, Self::CardV1 | Self::CardV2 | Self::CardV3)
    }
}

/// The container of the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Carrier {
    /// The text itself.
    #[default]
    Text,
    /// A PNG picture.
    Png,
    /// A zip archive.
    Zip,
}

/// A file of an archive or a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asset {
    /// The relative path, with `/`.
    pub path: String,
    /// The bytes.
    pub content: Vec<u8>,
}

/// The serialised form of a [`Source`], without a copy of its data.
#[derive(Serialize)]
struct StoredSource<'a> {
    format: Format,
    carrier: Carrier,
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<&'a str>,
    data: Ordered<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    beside: Option<Ordered<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    removed: &'a [String],
}

/// The data that a persona was imported from.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Source {
    /// The format.
    pub format: Format,
    /// Its container.
    #[serde(default)]
    pub carrier: Carrier,
    /// The name of the imported file, without its directory.
    pub file: String,
    /// The selected agent of a file with several agents.
    #[serde(default)]
    pub agent: Option<String>,
    /// The raw data. For files of text: an object with the text of each file under its path.
    pub data: Value,
    /// The text of a file that is not JSON, with its comments. `None` if it contained a secret. An export writes this
    /// text if nothing was edited.
    #[serde(default)]
    pub text: Option<String>,
    /// The second card of a picture that contains two different ones.
    #[serde(default)]
    pub beside: Option<Value>,
    /// The places of removed secrets.
    #[serde(default)]
    pub removed: Vec<String>,
    /// The picture, without a card in it.
    #[serde(skip)]
    pub picture: Option<Vec<u8>>,
    /// Other files of the archive.
    #[serde(skip)]
    pub assets: Vec<Asset>,
    /// The order of the fields of `data` and `beside`, under their names.
    #[serde(skip)]
    pub order: Order,
    /// What was left out or changed while reading and is not written back: the place and the reason.
    #[serde(skip)]
    pub changes: Vec<(String, String)>,
}

impl Source {
    /// A source that consists of text only.
    pub fn new(format: Format, file: impl Into<String>, data: Value) -> Self {
        Self {
            format,
            carrier: Carrier::Text,
            file: file.into(),
            agent: None,
            data,
            text: None,
            beside: None,
            removed: Vec::new(),
            picture: None,
            assets: Vec::new(),
            order: Order::default(),
            changes: Vec::new(),
        }
    }

    /// The serialised source, as it is stored beside the persona, without the picture and other files.
    pub fn to_json(&self) -> String {
        let none = Order::default();
        let (data, beside) = (self.order.field("data"), self.order.field("beside"));
        json::pretty_of(&self.stored(data, beside), &self.stored(&none, &none))
    }

    /// Whether [`Source::to_json`] would write this text.
    pub(crate) fn is_written(&self, text: &str) -> bool {
        let none = Order::default();
        let (data, beside) = (self.order.field("data"), self.order.field("beside"));
        json::is_written(text, &self.stored(data, beside), &self.stored(&none, &none))
    }

    fn stored<'a>(&'a self, data: &'a Order, beside: &'a Order) -> StoredSource<'a> {
        StoredSource {
            format: self.format,
            carrier: self.carrier,
            file: &self.file,
            agent: self.agent.as_deref(),
            data: Ordered(&self.data, data),
            text: self.text.as_deref(),
            beside: self.beside.as_ref().map(|value| Ordered(value, beside)),
            removed: &self.removed,
        }
    }

    /// Parses the output of [`Source::to_json`].
    ///
    /// # Errors
    /// [`FormatError`] if the text is no source.
    pub fn from_json(text: &str) -> Result<Self, FormatError> {
        let mut documents = json::Documents::of_source();
        let value = documents.parse(text)?;
        let source = serde_json::from_value(value).map_err(|error| FormatError::Syntax {
            format: "JSON",
            line: 1,
            column: 1,
            message: format!("not the source of a persona: {error}"),
        })?;
        Ok(Self { order: documents.order, ..source })
    }

    /// Adds the order of the fields of its data.
    pub(crate) fn ordered(self, order: Order) -> Self {
        Self { order: Order::of_sorted([("data".into(), order)]), ..self }
    }

    /// Formats data as indented JSON, in the order of the file.
    pub(crate) fn pretty(&self, data: &Value) -> String {
        json::pretty(data, self.order.field("data"))
    }

    /// Whether both sources have the same data.
    pub fn same_data(&self, other: &Self) -> bool {
        (self.format, &self.data, &self.beside, &self.agent)
            == (other.format, &other.data, &other.beside, &other.agent)
    }

    /// The file name without its ending.
    pub(crate) fn stem(&self) -> &str {
        let name = self.file.rsplit('/').next().unwrap_or_default();
        name.split_once('.').map_or(name, |(stem, _)| stem)
    }
}
