//! Swagger UI at `/docs`, served from the archive in `utoipa-swagger-ui-vendored`.
//!
//! Each request unpacks its file. `utoipa-swagger-ui` embeds all files unpacked (4.3 MB instead of 1.8 MB), and
//! its build script compiles an archive reader and a regular expression engine for every build.

use std::{
    borrow::Cow,
    io::{Cursor, Read},
};

use axum::{
    Router,
    http::header::CONTENT_TYPE,
    response::{IntoResponse, Redirect},
    routing::get,
};
use utoipa_swagger_ui_vendored::SWAGGER_UI_VENDORED;
use zip::ZipArchive;

use crate::{ApiError, Services, extract::Path};

/// The page's settings, in place of the archive's, which show an example.
const SETTINGS: &str = r##"window.onload = () => {
  window.ui = SwaggerUIBundle({
    url: "../openapi.json",
    dom_id: "#swagger-ui",
    deepLinking: true,
    presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
    plugins: [SwaggerUIBundle.plugins.DownloadUrl],
    layout: "StandaloneLayout",
  });
};
"##;

pub(super) fn routes() -> Router<Services> {
    Router::new()
        .route("/docs", get(|| async { Redirect::to("/docs/") }))
        .route("/docs/", get(|| async { file("index.html") }))
        .route("/docs/{file}", get(|Path(name): Path<String>| async move { file(&name) }))
}

fn file(name: &str) -> Result<impl IntoResponse + use<>, ApiError> {
    let missing = || ApiError::not_found("unknown_route", format!("the page /docs has no file {name}"));
    let kind = match name.rsplit_once('.').ok_or_else(missing)?.1 {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css",
        "js" => "text/javascript",
        "png" => "image/png",
        _ => return Err(missing()),
    };
    let content = match name {
        "swagger-initializer.js" => SETTINGS.into(),
        _ => unpacked(name).ok_or_else(missing)?,
    };
    Ok(([(CONTENT_TYPE, kind)], content))
}

/// A file of the archive's folder `swagger-ui-VERSION/dist`.
fn unpacked(name: &str) -> Option<Vec<u8>> {
    let mut archive = ZipArchive::new(Cursor::new(SWAGGER_UI_VENDORED)).ok()?;
    let asked = |path: &Cow<'_, str>| path.split('/').skip(1).eq(["dist", name]);
    let path = archive.file_names().flatten().find(asked)?.into_owned();
    let mut content = Vec::new();
    archive.by_name(&path).ok()?.read_to_end(&mut content).ok()?;
    Some(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_that_the_page_names_is_there() {
        let page = String::from_utf8(unpacked("index.html").unwrap()).unwrap();
        let named: Vec<&str> =
            page.split('"').filter(|text| text.contains('.') && !text.contains(' ')).collect();
        assert_eq!(named.len(), 7, "{named:?}");
        for name in named {
            assert!(file(name.trim_start_matches("./")).is_ok(), "{name}");
        }
        assert!(file("../README.md").is_err() && file("swagger-ui.js.map").is_err());
    }
}
