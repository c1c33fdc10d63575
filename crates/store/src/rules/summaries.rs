//! The keys of memories that summarise a session (JV1). Stores use them to find the summaries of a session; SQLite does
//! so in SQL.

/// The key of the summary of a session.
pub fn session_summary_key(session: i64) -> String {
    format!("session_{session}_summary")
}

/// The session that a key of [`session_summary_key`] names; `None` for any other key.
pub fn session_of_summary_key(key: &str) -> Option<i64> {
    key.strip_prefix("session_")?.strip_suffix("_summary")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jv1_the_key_of_a_summary_names_its_session() {
        assert_eq!(session_summary_key(7), "session_7_summary");
        assert_eq!(session_of_summary_key("session_7_summary"), Some(7));
        assert_eq!(session_of_summary_key("session_7_summary@m40"), None);
        assert_eq!(session_of_summary_key("preference_7"), None);
    }
}
