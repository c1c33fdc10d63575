//! The viewer that a request names: the persona, in a channel, with a person.

use axum::extract::FromRequestParts;
use greenroom_core::{ChannelKey, PersonaName, Scope, UserId, Viewer};
use http::request::Parts;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::{
    ApiError, Caller, Services,
    access::own_channel,
    extract::{Path, Query},
};

/// The channel and the person of the viewer.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ViewerQuery {
    /// The channel, as provider:chat_id; the person's own, `api:NAME`, if not given.
    pub channel: Option<ChannelKey>,
    /// The person; that of the key if not given.
    pub user: Option<UserId>,
}

impl ViewerQuery {
    /// The viewer.
    ///
    /// # Errors
    /// 404 for an unknown persona, 403 for another person.
    pub fn viewer(
        self,
        services: &Services,
        caller: &Caller,
        persona: PersonaName,
    ) -> Result<Viewer, ApiError> {
        services.runtime.persona(&persona)?;
        let user = caller.speak_as(self.user)?;
        let own = || own_channel(&user).map_err(|error| ApiError::invalid(error).about("channel"));
        let channel = self.channel.map_or_else(own, Ok)?;
        caller.check_channel(&channel)?;
        // the store knows whether the channel is a group, and then shows nothing private (MP1)
        Ok(Viewer::new(persona, channel, Some(user)).one_to_one())
    }
}

/// A caller, and the viewer that the request names: the persona of the path, the channel and the person of the query.
pub(super) struct MemoryAccess {
    pub(super) caller: Caller,
    pub(super) viewer: Viewer,
}

impl FromRequestParts<Services> for MemoryAccess {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, services: &Services) -> Result<Self, ApiError> {
        let caller = Caller::from_request_parts(parts, services).await?;
        let Path(PersonaPath { name }) = Path::from_request_parts(parts, services).await?;
        let Query(query) = Query::<ViewerQuery>::from_request_parts(parts, services).await?;
        Ok(Self { viewer: query.viewer(services, &caller, name)?, caller })
    }
}

/// The persona of a path.
#[derive(Deserialize)]
struct PersonaPath {
    name: PersonaName,
}

/// The name of a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ScopeName {
    /// In the channel.
    #[default]
    Channel,
    /// Everywhere.
    Global,
    /// With the person.
    User,
    /// With the person, where nobody else listens.
    Private,
}

impl ScopeName {
    /// The scope for a viewer.
    pub(super) fn of(self, viewer: &Viewer) -> Scope {
        match (self, viewer.user_ref()) {
            (Self::Global, _) => Scope::Global,
            (Self::User, Some(user)) => Scope::User(user),
            (Self::Private, Some(user)) => Scope::Private(user),
            (Self::Channel, _) | (Self::User | Self::Private, None) => {
                Scope::Channel(viewer.channel().clone())
            }
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Channel => "channel",
            Self::Global => "global",
            Self::User => "user",
            Self::Private => "private",
        }
    }
}
