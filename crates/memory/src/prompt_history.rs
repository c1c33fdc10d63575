//! The prompt history of the terminal chat: which of its lines are forgotten with what is erased from the store (X15).

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use greenroom_core::{Author, Platform};
use greenroom_store::{Erase, Erased, Store, StoreError};

/// The file in the data directory with the lines typed at the prompt of the terminal chat.
pub const PROMPT_HISTORY: &str = "history.txt";

/// Lines of the prompt history that contain what is to be erased, or may contain it: the history does not record who
/// typed a line, in which chat and when.
#[derive(Debug, PartialEq, Eq)]
pub struct PromptLines {
    file: PathBuf,
    /// The text of the lines; `None` for all lines.
    text: Option<String>,
}

impl PromptLines {
    /// Returns the lines in a data directory that go with an erasure. `would` are the items that it erases.
    ///
    /// # Errors
    /// The error of the store.
    pub async fn of(
        store: &dyn Store,
        what: &Erase,
        would: &Erased,
        data: &Path,
    ) -> Result<Option<Self>, StoreError> {
        let text = match what {
            Erase::Person(person) if person.provider() == Platform::Terminal.as_str() => None,
            Erase::Channel(channel) if channel.platform() == Some(Platform::Terminal) => None,
            Erase::Older { channel, .. }
                if channel.platform() == Some(Platform::Terminal) && would.messages > 0 =>
            {
                None
            }
            Erase::Message(id) => match store.message(*id).await? {
                Some(message)
                    if message.channel.platform() == Some(Platform::Terminal)
                        && matches!(message.author, Author::User { .. }) =>
                {
                    Some(message.text)
                }
                _ => return Ok(None),
            },
            // only the operator types at the prompt
            Erase::Person(_) | Erase::Channel(_) | Erase::Own { .. } | Erase::Older { .. } => {
                return Ok(None);
            }
        };
        let lines = Self { file: data.join(PROMPT_HISTORY), text };
        Ok(lines.exist().then_some(lines))
    }

    fn exist(&self) -> bool {
        match &self.text {
            None => self.file.exists(),
            Some(text) => {
                // a history that cannot be read is refused when its lines are to be removed
                let lines = fs::read(&self.file).map(|lines| String::from_utf8_lossy(&lines).into_owned());
                lines.map_or_else(
                    |error| error.kind() != io::ErrorKind::NotFound,
                    |lines| lines.lines().any(|line| typed(line) == *text),
                )
            }
        }
    }

    /// Removes the lines, or with all lines the file. Returns false if there were none.
    ///
    /// # Errors
    /// The error of the file system.
    pub fn forget(&self) -> io::Result<bool> {
        let removed = match &self.text {
            None => fs::remove_file(&self.file),
            Some(text) => fs::read(&self.file).and_then(|lines| {
                let lines = String::from_utf8_lossy(&lines);
                let rest = lines.split_inclusive('\n').filter(|line| typed(line) != *text);
                fs::write(&self.file, rest.collect::<String>())
            }),
        };
        match removed {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The file with the lines.
    pub fn file(&self) -> &Path {
        &self.file
    }
}

/// The message of a line of the history, in which line feeds and backslashes are escaped. As in the chat, `//` stands for
/// a message that begins with a slash.
fn typed(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut chars = line.trim().chars();
    while let Some(c) = chars.next() {
        text.push(match (c, c == '\\') {
            (_, true) => match chars.next() {
                Some('n') => '\n',
                Some(other) => other,
                None => '\\',
            },
            (c, false) => c,
        });
    }
    let text = text.trim();
    text.strip_prefix('/').filter(|rest| rest.starts_with('/')).unwrap_or(text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x15_a_line_of_the_history_is_the_message_that_was_sent() {
        assert_eq!(typed("  hello there \n"), "hello there");
        assert_eq!(typed(r"one\ntwo \\ three"), "one\ntwo \\ three");
        assert_eq!((typed("//etc").as_str(), typed("/quit").as_str()), ("/etc", "/quit"));
    }

    #[tokio::test]
    async fn x15_the_history_goes_with_what_people_said_in_the_terminal() {
        let stage = crate::tests::given::stage().await;
        let data = stage.directory.path();
        fs::write(data.join(PROMPT_HISTORY), "#V2\nhello\n").unwrap();
        let goes = async |what: Erase, messages| {
            let would = Erased { messages, ..Erased::default() };
            PromptLines::of(&stage.store, &what, &would, data).await.unwrap().is_some()
        };
        let older = |channel: &str| Erase::Older {
            persona: "ada".parse().unwrap(),
            channel: channel.parse().unwrap(),
            before: greenroom_core::Timestamp(9),
        };
        assert!(goes(Erase::Person("terminal:ann".parse().unwrap()), 0).await);
        assert!(!goes(Erase::Person("discord:terminal".parse().unwrap()), 0).await);
        assert!(goes(Erase::Channel("terminal:default".parse().unwrap()), 0).await);
        assert!(goes(older("terminal:default"), 1).await);
        assert!(!goes(older("terminal:default"), 0).await, "no message is that old");
        assert!(!goes(older("api:den"), 1).await);
    }

    #[test]
    fn x15_with_a_message_its_lines_go_and_the_others_stay() {
        let data = tempfile::tempdir().unwrap();
        let file = data.path().join(PROMPT_HISTORY);
        fs::write(&file, "#V2\nmy code is 123\nhello\n my code is 123\n").unwrap();
        let lines = PromptLines { file: file.clone(), text: Some("my code is 123".into()) };
        assert!(lines.exist() && lines.forget().unwrap() && !lines.exist());
        assert_eq!(fs::read_to_string(file).unwrap(), "#V2\nhello\n");
    }
}
