//! Completes imports of personas that ended before all of their knowledge was in the memory (PF6).

use greenroom_formats::Folder;
use greenroom_memory::Memory;
use greenroom_persona::Persona;

use super::App;

impl App {
    /// The personas whose import is incomplete.
    pub fn unlearned(&self) -> impl Iterator<Item = &Persona> {
        let is_left = |persona: &&Persona| Folder::of(&persona.file).is_learning();
        self.cast.personas.iter().filter(is_left)
    }

    /// Completes interrupted imports.
    pub async fn learn_the_rest(&self, memory: &Memory) {
        for persona in self.unlearned() {
            let folder = Folder::of(&persona.file);
            let learned = async {
                let Some(rest) = folder.to_learn()? else { return anyhow::Ok(()) };
                let statements: Vec<_> = rest.knowledge.into_iter().map(|it| (it.place, it.text)).collect();
                memory.learn(&persona.name, &statements, &rest.unread, || {}).await?;
                Ok(folder.has_learned()?)
            };
            match learned.await {
                Ok(()) => tracing::info!("{} has learned the rest of its import", persona.name),
                // a persona can answer without its knowledge; the next start tries again
                Err(error) => tracing::warn!("{} knows a part of its import alone: {error:#}", persona.name),
            }
        }
    }
}
