//! Export and import of memories (GR10). Only the operator uses these calls; they take no viewer.

use std::{
    collections::{HashMap, HashSet},
    ops::Bound::{Excluded, Unbounded},
};

use async_trait::async_trait;
use greenroom_core::{Author, Memory, MemoryId, MessageId, PersonaName, Relation, Scope};
use greenroom_store::{
    Exported, ExportedRelation, Imported, Result, TransferStore,
    rules::imports::{MAX_ID, check, refused, session_of_summary},
};

use crate::{InMemoryStore, memories::order, rows::place_of, state::State};

#[async_trait]
impl TransferStore for InMemoryStore {
    async fn export(
        &self,
        persona: Option<&PersonaName>,
        after: Option<MemoryId>,
        limit: usize,
    ) -> Result<Vec<Exported>> {
        let state = self.state()?;
        let later = state.memories.range((after.map_or(Unbounded, Excluded), Unbounded));
        let theirs = later.filter(|(_, memory)| persona.is_none_or(|persona| memory.persona == *persona));
        Ok(theirs.take(limit).map(|(_, memory)| state.exported(memory)).collect())
    }

    async fn import(&self, memories: Vec<Exported>) -> Result<Imported> {
        check(&memories)?;
        self.state()?.import(&memories)
    }
}

impl State {
    fn exported(&self, memory: &Memory) -> Exported {
        let edges = self.relations.get(&memory.id).into_iter().flatten();
        let mut edges: Vec<_> = edges.filter(|edge| edge.from == memory.id).collect();
        edges.sort_unstable_by_key(|edge| order(edge));
        let relations = edges.into_iter().map(|edge| ExportedRelation { to: edge.to, kind: edge.kind });
        Exported { memory: memory.clone(), relations: relations.collect() }
    }

    fn import(&mut self, imports: &[Exported]) -> Result<Imported> {
        // the ids that the memories get here, including those already stored
        let mut ids: HashMap<MemoryId, MemoryId> = HashMap::new();
        let (mut came, mut renamed) = (Vec::new(), Vec::new());
        for Exported { memory, .. } in imports {
            let ours = self.ours(memory);
            let stored = self.memories.get(&memory.id);
            if stored == Some(memory) || stored == Some(&ours) {
                ids.insert(memory.id, memory.id);
            } else if stored.is_some() || !(1..=MAX_ID).contains(&memory.id.0) {
                renamed.push(ours);
            } else {
                ids.insert(memory.id, memory.id);
                came.push(ours);
            }
        }
        self.check_keys(came.iter().chain(&renamed))?;
        let known = ids.len() - came.len();
        // last, so that no new id is the id of another imported memory
        let mut last = came.iter().map(|memory| memory.id.0).fold(self.last.memory, i64::max);
        for memory in renamed {
            last += 1;
            ids.insert(memory.id, MemoryId(last));
            came.push(Memory { id: MemoryId(last), ..memory });
        }
        let edges = self.edges(imports, &ids, &came)?;

        let mut imported = Imported { added: came.len() as u64, known: known as u64, relations: 0 };
        for memory in came {
            // reserve these ids, so that no later message or session gets one of them
            let source = memory.source.message.map_or(0, |id| id.0);
            self.last.message = self.last.message.max(source);
            self.last.session = self.last.session.max(session_of_summary(&memory).unwrap_or(0));
            self.add_memory(memory);
        }
        for edge in edges {
            imported.relations += u64::from(self.add_relation(edge));
        }
        Ok(imported)
    }

    /// Refuses a memory whose key another memory of its place has.
    fn check_keys<'a>(&self, came: impl Iterator<Item = &'a Memory>) -> Result<()> {
        let mut keys = HashSet::new();
        for memory in came {
            let Some(key) = memory.key.as_deref() else { continue };
            let persona = &memory.persona;
            if self.with_key(persona, &memory.scope, key).is_some() || !keys.insert((place_of(memory), key)) {
                let why = format!("{persona} has another memory with the key `{key}` there; forget one");
                return Err(refused(memory, &why));
            }
        }
        Ok(())
    }

    /// The relations of imported memories, with the ids that they have here.
    fn edges(
        &self,
        imports: &[Exported],
        ids: &HashMap<MemoryId, MemoryId>,
        came: &[Memory],
    ) -> Result<Vec<Relation>> {
        let came: HashMap<_, _> = came.iter().map(|memory| (memory.id, memory)).collect();
        let mut edges = Vec::new();
        for Exported { memory, relations } in imports {
            for edge in relations {
                let here = |id: MemoryId| ids.get(&id).copied().unwrap_or(id);
                let (from, to) = (here(memory.id), here(edge.to));
                let other = came.get(&to).copied().or_else(|| self.memories.get(&to));
                if from == to || other.is_none_or(|other| other.persona != memory.persona) {
                    let persona = &memory.persona;
                    let why = format!("it speaks of {}, which is no other memory of {persona}", edge.to);
                    return Err(refused(memory, &why));
                }
                edges.push(Relation { from, to, kind: edge.kind });
            }
        }
        Ok(edges)
    }

    /// The memory with the source message and the session that are valid here. Each store numbers its messages and
    /// sessions: an id from another store may belong to another person here. Then forgetting that person would also
    /// erase the memory, and forgetting its own person would leave it.
    fn ours(&self, memory: &Memory) -> Memory {
        let mut ours = memory.clone();
        ours.source.message = memory.source.message.filter(|message| self.message_holds(memory, *message));
        if let (Some(key), Some(session)) = (&memory.key, session_of_summary(memory))
            && !self.session_holds(memory, key, session)
        {
            ours.key = Some(format!("{key}@{}", memory.id));
        }
        ours
    }

    /// Whether the message with this id belongs to the memory's place or person, or no message has had this id yet.
    fn message_holds(&self, memory: &Memory, id: MessageId) -> bool {
        if id.0 > self.last.message && id.0 <= MAX_ID {
            return true;
        }
        let Some(message) = self.message(id).filter(|message| message.at <= memory.updated_at) else {
            return false;
        };
        let person = match &message.author {
            Author::User { id, .. } => Some(id),
            Author::Persona { .. } => None,
        };
        match &memory.scope {
            Scope::Channel(channel) => message.channel == *channel,
            Scope::User(of) | Scope::Private(of) => {
                let provider = message.channel.provider();
                person.is_some_and(|person| format!("{provider}:{person}") == of.as_str())
            }
            Scope::Global => person.is_some() && person == memory.source.user.as_ref(),
        }
    }

    /// Whether the session with this id belongs to the memory's chat or person, or no session has had this id yet.
    /// False if a memory here already has the key.
    fn session_holds(&self, memory: &Memory, key: &str, id: i64) -> bool {
        if self.with_key(&memory.persona, &memory.scope, key).is_some() {
            return false;
        }
        if id > self.last.session && id <= MAX_ID {
            return true;
        }
        let sessions = self.chats.values().flat_map(|people| people.values()).flatten();
        let mut begun =
            sessions.filter(|session| session.id == id && session.started_at <= memory.updated_at);
        begun.any(|session| match &memory.scope {
            Scope::Channel(channel) => {
                (session.provider.as_str(), session.chat_id.as_str())
                    == (channel.provider(), channel.chat_id())
            }
            Scope::User(of) | Scope::Private(of) => {
                let (provider, user) = of.as_str().split_once(':').unwrap_or_default();
                (session.provider.as_str(), session.user.as_str()) == (provider, user)
            }
            Scope::Global => false,
        })
    }
}
