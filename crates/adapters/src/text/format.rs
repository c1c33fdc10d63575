//! Converts Markdown to the markup of each platform. HTML in a text is escaped as text.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::Dialect;

/// Converts Markdown to a dialect.
pub fn format(text: &str, dialect: Dialect) -> String {
    if matches!(dialect, Dialect::Discord | Dialect::Markdown) {
        return text.to_owned();
    }
    let mut writer = Writer {
        dialect,
        out: String::with_capacity(text.len()),
        lists: Vec::new(),
        links: Vec::new(),
        quote: 0,
        in_code: false,
        cell: 0,
    };
    for event in Parser::new_ext(text, Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TABLES) {
        writer.event(event);
    }
    writer.out.truncate(writer.out.trim_end().len());
    writer.out
}

/// Escapes a text for HTML.
pub fn escape_html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

struct Writer {
    dialect: Dialect,
    out: String,
    /// The next number of each open list; `None` for bullet lists.
    lists: Vec<Option<u64>>,
    /// The targets of open links, and the positions in `out` where their texts begin.
    links: Vec<(String, usize)>,
    quote: usize,
    in_code: bool,
    cell: usize,
}

impl Writer {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.text(&text),
            Event::Code(code) => {
                let (open, close) = self.marks("`", "<code>", "</code>", "");
                self.out.push_str(open);
                self.text(&code);
                self.out.push_str(close);
            }
            Event::SoftBreak | Event::HardBreak => self.line_break(),
            Event::Rule => {
                self.block();
                self.out.push_str(if self.dialect == Dialect::MatrixHtml { "<hr>" } else { "———" });
            }
            _ => {}
        }
    }

    /// The opening or closing mark of an inline element in each dialect.
    fn marks(
        &self,
        slack: &'static str,
        open: &'static str,
        close: &'static str,
        plain: &'static str,
    ) -> (&'static str, &'static str) {
        match self.dialect {
            Dialect::Slack => (slack, slack),
            Dialect::TelegramHtml | Dialect::MatrixHtml => (open, close),
            _ => (plain, plain),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        let html = self.dialect == Dialect::MatrixHtml;
        match tag {
            Tag::Paragraph => {
                self.block();
                if html {
                    self.out.push_str("<p>");
                }
            }
            Tag::Heading { .. } => {
                self.block();
                self.out.push_str(self.marks("*", "<b>", "</b>", "").0);
            }
            Tag::BlockQuote(_) => {
                self.block();
                self.quote += 1;
                self.out.push_str(self.marks("", "<blockquote>", "", "").0);
                self.quote_mark();
            }
            Tag::CodeBlock(kind) => self.code_block(&kind),
            Tag::List(first) => {
                if self.lists.is_empty() {
                    self.block();
                }
                if html {
                    self.out.push_str(if first.is_some() { "<ol>" } else { "<ul>" });
                }
                self.lists.push(first);
            }
            Tag::Item => self.item(),
            Tag::Emphasis => self.out.push_str(self.marks("_", "<i>", "</i>", "").0),
            Tag::Strong => self.out.push_str(self.marks("*", "<b>", "</b>", "").0),
            Tag::Strikethrough => self.out.push_str(self.marks("~", "<s>", "</s>", "").0),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                let target = escape_html(&dest_url);
                match self.dialect {
                    Dialect::Slack => self.out.push_str(&format!("<{}|", target.replace('|', "%7C"))),
                    Dialect::TelegramHtml | Dialect::MatrixHtml => {
                        self.out.push_str(&format!("<a href=\"{target}\">"))
                    }
                    _ => {}
                }
                self.links.push((dest_url.into_string(), self.out.len()));
            }
            Tag::TableRow | Tag::TableHead => {
                self.newline();
                self.cell = 0;
            }
            Tag::Table(_) => self.block(),
            Tag::TableCell => {
                if self.cell > 0 {
                    self.out.push_str(" | ");
                }
                self.cell += 1;
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        let html = self.dialect == Dialect::MatrixHtml;
        match tag {
            TagEnd::Paragraph if html => self.out.push_str("</p>"),
            TagEnd::Heading(_) | TagEnd::Strong => self.out.push_str(self.marks("*", "<b>", "</b>", "").1),
            TagEnd::Emphasis => self.out.push_str(self.marks("_", "<i>", "</i>", "").1),
            TagEnd::Strikethrough => self.out.push_str(self.marks("~", "<s>", "</s>", "").1),
            TagEnd::BlockQuote(_) => {
                self.quote = self.quote.saturating_sub(1);
                self.out.push_str(self.marks("", "", "</blockquote>", "").1);
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::List(ordered) => {
                self.lists.pop();
                if html {
                    self.out.push_str(if ordered { "</ol>" } else { "</ul>" });
                }
            }
            TagEnd::Item if html => self.out.push_str("</li>"),
            TagEnd::Link | TagEnd::Image => self.end_link(),
            _ => {}
        }
    }

    fn code_block(&mut self, kind: &CodeBlockKind<'_>) {
        self.block();
        self.in_code = true;
        let language = match kind {
            CodeBlockKind::Fenced(info) => info.split_whitespace().next().unwrap_or_default(),
            CodeBlockKind::Indented => "",
        };
        let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '#' | '_');
        let language = if language.len() <= 20 && language.chars().all(is_word) { language } else { "" };
        match self.dialect {
            Dialect::Slack => self.out.push_str("```\n"),
            Dialect::TelegramHtml | Dialect::MatrixHtml if language.is_empty() => {
                self.out.push_str("<pre><code>")
            }
            Dialect::TelegramHtml | Dialect::MatrixHtml => {
                self.out.push_str(&format!("<pre><code class=\"language-{}\">", escape_html(language)));
            }
            _ => {}
        }
    }

    fn end_code(&mut self) {
        self.in_code = false;
        self.out.truncate(self.out.trim_end_matches('\n').len());
        match self.dialect {
            Dialect::Slack => self.out.push_str("\n```"),
            Dialect::TelegramHtml | Dialect::MatrixHtml => self.out.push_str("</code></pre>"),
            _ => {}
        }
    }

    fn item(&mut self) {
        if self.dialect == Dialect::MatrixHtml {
            self.out.push_str("<li>");
            return;
        }
        self.newline();
        let depth = self.lists.len().saturating_sub(1);
        self.out.push_str(&"  ".repeat(depth));
        let mark = match self.lists.last_mut() {
            Some(Some(number)) => {
                *number += 1;
                format!("{}. ", *number - 1)
            }
            _ if self.dialect == Dialect::Plain => "- ".to_owned(),
            _ => "• ".to_owned(),
        };
        self.out.push_str(&mark);
    }

    fn end_link(&mut self) {
        let Some((target, from)) = self.links.pop() else { return };
        match self.dialect {
            Dialect::Slack => self.out.push('>'),
            Dialect::TelegramHtml | Dialect::MatrixHtml => self.out.push_str("</a>"),
            // a link whose text equals its target is written once
            _ if self.out[from..] == target || target.strip_prefix("mailto:") == Some(&self.out[from..]) => {}
            _ if target.is_empty() => {}
            _ => self.out.push_str(&format!(" ({target})")),
        }
    }

    fn text(&mut self, text: &str) {
        let escaped = match self.dialect {
            Dialect::Slack => text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"),
            Dialect::TelegramHtml | Dialect::MatrixHtml => escape_html(text),
            _ => text.to_owned(),
        };
        self.out.push_str(&escaped);
    }

    fn line_break(&mut self) {
        self.out.push_str(if self.dialect == Dialect::MatrixHtml { "<br>" } else { "\n" });
        self.quote_mark();
    }

    /// Begins a block. Writes an empty line before it, except in Matrix HTML, whose block elements separate themselves.
    fn block(&mut self) {
        if self.out.is_empty() || self.dialect == Dialect::MatrixHtml {
            return;
        }
        let begins_item = self.out.ends_with("- ") || self.out.ends_with("• ") || self.out.ends_with(". ");
        if !self.lists.is_empty() {
            if !begins_item {
                self.newline();
            }
        } else if !self.out.ends_with("> ") && !self.out.ends_with("<blockquote>") {
            self.newline();
            self.out.push('\n');
            self.quote_mark();
        }
    }

    fn newline(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with('\n') && self.dialect != Dialect::MatrixHtml {
            self.out.push('\n');
        }
    }

    fn quote_mark(&mut self) {
        if self.quote > 0 && matches!(self.dialect, Dialect::Plain | Dialect::Slack) {
            self.out.push_str("> ");
        }
    }
}
