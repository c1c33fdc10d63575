//! One call of a tool of an MCP server. The answer is data for the model, and nothing else.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use greenroom_core::{ToolSchema, real_time};
use rmcp::{
    model::{CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ResourceContents},
    service::ServiceError,
};
use serde_json::{Map, Value};

use super::{
    server::{ConnectionState, Server},
    short,
};
use crate::{Tool, ToolContext, ToolError};

/// A tool of a server, as it is offered.
pub(super) struct McpTool {
    schema: ToolSchema,
    server: Arc<Server>,
    limit: Duration,
}

impl McpTool {
    /// A call may take `limit`.
    pub(super) fn new(schema: ToolSchema, server: Arc<Server>, limit: Duration) -> Self {
        Self { schema, server, limit }
    }

    fn failed(&self, reason: impl Into<String>) -> ToolError {
        ToolError::Failed { tool: self.schema.name.clone(), reason: reason.into() }
    }
}

#[async_trait]
impl Tool for McpTool {
    fn schema(&self) -> ToolSchema {
        self.schema.clone()
    }

    async fn call(&self, _: &ToolContext, arguments: Map<String, Value>) -> Result<String, ToolError> {
        let ConnectionState::Up(peer, ..) = self.server.state() else {
            return Err(self.failed(format!("its server {} is not connected now", self.server.name)));
        };
        let name = self.schema.name.clone();
        let call = peer.call_tool_once(CallToolRequestParams::new(name).with_arguments(arguments));
        match real_time().timeout(self.limit, call).await {
            Err(_) => Err(self.failed(format!("no answer within {:?}", self.limit))),
            Ok(Err(ServiceError::McpError(error))) => Err(self.failed(short(&error.message))),
            Ok(Err(error)) => Err(self.failed(short(&error.to_string()))),
            Ok(Ok(CallToolResponse::Complete(result))) => match result.is_error {
                Some(true) => Err(self.failed(text(&result))),
                _ => Ok(text(&result)),
            },
            Ok(Ok(_)) => Err(self.failed("it asks for more than an answer, which nobody here gives it")),
        }
    }
}

/// The text of a result: its texts, with a line in place of each part that is no text; without any, its structured
/// content.
fn text(result: &CallToolResult) -> String {
    let texts: Vec<String> = result.content.iter().map(block).collect();
    match (&result.structured_content, texts.is_empty()) {
        (Some(structured), true) => structured.to_string(),
        _ => texts.join("\n"),
    }
}

fn block(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => format!("[an image, {}, is left out]", image.mime_type),
        ContentBlock::Audio(audio) => format!("[a sound, {}, is left out]", audio.mime_type),
        ContentBlock::ResourceLink(link) => format!("[{}]({})", link.name, link.uri),
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::TextResourceContents { text, .. } => text.clone(),
            ResourceContents::BlobResourceContents { uri, .. } => format!("[{uri} is no text and left out]"),
            _ => "[something that is no text is left out]".to_owned(),
        },
        _ => "[something that is no text is left out]".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn said(result: Value) -> String {
        text(&serde_json::from_value(result).unwrap())
    }

    #[test]
    fn a_result_is_its_texts_and_what_is_no_text_is_named() {
        let content = json!([
            { "type": "text", "text": "one" },
            { "type": "image", "data": "AAAA", "mimeType": "image/png" },
            { "type": "resource", "resource": { "uri": "file:///a", "text": "two" } },
            { "type": "resource_link", "uri": "file:///b", "name": "b" },
        ]);
        let expected = "one\n[an image, image/png, is left out]\ntwo\n[b](file:///b)";
        assert_eq!(said(json!({ "content": content })), expected);
        assert_eq!(said(json!({ "content": [], "structuredContent": { "a": 1 } })), r#"{"a":1}"#);
    }
}
